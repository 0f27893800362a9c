"""Register calls of 3510 against NumPy, over their types, masks, distributions and sizes.

In: tests/sim/kernels/reg_api.cpp. Out: verdicts. Must never look only at lanes the mask names: the others have to be right.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from conftest import KERNELS

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import POLICIES, launch

(
    BINARY, SCALAR, UNARY, ACCUMULATE, COMPARE, REDUCE, REDUCE_BLOCK, PAIR, LOAD, STORE, BLOCKS, UNALIGNED, INTERLEAVE,
    PACK, FILL, MASKS, EXPSUB, MASK_MEMORY, MERGE,
) = range(19)  # fmt: skip
TYPES: list[Any] = [
    np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32,
]  # fmt: skip
FLOAT, HALF, BRAIN = TYPES[:3]
REALS, WHOLE = TYPES[:2], TYPES[3:]
ULPS = {FLOAT: 4, HALF: 1}
SIZE = 4096


def name(dtype: Any) -> str:
    return str(np.dtype(dtype).name)


def lanes(dtype: Any) -> int:
    return int(256 // np.dtype(dtype).itemsize)


@pytest.fixture(scope="module")
def call(chip_3510: ChipConfig) -> Callable[..., Any]:
    """Runs one case and gives back the 4096 bytes of `out`, which start as `fill`."""
    library = compile_kernel(KERNELS / "reg_api.cpp", "reg_api", generated=False, arch=3510)
    policies = cycle(POLICIES)

    def run(what: int, dtype: Any, n: int, mode: int, x: Any, y: Any = None, z: Any = None, scalar: Any = 0) -> Any:
        arrays = []
        for values in (x, y, z):
            array = np.zeros(SIZE // np.dtype(dtype).itemsize, dtype)
            if values is not None:
                array[: len(values)] = values
            arrays.append(array)
        out = np.zeros(SIZE // np.dtype(dtype).itemsize, dtype)
        out.view(np.uint8)[:] = 0x33
        select = np.array([what, TYPES.index(dtype), n, mode], np.int32)
        report = launch(
            library, [*arrays, out, np.array([scalar] * 8, dtype), select], block_dim=1, chip=chip_3510,
            policy=next(policies), seed=5,
        )  # fmt: skip
        assert report.faults == (), report.faults
        assert report.cycles > 0
        return out

    return run


def numbers(dtype: Any, n: int, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, int(info.max) + 1, n).astype(dtype)
    values = rng.standard_normal(n) * 4
    values[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0][:n]
    return values.astype(dtype)


def same(got: Any, wanted: Any, ulps: int = 0) -> None:
    """Equal bit by bit, NaN for NaN, or so many units in the last place apart."""
    if np.dtype(got.dtype).kind in "iu":
        np.testing.assert_array_equal(got, wanted)
        return
    nan = np.isnan(wanted.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float64)), nan)
    bits = np.uint32 if got.dtype.itemsize == 4 else np.uint16
    if ulps == 0:
        np.testing.assert_array_equal(got.view(bits)[~nan], wanted.view(bits)[~nan])
        return
    a, b = got.astype(np.float64)[~nan], wanted.astype(np.float64)[~nan]
    finite = np.isfinite(b)
    np.testing.assert_array_equal(a[~finite], b[~finite])
    step = np.spacing(np.abs(wanted[~nan][finite])).astype(np.float64)
    assert (np.abs(a[finite] - b[finite]) <= ulps * step).all()


def exact(dtype: Any, function: Callable[..., Any], *operands: Any) -> Any:
    """The function in more digits, rounded once; integers wrap."""
    with np.errstate(all="ignore"):
        if np.dtype(dtype).kind in "iu":
            return function(*(o.astype(np.int64) if isinstance(o, np.ndarray) else int(o) for o in operands)).astype(dtype)
        wide = (o.astype(np.float64) if isinstance(o, np.ndarray) else float(o) for o in operands)
        return function(*wide).astype(np.float32).astype(dtype)


def spread(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: np.where(np.isnan(a) | np.isnan(b), np.nan, function(a, b))


BINARIES: dict[int, tuple[str, list[Any], Callable[..., Any]]] = {
    0: ("Add", TYPES, np.add),
    1: ("Sub", TYPES, np.subtract),
    2: ("Max", TYPES, np.maximum),
    3: ("Min", TYPES, np.minimum),
    4: ("Mul", [t for t in TYPES if np.dtype(t).itemsize > 1], np.multiply),
    5: ("Div", REALS, np.divide),
    6: ("AbsSub", REALS, lambda a, b: np.abs(a - b)),
    7: ("Prelu", REALS, lambda a, b: np.where(a >= 0, a, a * b)),
    8: ("And", WHOLE, np.bitwise_and),
    9: ("Or", WHOLE, np.bitwise_or),
    10: ("Xor", WHOLE, np.bitwise_xor),
}


@pytest.mark.parametrize(
    ("mode", "dtype"),
    [(mode, dtype) for mode, (_, types, _) in BINARIES.items() for dtype in types],
    ids=[f"{word}-{name(dtype)}" for word, types, _ in BINARIES.values() for dtype in types],
)
def test_binary(call: Callable[..., Any], mode: int, dtype: Any) -> None:
    for count in (1, lanes(dtype) - 1, lanes(dtype), 3 * lanes(dtype) + 7):
        x, y = numbers(dtype, count), numbers(dtype, count, 2)[::-1].copy()
        got = call(BINARY, dtype, count, mode, x, y)
        same(got[:count], exact(dtype, BINARIES[mode][2], x, y))
        np.testing.assert_array_equal(got.view(np.uint8)[count * x.itemsize :], 0x33)  # StoreAlign keeps to the mask


@pytest.mark.parametrize("dtype", WHOLE, ids=name)
@pytest.mark.parametrize("mode", [11, 12])
def test_shifts_by_lanes(call: Callable[..., Any], mode: int, dtype: Any) -> None:
    bits = np.dtype(dtype).itemsize * 8
    x, y = numbers(dtype, 100), (np.arange(100) % bits).astype(dtype)
    wide = x.astype(np.int64)
    wanted = wide << y.astype(np.int64) if mode == 11 else wide >> y.astype(np.int64)
    np.testing.assert_array_equal(call(BINARY, dtype, 100, mode, x, y)[:100], wanted.astype(dtype))


SCALARS: list[tuple[str, list[Any], Callable[..., Any]]] = [
    ("Adds", TYPES, np.add),
    ("Maxs", TYPES, np.maximum),
    ("Mins", TYPES, np.minimum),
    ("Muls", [t for t in TYPES if np.dtype(t).itemsize > 1], np.multiply),
    ("LeakyRelu", REALS, lambda a, b: np.where(a >= 0, a, a * b)),
    ("ShiftLefts", WHOLE, np.left_shift),
    ("ShiftRights", WHOLE, np.right_shift),
]


@pytest.mark.parametrize(
    ("mode", "dtype"),
    [(mode, dtype) for mode, (_, types, _) in enumerate(SCALARS) for dtype in types],
    ids=[f"{word}-{name(dtype)}" for word, types, _ in SCALARS for dtype in types],
)
def test_scalar(call: Callable[..., Any], mode: int, dtype: Any) -> None:
    count = 2 * lanes(dtype) + 3
    x, s = numbers(dtype, count), dtype(3) if dtype in WHOLE else dtype(1.5)
    same(call(SCALAR, dtype, count, mode, x, scalar=s)[:count], exact(dtype, SCALARS[mode][2], x, s))


@pytest.mark.parametrize("dtype", REALS, ids=name)
@pytest.mark.parametrize("mode", range(9), ids=["Abs", "Neg", "Relu", "Exp", "Sqrt", "Ln", "Log", "Log2", "Log10"])
def test_unary(call: Callable[..., Any], mode: int, dtype: Any) -> None:
    functions = [np.abs, np.negative, lambda a: np.maximum(a, 0), np.exp, np.sqrt, np.log, np.log, np.log2, np.log10]
    count = lanes(dtype) + 5
    x = numbers(dtype, count)
    wanted = exact(dtype, functions[mode], x)
    got = call(UNARY, dtype, count, mode, x)[:count]
    if mode == 2:
        got, wanted = got + dtype(0), wanted + dtype(0)  # the sign of a zero is of no account
    same(got, wanted, ULPS[dtype] if mode in (3, 5, 6, 7, 8) else 0)


@pytest.mark.parametrize("dtype", WHOLE, ids=name)
def test_unary_of_integers(call: Callable[..., Any], dtype: Any) -> None:
    x = numbers(dtype, 90)
    np.testing.assert_array_equal(call(UNARY, dtype, 90, 2, x)[:90], ~x)
    if np.dtype(dtype).kind == "i":
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(call(UNARY, dtype, 90, 0, x)[:90], np.abs(x))
            np.testing.assert_array_equal(call(UNARY, dtype, 90, 1, x)[:90], -x)


@pytest.mark.parametrize("dtype", [t for t in TYPES if np.dtype(t).itemsize > 1], ids=name)
def test_accumulating(call: Callable[..., Any], dtype: Any) -> None:
    count = lanes(dtype) + 9
    x, y, z = (numbers(dtype, count, seed) for seed in (1, 2, 3))
    if np.dtype(dtype).kind not in "iu":
        x, y, z = (np.nan_to_num(v, nan=1, posinf=2, neginf=3) for v in (x, y, z))
    same(call(ACCUMULATE, dtype, count, 0, x, y, z)[:count], exact(dtype, lambda a, b, c: a * b + c, x, y, z), 1)
    if dtype in REALS:
        same(call(ACCUMULATE, dtype, count, 1, x, y, z)[:count], exact(dtype, lambda a, b, c: c * a + b, x, y, z), 1)
        s = dtype(0.75)
        wanted = exact(dtype, lambda a, b, c: a * b + c, x, s, z)
        same(call(ACCUMULATE, dtype, count, 2, x, None, z, s)[:count], wanted, 1)


@pytest.mark.parametrize("dtype", TYPES, ids=name)
def test_compare_and_select(call: Callable[..., Any], dtype: Any) -> None:
    count = lanes(dtype) + 5
    x, y = numbers(dtype, count), numbers(dtype, count, 2)
    y[::3] = x[::3]
    functions = [np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]
    s = dtype(1)
    for mode, function in enumerate(functions):
        with np.errstate(invalid="ignore"):
            holds = function(x, s if mode > 3 else y)
        same(call(COMPARE, dtype, count, mode, x, y, scalar=s)[:count], np.where(holds, x, y))


def reduced(dtype: Any, mode: int, values: Any) -> tuple[Any, int]:
    if mode == 0:
        return values.astype(np.int64 if np.dtype(dtype).kind in "iu" else np.float64).sum(), 0
    at = int(np.argmax(values) if mode == 1 else np.argmin(values))
    return values[at], at


@pytest.mark.parametrize("dtype", [FLOAT, HALF, np.int16, np.uint16, np.int32, np.uint32], ids=name)
@pytest.mark.parametrize("mode", range(3), ids=["sum", "max", "min"])
def test_reduce(call: Callable[..., Any], mode: int, dtype: Any) -> None:
    if mode == 0 and dtype == np.uint16:
        return  # the widened pair is int16 into int32, which stands for both
    out_dtype = np.int32 if mode == 0 and dtype == np.int16 else dtype
    for count in (1, 5, lanes(dtype)):
        x = numbers(dtype, lanes(dtype))
        if dtype in REALS:
            x = np.nan_to_num(x, nan=1, posinf=2, neginf=-3)
            x[:2] = [0.5, -0.5]
        if mode > 0:
            x[3] = x[:3].max() if mode == 1 else x[:3].min()  # a tie: the first one counts
        got = call(REDUCE, dtype, count, mode, x).view(out_dtype)
        value, place = reduced(dtype, mode, x[:count])
        if mode == 0:
            np.testing.assert_allclose(float(got[0]), float(np.asarray(value).astype(out_dtype)), rtol=2e-3)
        else:
            assert got[0] == value
            index = got[1:2].view({2: np.uint16, 4: np.uint32}[got.itemsize])[0]
            assert index == place
        np.testing.assert_array_equal(got[2 if mode else 1 : 256 // got.itemsize].view(np.uint8), 0)


@pytest.mark.parametrize("dtype", [FLOAT, HALF, np.int32], ids=name)
@pytest.mark.parametrize("mode", range(3), ids=["sum", "max", "min"])
def test_reduce_block(call: Callable[..., Any], mode: int, dtype: Any) -> None:
    x = numbers(dtype, lanes(dtype), 5)
    if dtype in REALS:
        x = np.nan_to_num(x, nan=1, posinf=2, neginf=-3)
    count, width = lanes(dtype) - 3, 32 // x.itemsize
    got = call(REDUCE_BLOCK, dtype, count, mode, x)
    for block in range(8):
        value, _ = reduced(dtype, mode, x[block * width : min(count, (block + 1) * width)])
        np.testing.assert_allclose(float(got[block]), float(np.asarray(value).astype(dtype)), rtol=2e-3)
    np.testing.assert_array_equal(got[8 : lanes(dtype)].view(np.uint8), 0)


def test_zeros_have_an_order_in_reductions(call: Callable[..., Any]) -> None:
    x = np.array([0.0, -0.0, 0.0] + [np.nan] * 61, np.float32)
    assert np.signbit(call(REDUCE, FLOAT, 3, 2, x)[0]) and not np.signbit(call(REDUCE, FLOAT, 3, 1, -x)[0])
    assert np.isnan(call(REDUCE, FLOAT, 4, 1, x)[0])


def test_an_empty_mask_reduces_to_the_identity(call: Callable[..., Any]) -> None:
    x = numbers(np.int32, 64)
    assert [call(REDUCE, np.int32, 0, mode, x)[0] for mode in range(3)] == [0, -(2**31), 2**31 - 1]


@pytest.mark.parametrize("dtype", REALS, ids=name)
def test_pair_reduce(call: Callable[..., Any], dtype: Any) -> None:
    x = np.nan_to_num(numbers(dtype, lanes(dtype)), nan=1, posinf=2, neginf=-3)
    count = lanes(dtype) - 3
    masked = np.where(np.arange(lanes(dtype)) < count, x, dtype(0))
    got = call(PAIR, dtype, count, 0, x)
    same(got[: lanes(dtype) // 2], exact(dtype, np.add, masked[::2], masked[1::2]))
    np.testing.assert_array_equal(got[lanes(dtype) // 2 : lanes(dtype)].view(np.uint8), 0)


@pytest.mark.parametrize("dtype", [FLOAT, HALF, np.int8], ids=name)
def test_load_distributions(call: Callable[..., Any], dtype: Any) -> None:
    n, size = lanes(dtype), np.dtype(dtype).itemsize
    x = numbers(dtype, 3 * n)
    block = 32 // size
    gaps = np.zeros(n, dtype)
    gaps[::2] = x[: n // 2]
    fours = np.zeros(n, dtype)
    fours[::4] = x[: n // 4]
    wanted = {
        0: (block, x[block : block + n]),
        1: (block, np.tile(x[block : 2 * block], 8)),
        2: (3, np.full(n, x[3])),
        5: (0, gaps),
        7: (0, np.concatenate([x[: 2 * n : 2], x[1 : 2 * n : 2]])),
    }
    if size < 4:
        wanted |= {3: (0, np.repeat(x[: n // 2], 2)), 4: (0, x[: 2 * n : 2])}
    wanted[6] = (0, fours if size == 1 else np.repeat(x[:8], block))
    for mode, (offset, values) in wanted.items():
        same(call(LOAD, dtype, offset, mode, x)[: len(values)], values)


@pytest.mark.parametrize("dtype", [np.uint32, np.uint16, np.uint8], ids=name)
def test_store_distributions(call: Callable[..., Any], dtype: Any) -> None:
    n, size = lanes(dtype), np.dtype(dtype).itemsize
    x, y, count = numbers(dtype, n), numbers(dtype, n, 2), lanes(dtype) - 5

    def stored(mode: int) -> Any:
        return call(STORE, dtype, count, mode, x, y)

    np.testing.assert_array_equal(stored(0)[:count], x[:count])
    np.testing.assert_array_equal(stored(0).view(np.uint8)[count * size :], 0x33)
    np.testing.assert_array_equal(stored(1)[:1], x[:1])
    np.testing.assert_array_equal(stored(1).view(np.uint8)[size:], 0x33)
    half = {4: np.uint16, 2: np.uint8}.get(size)
    if half is not None:
        np.testing.assert_array_equal(stored(2).view(half)[:count], x[:count].astype(half))
        np.testing.assert_array_equal(stored(2).view(np.uint8)[count * size // 2 :], 0x33)
    if size == 4:
        np.testing.assert_array_equal(stored(3).view(np.uint8)[:count], x[:count].astype(np.uint8))
    np.testing.assert_array_equal(stored(4)[: 2 * n], np.stack([x, y], 1).ravel())


@pytest.mark.parametrize("dtype", [FLOAT, HALF, np.uint8], ids=name)
def test_block_strides(call: Callable[..., Any], dtype: Any) -> None:
    block, n = 32 // np.dtype(dtype).itemsize, lanes(dtype)
    x = np.nan_to_num(numbers(dtype, 40 * block), nan=7)
    got = call(BLOCKS, dtype, n - 3 * block + 1, 0, x)  # five blocks and one element of the sixth
    for i in range(8):
        wanted = x[i * 3 * block :][:block] if i < 6 else np.zeros(block, dtype)
        same(got[i * 3 * block :][:block], wanted)
        np.testing.assert_array_equal(got[(i * 3 + 1) * block :][: 2 * block].view(np.uint8), 0x33)
    got = call(BLOCKS, dtype, n, 1, x)  # a second round one block later
    for i in range(8):
        same(got[i * 3 * block :][: 2 * block], x[i * 3 * block :][: 2 * block])


@pytest.mark.parametrize("dtype", [np.float32, np.uint16, np.uint8], ids=name)
@pytest.mark.parametrize("to", [0, 5, 8, 31])
def test_unaligned(call: Callable[..., Any], dtype: Any, to: int) -> None:
    x = np.nan_to_num(numbers(dtype, 4 * lanes(dtype)), nan=1)
    for mode, step in ((0, lanes(dtype)), (1, lanes(dtype) - 5)):
        got = call(UNALIGNED, dtype, to, mode, x)
        same(got[to : to + 3 * step], x[3 : 3 + 3 * step])
        np.testing.assert_array_equal(got[:to].view(np.uint8), 0x33)
        np.testing.assert_array_equal(got[to + 3 * step :].view(np.uint8), 0x33)


@pytest.mark.parametrize("dtype", [FLOAT, HALF, np.uint8], ids=name)
def test_interleave(call: Callable[..., Any], dtype: Any) -> None:
    n = lanes(dtype)
    x, y = numbers(dtype, n), numbers(dtype, n, 2)
    same(call(INTERLEAVE, dtype, n, 0, x, y)[: 2 * n], np.stack([x, y], 1).ravel())
    both = np.concatenate([x, y])
    same(call(INTERLEAVE, dtype, n, 1, x, y)[: 2 * n], np.concatenate([both[::2], both[1::2]]))


@pytest.mark.parametrize(("dtype", "narrow", "wide"), [(np.uint8, np.uint8, np.uint16), (np.int16, np.uint16, np.int32)])
def test_pack_and_unpack(call: Callable[..., Any], dtype: Any, narrow: Any, wide: Any) -> None:
    x = numbers(np.uint8, 256, 3).view(dtype)
    half = 256 // np.dtype(wide).itemsize
    for high in (0, 1):
        got = call(PACK, dtype, 0, high, x).view(narrow)
        np.testing.assert_array_equal(got[high * half :][:half], x.view(wide).astype(narrow))
        np.testing.assert_array_equal(got[(1 - high) * half :][:half], 0)
        got = call(PACK, dtype, 0, 2 + high, x).view(wide)
        np.testing.assert_array_equal(got[:half], x[high * half :][:half].astype(wide))


@pytest.mark.parametrize("dtype", TYPES, ids=name)
def test_fill(call: Callable[..., Any], dtype: Any) -> None:
    n, s = lanes(dtype), dtype(5)
    x = numbers(dtype, n, 4)
    some = np.arange(n) < 11
    zero = np.zeros(n, dtype)
    same(call(FILL, dtype, 11, 0, x, scalar=s)[:n], np.full(n, s))
    same(call(FILL, dtype, 11, 1, x, scalar=s)[:n], np.where(some, s, zero))
    same(call(FILL, dtype, 11, 2, x, scalar=s)[:n], np.where(some, s, x))
    same(call(FILL, dtype, 11, 3, x, scalar=s)[:n], np.where(some, x[0], zero))
    same(call(FILL, dtype, 11, 4, x, scalar=s)[:n], x)
    if dtype in (FLOAT, HALF, np.int16, np.int32):
        same(call(FILL, dtype, 11, 5, x, scalar=s)[:n], (np.arange(n) + 5).astype(dtype))
        same(call(FILL, dtype, 11, 6, x, scalar=s)[:n], (np.arange(n)[::-1] + 5).astype(dtype))


def test_mask_patterns(call: Callable[..., Any]) -> None:
    x, lane = np.arange(64, dtype=np.float32), np.arange(64)
    patterns = [lane < 64, lane < 3, lane < 32, lane < 64, lane % 3 == 0, lane % 4 == 0, lane < 32, lane < 16, lane < 0]
    for mode, on in enumerate(patterns):
        same(call(MASKS, FLOAT, 0, mode, x)[:64], np.where(on, x + 1, 0).astype(np.float32))


def test_mask_logic(call: Callable[..., Any]) -> None:
    x, lane = np.arange(128).astype(np.float16), np.arange(128)
    first, third = lane < 50, lane % 3 == 0
    woven = np.stack([first, third], 1).ravel()
    both = np.concatenate([first, third])
    bits = np.zeros(256, bool)
    bits[::12] = True  # every third lane of 4 bytes
    packed = np.zeros(256, bool)
    packed[:128] = bits[::2]
    narrow = np.arange(256) % 3 == 0
    unpacked = np.zeros(256, bool)
    unpacked[::2] = narrow[128:]
    wanted = [
        first & third, first | third, first ^ third, ~first, third & first, np.where(first, third, first), woven[:128],
        both[1::2], packed[::2], unpacked[::2],
    ]  # fmt: skip
    for mode, on in enumerate(wanted):
        same(call(MASKS, HALF, 50, mode, x)[:128], np.where(on, x + np.float16(1), np.float16(0)))


def test_exp_sub(call: Callable[..., Any]) -> None:
    x, y = numbers(FLOAT, 64), numbers(FLOAT, 64, 2)
    some = np.arange(64) < 50
    wanted = np.where(some, exact(FLOAT, lambda a, b: np.exp(a - b), x, y), np.float32(0))
    same(call(EXPSUB, FLOAT, 50, 0, x, y)[:64], wanted, 8)
    a, b = numbers(HALF, 128), numbers(HALF, 128, 2)
    for mode in (0, 1):
        lane = np.arange(64) * 2 + mode
        wanted = exact(FLOAT, lambda p, q: np.exp(p - q), a[lane], b[lane])
        got = call(EXPSUB, HALF, 100, mode, a, b).view(np.float32)[:64]
        same(got, np.where(lane < 100, wanted, np.float32(0)), 8)


def test_masks_in_memory(call: Callable[..., Any]) -> None:
    rng = np.random.default_rng(3)
    x, bits = np.arange(64, dtype=np.float32), rng.integers(0, 256, 64).astype(np.uint8)
    y = bits.view(np.float32)
    stream = np.unpackbits(bits, bitorder="little")
    lane = np.arange(64) * 4
    for mode, on in ((0, stream[lane]), (1, stream[lane // 2]), (2, stream[lane * 2]), (3, stream[lane])):
        got = call(MASK_MEMORY, FLOAT, 0, mode, x, y)
        same(got[:64], np.where(on != 0, x + 1, 0).astype(np.float32))
        copied = got.view(np.uint8)[2048:2112]
        if mode == 0:
            np.testing.assert_array_equal(copied[:32], bits[:32])
        if mode == 3:
            np.testing.assert_array_equal(copied[:16], np.packbits(stream[:256:2], bitorder="little"))
            np.testing.assert_array_equal(copied[16:], 0x33)


@pytest.mark.parametrize("dtype", TYPES, ids=name)
def test_merging(call: Callable[..., Any], dtype: Any) -> None:
    n = lanes(dtype)
    x, y, z = (numbers(dtype, n, seed) for seed in (1, 2, 3))
    some = np.arange(n) < 21
    for mode, function in enumerate([np.add, np.maximum, np.minimum, lambda a, b: a + 0 * b]):
        wanted = x if mode == 3 else exact(dtype, function, x, y)
        same(call(MERGE, dtype, 21, mode, x, y, z)[:n], np.where(some, wanted, z))
