"""The scene stands where the equations say: places, bending, boxes and lines against the System's own outputs."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image, ImageSequence

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm, dcm_quaternion
from spacefmu.dynamics.system.evaluate import motion, project, start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.interface.drawing import TRAIL, at_start, starts_of
from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.scene.motion import motion_of, quaternions_of, still
from spacefmu.fmu_src.scene.scene import scene_of
from spacefmu.fmu_src.view.video import write_video
from tests.catalogue_fmus import system_of

NAMES = ("FlexibleSatellite", "SpaceManipulator", "FourBar", "TetheredPair")


def moved(name: str, seed: int = 3):
    """A System at a state near its start, drawn at random, with its outputs by name."""
    system = system_of(name)
    x, u, k, d = start(system)
    x = project(system, 0.0, x + 0.05 * np.random.default_rng(seed).normal(size=x.shape), u, k, d)
    _, y, _ = motion(system, 0.0, x, u, k, d)
    values = dict(zip([s.name for s in system.signals.states], x, strict=True))
    values |= dict(zip([s.name for s in system.signals.outputs], y, strict=True))
    return system, values


def vector(values: dict, name: str, count: int = 3) -> np.ndarray:
    return np.array([values[f"{name}[{i}]"] for i in range(1, count + 1)])


def result_of(values: dict) -> Result:
    return Result(np.zeros(1), tuple(values), np.array([list(values.values())]))


def test_quaternions_of_many_matrices():
    """As spacefmu.dynamics.algebra.rotation has them of one, up to the sign: at random, and half a turn about each axis."""
    axes = np.vstack([np.eye(3), np.random.default_rng(5).normal(size=(40, 3))])
    angles = np.array([np.pi] * 3 + list(np.linspace(0.0, 6.0, 40)))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    dcms = np.array([axis_angle_dcm(axis, angle) for axis, angle in zip(axes, angles, strict=True)])
    true = np.array([dcm_quaternion(dcm) for dcm in dcms])
    assert np.abs(np.sum(quaternions_of(dcms) * true, axis=1)) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_bodies_stand_where_the_outputs_say(name):
    """Position and attitude of every body, through the motion of a result, are those of the System's outputs: 1e-12 of the size."""
    system, values = moved(name)
    picture = system.about.picture()
    found = motion_of(picture, result_of(values))
    assert not found.missing
    shift = vector(values, f"{picture.bodies[0].name}.position") - found.positions[0, 0]
    for i, body in enumerate(picture.bodies):
        if body.sort == "wheel":
            continue
        size = max(1.0, np.abs(shift).max())
        assert found.positions[0, i] + shift == pytest.approx(vector(values, f"{body.name}.position"), abs=1e-12 * size)
        q = vector(values, f"{body.name}.quaternion", 4)
        assert abs(found.quaternions[0, i] @ q) == pytest.approx(np.linalg.norm(q), abs=1e-12)


@pytest.mark.parametrize("node", ("panel.tip", "antenna.reflector"))
def test_bending_is_that_of_the_nodes(node):
    """What the modes add to the place of a node is its elastic displacement, but for the second order of a beam that stiffens: along it."""
    system, values = moved("FlexibleSatellite")
    picture = system.about.picture()
    body_name, _, node_name = node.partition(".")
    i = [body.name for body in picture.bodies].index(body_name)
    place = system.made_by[1].tree.links[i].body.nodes[node_name].position
    eta = motion_of(picture, result_of(values)).amplitudes[i][0]
    added = np.einsum("nvi,n->vi", picture.bodies[i].bend(place[None]), eta)[0]
    across = place == 0.0
    assert added[across] == pytest.approx(vector(values, f"{node}.displacement")[across], abs=1e-12)
    assert np.abs(added[across]).max() > 0.01


def box_moments(sides):
    """m/12 (b² + c²) and so on, of a unit of mass."""
    return (np.sum(np.square(sides)) - np.square(sides)) / 12.0


def cylinder_moments(size):
    """m r²/4 + m l²/12 across, m r²/2 along z, of a unit of mass."""
    radius, length = size
    return np.array([*2 * [0.25 * radius**2 + length**2 / 12.0], 0.5 * radius**2])


