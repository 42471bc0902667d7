"""Draws the pictures of the documentation:  python -m docs.make_images  draws all,  python -m docs.make_images view_slew  one of them.

Those of docs/images/bench are drawn by `make bench`.
"""

from __future__ import annotations

import html
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image, ImageSequence

from docs.catalogue import SHOWN
from spacefmu.fmu_src import api
from spacefmu.fmu_src.catalogue import entries
from spacefmu.fmu_src.cosim.diagram import diagram
from spacefmu.fmu_src.cosim.single import simulate
from spacefmu.fmu_src.results.plot import STYLE, empty_figure, save
from spacefmu.fmu_src.results.slew import slew_figure

IMAGES = Path(__file__).parent / "images"
LENGTH = 500.0  # [m] of TetheredPair's cable


def attitude_slew() -> Path:
    """What `spacefmu demo` draws."""
    return save(
        slew_figure(
            api.cosimulate("AttitudeSlew"),
            api.cosimulate("AttitudeSlew", start_values={"controller.shaper.active": False}),
        ),
        IMAGES / "attitude_slew.png",
    )


SYSTEMS = {
    "ThrusterSlew": ("controller.error", "plant.panel.tip.displacement", "controller.torque", "modulator.force"),
    "Capture": (
        "plant.hand.gripper.position", "plant.target.position", "plant.target.quaternion", "arm.error", "arm.arrived", "plant.dock.closed",
        "plant.target.angular_velocity", "attitude.error", "arm.torque", "attitude.torque",
    ),
    "PathFollowing": ("plant.forearm.gripper.position", "inverse.forearm.gripper.position", "arm.error", "arm.torque", "plant.hub.quaternion", "inverse.inverse.singular_value"),
    "TetherDeployment": ("line.angle", "line.distance", "reel.acceleration", "plant.tether.tension"),
}  # fmt: skip


def systems() -> list[Path]:
    """The other systems of the catalogue, as `spacefmu system run NAME --plot` draws them."""
    files = {
        "ThrusterSlew": "thruster_slew",
        "Capture": "capture",
        "PathFollowing": "path_following",
        "TetherDeployment": "tether_deployment",
    }
    return [
        save(api.plot(api.cosimulate(name), list(shown), name), IMAGES / f"{files[name]}.png")
        for name, shown in SYSTEMS.items()
    ]


def attitude_slew_diagram() -> Path:
    """What `spacefmu system show AttitudeSlew -o` draws."""
    return save(diagram(*api.read_coupled("AttitudeSlew")), IMAGES / "attitude_slew_diagram.png")


def slew_spread() -> Path:
    """What `spacefmu sweep examples/sweeps/slew_spread.toml` draws."""
    with tempfile.TemporaryDirectory() as folder:
        done = api.sweep(IMAGES.parents[1] / "examples/sweeps/slew_spread.toml", Path(folder, "spread"))
        return api.plot_sweep(done, IMAGES / "slew_spread.png")


def view_slew() -> Path:
    """The 3-D view of the same slew in chromium, its bending magnified: the README's first picture."""
    from tests.browser.chromium import Browser

    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        page = Path(folder, "view.html")
        page.write_text(api.look(api.cosimulate("AttitudeSlew")).page(), encoding="utf-8")
        browser.open(page)
        browser.wait("window.view && window.view.ready")
        browser.evaluate(
            "document.getElementById('bend').value = 2.9; view.camera.position.lerp(view.controls.target, 0.1); view.seek(59.4)"
        )
        return browser.screenshot(IMAGES / "view_slew.png")


def tour() -> list[Path]:
    """The four pictures of the front page: the description, the FMU's documentation, a run, the view."""
    from tests.browser.chromium import Browser

    with tempfile.TemporaryDirectory() as made, Browser() as browser:
        folder = Path(made)
        commands = re.findall(r"^```sh\n(.*?)\n```", (IMAGES.parent / "index.md").read_text("utf-8"), re.MULTILINE)
        for line in commands:
            command = [Path(sys.executable).with_name("spacefmu"), *shlex.split(line)[1:]]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with zipfile.ZipFile(folder / "MySatellite.fmu") as archive:
            archive.extractall(folder, [name for name in archive.namelist() if name.startswith("documentation/")])
        text = html.escape("\n".join((folder / "MySatellite.toml").read_text("utf-8").splitlines()[:30]))
        Path(folder, "text.html").write_text(f"<pre style='font-size: 15px; margin: 12px'>{text}</pre>", "utf-8")
        browser.call("Emulation.setDeviceMetricsOverride", width=900, height=480, deviceScaleFactor=1, mobile=False)
        taken = [Path(shutil.copy(folder / "run.png", IMAGES / "tour_run.png"))]
        for page, picture in (
            ("text.html", "tour_describe"),
            ("documentation/overview.html", "tour_build"),
            ("view.html", "tour_view"),
        ):
            browser.open(folder / page)
            if page == "view.html":
                browser.wait("window.view && window.view.ready")
            taken.append(browser.screenshot(IMAGES / f"{picture}.png"))
    for picture in taken:
        with Image.open(picture) as opened:
            opened.convert("RGB").quantize(128).save(picture, optimize=True)  # a third of the bytes
    return taken


