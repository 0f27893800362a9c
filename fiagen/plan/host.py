"""Decisions of host tiling: what work costs, when a row is cut.

In: nothing. Out: Decisions. Must never spell C++.
"""

from __future__ import annotations

from fiagen.plan.decision import Decision


def plan_host() -> tuple[Decision, ...]:
    """The numbers host tiling weighs work with, each with its reason."""
    return (
        Decision("NO_LIMIT", 2147483647, "tokens", "a window without an edge: the documents' largest token count", "int64_t"),
        Decision("COST_ROWS", 6, "units", "cost of 16 rows in a step; production kernels of this family weigh 6 to 10",
                 "int64_t"),
        Decision("COST_KEYS", 10, "units", "cost of 64 keys of a row block, likewise", "int64_t"),
        Decision("COST_KEY_UNIT", 64, "keys", "keys that COST_KEYS pays for", "int64_t"),
        Decision("COST_EMPTY", 1, "units", "a row block without keys is only looked at", "uint64_t"),
        Decision("CUT_GAIN_NUMERATOR", 9, "ninths",
                 "rows are cut only when whole rows would leave the slowest core an eighth more to do: the combine step costs",
                 "uint64_t"),
        Decision("CUT_GAIN_DENOMINATOR", 8, "eighths", "see CUT_GAIN_NUMERATOR", "uint64_t"),
    )
