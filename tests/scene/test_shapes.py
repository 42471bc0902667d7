"""Shapes of a description: what each kind looks like, and what is said of wrong ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import ImageColor, ImageFont

from spacefmu.dynamics.description import DescriptionError, load, load_text
from spacefmu.dynamics.picture.geometry import Shape
from spacefmu.fmu_src.interface.drawing import CABLE, at_start, drawn, line_color, starts_of
from spacefmu.fmu_src.scene.meshes import Mesh, cells, creases, mesh_of, thinned, turned
from tests.catalogue_fmus import system_of
from tests.cli.command import ROOT

BODY = "[bodies.hub]\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\nmass_center = [0.0, 0.0, 0.5]\nshape = {shape}\n"


def meshes(shape: str, folder=None):
    system = load_text('name = "X"\n' + BODY.format(shape=shape), "x", folder)
    return at_start(system.about.picture(), starts_of(system))[0].bodies[0]


def bounds(mesh):
    return np.array([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)])


@pytest.mark.parametrize(
    "shape, low, high",
    (
        ("{ kind = 'box', size = [2.0, 1.0, 4.0] }", (-1.0, -0.5, -1.5), (1.0, 0.5, 2.5)),  # about the mass centre
        ("{ kind = 'box', size = [2.0, 1.0, 4.0], place = [0, 0, 0], orientation = [0, 0, '90 deg'] }", (-0.5, -1.0, -2.0), (0.5, 1.0, 2.0)),
        ("{ kind = 'cylinder', radius = 0.5, length = 4.0, axis = 'x', place = [0, 0, 0] }", (-2.0, -0.5, -0.5), (2.0, 0.5, 0.5)),
        ("{ kind = 'sphere', radius = 0.5 }", (-0.5, -0.5, 0.0), (0.5, 0.5, 1.0)),
        ("{ kind = 'dish', radius = 1.0, depth = 0.4, axis = '-z', place = [0, 0, 0] }", (-1.0, -1.0, -0.4), (1.0, 1.0, 0.03)),
        ("{ kind = 'plate', size = [4.0, 1.0], thickness = 0.1, axis = 'y', place = [0, 0, 0] }", (-0.05, -2.0, -0.5), (0.05, 2.0, 0.5)),
        ("{ kind = 'mesh', file = 'lamp.obj', scale = 0.1 }", (-0.1, -0.1, 0.0), (0.1, 0.1, 0.2)),
    ),
)  # fmt: skip
def test_each_kind_has_its_size_and_place(shape, low, high):
    (mesh,) = meshes(shape, ROOT / "examples")
    assert bounds(mesh) == pytest.approx(np.array([low, high]), abs=0.01)


@pytest.mark.parametrize("suffix", ("stl", "glb", "ply"))
def test_mesh_files_of_other_programs(suffix, tmp_path):
    import trimesh

    trimesh.creation.box((2.0, 4.0, 6.0)).export(tmp_path / f"part.{suffix}")
    (mesh,) = meshes(f"{{ kind = 'mesh', file = 'part.{suffix}', scale = 0.5, color = '#102030' }}", tmp_path)
    assert bounds(mesh) == pytest.approx(np.array([[-0.5, -1.0, -1.5], [0.5, 1.0, 1.5]]))
    assert mesh.color == "#102030"


def test_faces_look_outward():
    """The volume under the faces of a closed shape is positive: its triangles turn the same way about."""
    for shape in ("{ kind = 'box', size = [1.0, 2.0, 3.0] }", "{ kind = 'sphere', radius = 1.0 }"):
        (mesh,) = meshes(shape)
        a, b, c = np.moveaxis(mesh.vertices[mesh.faces] - mesh.vertices.mean(axis=0), 1, 0)
        assert np.all(np.einsum("fi,fi->f", a, np.cross(b, c)) >= -1e-12)


@pytest.mark.parametrize(
    "shape, sentence",
    (
        ("{ kind = 'box' }", "bodies.hub.shape.size is missing: a box has one"),
        ("{ kind = 'box', size = [1.0, 2.0] }", "bodies.hub.shape.size is [1.0, 2.0], expected 3 numbers"),
        ("{ kind = 'sphere', radius = 1.0, length = 2.0 }", "bodies.hub.shape.length = 2.0 is not allowed: a sphere has no length; its own keys are radius"),
        ("{ kind = 'mesh', file = 'part.step' }", "bodies.hub.shape[1].file is 'part.step', expected a mesh: .stl, .obj, .ply, .glb, .gltf"),
        ("{ kind = 'mesh', file = 'nothing.stl' }", "bodies.hub.shape[1].file is 'nothing.stl', expected a file that can be read (No such file or directory)"),
        ("{ kind = 'box', size = [1.0, 1.0, 1.0], color = 'red' }", "color"),
        ("{ kind = 'ball', radius = 1.0 }", "kind"),
    ),
)  # fmt: skip
def test_wrong_shapes_are_named(shape, sentence, tmp_path):
    with pytest.raises(DescriptionError) as error:
        meshes(shape, tmp_path)
    assert sentence in str(error.value)


def test_a_file_that_is_no_mesh_is_named(tmp_path):
    (tmp_path / "part.stl").write_bytes(b"not a mesh at all")
    with pytest.raises(ValueError, match=r"^part\.stl: "):
        meshes("{ kind = 'mesh', file = 'part.stl' }", tmp_path)


def test_a_gltf_file_with_its_numbers_elsewhere_is_refused(tmp_path):
    (tmp_path / "part.gltf").write_text(
        '{"asset": {"version": "2.0"}, "buffers": [{"uri": "part.bin", "byteLength": 4}]}'
    )
    with pytest.raises(
        ValueError, match=r"^part\.gltf: has its data in other files \(part\.bin\); save it as one \.glb file"
    ):
        meshes("{ kind = 'mesh', file = 'part.gltf' }", tmp_path)


def test_huge_meshes_are_thinned():
    """A sphere of 20,000 triangles as at most 2,000: closed as before, and nowhere far from it."""
    ball = turned([(np.sin(a), -np.cos(a)) for a in np.linspace(0.0, np.pi, 101)], around=100)
    vertices, faces = thinned(ball.vertices, ball.faces, most=2000)
    assert 500 < len(faces) <= 2000
    assert np.linalg.norm(vertices, axis=1) == pytest.approx(1.0)
    corners = vertices[faces]
    assert np.linalg.norm(corners.mean(axis=1), axis=1).min() > 0.95
    assert thinned(vertices, faces, most=2000)[1] is faces


def test_large_meshes_travel_and_larger_ones_are_refused(tmp_path, monkeypatch):
    """Tables of finite elements beyond 2 MB stay where they are; a mesh is needed by whoever looks."""
    triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    (tmp_path / "part.obj").write_text(triangle + "#" + 2_000_000 * "." + "\n")
    shape = BODY.format(shape="{ kind = 'mesh', file = 'part.obj' }")
    system = load_text('name = "X"\n' + shape, "x", tmp_path)
    assert [name for name, _ in system.about.described_by] == ["x.toml", "part.obj"]
    monkeypatch.setattr("spacefmu.dynamics.description.shapes.LARGEST", 1_000_000)
    with pytest.raises(
        DescriptionError, match=r"shape\[1\].file is 'part.obj', expected a mesh of at most 1 MB, found 2"
    ):
        load_text('name = "X"\n' + shape, "x", tmp_path)


def test_an_fmu_carries_the_meshes_of_its_description():
    system = load(ROOT / "examples/shapes.toml")
    assert [name for name, _ in system.about.described_by] == ["shapes.toml", "lamp.obj"]


def test_shapes_of_flexible_bodies_bend():
    """The plate on the wing's beam: its far edge moves by the first mode's amplitude, its clamped one stays."""
    system = load(ROOT / "examples/shapes.toml")
    scene, motion = at_start(system.about.picture(), starts_of(system))
    (plate,) = scene.bodies[1]
    moved = plate.bent(motion.amplitudes[1][0]) - plate.vertices
    far = plate.vertices[:, 1] > 2.5 - 1e-9
    assert moved[far, 2] == pytest.approx(0.15, rel=1e-9)
    assert moved[np.abs(plate.vertices[:, 1]) < 1e-9] == pytest.approx(0.0, abs=1e-12)


def test_what_hangs_beside_a_body_is_held_by_a_rod():
    """DeployableFourBar's second arm is hinged 0.55 m beside the box of its hub, its first one and the panel in what is drawn of their carriers."""
    system = system_of("DeployableFourBar")
    scene, _ = at_start(system.about.picture(), starts_of(system))
    drawn = {body.name: own for body, own in zip(scene.picture.bodies, scene.bodies, strict=True)}
    assert {name: len(own) for name, own in drawn.items()} == {"hub": 2, "arm1": 1, "panel": 1, "arm2": 1}
    box, rod = drawn["hub"]
    place = np.array([1.1, 0.3, 0.0])
    assert np.linalg.norm(rod.vertices - place, axis=1).min() < 1e-9
    assert rod.vertices[:, 0].min() == pytest.approx(box.vertices[:, 0].max(), abs=1e-9)