@pytest.mark.parametrize(
    "name, kind, moments",
    [("HingedPanel", "box", box_moments), ("SpaceStation", "cylinder", cylinder_moments)],
)
def test_the_solid_of_a_body_has_its_inertia(name, kind, moments):
    """A uniform box or cylinder, turned into the first body's axes: its inertia is the description's."""
    system = system_of(name)
    body = system.made_by[1].tree.links[0].body
    solid = system.about.picture().bodies[0].solid
    assert solid.kind == kind
    inertia = solid.dcm @ np.diag(body.mass.start * moments(solid.size)) @ solid.dcm.T
    assert inertia == pytest.approx(body.inertia, rel=1e-12, abs=1e-9)
    assert np.linalg.det(solid.dcm) == pytest.approx(1.0)


def test_long_round_bodies_are_round():
    """SpaceStation's modules are cylinders of 3 m across, 10 m and 6 m long, as their comments say; a square trolley is none."""
    core, laboratory, boom, trolley, _ = (body.solid for body in system_of("SpaceStation").about.picture().bodies)
    assert core.size == pytest.approx([1.5, 10.0])
    assert laboratory.size == pytest.approx([1.5, 6.0])
    assert np.abs(core.dcm[:, 2]) == pytest.approx([1.0, 0.0, 0.0])
    assert np.abs(boom.dcm[:, 2]) == pytest.approx([0.0, 1.0, 0.0])
    assert (boom.kind, trolley.kind) == ("cylinder", "box")


def test_a_tip_body_stands_at_the_end_of_its_beam():
    """The reflector of FlexibleSatellite rides on the antenna's end, and turns with it."""
    scene, _ = at_start(
        (picture := system_of("FlexibleSatellite").about.picture()), starts_of(system_of("FlexibleSatellite"))
    )
    i = [body.name for body in picture.bodies].index("antenna")
    boom, dish = scene.bodies[i]
    assert boom.vertices[:, 0].max() == pytest.approx(2.5)
    apex = dish.vertices[np.argmin(np.linalg.norm(dish.vertices - [2.5, 0.0, 0.0], axis=1))]
    assert apex == pytest.approx([2.5, 0.0, 0.0], abs=1e-9)
    # rigid: points of the dish keep their distances to first order, (a − b)·(δa − δb) = 0
    a, b = dish.vertices[0], dish.vertices[-40]
    change = dish.modes[:, 0] - dish.modes[:, -40]
    assert change @ (a - b) == pytest.approx(0.0, abs=1e-9)


def test_a_slack_cable_has_its_length_and_a_taut_one_is_straight():
    system, values = moved("TetheredMasses")
    picture = system.about.picture()
    rest = next(p.start for p in system.signals.parameters if p.name == picture.lines[0].length)
    rows = []
    for share in (0.97, 1.0):
        deputy = vector(values, "chief_place.position") + [0.0, share * rest, 0.0]
        rows.append(list((values | {f"deputy_place.position[{i}]": deputy[i - 1] for i in (1, 2, 3)}).values()))
    slack, taut = motion_of(picture, Result(np.array([0.0, 1.0]), tuple(values), np.array(rows))).lines[0]
    lengths = [np.linalg.norm(np.diff(points, axis=0), axis=1).sum() for points in (slack, taut)]
    assert lengths == pytest.approx(
        [rest, rest], rel=2e-4
    )  # the parabola to second order, 12 chords of it: measured 1.0e-4
    assert np.linalg.norm(slack[6] - slack[[0, -1]].mean(axis=0)) > 0.05 * rest
    assert taut[6] == pytest.approx(taut[[0, -1]].mean(axis=0), abs=1e-12)


def test_what_a_result_lacks_is_said():
    system, values = moved("HingedPanel")
    some = {name: value for name, value in values.items() if not name.startswith("hub.quaternion")}
    found = motion_of(system.about.picture(), result_of(some))
    assert found.missing == ("the result has no hub.quaternion[1], hub.quaternion[2], hub.quaternion[3] …: parts that depend on it are drawn as at the start",)  # fmt: skip


