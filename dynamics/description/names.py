"""What things of a description may be called; without pydantic, for those who ask for nothing else."""

from __future__ import annotations

import re

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
