"""One evaluation of the equations of motion, four ways, as ratios measured in the same run.

compiled C (inside the native FMU)  :  CasADi's virtual machine  :  NumPy floats       for catalogue plants
compiled C                          :  MuJoCo's mj_forward                             for a hub with N hinged links
"""

from __future__ import annotations

import sys
import time
from ctypes import POINTER, c_double
from pathlib import Path

import mujoco
import numpy as np
from fmpy.fmi2 import FMU2Model

sys.path.insert(0, str(Path(__file__).parent.parent))

from dynamics.description import load_text
from dynamics.evaluate import motion, start
from fmu_src.build import build_native
from fmu_src.native.fast import fast
from tests.catalogue_fmus import open_fmu, open_unpacked, system_of, unpack

DOUBLES = POINTER(c_double)


def best_of(call, repeats: int, rounds: int = 5, clock=time.perf_counter) -> float:
    """Seconds a call: the best of some rounds, which a noisy machine spoils least."""
    times = []
    for _ in range(rounds):
        begin = clock()
        for i in range(repeats):
            call(i)
        times.append((clock() - begin) / repeats)
    return min(times)


def compiled(fmu, nx: int):
    """A call that changes the time and gets the derivatives, so that nothing is answered from the cache."""
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.newDiscreteStates()
    fmu.enterContinuousTimeMode()
    pointer = np.zeros(nx).ctypes.data_as(DOUBLES)

    def call(i):
        fmu.setTime(1e-9 * i)
        fmu.getDerivatives(pointer, nx)

    return call


def chain(links: int) -> str:
    """A free hub and a chain of hinged links."""
    parts = ['name = "Chain"', "[bodies.hub]", "mass = 100.0", "inertia = [30.0, 40.0, 50.0]"]
    for i in range(links):
        parent, place = ("hub", "[0.5, 0.0, 0.0]") if i == 0 else (f"link{i - 1}", "[1.0, 0.0, 0.0]")
        parts += [f"[bodies.link{i}]", "mass = 5.0", "mass_center = [0.5, 0.0, 0.0]", "inertia = [0.1, 0.5, 0.5]"]
        parts += [f"[joints.hinge{i}]", f'parent = "{parent}"', f'child = "link{i}"', f"place = {place}"]
        parts += ['kind = "revolute"', f'axis = "{"yz"[i % 2]}"', "stiffness = 20.0"]
    return "\n".join(parts)


def mujoco_chain(links: int) -> mujoco.MjModel:
    opening, closing = "", ""
    for i in range(links):
        place, axis = ("0.5 0 0" if i == 0 else "1 0 0"), ("0 1 0" if i % 2 == 0 else "0 0 1")
        opening += f'<body pos="{place}"><joint axis="{axis}" stiffness="20"/>'
        opening += '<inertial pos="0.5 0 0" mass="5" diaginertia="0.1 0.5 0.5"/>'
        closing += "</body>"
    hub = '<freejoint/><inertial pos="0 0 0" mass="100" diaginertia="30 40 50"/>'
    xml = f'<mujoco><option gravity="0 0 0"/><worldbody><body>{hub}{opening}{closing}</body></worldbody></mujoco>'
    return mujoco.MjModel.from_xml_string(xml)


def main() -> None:
    print(f"{'plant':<16}{'compiled C':>14}{'CasADi VM':>12}{'NumPy':>12}   (NumPy / C)")
    for name in ("HingedPanel", "FourBar"):
        system = system_of(name)
        x, u, k, d = start(system)
        c = best_of(compiled(open_fmu(name, FMU2Model)[0], system.nx), 2000)
        quick = fast(system)
        vm = best_of(lambda i, s=quick, a=(x, u, k, d): motion(s, 1e-9 * i, *a), 200)
        floats = best_of(lambda i, s=system, a=(x, u, k, d): motion(s, 1e-9 * i, *a), 20)
        print(f"{name:<16}{c * 1e6:>11.2f} µs{vm * 1e6:>9.1f} µs{floats * 1e6:>9.0f} µs   {floats / c:>8.0f} ×")
    print(f"\n{'hub + N links':<16}{'compiled C':>14}{'MuJoCo':>12}   (MuJoCo / C)")
    for links in (1, 4, 10, 30):
        system = load_text(chain(links))
        fmu = open_unpacked(unpack(build_native, system), FMU2Model)[0]
        c = best_of(compiled(fmu, system.nx), 2000)
        model = mujoco_chain(links)
        data = mujoco.MjData(model)
        peer = best_of(lambda i, m=model, a=data: mujoco.mj_forward(m, a), 2000)
        print(f"{links:<16}{c * 1e6:>11.2f} µs{peer * 1e6:>9.2f} µs   {peer / c:>8.2f} ×")


if __name__ == "__main__":
    main()
