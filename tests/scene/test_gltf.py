"""The .glb file: read back by trimesh, and its morph targets and animations by hand against the motion they were made of."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from spacefmu.fmu_src.scene import gltf
from spacefmu.fmu_src.scene.motion import motion_of
from spacefmu.fmu_src.view.subject import Subject, seen
from spacefmu.fmu_src.view.three import three_js
from tests.browser.test_pages import hinged_run
from tests.catalogue_fmus import system_of


@pytest.fixture(scope="module")
def written():
    system = system_of("HingedPanel")
    scene, motion = seen(Subject("run", system, result=hinged_run()))
    return scene, motion, gltf.glb(scene, {"run": motion})


def parts(data: bytes) -> tuple[dict, bytes]:
    """Tables and buffer of a .glb file."""
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data))
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def numbers(tables: dict, buffer: bytes, accessor: int) -> np.ndarray:
    entry = tables["accessors"][accessor]
    view = tables["bufferViews"][entry["bufferView"]]
    raw = np.frombuffer(buffer, "<f4" if entry["componentType"] == 5126 else "<u4", offset=view["byteOffset"], count=view["byteLength"] // 4)  # fmt: skip
    return raw.reshape(entry["count"], -1)


def test_another_program_reads_it(written):
    import trimesh

    scene, _, data = written
    read = trimesh.load_scene(BytesIO(data), file_type="glb")
    assert len(read.geometry) == sum(len(own) for own in scene.bodies)
    tables, _ = parts(data)
    (indices,) = {view["target"] for view in tables["bufferViews"] if "target" in view} - {34962}
    assert indices == 34963  # Khronos' validator asks for them
    assert np.linalg.norm(read.extents) == pytest.approx(scene.size, rel=0.05)


def test_morph_targets_are_the_modes_and_weights_their_amplitudes(written):
    scene, motion, data = written
    tables, buffer = parts(data)
    node = next(i for i, n in enumerate(tables["nodes"]) if n["name"] == "panel 1")
    primitive = tables["meshes"][tables["nodes"][node]["mesh"]]["primitives"][0]
    animation = tables["animations"][0]
    weights = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": "weights"})
    amplitudes = numbers(tables, buffer, animation["samplers"][weights["sampler"]]["output"]).reshape(
        len(motion.time), -1
    )
    base = numbers(tables, buffer, primitive["attributes"]["POSITION"])
    shapes = np.array([numbers(tables, buffer, target["POSITION"]) for target in primitive["targets"]])
    frame = 7
    drawn = base + np.einsum("n,nvi->vi", amplitudes[frame], shapes)
    assert drawn == pytest.approx(scene.bodies[1][0].bent(motion.amplitudes[1][frame]), abs=1e-6)  # 32-bit numbers
    assert np.abs(amplitudes[frame]).max() > 0.01


def test_lines_bend_with_the_triangles_they_lie_on(written):
    """Edges and cells are for the view; a file for other programs has triangles alone."""
    scene, motion, data = written
    assert all("mode" not in p for mesh in parts(data)[0]["meshes"] for p in mesh["primitives"])
    tables, buffer = parts(gltf.glb(scene, {"run": motion}, lines=True))
    hub, panel = tables["meshes"]
    for mesh, own in ((hub, scene.bodies[0][0]), (panel, scene.bodies[1][0])):
        surface, lines = mesh["primitives"]
        assert lines["mode"] == 1
        assert lines["attributes"] == surface["attributes"]
        assert lines.get("targets") == surface.get("targets")
        assert numbers(tables, buffer, lines["indices"]).reshape(-1, 2) == pytest.approx(own.drawn_lines())
    assert len(panel["primitives"][1]["targets"]) == len(panel["weights"]) > 0


def test_modes_that_can_not_be_seen_are_left_out(written):
    """The second amplitude is a ten-thousandth of the first, the others are none: their shapes are not morph targets; in a further motion
    the second one is seen."""
    scene, motion, _ = written
    motions = {}
    for name, second, targets in (("faint", 1e-5, 1), ("seen", 0.05, 2)):
        amplitudes = np.zeros_like(motion.amplitudes[1])
        amplitudes[:, :2] = 0.1, second
        motions[name] = replace(motion, amplitudes=(motion.amplitudes[0], amplitudes))
        _, panel = parts(gltf.glb(scene, motions))[0]["meshes"]
        assert len(panel["primitives"][0]["targets"]) == len(panel["weights"]) == targets


def test_the_same_numbers_are_kept_once():
    writer = gltf.Writer()
    first = writer.numbers(np.arange(12.0).reshape(4, 3))
    assert writer.numbers(np.arange(12.0).reshape(4, 3)) == first
    assert writer.numbers(np.arange(12.0).reshape(4, 3), bounds=True) != first
    assert writer.numbers(np.arange(12.0).reshape(3, 4)) != first


def test_a_run_can_be_placed_by_another_model_than_its_own():
    """--model: the description draws a result that says nothing of itself, also with the unit's name before its columns."""
    from spacefmu.fmu_src.results import Result
    from spacefmu.fmu_src.view.subject import subject_of

    run = hinged_run()
    bare = Result(run.time, tuple(f"plant.{name}" for name in run.names), run.values)
    subject = subject_of(bare, "bare", system_of("HingedPanel"))
    assert subject.prefix == "plant."
    found = motion_of(subject.picture, bare, subject.prefix)
    assert found.positions == pytest.approx(seen(Subject("run", system_of("HingedPanel"), result=run))[1].positions)


def test_three_js_is_in_the_installed_package():
    script = three_js()
    assert "SPDX-License-Identifier: MIT" in script
    assert "THREE.TrackballControls" in script
    assert script.endswith("THREE.GLTFLoader=GLTFLoader;})();")
    assert "</script" not in script
