"""Linear models as a person asks for them: of descriptions and FMUs, chosen, written, drawn, over a grid."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.io import loadmat

from spacefmu.fmu_src import api
from spacefmu.fmu_src.linearize import plots
from spacefmu.fmu_src.linearize.files import read
from spacefmu.fmu_src.linearize.swings import Stage, swings
from spacefmu.fmu_src.results.plot import save
from tests.catalogue_fmus import fmu_file, system_of
from tests.cli.command import spacefmu


@pytest.mark.parametrize("name", ["FlexibleSatellite", "FourBar"])
def test_an_fmu_gives_the_same_matrices(name):
    """Full form: directional derivatives of the FMU against the equations' Jacobian, a tree and a loop, to 1e-9 of the largest entry."""
    by_fmu = api.linearize(fmu_file(name))
    ours = api.linearize(system_of(name), full_form=True)
    assert [s.name for s in by_fmu.states] == [s.name for s in ours.states]
    assert [s.unit for s in by_fmu.inputs] == [s.unit for s in ours.inputs]
    shown = [o.name for o in ours.outputs]
    both = [(i, shown.index(output.name)) for i, output in enumerate(by_fmu.outputs) if output.name in shown]
    theirs, rows = map(list, zip(*both, strict=True))  # an FMU's accelerations are outputs too
    assert len(rows) == len(shown)
    for found, expected in (
        (by_fmu.A, ours.A), (by_fmu.B, ours.B), (by_fmu.C[theirs], ours.C[rows]), (by_fmu.D[theirs], ours.D[rows])
    ):  # fmt: skip
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.max(np.abs(expected), initial=1.0))


def test_choosing_inputs_and_outputs():
    system = system_of("FlexibleSatellite")
    model = api.linearize(system, inputs=["wheel.?.torque"], outputs=["hub.rotation", "panel.tip.displacement[3]", "panel.mode[*].amplitude"])  # fmt: skip
    assert [i.name for i in model.inputs] == ["wheel.x.torque", "wheel.y.torque", "wheel.z.torque"]
    assert [o.name for o in model.outputs[:4]] == [
        *(f"hub.rotation[{i}]" for i in (1, 2, 3)),
        "panel.tip.displacement[3]",
    ]
    assert model.outputs[0].unit == "rad"
    assert model.C.shape == (8, 30)
    with pytest.raises(ValueError, match=r"'hub.spin' is not an output or state; did you mean"):
        api.linearize(system, outputs=["hub.spin"])
    with pytest.raises(ValueError, match=r"'pannel\*' matches no input"):
        api.linearize(system, inputs=["pannel*"])
    with pytest.raises(ValueError, match=r"'hub.weight' is not a parameter, start value or input"):
        api.linearize(system, values={"hub.weight": 1.0})


def test_files(tmp_path):
    """All formats hold the same; npz and json are read again to the bit."""
    model = api.linearize(system_of("FourBar"))
    for ending in ("npz", "json"):
        again = read(api.linearized.write(model, tmp_path / f"m.{ending}"))
        assert again.states == model.states
        assert again.outputs == model.outputs
        for key in ("A", "B", "C", "D", "x", "u", "y", "x_dot"):
            np.testing.assert_array_equal(getattr(again, key), getattr(model, key))
    mat = loadmat(api.linearized.write(model, tmp_path / "m.mat"), simplify_cells=True)
    np.testing.assert_array_equal(mat["A"].reshape(model.A.shape), model.A)
    assert [str(name) for name in np.atleast_1d(mat["states"])] == [s.name for s in model.states]
    lines = api.linearized.write(model, tmp_path / "m.csv").read_text().splitlines()
    assert lines[0] == "matrix,row,column,value"
    entries = [line.split(",") for line in lines if line.startswith("A,")]
    index = {s.name: i for i, s in enumerate(model.states)}
    assert len(entries) == np.count_nonzero(model.A)
    assert all(model.A[index[row], index[column]] == float(value) for _, row, column, value in entries)


def test_a_family_over_the_panel_angle(tmp_path):
    """Free-free frequencies of a satellite change with the panel's angle and come back after a turn."""
    grid = {"sadm.angle": np.linspace(0.0, 2.0 * np.pi, 5)}
    family = api.linearize(system_of("HingedPanel"), grid, values={"sadm.stiffness": 0.0}, outputs=["hub.rotation"])
    stacked = family.contents()
    assert stacked["A"].shape == (5, *family.models[0].A.shape)
    first, quarter, *_, last = ([mode.frequency for mode in model.modes] for model in family.models)
    np.testing.assert_allclose(last, first, rtol=1e-9)
    assert np.max(np.abs(np.array(quarter) - first)) > 1e-3
    with np.load(api.linearized.write(family, tmp_path / "f.npz")) as archive:
        assert archive["grid_points"].shape == (5, 1)
    mat = loadmat(api.linearized.write(family, tmp_path / "f.mat"))
    assert mat["A"].shape == (*family.models[0].A.shape, 5)
    with pytest.raises(ValueError, match="a family is written as"):
        api.linearized.write(family, tmp_path / "f.csv")


