"""The scene: the visible parts of a System as triangles, and their motion. Drawings, views and reports use it."""

from .motion import DrawnMotion, motion_of, still
from .scene import DrawnScene, scene_of

__all__ = ["DrawnMotion", "DrawnScene", "motion_of", "scene_of", "still"]
