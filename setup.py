"""Where the folders of this repository lie in the package `spacefmu`, and a wheel that is the same bytes wherever it is built.

Everything else is in pyproject.toml.
"""

import os
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

FOLDERS = {"spacefmu": "spacefmu", "spacefmu.dynamics": "dynamics", "spacefmu.fmu_src": "fmu_src"}

# Neither the clock nor the rights of files in a clone are part of a wheel: the earliest time that a zip can hold, and rw-r--r--.
os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")
os.umask(0o022)


class BuildAlike(build_py):
    """Copies contents alone."""

    def copy_file(self, infile, outfile, preserve_mode=1, preserve_times=1, link=None, level=1):
        return super().copy_file(infile, outfile, preserve_mode=0, preserve_times=0, link=link, level=level)


class WheelAlike(bdist_wheel):
    """The licence, which is copied with its rights, has those of the other files."""

    def egg2dist(self, egginfo_path, distinfo_path):
        super().egg2dist(egginfo_path, distinfo_path)
        for path in Path(distinfo_path).rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)


setup(
    cmdclass={"build_py": BuildAlike, "bdist_wheel": WheelAlike},
    package_dir=FOLDERS,
    packages=[
        package
        for root, folder in FOLDERS.items()
        for package in (
            root,
            *(f"{root}.{name}" for name in find_namespace_packages(folder, exclude=["*__pycache__*"])),
        )
    ],
)