def catalogue() -> list[Path]:
    """Every entry of the catalogue that has bodies in the 3-D view, a third of its run on, without the controls."""
    from tests.browser.chromium import Browser

    taken = []
    (IMAGES / "catalogue").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        browser.call("Emulation.setDeviceMetricsOverride", width=800, height=420, deviceScaleFactor=1, mobile=False)
        for name in (entry.name for entry in entries() if entry.kind in SHOWN):
            page = Path(folder, "view.html")
            page.write_text(api.look(name).page(), encoding="utf-8")
            browser.open(page)
            browser.wait("window.view && window.view.ready")
            browser.evaluate(
                "for (const part of ['side', 'bar', 'title', 'plots', 'bearings', 'scale']) document.getElementById(part).style.visibility = 'hidden';"
                "stage.style.inset = 0; view.resize(); view.home()"
            )
            browser.evaluate("scrub.value = 1 / 3; scrub.oninput(); view.seek(view.time)")
            taken.append(browser.screenshot(IMAGES / "catalogue" / f"{name}.png"))
            with Image.open(taken[-1]) as opened:
                opened.convert("RGB").quantize(128).save(taken[-1], optimize=True)  # a third of the bytes
    return taken


def tether_libration() -> Path:
    """TetheredPair until it is caught for the second time: libration angle, distance by length, tension; slack intervals shaded."""
    with tempfile.TemporaryDirectory() as folder:
        fmu = api.build("TetheredPair", Path(folder) / "TetheredPair.fmu", platforms=["host"])
        places = [f"{body}.position[{i}]" for body in ("first", "second") for i in (1, 2)]
        run = simulate(fmu, stop=14000.0, step=5.0, record=[*places, "tether.length", "tether.tension", "tether.taut"])
    x1, y1, x2, y2, distance, tension, taut = run.values.T
    # the line of the bodies from the vertical, in the plane of the orbit: x outward, y along track
    angle = np.rad2deg(np.unwrap(np.arctan2(y2 - y1, x2 - x1)))
    panels = (
        ("libration angle [deg]", angle),
        ("slack: 1 − distance / length", 1.0 - distance / LENGTH),
        ("tension [N]", tension),
    )
    with mpl.rc_context(STYLE):
        figure = empty_figure(7.0, 5.0)
        for axes, (title, values) in zip(figure.subplots(3, 1, sharex=True), panels, strict=True):
            axes.plot(run.time, values)
            axes.fill_between(
                run.time, 0, 1, where=taut < 0.5, transform=axes.get_xaxis_transform(), color="C1", alpha=0.25, lw=0
            )
            axes.set_title(title)
        axes.set_xlabel("time [s]   (shaded: cable slack)")
        figure.suptitle(
            "TetheredPair: two bodies on a 500 m cable about a circular orbit", x=0.01, ha="left", fontsize=12
        )
    return save(figure, IMAGES / "tether_libration.png")


