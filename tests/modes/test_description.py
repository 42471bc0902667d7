"""A body from a file in a description: what it becomes, and what is refused, in one sentence each."""

import json

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.cli import main
from tests.cli.command import in_this_process, spacefmu

SATELLITE = """
name = "Slewer"
[bodies.hub]
mass = 50.0
inertia = [5.0, 5.0, 5.0]
forces_at = ["frame"]
[bodies.panel]
file = "modes.frd"
units = "mm-t-s"
modes = { up_to = 300.0 }
damping = 0.01
nodes = { tip = TIP }
forces_at = ["tip"]
[joints.mount]
kind = "fixed"
parent = "hub"
child = "panel"
place = [0.5, 0.0, 0.0]
"""


def text(panel, **changes) -> str:
    said = SATELLITE.replace("TIP", str(panel.tip))
    for old, new in changes.items():
        line = next(row for row in said.splitlines() if row.startswith(f"{old} ="))
        said = said.replace(line, f"{old} = {new}" if new else "")
    return said


def test_modes_are_parameters_and_places_carry_loads(panel):
    system = load_text(text(panel), "sat.toml", panel.folder)
    starts = {signal.name: signal.start for signal in system.signals.parameters}
    assert starts["panel.mode[1].frequency"] == pytest.approx(42.51186, rel=1e-7)
    assert starts["panel.mode[3].damping"] == pytest.approx(0.01, rel=1e-14)
    assert "panel.mode[4].frequency" not in starts  # the next mode is at 704 Hz
    assert starts["panel.mass"] == pytest.approx(1.296)
    assert "panel.tip.force[3]" in [signal.name for signal in system.signals.inputs]
    x, u, k, d = start(system)
    assert np.all(np.isfinite(motion(system, 0.0, x, u, k, d)[0]))


def test_the_checks_are_kept_in_the_documentation(panel):
    page = load_text(text(panel), "sat.toml", panel.folder).about.documentation
    assert "Body panel comes from modes.frd (CalculiX): 226 nodes, 3 modes." in page
    assert (
        "Mode 1: 42.5119 Hz, damping ratio 0.01; share of mass and of inertia about the root: z 60.6 %, about y 96.8 %."
        in page
    )


def test_scale_and_selection(panel):
    scaled = text(panel, modes="{ effective_mass = 0.2 }").replace(
        "damping", "scale = { mass = 1.1, frequency = 0.9 }\ndamping", 1
    )
    starts = {s.name: s.start for s in load_text(scaled, "sat.toml", panel.folder).signals.parameters}
    assert starts["panel.mass"] == pytest.approx(1.1 * 1.296)
    found = [starts[f"panel.mode[{k}].frequency"] for k in (1, 2, 3)]  # z bending, torsion, y bending
    np.testing.assert_allclose(found, 0.9 * np.array([42.51186, 231.8278, 704.2938]), rtol=1e-6)
    assert "panel.mode[4].frequency" not in starts


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"units": ""}, "modes.frd has no units; give units"),
        ({"units": '"furlongs"'}, "bodies.panel.units is 'furlongs', expected one of SI, m-kg-s"),
        ({"file": '"none.frd"'}, "none.frd does not exist"),
        ({"file": '"panel.xyz"'}, "ends in '.xyz'"),
        ({"modes": "{ up_to = 1.0 }"}, "has none of the requested modes: its lowest is at 42.51 Hz"),
        ({"modes": "{ numbers = [1, 9] }"}, "has no mode 9"),
        ({"modes": "0"}, "bodies.panel.modes.first is 0"),
        ({"nodes": "{ tip = [99999, 1, 2, 3] }"}, "has no node '99999'"),
        ({"nodes": "{ tip = 0.5 }"}, "bodies.panel.nodes.tip is 0.5, expected a node of modes.frd"),
        ({"damping": '0.01\nresidual = ["tip"]'}, "has only modes"),
        ({"damping": '0.01\nresidual = ["top"]'}, "names the node 'top'"),
        ({"damping": "[0.1, 0.2]"}, "one damping ratio, or 3"),
    ],
)
def test_what_is_wrong_is_said(changes, words, panel):
    with pytest.raises(DescriptionError) as caught:
        load_text(text(panel, **changes), "sat.toml", panel.folder)
    (problem,) = caught.value.problems
    assert words in problem


def test_keys_of_a_file_belong_to_one(panel):
    with pytest.raises(
        DescriptionError, match=r"bodies\.hub\.root = .*is not allowed: it belongs to a body with a file"
    ):
        load_text(text(panel).replace("[bodies.panel]", 'root = "1"\n[bodies.panel]'), "sat.toml", panel.folder)


def test_the_command_shows_what_an_analyst_checks(panel, tmp_path, monkeypatch, capfd):
    done = spacefmu(
        "modes",
        str(panel.folder / "modes.frd"),
        "-u",
        "mm-t-s",
        "--first",
        "3",
        "--plot",
        "m.png",
        "--sid",
        "m.sid",
        "--json",
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)["modes"]
    assert [round(mode["frequency"], 2) for mode in facts["modes"]] == [42.51, 231.83, 265.21]
    assert all(check["good"] is not False for check in facts["checks"])
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
    again = spacefmu("modes", "m.sid", "-u", "SI", folder=tmp_path)
    assert "42.51186" in again.stdout
    (tmp_path / "sat.toml").write_text(text(panel).replace('"modes.frd"', f'"{panel.folder}/modes.frd"'))
    monkeypatch.chdir(tmp_path)
    in_this_process("spacefmu modes sat.toml")
    assert "42.51186" in capfd.readouterr().out
    for arguments in (
        ("none.frd", "-u", "SI"),
        ("m.sid",),
        ("m.sid", "-u", "mm"),
        ("m.sid", "-u", "SI", "--root", "x"),
    ):
        with pytest.raises(SystemExit) as end:
            main(["modes", *arguments])
        assert end.value.code == 2, arguments
        assert capfd.readouterr().err.count("\n") == 1
