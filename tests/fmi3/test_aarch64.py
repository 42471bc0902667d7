"""The aarch64-linux libraries run, under Debian's qemu-user."""

from __future__ import annotations

import os

import pytest

from tests.catalogue_fmus import system_of
from tests.fmi3.c_host import compare

QEMU = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]  # of Debian's libc6-arm64-cross


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HingedPanel", "FourBar", "TetheredMasses", "AttitudeController"])
def test_aarch64_library_runs(name, tmp_path):
    compare(system_of(name), tmp_path, "aarch64-linux", "aarch64-linux-gnu.2.17", QEMU, dict(os.environ))
