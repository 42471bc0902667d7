"""Rules, faults that are planted, and rules that have at least one: for the docs.  python -m tests.check.counts

Every planted fault is a test of its own (test_planted.py), so all of them are found where the tests pass.
"""

from __future__ import annotations

from spacefmu.fmu_src.check.rules import all_rules
from tests.check import faults3
from tests.check.faults import ARCHIVE, BEHAVIOUR, CARRIED, LOOKED_FOR, PROMISES, XML


def planted() -> list[str]:
    """The rule that has to find each fault."""
    two = [rule for table in (ARCHIVE, CARRIED, XML, PROMISES) for _, rule in table.values()] + list(BEHAVIOUR.values())
    return two + faults3.planted()


def sentence() -> str:
    faults = planted()
    rules = set(faults) | set(LOOKED_FOR.values())  # the run of `life` is where crashes and hangs are found
    return (
        f"{len(all_rules())} rules, {len(faults)} faults planted, {len(faults)} found by the intended rule; "
        f"{len(rules)} of the rules have at least one"
    )


if __name__ == "__main__":
    print(sentence())