def test_pictures(tmp_path):
    model = api.linearize(system_of("HingedPanel"), inputs=["hub.torque[1]"], outputs=["hub.rotation[1]"])
    for kind in ("bode", "poles", "shapes", "shares"):
        assert save(getattr(plots, kind)(model), tmp_path / f"{kind}.png").stat().st_size > 5000
    peak = max(model.modes, key=lambda mode: mode.frequency)
    assert sum(peak.shares.values()) == pytest.approx(1.0)
    # zeros of torque → collocated angle lie between the poles: frequencies of the satellite with its hub held
    frequencies = sorted(abs(z) for z in plots.zeros(model) if z.imag > 0.0)
    poles = sorted(abs(mode.pole) for mode in model.modes if mode.pole.imag > 0.0)
    assert all(zero < pole for zero, pole in zip(frequencies, poles, strict=False))


def test_python_control():
    """The same poles and names in python-control."""
    model = api.linearize(system_of("HingedPanel"), inputs=["hub.torque[1]"], outputs=["hub.rotation[1]"])
    plant = api.linearized.to_control(model)
    assert plant.input_labels == ["hub_torque[1]"]
    found, expected = np.sort_complex(plant.poles()), np.sort_complex(np.linalg.eigvals(model.A))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_command(tmp_path):
    done = spacefmu(
        "linearize",
        "HingedPanel",
        "-i",
        "hub.torque[1]",
        "--out",
        "hub.rotation[1]",
        "-o",
        "p.json",
        "--json",
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    modes = json.loads(done.stdout)["modes"]
    assert any(mode["frequency"] > 0.1 and mode["participation"]["panel"] > 0.1 for mode in modes)
    assert read(tmp_path / "p.json").B.shape[1] == 1
    wrong = spacefmu("linearize", "HingedPanel", "--set", "hub.mass=1:2", folder=tmp_path)
    assert wrong.returncode == 2
    assert wrong.stderr == "spacefmu: --set is 'hub.mass=1:2', expected NAME=NUMBER or NAME=FROM:TO:COUNT\n"


def test_drawn_shapes_are_the_motion_of_the_nodes():
    """The tip of what is drawn moves as the output of its place does, up to one complex factor a mode; a controller has no shape."""
    model = api.linearize(system_of("HingedPanel"), values={"hub.mass": 300.0}, outputs=["panel.tip.position"])
    stage = Stage.of(model)
    number, panel = next((i, b) for i, b in enumerate(stage.scene.picture.bodies) if b.name == "panel")
    end = np.array([[0.0, 6.0, 0.0]])

    def tip(shift):
        placed = stage.placed(shift)
        bent = end[0] + placed.amplitudes[number] @ panel.bend(end)[:, 0]
        return placed.positions[number] + placed.dcms[number] @ bent

    np.testing.assert_allclose(tip(0.0), model.y, atol=1e-12)
    found = list(swings(model, stage))
    assert len(found) >= 4
    for mode, shape in found:
        real, imaginary = ((tip(1e-5 * part) - tip(-1e-5 * part)) / 2e-5 for part in (np.real(shape), np.imag(shape)))
        drawn, told = real + 1j * imaginary, model.C @ mode.shape
        assert abs(np.vdot(drawn, told)) == pytest.approx(np.linalg.norm(drawn) * np.linalg.norm(told), rel=1e-6)
        moved = stage.points(np.real(shape)) - stage.points()
        assert 0.01 * stage.scene.size < np.linalg.norm(moved, axis=1).max() < 0.2 * stage.scene.size
        assert np.linalg.norm(imaginary) <= np.linalg.norm(real)
    with pytest.raises(ValueError, match="its states are not those of a spacecraft's joints"):
        plots.shapes(api.linearize(fmu_file("HingedPanel")))
    with pytest.raises(ValueError, match="its states are not those of a spacecraft's joints"):
        plots.shapes(api.linearize("AttitudeController"))


def test_a_picture_of_a_family(tmp_path):
    family = api.linearize(system_of("HingedPanel"), {"sadm.stiffness": [10.0, 20.0]}, outputs=["hub.rotation"])
    assert save(plots.frequencies(family), tmp_path / "family.png").stat().st_size > 5000
