"""The score table in the documentation is the one a run of the twins gives.

In: the twins. Out: a verdict. Must never accept a table with a fault that was missed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from score import TABLE, score

from fiagen.sim.launch import SimReport


def test_the_table_is_up_to_date(twins: Callable[..., SimReport]) -> None:
    assert TABLE.read_text() == score(twins), "run python tests/sim/score.py"


def test_every_seeded_fault_is_caught_and_no_clean_kernel_is_reported() -> None:
    rows = re.findall(r"^\| (\S+) \| (\d+) \| (\d+) \| (\d+) \|$", TABLE.read_text(), re.MULTILINE)
    assert len(rows) > 30
    for rule, pairs, caught, false_alarms in rows:
        assert pairs == caught and false_alarms == "0", rule