def drawn_length(mesh: Mesh, lines: np.ndarray) -> float:
    """Of all lines of a mesh, those in one place once [m]."""
    ends = mesh.vertices[replace(mesh, lines=lines).drawn_lines()].round(9)
    ends = np.unique(np.sort(ends.reshape(-1, 2, 3).view("f8,f8,f8"), axis=1).view(float).reshape(-1, 6), axis=0)
    return float(np.linalg.norm(ends[:, :3] - ends[:, 3:], axis=1).sum())


def test_edges_are_drawn_and_smooth_surfaces_are_not():
    """Of a box its twelve edges, of a cylinder its two rims; a sphere has none."""
    box = mesh_of(Shape("x", "box", (1.0, 2.0, 3.0), dcm=np.eye(3)[[1, 2, 0]]))
    assert drawn_length(box, box.lines) == pytest.approx(4.0 * (1.0 + 2.0 + 3.0))
    cylinder = mesh_of(Shape("x", "cylinder", (0.5, 3.0)))
    rim = 32 * 2.0 * 0.5 * np.sin(np.pi / 32)  # of 32 facets
    assert drawn_length(cylinder, cylinder.lines) == pytest.approx(2.0 * rim)
    assert not mesh_of(Shape("x", "sphere", (0.5,))).lines.any()


