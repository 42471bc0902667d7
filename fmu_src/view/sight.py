"""A sight: a scene with one or several runs of it, ready to be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scene.gltf import glb
from ..scene.scene import DrawnScene
from .modes import mode_motions
from .page import Clip, view_page
from .subject import Subject, seen


@dataclass(frozen=True)
class Sight:
    """clips: runs by name, the first is shown at first; notes: sentences on what can't be shown."""

    title: str
    subtitle: str
    scene: DrawnScene
    clips: dict[str, Clip]
    notes: tuple[str, ...] = ()

    def page(self) -> str:
        return view_page(self.title, self.scene, self.clips, self.subtitle, self.notes)

    def glb(self) -> bytes:
        return glb(self.scene, {name: clip.motion for name, clip in self.clips.items()})


def same_craft(first: Subject, other: Subject) -> None:
    """ValueError if two runs are of spacecraft with different bodies or lines: one scene can't show both."""

    def parts(subject: Subject) -> list:
        pictures = [each.picture for each in (subject, *subject.beside)]
        return [[(body.name, body.modes) for body in p.bodies] + [line.name for line in p.lines] for p in pictures]

    if parts(first) != parts(other):
        raise ValueError(f"{other.title}: is not a run of the same spacecraft as {first.title}, so it is not drawn")


def sight_of(subjects: Sequence[Subject]) -> Sight:
    """Runs of one spacecraft; the first one's description draws them all."""
    first = subjects[0]
    scene, motion = seen(first)
    clips = {first.title: Clip(motion, first.result)}
    for other in subjects[1:]:
        same_craft(first, other)
        clips[other.title] = Clip(seen(other)[1], other.result)
    missing = dict.fromkeys(words for clip in clips.values() for words in clip.motion.missing)
    whole = first.result.origin.get("system", "") if first.result is not None else ""
    return Sight(
        f"{whole}: {first.system.name}" if whole else first.system.name,
        first.system.about.description,
        scene,
        clips,
        (*dict.fromkeys(words for subject in subjects for words in subject.notes), *missing),
    )


def modes_of(subject: Subject) -> Sight:
    """The mode shapes of a System."""
    scene, motions = mode_motions(subject.system)
    clips = {name: Clip(motion) for name, motion in motions.items()}
    return Sight(f"{subject.system.name}: modes", subject.system.about.description, scene, clips)
