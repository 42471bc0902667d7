"""Variables of a result, grouped by meaning: whole arrays, changing ones first."""

from __future__ import annotations

import re

from ..results.names import array_name
from ..results.table import Result, changes

# Meaning by the end of a variable's name; the first matching row counts.
GROUPS = (
    ("Tanks", r"(^|\.)tank\.[^.]+\..*$"),
    ("Pointing", r"(quaternion|euler_\d+|angular_velocity|error|slew\..*)$"),
    ("Bending", r"(displacement|rotation|mode\[\d+\]\.\w+)$"),
    ("Joints and wheels", r"(angle|rate|speed)$"),
    ("Tethers", r"(tension\w*|length|taut|slack_events|energy_lost)$"),
    ("Forces and torques", r"(torque|force|thrust|power)$"),
    ("Energy and momentum", r"(system|propulsion)\.(kinetic_energy|potential_energy|work|environment_work|dissipated_energy|exhaust_\w+|supplied_energy|momentum|angular_momentum|jacobi_integral)$"),
    ("Orbit and surroundings", r"(environment|orbital|inertial)\..*$|\.(inertial|orbital)\."),
    ("Motion", r"(position|velocity|acceleration|mass_center)$"),
)  # fmt: skip
OTHERS = "Others"


def arrays(result: Result) -> dict[str, list[str]]:
    """Columns of each variable, by the name of the whole."""
    found: dict[str, list[str]] = {}
    for name in result.names:
        found.setdefault(array_name(name), []).append(name)
    return found


def grouped(result: Result) -> tuple[dict[str, list[str]], list[str]]:
    """Variables that change, by meaning, and those that do not."""
    found: dict[str, list[str]] = {title: [] for title, _ in (*GROUPS, (OTHERS, ""))}
    still = []
    for name, columns in arrays(result).items():
        if not changes(result.chosen(columns).values):
            still.append(name)
            continue
        found[next((title for title, pattern in GROUPS if re.search(pattern, name)), OTHERS)].append(name)
    return {title: names for title, names in found.items() if names}, still
