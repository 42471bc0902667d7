"""Figures of FMUs under load and hostile use, kept from the commands that print them: the last section of the validation page.

They take minutes to hours and depend on the machine, so the page is made of what was printed, with the day.
"""

from __future__ import annotations

# what, figure, command that prints it, day
FIGURES: tuple[tuple[str, str, str, str], ...] = (
    ("branches and conditions (MC/DC) of the C runtime: core, both faces of FMI, lanes", "99.7 % of 3810 branch sides and 99.4 % of 694 conditions met, 14 argued in the source, 3 open (planned solves that leave rows out); fails below 99.6 and 99.5 % met or argued", "make coverage", "2026-11-19"),
    ("faults injected: every function that can fail, once per call path", "29 models, 18 of them under sanitizers, 6 kinds of hosts, 5 methods: no crash, no hang, no number that is not finite; found and corrected: a joint that locks a linkage beside a change point was refused in model exchange", "pytest tests/fuzz/test_sweeps.py -m ci", "2026-11-18"),
    ("calls of FMI 2.0 and 3.0 under ASan and UBSan, 20 FMUs, two instances interleaved", "10,000,000 with more than 100,000 damaged and crafted states: no fault; found and corrected: an adjoint derivative that overflowed without a message, a crash of SciPy on damaged .mat files", "pytest tests/fuzz -m ci", "2026-11-18"),
    ("physics under abuse: 11 cases × 5 methods, and each of 171 numbers of gyros, tanks, segments and deployed tethers replaced by a bad one", "each run ends with success or one sentence, within 5,000,000 evaluations; NaN, infinity and most others are refused, with the name; found and corrected: a radius of 1e300 m was an internal error", "pytest tests/fmi/test_abuse.py", "2026-11-18"),
    ("worst step of 1 ms, FlexibleSatellite (33 states), CPU of the thread", "10,000,000 steps with real_time: half below 2.4 µs, 99.99 % below 49 µs, 99.9999 % below 248 µs, the worst 5.3 ms; 200,000 with real_time_stiff: 12.3, 124, 164, 169 µs; on a virtual machine with a load of 27 on two cores, whose interruptions the thread's clock counts", "REAL_TIME_STEPS=1e7 make bench WORKS=real_time", "2026-11-18"),
    ("longest call with steps of 10⁴ and 10⁹ s", "1.8 s of CPU (FourBar, rodas5p), `Discard` after 20,000 internal steps; the limit is 200,000 steps or 5,000,000 evaluations ([bounds](use/bench.md#how-long-any-call-may-take))", "make bench WORKS=real_time", "2026-11-18"),
    ("damaged files, 38 readers, each spoiled file read or refused", "18,530 in campaigns: no crash, no hang, at most 1.6 s and 200 MB; found by reading and corrected: gravity and magnetic fields of any degree filled the memory, NaN in densities, orbits and polar motion was accepted, broken OMM in XML ended in an internal error, SPK kernels whose records form a circle were read forever", "pytest tests/fuzz/test_readers.py tests/environment/test_hostile_files.py", "2026-11-18"),
    ("spoiled descriptions: values, keys and entries of 43 descriptions with pieces of every sort, made others at random", "999 in three campaigns: each refused by sentences, or run or ended by one; no other exception, at most 20 s of CPU each", "python -m tests.fuzz.descriptions 25", "2026-11-19"),
    ("wheels and FMUs from two clones with another path, umask, locale and time zone", "the same bytes", "pytest tests/cli/test_supply.py", "2026-11-18"),
    ("instances of HingedPanel at once, 10 interleaved steps each", "1000; 17.4 kB each, equal bit for bit, no memory leaked", "python -m tests.load", "2026-11-18"),
    ("threads", "8 × 100,000 steps: bit for bit the results of one thread", "python -m tests.load", "2026-11-18"),
    ("steps of one instance", "10,000,000 of 0.01 s: time exact, no allocation, angular momentum kept to 7.1e-14", "python -m tests.load", "2026-11-18"),
    ("soak of steps, saving, restoring and resets", "1,000,000 rounds (623,636 steps, 62,716 resets): no memory leaked", "python -m tests.load", "2026-11-18"),
)  # fmt: skip


def trust() -> str:
    rows = "\n".join(f"| {what} | {figure} | `{command}` | {day} |" for what, figure, command, day in FIGURES)
    return f"""
## Load and hostile use

Each row was printed by its command on the day given, on two shared cores. `make test` runs a short form of each.

| what | figure | command | day |
|---|---|---|---|
{rows}
"""