def test_every_formulation_is_seen_alike():
    """Natural coordinates have no joint states of the hub: the picture reads what the results have in their place."""
    from spacefmu.dynamics.description import load_text
    from spacefmu.fmu_src import catalogue

    file = catalogue.find("SpaceManipulatorPlanar")
    text = file.read_text(encoding="utf-8")
    tree, natural = (load_text(head + text, "x", file.parent) for head in ("", 'formulation = "natural"\n'))
    placed = []
    for system in (tree, natural):
        x, u, k, d = start(system)
        _, y, _ = motion(system, 0.0, x, u, k, d)
        values = dict(zip([s.name for s in (*system.signals.states, *system.signals.outputs)], [*x, *y], strict=True))
        found = motion_of(system.about.picture(), result_of(values))
        assert not found.missing
        placed.append(found)
    assert placed[0].positions == pytest.approx(placed[1].positions, abs=1e-12)
    assert placed[0].quaternions == pytest.approx(placed[1].quaternions, abs=1e-12)


def test_the_start_of_a_picture_is_that_of_its_description():
    system = system_of("HingedPanel")
    picture = system.about.picture()
    x, u, p = still(picture)
    placed = picture.place(0.0, x, u, p)
    assert dcm_quaternion(placed.dcms[0]) == pytest.approx([1.0, 0.0, 0.0, 0.0])
    assert scene_of(picture, placed).size > 6.0


def guided_run(name: str = "SpaceManipulatorInverse") -> Result:
    """An arm's result as an FMU would write it: its gripper goes along x."""
    system = system_of(name)
    time = np.linspace(0.0, 1.0, 3)
    columns = {s.name: np.full(3, float(s.start)) for s in (*system.signals.states, *system.signals.outputs)}
    columns["forearm.gripper.position[1]"] = 2.0 + 0.3 * time
    files = {file: content.decode() for file, content in system.about.described_by}
    origin = {"units": {"": {"model": f"{name}.fmu", "description": files, "values": {}}}}
    return Result(time, tuple(columns), np.array(list(columns.values())).T, origin=origin)


@pytest.mark.parametrize(
    ("name", "guided"),
    [("SpaceManipulatorInverse", ("forearm.gripper",)), ("SpaceManipulatorSpatial", ())],
)
def test_paths_of_nodes_and_those_that_were_given(name, guided):
    found = motion_of(system_of(name).about.picture(), guided_run(name))
    assert found.guided == guided
    assert list(found.trails) == ["forearm.gripper"]
    assert found.trails["forearm.gripper"][:, 0] == pytest.approx([2.0, 2.15, 2.3])


def test_a_video_shows_the_given_path(tmp_path):
    """Three frames, each with points of the path's colour."""
    sight = api.look(guided_run())
    ((name, clip),) = sight.clips.items()
    file = write_video(tmp_path / "arm.gif", sight.scene, clip.motion, name)
    with Image.open(file) as video:
        frames = [np.array(frame.convert("RGB"), float) for frame in ImageSequence.Iterator(video)]
    assert len(frames) == 3
    red = 255.0 * np.array(to_rgb(TRAIL))
    assert all(np.sum(np.abs(frame - red).max(axis=2) < 40.0) > 5 for frame in frames)


def test_plumes_of_a_coupled_run_follow_the_outputs_that_feed_the_thrusters():
    """A system's result has no inputs of its units, but what they were connected to."""
    system = system_of("FlexibleSatellite")
    picture = system.about.picture()
    jet = [each.name for each in picture.jets].index("thruster.roll_p1")
    time = np.linspace(0.0, 1.0, 5)
    columns = {f"plant.{s.name}": np.full(5, float(s.start)) for s in system.signals.states}
    columns["modulator.force[1]"] = np.array([0.0, 2.0, 4.0, 0.0, 1.0])
    connections = {
        "plant.thruster.roll_p1.force": ["modulator.force[1]", -0.5],
        "plant.thruster.roll_p2.force": ["modulator.force[9]", 1.0],  # not recorded
        "plant.thruster.roll_m1.force": "nonsense",  # of a file that someone has changed
    }
    run = Result(time, tuple(columns), np.array(list(columns.values())).T, origin={"connections": connections})
    thrust = motion_of(picture, run, "plant.").thrust
    assert thrust[:, jet] == pytest.approx([0.0, 0.5, 1.0, 0.0, 0.25])
    assert np.abs(np.delete(thrust, jet, axis=1)).max() == 0.0
