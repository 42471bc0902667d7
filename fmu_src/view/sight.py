"""A sight: a scene with one or several runs of it, ready to be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scene.gltf import glb
from ..scene.scene import Scene
from .modes import mode_motions
from .page import Clip, view_page
from .subject import Subject, seen


@dataclass(frozen=True)
class Sight:
    """clips: runs by name, the first one is shown at first; notes: sentences on what can't be shown."""

    title: str
    subtitle: str
    scene: Scene
    clips: dict[str, Clip]
    notes: tuple[str, ...] = ()

    def page(self) -> str:
        return view_page(self.title, self.scene, self.clips, self.subtitle, self.notes)

    def glb(self) -> bytes:
        return glb(self.scene, {name: clip.motion for name, clip in self.clips.items()})


def sight_of(subjects: Sequence[Subject]) -> Sight:
    """Runs of one spacecraft; the first one's description draws them all."""
    first = subjects[0]
    scene, motion = seen(first)
    clips = {first.title: Clip(motion, first.result)}
    for other in subjects[1:]:
        moved = seen(other)[1]
        if moved.positions.shape[1] != motion.positions.shape[1] or len(moved.lines) != len(motion.lines):
            raise ValueError(f"{other.title}: is not of the same spacecraft as {first.title}")
        name = other.title if other.title not in clips else f"{other.title} (2)"
        clips[name] = Clip(moved, other.result)
    missing = dict.fromkeys(words for clip in clips.values() for words in clip.motion.missing)
    whole = first.result.origin.get("system", "") if first.result is not None else ""
    return Sight(
        f"{whole}: {first.system.name}" if whole else first.system.name,
        first.system.description,
        scene,
        clips,
        (*first.notes, *missing),
    )


def modes_of(subject: Subject) -> Sight:
    """The linear mode shapes of a System."""
    scene, motions = mode_motions(subject.system)
    clips = {name: Clip(motion) for name, motion in motions.items()}
    return Sight(f"{subject.system.name}: modes", subject.system.description, scene, clips)
