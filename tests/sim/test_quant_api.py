"""A fixpipe that quantises, with one parameter or one of each column, against NumPy.

In: tests/sim/kernels/quant_api.cpp. Out: verdicts. Must never look only at values that nothing saturates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import KERNELS

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport, launch

SIDE = 32
NO_QUANT, TO_HALF, TO_BRAIN, DEQF16, VDEQF16, QF322B8, VQF322B8, REQ8, VREQ8 = range(9)
ROWS, NZ, BY_L1 = range(3)


def parameters(rng: Any) -> tuple[Any, Any, Any]:
    """33 parameters as bits, their scales as the hardware reads them, and their offsets."""
    scales = rng.uniform(0.01, 1.5, SIDE + 1).astype(np.float32)
    offsets = rng.integers(-256, 256, SIDE + 1)
    bits = scales.view(np.uint32).astype(np.uint64) | ((offsets & 0x1FF).astype(np.uint64) << np.uint64(37))
    kept = (scales.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return bits, kept, offsets


def run(chip: ChipConfig, mode: int, signed: bool, form: int, relu: int, set_up: int = 1) -> tuple[SimReport, Any, Any]:
    """The report, the output bytes and what they should be, for the quantised product of two random matrices."""
    library = compile_kernel(KERNELS / "quant_api.cpp", "quant_api", generated=False)
    rng = np.random.default_rng(10 * mode + form)
    whole = mode in (DEQF16, VDEQF16, REQ8, VREQ8)
    if whole:
        a, b = (rng.integers(-9, 9, (SIDE, SIDE)).astype(np.int8) for _ in range(2))
    else:
        a, b = ((rng.integers(-16, 16, (SIDE, SIDE)) / 8).astype(np.float16) for _ in range(2))
    bits, scales, offsets = parameters(rng)
    product = (a.astype(np.int64) @ b.astype(np.int64).T if whole else a.astype(np.float64) @ b.T).astype(np.float32)
    product = np.maximum(product, 0) if relu else product
    by_column = mode in (VDEQF16, VQF322B8, VREQ8)
    scaled = product * (scales[1:] if by_column else scales[0])
    if mode in (DEQF16, VDEQF16):
        truth: Any = scaled.astype(np.float16)
    else:
        low, high, dtype = (-128, 127, np.int8) if signed else (0, 255, np.uint8)
        truth = np.clip(np.rint(scaled) + (offsets[1:] if by_column else offsets[0]), low, high).astype(dtype)
    out = np.full((SIDE + 3) * SIDE * 4, 5, np.uint8)
    select = np.array([whole, mode, signed, form, relu, set_up], np.int32)
    report = launch(library, [a, b, bits, out, select], block_dim=1, chip=chip)
    return report, out, truth


@pytest.mark.parametrize("relu", [0, 1])
@pytest.mark.parametrize("form", [ROWS, NZ])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("mode", range(DEQF16, VREQ8 + 1))
def test_quantised_products(chip: ChipConfig, mode: int, signed: bool, form: int, relu: int) -> None:
    report, out, truth = run(chip, mode, signed, form, relu)
    assert report.faults == ()
    got = out.view(truth.dtype)
    if form == ROWS:
        rows = got[: SIDE * (SIDE + 3)].reshape(SIDE, SIDE + 3)
        np.testing.assert_array_equal(rows[:, :SIDE], truth)
        assert (rows[:-1, SIDE:].view(np.uint8) == 5).all()
    elif truth.itemsize == 1:  # groups of 32 columns
        np.testing.assert_array_equal(got[: SIDE * SIDE].reshape(SIDE, SIDE), truth)
    else:
        np.testing.assert_array_equal(got[: SIDE * SIDE].reshape(2, SIDE, 16).transpose(1, 0, 2).reshape(SIDE, SIDE), truth)


@pytest.mark.parametrize("mode", [REQ8, VREQ8])
def test_bytes_go_to_l1(chip: ChipConfig, mode: int) -> None:
    report, out, truth = run(chip, mode, True, BY_L1, 0)
    assert report.faults == ()
    square = truth.astype(np.int32) @ truth.astype(np.int32).T
    np.testing.assert_array_equal(out.view(np.int32)[: SIDE * SIDE].reshape(SIDE, SIDE), square)


def test_parameters_by_column_have_to_be_set(chip: ChipConfig) -> None:
    assert run(chip, VREQ8, True, ROWS, 0, 0)[0].faults[0].id == "sim.no_quant_tensor"
