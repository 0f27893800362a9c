"""Is a result what the truth says, within the operator's tolerance?

In: actual and expected outputs, tolerances. Out: one Comparison. Must never hold a tolerance of its own, and must never
pass an output that is missing or has another shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

# Denominator floor of the relative error, 2^-14 / 0.005: below it a difference counts as if the value were this large.
RELATIVE_FLOOR = 2.0**-14 / 0.005
# A tolerated mismatch may still not be off by this much of the expected value. The vendor's rule divides by the larger
# of both values, which no finite mismatch can exceed twice; dividing by the expected one makes it say something.
WORST_RELATIVE_ERROR = 10.0
DEFINED = "__defined"
SPREAD = "__spread"


class ToleranceLike(Protocol):
    """What a tolerance has to have: |actual - expected| <= atol + rtol * |expected|."""

    @property
    def rtol(self) -> float: ...

    @property
    def atol(self) -> float: ...


@dataclass(frozen=True)
class Tolerance:
    """A tolerance of one output dtype; `max_mismatch_ratio` is the share of elements that may lie outside it.

    `spread_factor` times the spread that the oracle gives for an element is allowed besides atol and rtol * |expected|.
    """

    rtol: float
    atol: float
    max_mismatch_ratio: float = 0.0
    spread_factor: float = 0.0


@dataclass(frozen=True)
class Comparison:
    """The verdict over all outputs.

    Errors are the largest over compared finite elements, the ratio is the largest of any output, `worst` names the
    element (or the shape) that decides, `compared` counts elements.
    """

    status: Literal["pass", "fail"]
    max_abs_err: float
    max_rel_err: float
    mismatch_ratio: float
    worst: str
    compared: int


def compare(
    actual: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    tolerance: ToleranceLike | Mapping[str, ToleranceLike],
) -> Comparison:
    """Compare every output of `expected` with the one of the same name in `actual`.

    `expected` may hold `<output>__defined` booleans; elements that are not defined are not compared, and
    `<output>__spread`, which a tolerance's `spread_factor` scales. `tolerance` is one
    for all outputs, or one for each by name. NaN and infinities have to agree in place and sign. An output that is
    missing or has another shape is a failure; an expected output of shape (0,) is one that was not asked for.
    """
    parts = []
    for name, truth in expected.items():
        if name.endswith((DEFINED, SPREAD)) or truth.shape == (0,):
            continue
        limit = tolerance[name] if isinstance(tolerance, Mapping) else tolerance
        slack = getattr(limit, "spread_factor", 0.0) * expected.get(name + SPREAD, np.float64(0.0))
        parts.append(_compare_one(name, actual.get(name), truth, expected.get(name + DEFINED), limit, slack))
    if not parts:
        return Comparison("fail", 0.0, 0.0, 0.0, "there is no output to compare", 0)
    failed = [part for part in parts if part.status == "fail"]
    return Comparison(
        status="fail" if failed else "pass",
        max_abs_err=max(part.max_abs_err for part in parts),
        max_rel_err=max(part.max_rel_err for part in parts),
        mismatch_ratio=max(part.mismatch_ratio for part in parts),
        worst=(failed or sorted(parts, key=lambda part: -part.max_rel_err))[0].worst,
        compared=sum(part.compared for part in parts),
    )


def _compare_one(
    name: str, actual: np.ndarray | None, truth: np.ndarray, defined: np.ndarray | None, limit: ToleranceLike,
    slack: np.ndarray | np.floating[Any],
) -> Comparison:
    if actual is None:
        return Comparison("fail", 0.0, 0.0, 1.0, f"{name}: missing", 0)
    if actual.shape != truth.shape:
        return Comparison("fail", 0.0, 0.0, 1.0, f"{name}: shape {actual.shape}, expected {truth.shape}", 0)
    got, want = actual.astype(np.float64), truth.astype(np.float64)
    counts = np.ones(want.shape, dtype=bool) if defined is None else defined
    compared = int(counts.sum())
    if compared == 0:
        return Comparison("pass", 0.0, 0.0, 0.0, "", 0)

    finite = np.isfinite(got) & np.isfinite(want)
    difference = np.abs(np.where(finite, got, 0.0) - np.where(finite, want, 0.0))
    same_place = (got == want) | (np.isnan(got) & np.isnan(want))  # for elements that are not finite
    outside = np.where(finite, difference > limit.atol + limit.rtol * np.abs(want) + slack, ~same_place) & counts
    larger = np.where(finite, np.maximum(np.maximum(np.abs(got), np.abs(want)), RELATIVE_FLOOR), 1.0)
    relative = np.where(counts, difference / (larger + 1e-9), 0.0)
    absolute = np.where(counts, difference, 0.0)

    ratio = float(outside.sum()) / compared
    allowed = getattr(limit, "max_mismatch_ratio", 0.0)
    broken = bool((outside & ~finite).any())  # a NaN or an infinity out of place is never tolerated
    beyond = difference / np.where(finite, np.maximum(np.abs(want), RELATIVE_FLOOR), 1.0)
    far = bool((beyond[outside & finite] >= WORST_RELATIVE_ERROR).any())
    passed = ratio <= allowed and not broken and not far
    rank = np.where(outside & ~finite, np.inf, np.where(outside, 1.0 + relative, relative / (1.0 + relative)))
    place = np.unravel_index(int(np.where(counts, rank, -1.0).argmax()), want.shape)
    return Comparison(
        status="pass" if passed else "fail",
        max_abs_err=float(absolute.max()),
        max_rel_err=float(relative.max()),
        mismatch_ratio=ratio,
        worst=f"{name}[{', '.join(str(int(n)) for n in place)}]: {got[place]:.9g}, expected {want[place]:.9g}",
        compared=compared,
    )
