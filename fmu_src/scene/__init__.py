"""The scene: what there is to see of a System as triangles, and how it moves. Drawings, views and reports are made of it."""

from .motion import DrawnMotion, motion_of, still
from .scene import DrawnScene, scene_of

__all__ = ["DrawnMotion", "DrawnScene", "motion_of", "scene_of", "still"]
