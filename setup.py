"""Where the folders of this repository lie in the package `spacefmu`. Everything else is in pyproject.toml."""

from setuptools import find_namespace_packages, setup

FOLDERS = {"spacefmu": "spacefmu", "spacefmu.dynamics": "dynamics", "spacefmu.fmu_src": "fmu_src"}

setup(
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
