"""Does the comparison see what is wrong, and only that?"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from fiagen.verify.compare import RELATIVE_FLOOR, Tolerance, compare

LIMIT = Tolerance(rtol=0.25, atol=0.5)
TRUTH = np.array([[0.0, 4.0], [-8.0, np.inf]])


def verdict(actual: np.ndarray, **more: np.ndarray) -> object:
    return compare({"out": actual}, {"out": TRUTH, **more}, LIMIT)


def changed(place: tuple[int, int], value: float) -> np.ndarray:
    other = TRUTH.copy()
    other[place] = value
    return other


def test_equal_results_pass_without_error() -> None:
    found = compare({"out": TRUTH}, {"out": TRUTH}, LIMIT)
    assert (found.status, found.max_abs_err, found.max_rel_err, found.mismatch_ratio) == ("pass", 0.0, 0.0, 0.0)
    assert found.compared == 4


@pytest.mark.parametrize(("value", "status"), [(5.5, "pass"), (5.51, "fail"), (2.5, "pass"), (2.49, "fail")])
def test_limit_is_atol_plus_rtol_of_the_expected_value(value: float, status: str) -> None:
    found = compare({"out": changed((0, 1), value)}, {"out": TRUTH}, LIMIT)
    assert found.status == status
    assert found.max_abs_err == pytest.approx(abs(value - 4.0))
    assert found.mismatch_ratio == (0.25 if status == "fail" else 0.0)
    assert found.worst.startswith("out[0, 1]: ")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_where_it_should_be_is_never_tolerated(value: float) -> None:
    generous = Tolerance(rtol=1.0, atol=1.0, max_mismatch_ratio=1.0)
    found = compare({"out": changed((1, 0), value)}, {"out": TRUTH}, generous)
    assert found.status == "fail" and found.worst.startswith("out[1, 0]: ")


@pytest.mark.parametrize("value", [-np.inf, np.nan, 3.4e38])
def test_infinities_match_in_place_and_sign(value: float) -> None:
    assert compare({"out": changed((1, 1), value)}, {"out": TRUTH}, LIMIT).status == "fail"


def test_expected_nan_matches_nan() -> None:
    truth = changed((0, 0), np.nan)
    assert compare({"out": truth}, {"out": truth}, LIMIT).status == "pass"
    assert compare({"out": TRUTH}, {"out": truth}, LIMIT).status == "fail"


def test_open_elements_are_not_compared() -> None:
    defined = np.array([[True, False], [True, True]])
    found = compare({"out": changed((0, 1), np.nan)}, {"out": TRUTH, "out__defined": defined}, LIMIT)
    assert found.status == "pass" and found.compared == 3
    assert compare({"out": changed((0, 0), 9.0)}, {"out": TRUTH, "out__defined": defined}, LIMIT).status == "fail"


def test_share_of_mismatches_is_the_tolerance_s_own() -> None:
    actual = changed((0, 1), 6.0)
    assert compare({"out": actual}, {"out": TRUTH}, Tolerance(0.25, 0.5, 0.25)).status == "pass"
    assert compare({"out": actual}, {"out": TRUTH}, Tolerance(0.25, 0.5, 0.2)).status == "fail"


def test_tolerated_mismatch_may_not_be_wild() -> None:
    truth, limit = np.array([0.0, 1.0]), Tolerance(0.0, 0.0, 0.5)
    assert compare({"out": np.array([0.0, 10.9])}, {"out": truth}, limit).status == "pass"
    assert compare({"out": np.array([0.0, 11.1])}, {"out": truth}, limit).status == "fail"
    assert compare({"out": np.array([RELATIVE_FLOOR * 9, 1.0])}, {"out": truth}, limit).status == "pass"
    assert compare({"out": np.array([RELATIVE_FLOOR * 11, 1.0])}, {"out": truth}, limit).status == "fail"


def test_relative_error_has_a_floor() -> None:
    found = compare({"out": np.array([RELATIVE_FLOOR / 2])}, {"out": np.zeros(1)}, LIMIT)
    assert found.max_rel_err == pytest.approx(0.5)


def test_missing_output_and_other_shape_fail() -> None:
    assert compare({}, {"out": TRUTH}, LIMIT).worst == "out: missing"
    found = compare({"out": TRUTH.ravel()}, {"out": TRUTH}, LIMIT)
    assert found.status == "fail" and found.worst == "out: shape (4,), expected (2, 2)"


def test_outputs_have_their_own_tolerances_and_the_worst_one_decides() -> None:
    limits = {"out": LIMIT, "lse": Tolerance(0.0, 0.0)}
    actual = {"out": changed((0, 1), 5.0), "lse": np.array([1.0, 2.5], np.float32)}
    found = compare(actual, {"out": TRUTH, "lse": np.array([1.0, 2.0])}, limits)
    assert found.status == "fail" and found.worst.startswith("lse[1]: 2.5, expected 2")
    assert found.max_abs_err == 1.0 and found.mismatch_ratio == 0.5 and found.compared == 6


def test_output_that_was_not_asked_for_is_left_out_but_something_must_be_there() -> None:
    assert compare({"out": TRUTH}, {"out": TRUTH, "lse": np.zeros(0)}, LIMIT).status == "pass"
    assert compare({"lse": np.zeros(0)}, {"lse": np.zeros(0)}, LIMIT).status == "fail"


def test_narrow_floats_and_empty_outputs_are_compared() -> None:
    actual = TRUTH.astype(ml_dtypes.bfloat16)
    assert compare({"out": actual}, {"out": TRUTH}, LIMIT).status == "pass"
    empty = np.zeros((2, 0, 4))
    assert compare({"out": empty}, {"out": empty}, LIMIT).status == "pass"
    assert compare({"out": np.zeros((2, 4, 0))}, {"out": empty}, LIMIT).status == "fail"
