"""A table of 1024 words <-> intervals of cube cores and reduction jobs of vector cores.

In: 1024 integers. Out: frozen entries. Must never judge what they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fiagen.diagnostics import fail
from fiagen.oracle.sparse_metadata import ENTRY_WORDS, MAX_CUBE_CORES, MAX_VECTOR_CORES, WORDS

Position = tuple[int, int, int]  # batch, row, block; in the order of the work


@dataclass(frozen=True)
class Interval:
    """What cube core `core` works on, from `start` up to and without `end`; `staging` is its first slot for parts."""

    core: int
    enabled: int
    start: Position
    end: Position
    staging: int


@dataclass(frozen=True)
class Reduction:
    """What vector core `core` adds up: `parts` partial results of a row, for heads `first_head` and `heads` on."""

    core: int
    enabled: int
    batch: int
    row: int
    staging: int
    parts: int
    first_head: int
    heads: int


@dataclass(frozen=True)
class TaskTable:
    intervals: tuple[Interval, ...]
    reductions: tuple[Reduction, ...]


def decode(words: Sequence[int]) -> TaskTable:
    """All 36 intervals and 72 reductions, idle ones too; DiagnosticError `schedule.size` unless it is 1024 words."""
    if len(words) != WORDS:
        raise fail("schedule.size", given=f"{len(words)} words", allowed=f"{WORDS} words",
                   why="The table has one size.", fix="Give the whole table.", source="the table's layout")
    numbers = [int(word) for word in words]
    entries = [numbers[at : at + ENTRY_WORDS] for at in range(0, WORDS, ENTRY_WORDS)]
    intervals = tuple(Interval(core, e[0], (e[1], e[2], e[3]), (e[4], e[5], e[6]), e[7])
                      for core, e in enumerate(entries[:MAX_CUBE_CORES]))
    jobs = entries[MAX_CUBE_CORES : MAX_CUBE_CORES + MAX_VECTOR_CORES]
    return TaskTable(intervals, tuple(Reduction(core, *e[:7]) for core, e in enumerate(jobs)))
