"""What a burn costs FlexibleSatellite, with a tank and a thruster that burns: one evaluation of its rates, and communication steps over the same seconds.

`python bench/burning.py`. Each round begins at time 0 again: later stretches of a run need other steps.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.driver import Unit, rates_of
from bench.timing import alternate
from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src.build import build_native

BURNS = """
[tanks.main]
body = "hub"
place = [0.0, 0.0, -0.2]
kind = "sphere"
radius = 0.3
outlet = "-z"
capacity = 100.0
propellant = 80.0
[thrusters.main]
body = "hub"
place = [0.0, 0.0, -0.95]
direction = "z"
tank = "main"
isp = 220.0
maximum = 20.0
rise_time = 0.05
"""
ROUNDS, STOP, STEP = 12, 100.0, 0.1
CYLINDER = ('kind = "sphere"', 'kind = "cylinder"\nlength = 0.6')


def main() -> None:
    text = (Path(__file__).parent.parent / "fmu_src" / "catalogue" / "FlexibleSatellite.toml").read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        paths = {
            name: build_native(load_text(text + more), Path(folder) / f"{name}.fmu", ["host"])
            for name, more in (("plain", ""), ("sphere", BURNS), ("cylinder", BURNS.replace(*CYLINDER)))
        }
        _print("rates", alternate({name: rates_of(path).chunk(1) for name, path in paths.items()}))
        burns = {"hub.torque[1]": 0.1, "thruster.main.force": 1e-3}
        best = dict.fromkeys(paths, float("inf"))
        for _ in range(ROUNDS):
            for name, path in paths.items():
                unit = Unit(path, start=burns if name != "plain" else {"hub.torque[1]": 0.1})
                best[name] = min(best[name], 1e9 * unit.run(STOP, STEP) / round(STOP / STEP))
                unit.free()
        _print(f"step of {STEP:g} s over {STOP:g} s", best)


def _print(what: str, times: dict[str, float]) -> None:
    print(
        f"{what}:",
        ", ".join(f"{name} {1e-3 * time:.2f} µs ({time / times['plain']:.2f})" for name, time in times.items()),
    )


if __name__ == "__main__":
    main()
