"""Loads, matrix products and fixpipe writes against NumPy, in every type and form.

In: tests/sim/kernels/cube_api.cpp. Out: verdicts. Must never look only at the product: gaps between rows have to stay.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from conftest import KERNELS

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import launch

HALF, BRAIN, FLOAT, INT8 = range(4)
DTYPES = {HALF: np.float16, BRAIN: ml_dtypes.bfloat16, FLOAT: np.float32, INT8: np.int8}
PLAIN, IMAGE, SQUARES = 0, 1, 2
TO_SAME, TO_HALF, TO_BRAIN, TO_NZ, HANDSHAKE, ATOMIC = range(6)

# dtype, m, n, k, load, transposed B, repeats (2: accumulate, 3: from bias), output, relu
CASES = [
    (HALF, 32, 48, 64, PLAIN, 1, 1, TO_SAME, 0),
    (HALF, 32, 48, 64, PLAIN, 0, 1, TO_SAME, 0),
    (HALF, 19, 37, 45, PLAIN, 1, 1, TO_SAME, 0),
    (HALF, 19, 37, 45, PLAIN, 0, 2, TO_SAME, 1),
    (HALF, 64, 32, 48, IMAGE, 0, 1, TO_SAME, 0),
    (HALF, 21, 30, 33, IMAGE, 0, 2, TO_HALF, 0),
    (BRAIN, 128, 128, 128, PLAIN, 1, 2, TO_BRAIN, 0),
    (BRAIN, 17, 20, 100, PLAIN, 0, 1, TO_SAME, 0),
    (HALF, 40, 64, 80, PLAIN, 1, 1, TO_NZ, 0),
    (HALF, 40, 64, 80, PLAIN, 1, 3, TO_SAME, 0),
    (HALF, 32, 32, 64, PLAIN, 1, 1, HANDSHAKE, 0),
    (HALF, 64, 128, 64, PLAIN, 1, 2, HANDSHAKE, 0),
    (HALF, 33, 16, 32, PLAIN, 1, 1, ATOMIC, 0),
    (FLOAT, 20, 35, 44, PLAIN, 1, 1, TO_SAME, 0),
    (INT8, 20, 35, 70, PLAIN, 1, 2, TO_SAME, 0),
    (HALF, 1, 40, 200, PLAIN, 1, 1, TO_SAME, 0),
    (HALF, 2, 16, 16, PLAIN, 1, 1, TO_SAME, 0),
    (HALF, 20, 48, 64, SQUARES, 0, 1, TO_SAME, 0),
    (BRAIN, 20, 32, 48, SQUARES, 0, 2, TO_SAME, 0),
    (FLOAT, 20, 48, 32, SQUARES, 0, 1, TO_SAME, 0),
    (INT8, 20, 64, 96, SQUARES, 0, 1, TO_SAME, 0),
]


def squares(matrix: Any) -> Any:
    """k x n as squares of 16 x 16 (one byte: 32 x 32), row by row, each in fractals as LoadDataWithTranspose reads it."""
    size = matrix.itemsize
    side = 32 if size == 1 else 16
    whole = matrix.reshape(matrix.shape[0] // side, side, matrix.shape[1] // side, side).transpose(0, 2, 1, 3)
    if size == 4:  # two fractals of 16 x 8 side by side
        whole = whole.reshape(*whole.shape[:2], 16, 2, 8).transpose(0, 1, 3, 2, 4)
    return np.ascontiguousarray(whole).reshape(-1)


@pytest.mark.parametrize("case", CASES, ids=["-".join(map(str, case)) for case in CASES])
@pytest.mark.parametrize("policy", ["late", "early", "random"])
def test_product(chip: ChipConfig, case: tuple[int, ...], policy: str) -> None:
    kind, m, n, k, load, transposed, repeats, output, relu = case
    library = compile_kernel(KERNELS / "cube_api.cpp", "cube_api", generated=False)
    rng = np.random.default_rng(m * 1000 + n * 10 + k)
    dtype: Any = DTYPES[kind]
    whole = kind == INT8
    wide: Any = np.int32 if whole else np.float32

    def matrix(*shape: int) -> Any:
        return (rng.integers(-128, 128, shape) if whole else rng.standard_normal(shape)).astype(dtype)

    a, b, bias = matrix(m, k), matrix(n, k) if transposed else matrix(k, n), matrix(256).astype(wide)
    padded = np.zeros(a.size + 64, dtype)  # the vector form reads whole blocks
    padded[: a.size] = a.ravel()
    out_dtype: Any = {TO_HALF: np.float16, TO_NZ: np.float16, TO_BRAIN: ml_dtypes.bfloat16}.get(output, wide)
    out = np.full(m * (n + 3) if output != TO_NZ else m * n, 5, out_dtype)
    select = np.array(case, np.int32)
    given = squares(b) if load == SQUARES else b
    report = launch(library, [padded, given, bias, out, select], block_dim=1, chip=chip, policy=policy, seed=7)
    assert report.faults == ()

    exact = np.int64 if whole else np.float64
    product = a.astype(exact) @ (b.astype(exact).T if transposed else b.astype(exact))
    truth = product * 2 if repeats == 2 else product + bias[:n] if repeats == 3 else product
    truth = np.maximum(truth, 0) if relu else truth
    if output == TO_NZ:
        got = out.reshape(n // 16, m, 16).transpose(1, 0, 2).reshape(m, n)
    else:
        got = out.reshape(m, n + 3)[:, :n]
        assert (out.reshape(m, n + 3)[:-1, n:] == 5).all()
    if output == ATOMIC:
        truth = 5 + 2 * truth
    tolerance = {TO_HALF: 1e-3, TO_NZ: 1e-3, TO_BRAIN: 8e-3}.get(output, 0 if whole else 1e-5)
    np.testing.assert_allclose(got.astype(exact), truth, rtol=tolerance, atol=tolerance * np.sqrt(k))
