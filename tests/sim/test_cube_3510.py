"""Loads, matrix products and fixpipe writes of 3510 against NumPy, in every type, form and destination.

In: tests/sim/kernels/cube_3510.cpp. Out: verdicts. Must never look only at the product: gaps between rows have to stay.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from conftest import KERNELS
from test_reg_cast import hifloat8

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import launch

HALF, BRAIN, FLOAT, INT8, FP8, MIXED8, HIF8 = range(7)
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
TYPES: dict[int, tuple[Any, Any]] = {
    HALF: (np.float16, np.float16), BRAIN: (ml_dtypes.bfloat16, ml_dtypes.bfloat16), FLOAT: (np.float32, np.float32),
    INT8: (np.int8, np.int8), FP8: (E4M3, E4M3), MIXED8: (E5M2, E4M3), HIF8: (np.uint8, np.uint8),
}  # fmt: skip
V2, IMAGE, V1, COLUMNS = range(4)
(GM_ROWS, GM_NZ, GM_COLUMNS, VIA_L1, UB_ROWS, UB_SPLIT_ROWS, UB_SPLIT_COLUMNS, UB_NZ, UB_COLUMNS, UB_SECOND, GM_HALF, HANDSHAKE,
 BIAS) = range(13)  # fmt: skip

# types, m, n, k, load, transposed A, transposed B, twice, output, relu
CASES = [
    (HALF, 32, 48, 64, V2, 0, 1, 0, GM_ROWS, 0),
    (HALF, 32, 48, 64, V2, 0, 0, 0, GM_ROWS, 0),
    (HALF, 48, 32, 80, V2, 1, 0, 0, GM_ROWS, 0),
    (HALF, 19, 37, 45, V2, 0, 1, 1, GM_ROWS, 1),
    (HALF, 19, 37, 45, V2, 0, 0, 0, GM_ROWS, 0),
    (HALF, 64, 48, 96, V1, 0, 1, 0, GM_ROWS, 0),
    (HALF, 64, 32, 48, IMAGE, 0, 0, 0, GM_ROWS, 0),
    (HALF, 21, 30, 33, IMAGE, 0, 0, 1, GM_HALF, 0),
    (HALF, 40, 64, 80, COLUMNS, 1, 0, 0, GM_ROWS, 0),
    (BRAIN, 128, 128, 128, V2, 0, 1, 1, GM_ROWS, 0),
    (BRAIN, 17, 20, 100, V2, 0, 0, 0, GM_ROWS, 0),
    (FLOAT, 20, 35, 44, V2, 0, 1, 0, GM_ROWS, 0),
    (FLOAT, 32, 48, 64, V2, 1, 0, 0, GM_ROWS, 0),
    (FLOAT, 24, 40, 32, COLUMNS, 1, 0, 0, GM_ROWS, 0),
    (INT8, 20, 35, 70, V2, 0, 1, 1, GM_ROWS, 0),
    (INT8, 64, 64, 96, V2, 1, 0, 0, GM_ROWS, 1),
    (FP8, 32, 48, 64, V2, 0, 1, 0, GM_ROWS, 0),
    (FP8, 64, 64, 64, V2, 1, 0, 1, GM_ROWS, 0),
    (MIXED8, 32, 48, 96, V2, 0, 1, 0, GM_ROWS, 0),
    (HIF8, 32, 48, 64, V2, 0, 1, 0, GM_ROWS, 0),
    (HALF, 1, 40, 200, V2, 0, 1, 0, GM_ROWS, 0),
    (HALF, 40, 64, 80, V2, 0, 1, 0, GM_NZ, 0),
    (HALF, 40, 37, 80, V2, 0, 1, 0, GM_COLUMNS, 0),
    (HALF, 33, 48, 32, V2, 0, 1, 0, GM_HALF, 1),
    (HALF, 64, 128, 64, V2, 0, 1, 1, HANDSHAKE, 0),
    (HALF, 40, 64, 80, V2, 0, 1, 0, BIAS, 0),
    (HALF, 40, 64, 80, V2, 0, 1, 1, VIA_L1, 0),
    (HALF, 40, 64, 80, V2, 0, 1, 0, UB_ROWS, 1),
    (HALF, 40, 64, 80, V2, 0, 1, 0, UB_SECOND, 0),
    (HALF, 40, 64, 80, V2, 0, 1, 0, UB_SPLIT_ROWS, 0),
    (HALF, 40, 64, 80, V2, 0, 1, 0, UB_SPLIT_COLUMNS, 0),
    (HALF, 40, 64, 80, V2, 0, 1, 0, UB_NZ, 0),
    (HALF, 40, 36, 80, V2, 0, 1, 0, UB_COLUMNS, 0),
    (INT8, 32, 32, 64, V2, 0, 1, 0, UB_SPLIT_ROWS, 0),
]


@pytest.mark.parametrize("case", CASES, ids=["-".join(map(str, case)) for case in CASES])
@pytest.mark.parametrize("policy", ["late", "early", "random"])
def test_product(chip_3510: ChipConfig, case: tuple[int, ...], policy: str) -> None:
    kind, m, n, k, _, trans_a, trans_b, twice, output, relu = case
    library = compile_kernel(KERNELS / "cube_3510.cpp", "cube_3510", generated=False, arch=3510)
    rng = np.random.default_rng(m * 1000 + n * 10 + k)
    whole = kind == INT8
    wide: Any = np.int32 if whole else np.float32

    def matrix(dtype: Any, *shape: int) -> Any:
        if kind == HIF8:
            return rng.choice([code for code in range(256) if abs(hifloat8(code)) < 16], shape).astype(np.uint8)
        return (rng.integers(-128, 128, shape) if whole else rng.standard_normal(shape)).astype(dtype)

    a = matrix(TYPES[kind][0], *((k, m) if trans_a else (m, k)))
    b = matrix(TYPES[kind][1], *((n, k) if trans_b else (k, n)))
    bias = (rng.standard_normal(1024) * 3).astype(wide)
    padded = np.zeros(a.size + 64, a.dtype)  # the vector form reads whole blocks
    padded[: a.size] = a.ravel()
    rows = output in (GM_ROWS, GM_HALF, HANDSHAKE, BIAS)
    out_dtype: Any = np.float16 if output == GM_HALF else wide
    out = np.full(m * (n + 3) if rows else m * n, 5, out_dtype)
    select = np.array(case, np.int32)
    report = launch(library, [padded, b, bias, out, select], block_dim=1, chip=chip_3510, policy=policy, seed=7)
    assert report.faults == () and report.cycles > 0

    exact: Any = np.int64 if whole else np.float64
    table = np.array([hifloat8(code) for code in range(256)])
    left, right = (table[x] if kind == HIF8 else x.astype(exact) for x in (a, b))
    product = (left.T if trans_a else left) @ (right.T if trans_b else right)
    truth = product * (2 if twice else 1) + (bias[:n] if output == BIAS else 0)
    truth = np.maximum(truth, 0) if relu else truth
    if output in (GM_NZ, UB_NZ):
        got = out.reshape(n // 16, m, 16).transpose(1, 0, 2).reshape(m, n)
    elif output in (GM_COLUMNS, UB_COLUMNS):
        got = out.reshape(n, m).T
    elif output == UB_SPLIT_COLUMNS:
        got = out.reshape(2, m, n // 2).transpose(1, 0, 2).reshape(m, n)
    elif rows:
        got = out.reshape(m, n + 3)[:, :n]
        assert (out.reshape(m, n + 3)[:-1, n:] == 5).all()
    else:
        got = out.reshape(m, n)
    tolerance = 1e-3 if output == GM_HALF else 0 if whole else 1e-5
    np.testing.assert_allclose(got.astype(exact), truth, rtol=tolerance, atol=tolerance * np.sqrt(k))


def test_a_lone_row_as_a_matrix(chip_3510: ChipConfig, tmp_path: Any) -> None:
    """With disableGemv one row of A is read as fractals, like any other."""
    source = (KERNELS / "cube_3510.cpp").read_text()
    source = source.replace("0, false, true);\n", "0, false, true);\n    mm.disableGemv = true;\n", 1)
    source = source.replace("s.m == 1", "false")
    (tmp_path / "plain.cpp").write_text(source)
    library = compile_kernel(tmp_path / "plain.cpp", "cube_3510", generated=False, arch=3510)
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((1, 64)).astype(np.float16), rng.standard_normal((32, 64)).astype(np.float16)
    out = np.zeros(35, np.float32)
    select = np.array([HALF, 1, 32, 64, V2, 0, 1, 0, GM_ROWS, 0], np.int32)
    report = launch(library, [a, b, np.zeros(1024, np.float32), out, select], block_dim=1, chip=chip_3510)
    assert report.faults == ()
    np.testing.assert_allclose(out[:32], (a.astype(np.float64) @ b.T.astype(np.float64))[0], rtol=1e-5, atol=1e-4)
