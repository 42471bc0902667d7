"""`make test` on any machine: what it needs beside Python packages is said, and installed by root alone (tests/programs.sh)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import ROOT

# Says sizes as apt-get does, and "installs" what it is asked for beside itself.
APT = """#!/bin/sh
case "$*" in
*--assume-no*) echo "Need to get 111 MB of archives."; echo "After this operation, 333 MB of additional disk space will be used."; exit 1 ;;
*"install -qq -y"*) printf '#!/bin/sh\\n' > "${0%/*}/ffmpeg"; chmod +x "${0%/*}/ffmpeg" ;;
esac
"""

CLANG = {"clang-19": "", "llvm-cov-19": ""}


def machine(folder: Path, user: int, **programs: str) -> dict[str, str]:
    """A PATH with these programs and what the script itself is written in, for root (0) or somebody else."""
    for name in ("sh", "sed", "chmod"):
        (folder / name).symlink_to(str(shutil.which(name)))
    for name, text in ({"id": f"#!/bin/sh\necho {user}\n"} | programs).items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def programs(environment: dict[str, str]) -> subprocess.CompletedProcess:
    make = str(shutil.which("make"))
    return subprocess.run([make, "-s", "programs"], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_a_complete_machine_is_left_alone(tmp_path):
    done = programs(machine(tmp_path, 1000, ccx="", chromium="", ffmpeg="", node="", **CLANG))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("user", "tools"), [(1000, {"apt-get": APT}), (0, {})], ids=["not root", "no apt-get"])
def test_who_can_not_install_gets_the_line_to_type(tmp_path, user, tools):
    done = programs(machine(tmp_path, user, chromium="", node="", **CLANG, **tools))
    assert done.returncode != 0
    assert "make test also needs these programs on the system: ccx ffmpeg." in done.stderr
    assert "    sudo apt-get install calculix-ccx ffmpeg\n" in done.stderr


def test_root_is_told_names_and_size_first(tmp_path):
    done = programs(machine(tmp_path, 0, ccx="", chromium="", node="", **CLANG, **{"apt-get": APT}))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "make test also needs these programs, which are installed for the whole system: ffmpeg",
        "Need to get 111 MB of archives.",
        "After this operation, 333 MB of additional disk space will be used.",
    ]