def _compared(title: str, name: str, panels: dict[str, tuple[str, float]], cases: dict[str, dict]) -> Path:
    """A picture of a system's runs beside each other: panels, title → (variable, factor), and cases, label → start values."""
    with mpl.rc_context(STYLE):
        figure = empty_figure(7.0, 1.7 * len(panels) + 0.6)
        rows = figure.subplots(len(panels), 1, sharex=True)
        for label, start in cases.items():
            run = api.cosimulate(title, start_values=start, record=[variable for variable, _ in panels.values()])
            for axes, (text, (variable, factor)) in zip(rows, panels.items(), strict=True):
                axes.plot(run.time, factor * run[variable], label=label, lw=1.0)
                axes.set_title(text)
        rows[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
        rows[-1].set_xlabel("time [s]")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return save(figure, IMAGES / name)


def coupling_order() -> Path:
    """Error of each way to couple two continuous partners, over the communication step: tests/cosim/order.py."""
    from tests.cosim.order import Pair, slope

    steps = np.array([0.1, 0.05, 0.025, 0.0125, 0.00625])
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(Path(folder))
        errors = {
            "Jacobi": [pair.with_held_inputs(step, "jacobi") for step in steps],
            "Gauss–Seidel": [pair.with_held_inputs(step, "gauss_seidel") for step in steps],
            "input derivatives": [pair.with_input_derivatives(step) for step in steps],
        }
    with mpl.rc_context(STYLE):
        figure = empty_figure(6.0, 4.0)
        axes = figure.subplots()
        for (label, found), marker in zip(errors.items(), "oxs", strict=True):
            axes.loglog(steps, found, marker=marker, label=f"{label}: order {slope(steps, found):.2f}")
        axes.set_xlabel("communication step [s]")
        axes.set_title("largest error of the position, against the monolithic System [m]")
        axes.legend()
    return save(figure, IMAGES / "coupling_order.png")


def thermal_snap() -> Path:
    """ThermalSnap with its controller and without."""
    none = {f"controller.{gain}": 0.0 for gain in ("stiffness", "damping")}
    panels = {
        "roll of the bus [deg]": ("plant.hub.euler_123[1]", 180.0 / np.pi),
        "tip of the wing [m]": ("plant.wing.tip.displacement[2]", 1.0),
        "temperature difference [K]": ("heat.temperature_difference_z[1]", 1.0),
    }
    return _compared("ThermalSnap", "thermal_snap.png", panels, {"without controller": none, "with controller": {}})


def thermal_flutter() -> Path:
    """ThermalFlutter below and above the damping that it needs."""
    panels = {
        "tip of the boom [m]": ("plant.boom.tip.displacement[2]", 1.0),
        "incidence on section 4": ("plant.boom.section.incidence_y[4]", 1.0),
        "temperature difference of section 4 [K]": ("heat.temperature_difference_y[4]", 1.0),
    }
    cases = {f"damping ratio {zeta:g}": {"plant.boom.mode[1].damping": zeta} for zeta in (0.001, 0.005)}
    return _compared("ThermalFlutter", "thermal_flutter.png", panels, cases)


def of_page(page: str, prefix: str) -> list[Path]:
    """The pictures that a page's own blocks draw, in the order they are drawn."""
    text = (IMAGES.parent / page).read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for language, title, block in re.findall(
            r'^```(\w+)(?: title="(.+?)")?\n(.*?)^```', text, re.DOTALL | re.MULTILINE
        ):
            if title:
                Path(folder, title).write_text(block, "utf-8")
            elif language == "python":
                subprocess.run([sys.executable, "-c", block], cwd=folder, check=True)
            else:
                for line in block.strip().splitlines():
                    command = [Path(sys.executable).with_name("spacefmu"), *shlex.split(line, comments=True)[1:]]
                    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        drawn = sorted(Path(folder).glob("*.png"), key=lambda path: path.stat().st_mtime)
        moving = [_small(video, IMAGES / f"{prefix}_{video.name}") for video in Path(folder).glob("*.gif")]
        return moving + [Path(shutil.copy(picture, IMAGES / f"{prefix}_{picture.name}")) for picture in drawn]


def _small(video: Path, path: Path) -> Path:
    """A GIF with a third of its frames and 32 colours: a quarter of its size."""
    with Image.open(video) as opened:
        frames = [frame.convert("RGB").quantize(32) for frame in ImageSequence.Iterator(opened)][::3]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=150, loop=0)
    return path


PAGES = {
    "tutorials/attitude_control.md": "attitude",
    "tutorials/linear_design.md": "linear",
    "tutorials/manipulators.md": "manipulator",
    "tutorials/tethers.md": "tether",
}


def pages() -> list[Path]:
    """The pictures that pages draw themselves."""
    return [drawn for page, prefix in PAGES.items() for drawn in of_page(page, prefix)]


DRAWINGS = (
    attitude_slew, attitude_slew_diagram, view_slew, tour, tether_libration, coupling_order, thermal_snap, thermal_flutter,
    systems, pages, slew_spread, catalogue,
)  # fmt: skip

if __name__ == "__main__":
    by_name = {draw.__name__: draw for draw in DRAWINGS}
    if strange := set(sys.argv[1:]) - set(by_name):
        sys.exit(f"no drawing is called {', '.join(sorted(strange))}: expected some of {', '.join(by_name)}")
    for name in sys.argv[1:] or by_name:
        print(by_name[name]())
