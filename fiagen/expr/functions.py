"""The functions an expression may call: types, Python value, C++ name and English.

In: nothing. Out: the table FUNCTIONS and the saturating integer arithmetic. Must never raise on values of the right
type.

Integers are those of C++: 64 bits, and sums, differences and products stop at the limits instead of wrapping. Division
and remainder round down, as in Python; the divisor must not be 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fiagen.expr.nodes import Type

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
FILL_LIMIT = 65537  # one more than the largest legal batch: enough to see that a list is too long
Ints = tuple[int, ...]


def clamp(value: int) -> int:
    """`value`, or the 64-bit limit it goes beyond."""
    return INT_MAX if value > INT_MAX else INT_MIN if value < INT_MIN else value


def add(a: int, b: int) -> int:
    return clamp(a + b)


def subtract(a: int, b: int) -> int:
    return clamp(a - b)


def multiply(a: int, b: int) -> int:
    return clamp(a * b)


def ceil_div(a: int, b: int) -> int:
    return clamp(-(-a // b)) if b else 0


def align_up(a: int, b: int) -> int:
    return multiply(ceil_div(a, b), b)


def expand(values: Ints, count: int) -> Ints:
    if len(values) == 1:
        return fill(values[0], count)
    return values[: max(count, 0)]


def fill(value: int, count: int) -> Ints:
    return (value,) * min(max(count, 0), FILL_LIMIT)


def diff(values: Ints) -> Ints:
    return tuple(subtract(b, a) for a, b in zip((0, *values), values, strict=False))


def total(values: Sequence[int]) -> int:
    result = 0
    for value in values:
        result = add(result, value)
    return result


def product(values: Sequence[int]) -> int:
    result = 1
    for value in values:
        result = multiply(result, value)
    return result


@dataclass(frozen=True)
class Function:
    """One callable: `english` has a hole for each argument; `repeats` lets the last argument occur once or more."""

    args: tuple[Type, ...]
    result: Type
    value: Callable[..., Any]
    cpp: str
    english: str
    repeats: bool = False


FUNCTIONS: dict[str, tuple[Function, ...]] = {
    "min": (
        Function(("ints",), "int", lambda v: min(v, default=0), "fia::MinOf", "the smallest of {0}"),
        Function(("int", "int"), "int", min, "fia::Min", "the smaller of {0} and {1}"),
        Function(("int", "int", "int"), "int", min, "fia::Min", "the smallest of {0}, {1} and {2}"),
    ),
    "max": (
        Function(("ints",), "int", lambda v: max(v, default=0), "fia::MaxOf", "the largest of {0}"),
        Function(("int", "int"), "int", max, "fia::Max", "the larger of {0} and {1}"),
        Function(("int", "int", "int"), "int", max, "fia::Max", "the largest of {0}, {1} and {2}"),
    ),
    "sum": (Function(("ints",), "int", total, "fia::Sum", "the sum of {0}"),),
    "product": (Function(("ints",), "int", product, "fia::Product", "the product of {0}"),),
    "sum_of_squares": (
        Function(
            ("ints",),
            "int",
            lambda v: total([multiply(x, x) for x in v]),
            "fia::SumOfSquares",
            "the sum of the squares of {0}",
        ),
    ),
    "len": (Function(("ints",), "int", len, "fia::Len", "the number of entries of {0}"),),
    "abs": (
        Function(("int",), "int", lambda v: clamp(abs(v)), "fia::Abs", "the absolute value of {0}"),
        Function(("float",), "float", abs, "fia::Abs", "the absolute value of {0}"),
    ),
    "ceil_div": (Function(("int", "int"), "int", ceil_div, "fia::CeilDiv", "{0} / {1} rounded up"),),
    "align_up": (Function(("int", "int"), "int", align_up, "fia::AlignUp", "{0} rounded up to a multiple of {1}"),),
    "first": (Function(("ints",), "int", lambda v: v[0] if v else 0, "fia::First", "the first entry of {0}"),),
    "last": (Function(("ints",), "int", lambda v: v[-1] if v else 0, "fia::Last", "the last entry of {0}"),),
    "take": (
        Function(("ints", "int"), "ints", lambda v, n: v[: max(n, 0)], "fia::Take", "the first {1} entries of {0}"),
    ),
    "drop_last": (Function(("ints",), "ints", lambda v: v[:-1], "fia::DropLast", "{0} without its last axis"),),
    "with_last": (
        Function(
            ("ints", "int"),
            "ints",
            lambda v, n: (*v[:-1], n) if v else (),
            "fia::WithLast",
            "{0} with {1} as its last axis",
        ),
    ),
    "expand": (Function(("ints", "int"), "ints", expand, "fia::Expand", "{0} for {1} batches"),),
    "fill": (Function(("int", "int"), "ints", fill, "fia::Fill", "{0} for each of {1} batches"),),
    "diff": (Function(("ints",), "ints", diff, "fia::Diff", "the steps of {0}"),),
    "minus": (
        Function(
            ("ints", "ints"),
            "ints",
            lambda a, b: tuple(subtract(x, y) for x, y in zip(a, b, strict=False)),
            "fia::Minus",
            "{0} minus {1}, entry by entry",
        ),
    ),
    "ceil_div_each": (
        Function(
            ("ints", "int"),
            "ints",
            lambda v, n: tuple(ceil_div(x, n) for x in v),
            "fia::CeilDivEach",
            "every entry of {0} / {1} rounded up",
        ),
    ),
    "non_decreasing": (
        Function(
            ("ints",),
            "bool",
            lambda v: all(a <= b for a, b in itertools.pairwise(v)),
            "fia::NonDecreasing",
            "{0} never decreases",
        ),
    ),
    "all_between": (
        Function(
            ("ints", "int", "int"),
            "bool",
            lambda v, lo, hi: all(lo <= x <= hi for x in v),
            "fia::AllBetween",
            "every entry of {0} is from {1} to {2}",
        ),
    ),
    "all_at_least": (
        Function(
            ("ints", "int"),
            "bool",
            lambda v, lo: all(lo <= x for x in v),
            "fia::AllAtLeast",
            "every entry of {0} is at least {1}",
        ),
    ),
    "all_at_most": (
        Function(
            ("ints", "int"),
            "bool",
            lambda v, hi: all(x <= hi for x in v),
            "fia::AllAtMost",
            "every entry of {0} is at most {1}",
        ),
    ),
    "each_less": (
        Function(
            ("ints", "ints"),
            "bool",
            lambda a, b: all(x < y for x, y in zip(a, b, strict=False)),
            "fia::EachLess",
            "every entry of {0} is less than that of {1}",
        ),
    ),
    "each_at_most": (
        Function(
            ("ints", "ints"),
            "bool",
            lambda a, b: all(x <= y for x, y in zip(a, b, strict=False)),
            "fia::EachAtMost",
            "every entry of {0} is at most that of {1}",
        ),
    ),
}