def test_edges_of_triangles_that_turn_either_way():
    """Two triangles in a plane and a third one across them, the second turned over: its common side with the first stays plain."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0.5, 1]], float)
    found = creases(vertices, np.array([[0, 1, 2], [1, 2, 3], [1, 3, 4]]))
    assert found.tolist() == [[True, False, True], [False, True, True], [True, True, True]]


def test_panels_have_cells():
    """4 × 1 m: twelve cells along and three across on both faces, between the edges."""
    panel = mesh_of(Shape("x", "box", (4.0, 1.0, 0.02)))
    edges = drawn_length(panel, panel.lines)
    assert drawn_length(panel, cells(panel)) == pytest.approx(edges + 2 * (11 * 1.0 + 2 * 4.0))
    square = mesh_of(Shape("x", "box", (2.0, 0.02, 2.0)))  # twelve each way would be a net
    assert drawn_length(square, cells(square)) == pytest.approx(4 * 4.02 + 2 * (3 + 3) * 2.0)


def test_no_name_covers_another_in_the_drawing():
    """DeployableWing's four panels lie folded upon each other."""
    system = system_of("DeployableWing")
    canvas = drawn(*at_start(system.about.picture(), starts_of(system)), 0)
    font = ImageFont.load_default(22)
    named = canvas.placed_names(font)
    assert {text for _, text in named} == {"hub", "panel1", "panel2", "panel3", "panel4"}
    for i, ((x, y), text) in enumerate(named):
        for (a, b), other in named[:i]:
            apart = 0.5 * (font.getlength(text) + font.getlength(other))
            assert abs(x - a) > apart or abs(y - b) >= 22.0, (text, other)


def test_thrusters_are_drawn_with_their_plumes():
    """The more of the plume's colour, the more thrust."""
    system = system_of("FlexibleSatellite")
    scene, motion = at_start(system.about.picture(), starts_of(system))
    orange = []
    for thrust in (0.0, 0.5, 1.0):
        image = np.asarray(drawn(scene, replace(motion, thrust=np.full((1, 12), thrust)), 0).finished()).astype(int)
        orange.append(int(np.sum((image[..., 0] > 180) & (image[..., 2] < 60))))
    assert orange[0] == 0 < orange[1] < orange[2]


def test_drawings_show_tension_and_slack():
    """From blue to red, grey where it is slack; where nothing is known of it, a line."""
    system = system_of("TetheredMasses")
    scene, still = at_start(system.about.picture(), starts_of(system))
    assert line_color(scene, still, 0, 0) == CABLE
    run = replace(still, tension=np.array([[0.0], [1.0], [4.0]]), taut=np.array([[0.0], [1.0], [1.0]]))
    grey, blue, red = (ImageColor.getrgb(line_color(scene, run, frame, 0)) for frame in range(3))
    assert np.ptp(grey) < 30
    assert blue[2] > blue[0]
    assert red[0] > 200
    assert max(red[1:]) < 60
