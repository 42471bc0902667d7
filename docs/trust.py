"""Figures of FMUs under load and hostile use, kept from the commands that print them: the last section of the validation page.

They take minutes to hours and depend on the machine, so the page is made of what was printed, with the day.
"""

from __future__ import annotations

# what, figure, command that prints it, day
FIGURES: tuple[tuple[str, str, str, str], ...] = (
    ("branches and conditions (MC/DC) of the C runtime, by our tests and fuzzers", "92.0 % of 3126 branch sides, 81.0 % of 599 conditions; 365 are open (change points and their gaps 60 %)", "make coverage", "2026-11-18"),
    ("calls of FMI 2.0 and 3.0 under ASan and UBSan, 20 FMUs, two instances interleaved", "10,000,000 with more than 100,000 damaged and crafted states: no fault; found on the way and mended: an adjoint derivative that overflowed unseen, a crash of SciPy on damaged .mat files", "pytest tests/fuzz -m ci", "2026-11-18"),
    ("physics under abuse: 11 cases × 5 methods", "55: each ends by a success or one sentence, within 5,000,000 evaluations", "pytest tests/fmi/test_abuse.py", "2026-11-18"),
    ("worst step of 1 ms, FlexibleSatellite (33 states), CPU", "58 µs of 100,000 with real_time, 665 µs of 10,000 with real_time_stiff, on a machine with a load of 6", "make bench WORKS=real_time", "2026-11-18"),
    ("wheels and FMUs from two clones with another path, umask, locale and time zone", "the same bytes", "pytest tests/cli/test_supply.py", "2026-11-18"),
    ("instances of HingedPanel at once, 10 interleaved steps each", "1000; 17.4 kB each, equal bit for bit, nothing left over", "python -m tests.load", "2026-11-18"),
    ("threads", "8 × 100,000 steps: the bits of one thread", "python -m tests.load", "2026-11-18"),
    ("steps of one instance", "10,000,000 of 0.01 s: time exact, no allocation, angular momentum kept to 7.1e-14", "python -m tests.load", "2026-11-18"),
    ("soak of steps, saving, restoring and resets", "1,000,000 rounds (623,636 steps, 62,716 resets): nothing left over", "python -m tests.load", "2026-11-18"),
)  # fmt: skip


def trust() -> str:
    rows = "\n".join(f"| {what} | {figure} | `{command}` | {day} |" for what, figure, command, day in FIGURES)
    return f"""
## Load and hostile use

Printed by the command of each row on the day it names, on two shared cores. `make test` runs a short form of each.

| what | figure | command | day |
|---|---|---|---|
{rows}
"""
