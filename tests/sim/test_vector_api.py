"""Every vector call against NumPy, in each of its forms and types.

In: tests/sim/kernels/vector_api.cpp. Out: verdicts. Must never leave out the lanes a call does not write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from conftest import KERNELS

from fiagen.load.hardware import load_chip
from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import launch

Array = np.ndarray[Any, Any]
TILE_BYTES = 8192
TYPES = {np.float32: 0, np.float16: 1, np.int16: 2, np.int32: 3, np.uint16: 4}
SENTINEL = 11


@pytest.fixture(scope="module", params=["910B1", "950"])
def api(request: pytest.FixtureRequest) -> Callable[..., Array]:
    """Runs one call: arrays a, b and d of one tile, the numbers of `select`; gives back the output bytes."""
    chip = ChipConfig.from_hardware(load_chip(request.param))
    library = compile_kernel(KERNELS / "vector_api.cpp", "vector_api", generated=False, arch=chip.npu_arch)

    def run(a: Array, b: Array, d: Array, number: int, n: int, mode: int, kind: int, stepped: int = 0) -> Array:
        out = np.zeros(4 * TILE_BYTES, np.uint8)
        select = np.array([number, n, mode, kind, stepped], np.int32)
        report = launch(library, [a, b, d, out, select], block_dim=1, chip=chip)
        assert report.faults == ()
        return out

    return run


def tiles(dtype: Any, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    count = TILE_BYTES // np.dtype(dtype).itemsize
    if np.issubdtype(dtype, np.floating):
        a, b = (rng.standard_normal(count).astype(dtype) for _ in range(2))
    else:
        a, b = (rng.integers(-100, 100, count).astype(dtype) for _ in range(2))
    return a, b, np.full(count, SENTINEL, dtype)


def f32(x: Array) -> Array:
    return x.astype(np.float32)


BINARY: list[tuple[int, str, Callable[[Array, Array], Array]]] = [
    (0, "Add", lambda a, b: a + b),
    (1, "Sub", lambda a, b: a - b),
    (2, "Mul", lambda a, b: a * b),
    (3, "Max", np.maximum),
    (4, "Min", np.minimum),
    (5, "Adds", lambda a, b: a + a.dtype.type(3)),
    (6, "Muls", lambda a, b: a * a.dtype.type(3)),
    (7, "Maxs", lambda a, b: np.maximum(a, a.dtype.type(1))),
    (8, "Mins", lambda a, b: np.minimum(a, a.dtype.type(1))),
    (9, "CreateVecIndex", lambda a, b: (2 + np.arange(a.size)).astype(a.dtype)),
    (10, "Duplicate", lambda a, b: np.full_like(a, 7)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int16, np.int32])
@pytest.mark.parametrize("n", [1, 200, 1000])
def test_arithmetic_with_a_count(api: Callable[..., Array], dtype: Any, n: int) -> None:
    a, b, d = tiles(dtype)
    for number, name, truth in BINARY:
        expected = d.copy()
        expected[:n] = truth(a[:n], b[:n])
        got = api(a, b, d, number, n, 0, TYPES[dtype])[:TILE_BYTES].view(dtype)
        np.testing.assert_array_equal(got, expected, err_msg=name)


UNARY: list[tuple[int, str, Callable[[Array, Array, Array], Array], float]] = [
    (20, "Div", lambda a, b, d: a / b, 0),
    (21, "Exp", lambda a, b, d: np.exp(a.astype(np.float64)), 2.5),
    (22, "Ln", lambda a, b, d: np.log(np.abs(a.astype(np.float64))), 2.5),
    (23, "Abs", lambda a, b, d: np.abs(a), 0),
    (24, "Sqrt", lambda a, b, d: np.sqrt(np.abs(a)), 0),
    (25, "Reciprocal", lambda a, b, d: 1 / a, 1),
    (26, "Relu", lambda a, b, d: np.maximum(a, 0), 0),
    (27, "Rsqrt", lambda a, b, d: 1 / np.sqrt(np.abs(a)), 2),
    (28, "Axpy", lambda a, b, d: d + a * np.float32(2.5), 0),
    (29, "MulAddDst", lambda a, b, d: d + a * b, 0),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_floating_calls_with_a_count(api: Callable[..., Array], dtype: Any) -> None:
    a, b, d = tiles(dtype)
    for number, name, truth, ulps in UNARY:
        n = 777
        x = np.abs(a) if name in ("Ln", "Sqrt", "Rsqrt") else a
        got = api(x, b, d, number, n, 0, TYPES[dtype])[:TILE_BYTES].view(dtype)
        assert (got[n:] == SENTINEL).all(), name
        expected = truth(f32(x[:n]), f32(b[:n]), f32(d[:n])).astype(dtype)
        error = np.abs(got[:n].astype(np.float64) - expected) / np.maximum(np.spacing(np.abs(expected)), 1e-300)
        assert error.max() <= ulps, (name, error.max())


def test_exp_at_the_edges(api: Callable[..., Array]) -> None:
    a, b, d = tiles(np.float32)
    edges = np.float32([-np.inf, np.inf, np.nan, -104, -90, -87.5, 88.72, 88.73, 100, 0, -0.0, 1e-30, -3e38])
    a[: edges.size] = edges
    got = api(a, b, d, 21, edges.size, 0, 0)[:TILE_BYTES].view(np.float32)[: edges.size]
    with np.errstate(over="ignore", under="ignore"):
        np.testing.assert_allclose(got, np.exp(edges.astype(np.float64)).astype(np.float32), rtol=3e-7, atol=3e-45)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_masks_and_strides(api: Callable[..., Array], dtype: Any) -> None:
    a, b, d = tiles(dtype)
    lanes, block = 256 // a.itemsize, 32 // a.itemsize
    kind = TYPES[dtype]

    def got(number: int, n: int = 0) -> Array:
        return api(a, b, d, number, n, 0, kind)[:TILE_BYTES].view(dtype)

    lane = np.arange(4 * lanes)
    odd = d.copy()
    odd[: lane.size] = np.where(lane % 2 == 1, (a + b)[: lane.size], SENTINEL)
    np.testing.assert_array_equal(got(30), odd)
    prefix = d.copy()
    prefix[: lane.size] = np.where(lane % lanes < lanes - 3, (a + b)[: lane.size], SENTINEL)
    np.testing.assert_array_equal(got(31), prefix)
    broadcast = d.copy()  # source 1: one block per repeat, read for all eight blocks
    rows = np.tile(b[: 4 * block].reshape(4, block), (1, 8))
    broadcast[: lane.size] = (a[: lane.size].reshape(4, lanes) - rows).ravel()
    np.testing.assert_array_equal(got(32), broadcast)
    spread = d.copy()  # destination: every second block
    for r in range(3):
        for k in range(8):
            at = (16 * r + 2 * k) * block
            spread[at : at + block] = a[(8 * r + k) * block :][:block] * dtype(2)
    np.testing.assert_array_equal(got(33), spread)
    again = d.copy()  # source 0: the same repeat four times
    again[: lane.size] = np.maximum(np.tile(a[:lanes], 4), b[: lane.size])
    np.testing.assert_array_equal(got(34), again)
    counter = d.copy()
    counter[:301] = (a + b)[:301]
    np.testing.assert_array_equal(got(35, 301), counter)
    register = d.copy()
    register[: 2 * lanes] = np.where(lane[: 2 * lanes] % lanes < 5, a[: 2 * lanes] * dtype(2), SENTINEL)
    np.testing.assert_array_equal(got(36), register)


def tree(values: Array) -> Array:
    """Pairwise sum over neighbours along the last axis, in float32."""
    while values.shape[-1] > 1:
        values = values[..., ::2] + values[..., 1::2]
    return values[..., 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_reductions(api: Callable[..., Array], dtype: Any) -> None:
    a, b, d = tiles(dtype)
    a[7] = a[3] = 9  # a tie: the lower index wins
    lanes, block = 256 // a.itemsize, 32 // a.itemsize
    kind = TYPES[dtype]
    bits = np.uint32 if dtype is np.float32 else np.uint16
    rows = a[: 4 * lanes].reshape(4, lanes)

    def got(number: int, mode: int = 0, n: int = 0) -> Array:
        return api(a, b, d, number, n, mode, kind)[:TILE_BYTES].view(dtype)

    value, index = rows.max(1), rows.argmax(1).astype(bits).view(dtype)
    orders = [np.stack([value, index], 1), np.stack([index, value], 1), value, index]
    for mode, expected in enumerate(orders):
        result = got(40, mode)
        np.testing.assert_array_equal(result.view(bits)[: expected.size], expected.ravel().view(bits))
        assert (result[expected.size :] == SENTINEL).all()
    low = got(41, 2)  # dstRepStride 2: every second place
    np.testing.assert_array_equal(low[:8:2], rows[:, : lanes - 5].min(1))
    assert (low[1:8:2] == SENTINEL).all()
    np.testing.assert_array_equal(got(42)[:4], tree(f32(rows)).astype(dtype))
    blocks = a[: 4 * lanes].reshape(32, block)
    np.testing.assert_array_equal(got(43)[:32], blocks.max(1))
    three = got(44)[:32].reshape(4, 8)
    np.testing.assert_array_equal(three[:, :3], blocks.min(1).reshape(4, 8)[:, :3])
    assert (three[:, 3:] == SENTINEL).all()
    np.testing.assert_array_equal(got(45)[:32], tree(f32(blocks)).astype(dtype))
    pairs = f32(a[: 4 * lanes]).reshape(-1, 2).sum(1).astype(dtype)
    np.testing.assert_array_equal(got(46)[: pairs.size].reshape(4, -1)[0], pairs.reshape(4, -1)[0])
    for number, best in ((47, np.argmax), (48, np.argmin)):
        result = got(number, 0, 999)
        assert result[0] == a[best(a[:999])] and result.view(bits)[1] == best(a[:999])
    assert abs(float(got(49, 0, 999)[0]) - float(f32(a[:999]).sum())) < (1e-3 if dtype is np.float32 else 0.2)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_compare_and_select(api: Callable[..., Array], dtype: Any) -> None:
    a, b, d = tiles(dtype)
    b[::3] = a[::3]
    n = 512
    kind = TYPES[dtype]
    for mode, truth in enumerate([np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]):
        for number, other in ((60, b[:n]), (61, np.full(n, 0.5, dtype))):
            got = api(a, b, d, number, n, mode, kind)[: n // 8]
            np.testing.assert_array_equal(got, np.packbits(truth(a[:n], other), bitorder="little"))
    chosen = np.random.default_rng(5).integers(0, 256, TILE_BYTES).astype(np.uint8)
    pick = np.unpackbits(chosen, bitorder="little").astype(bool)
    for number, other in ((62, -1), (63, SENTINEL)):
        expected = d.copy()
        expected[:500] = np.where(pick[:500], a[:500], dtype(other))
        got = api(a, chosen.view(dtype), d, number, 500, 0, kind)[:TILE_BYTES].view(dtype)
        np.testing.assert_array_equal(got, expected)
    lanes = 256 // a.itemsize
    expected = d.copy()
    expected[: 4 * lanes] = np.where(np.tile(pick[:lanes], 4), a[: 4 * lanes], SENTINEL)
    got = api(a, chosen.view(dtype), d, 64, 0, 0, kind)[:TILE_BYTES].view(dtype)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
def test_bits_and_shifts(api: Callable[..., Array], dtype: Any) -> None:
    a, b, d = tiles(dtype)
    for number, expected in [(70, a & b), (71, a | b), (72, ~a), (73, a << dtype(3)), (74, a >> dtype(3))]:
        got = api(a, b, d, number, 333, 0, TYPES[dtype])[:TILE_BYTES].view(dtype)
        np.testing.assert_array_equal(got[:333], expected[:333])
        assert (got[333:] == SENTINEL).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_moves_inside_ub(api: Callable[..., Array], dtype: Any) -> None:
    a, b, d = tiles(dtype)
    block = 32 // a.itemsize

    def got(number: int, n: int = 0) -> Array:
        return api(a, b, d, number, n, 0, TYPES[dtype])[:TILE_BYTES].view(dtype).reshape(-1, block)

    blocks, source = d.reshape(-1, block), a.reshape(-1, block)
    expected = blocks.copy()
    expected[:32] = np.repeat(a[:32], block).reshape(32, block)
    np.testing.assert_array_equal(got(80), expected)
    expected = blocks.copy()
    for r in range(2):
        for i in range(8):
            expected[16 * r + 2 * i] = a[8 * r + i]
    np.testing.assert_array_equal(got(81), expected)
    expected = blocks.copy()
    for r in range(3):
        part = expected[8 * r : 8 * r + 8].reshape(-1)
        part[:32] = source[4 * r :].reshape(-1)[:32]
    np.testing.assert_array_equal(got(82), expected)
    expected = blocks.copy()
    expected[:32] = source[:32]
    np.testing.assert_array_equal(got(83, 32 * block), expected)
    expected = blocks.copy()
    for r in range(3):
        expected[4 * r : 4 * r + 2] = source[3 * r : 3 * r + 2]
    np.testing.assert_array_equal(got(84), expected)


def away(x: Array) -> Array:
    return np.trunc(x + np.copysign(0.5, x))


WHOLE = {1: np.rint, 2: np.floor, 3: np.ceil, 4: away, 5: np.trunc}


def narrowed(x: Array, to: Any, mode: int) -> Array:
    """float32 narrowed to a 2-byte float with a rounding mode, found among the neighbours of the nearest value."""
    near = x.astype(to)
    bits = near.view(np.uint16).astype(np.int32)
    below = np.where(np.abs(near.astype(np.float64)) > np.abs(x.astype(np.float64)), bits - 1, bits)
    low, high = (v.astype(np.uint16).view(to).astype(np.float64) for v in (below, below + 1))
    exact, wide = near.astype(np.float64) == x, x.astype(np.float64)
    nearer = np.abs(high - wide) <= np.abs(wide - low)
    up = {2: wide < 0, 3: wide > 0, 4: nearer, 5: np.zeros(x.shape, bool), 6: below % 2 == 0}[mode]
    return np.where(exact, near, np.where(up, high, low).astype(to))


@pytest.mark.parametrize("stepped", [0, 1])
def test_casts_between_floats(api: Callable[..., Array], stepped: int) -> None:
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(TILE_BYTES // 4) * np.exp2(rng.integers(-10, 10, TILE_BYTES // 4))).astype(np.float32)
    x[:4] = [1 + 2**-11, 1 + 3 * 2**-11, -(1 + 2**-8), 0]  # ties
    none = np.zeros(0, np.uint8)
    for kind, to, modes in [(10, np.float16, (0, 1, 2, 3, 4, 5, 6)), (12, ml_dtypes.bfloat16, (1, 2, 3, 4, 5))]:
        for mode in modes:
            got = api(x, none, none, 0, 1024, mode, kind, stepped)[:2048].view(to)
            expected = narrowed(x[:1024], to, mode) if mode > 1 else x[:1024].astype(to)
            np.testing.assert_array_equal(got.view(np.uint16), expected.view(np.uint16), err_msg=f"{to} {mode}")
    for kind, source in [(11, np.float16), (13, ml_dtypes.bfloat16)]:
        narrow = np.tile(x, 2).astype(source)
        got = api(narrow, none, none, 0, 1024, 0, kind, stepped)[:4096].view(np.float32)
        np.testing.assert_array_equal(got, narrow[:1024].astype(np.float32))


@pytest.mark.parametrize("stepped", [0, 1])
def test_casts_with_integers(api: Callable[..., Array], stepped: int) -> None:
    rng = np.random.default_rng(2)
    none = np.zeros(0, np.uint8)
    small = rng.integers(0, 256, TILE_BYTES).astype(np.uint8)
    for kind, source in [(14, np.uint8), (15, np.int8)]:
        got = api(small, none, none, 0, 512, 0, kind, stepped)[:1024].view(np.float16)
        np.testing.assert_array_equal(got, small.view(source)[:512].astype(np.float16))
    halves = (rng.standard_normal(TILE_BYTES // 2) * 90).astype(np.float16)
    halves[:4] = [0.5, 1.5, -2.5, 300]
    for kind, to, low, high in [(16, np.int8, -128, 127), (17, np.uint8, 0, 255)]:
        for mode, rounding in WHOLE.items():
            got = api(halves, none, none, 0, 512, mode, kind, stepped)[:512].view(to)
            expected = np.clip(rounding(halves[:512].astype(np.float64)), low, high).astype(to)
            np.testing.assert_array_equal(got, expected)
    floats = (rng.standard_normal(TILE_BYTES // 4) * 1e3).astype(np.float32)
    floats[:6] = [0.5, -1.5, 2.5, 3e9, -3e9, 7]
    for mode, rounding in WHOLE.items():
        got = api(floats, none, none, 0, 512, mode, 18, stepped)[:2048].view(np.int32)
        expected = np.clip(rounding(floats[:512].astype(np.float64)), -(2**31), 2**31 - 1).astype(np.int32)
        np.testing.assert_array_equal(got, expected)
    ints = rng.integers(-(2**31), 2**31, TILE_BYTES // 4).astype(np.int32)
    got = api(ints, none, none, 0, 512, 0, 19, stepped)[:2048].view(np.float32)
    np.testing.assert_array_equal(got, ints[:512].astype(np.float32))
    got = api(ints, none, none, 0, 512, 0, 20, stepped)[:1024].view(np.int16)
    np.testing.assert_array_equal(got, np.clip(ints[:512], -32768, 32767).astype(np.int16))
    got = api(ints, none, none, 0, 512, 0, 21, stepped)[:4096].view(np.int64)
    np.testing.assert_array_equal(got, ints[:512].astype(np.int64))


@pytest.mark.parametrize(("kind", "dtype"), [(30, np.float32), (31, np.float16), (32, np.int8)])
@pytest.mark.parametrize("width", [1, 5, 19, 37])
def test_padded_copies(api: Callable[..., Array], kind: int, dtype: Any, width: int) -> None:
    rng = np.random.default_rng(3)
    source = rng.integers(-90, 90, 4 * (width + 3)).astype(dtype)
    none = np.zeros(0, np.uint8)
    size = np.dtype(dtype).itemsize
    padded = -(-(width + 2) * size // 32) * 32 // size
    got = api(source, none, none, 0, width, 0, kind)[: 4 * (padded + 4) * size].view(dtype).reshape(4, padded + 4)
    rows = np.full((4, padded), 9, dtype)
    rows[:, 2 : 2 + width] = source.reshape(4, width + 3)[:, :width]
    np.testing.assert_array_equal(got[:, :padded], rows)
    assert (got[:, padded:] == 0).all()


def test_an_unknown_call_does_not_pass(chip: ChipConfig) -> None:
    library = compile_kernel(KERNELS / "vector_api.cpp", "vector_api", generated=False)
    a, b, d = tiles(np.float32)
    select = np.array([999, 8, 0, 0, 0], np.int32)
    report = launch(library, [a, b, d, np.zeros(TILE_BYTES, np.uint8), select], block_dim=1, chip=chip)
    assert [fault.id for fault in report.faults] == ["sim.wait_never_set"]
