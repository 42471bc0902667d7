"""Rules for names in descriptions; without pydantic, for code that needs only these."""

from __future__ import annotations

import re

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
