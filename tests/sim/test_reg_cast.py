"""Every pair of types of Reg::Cast on 3510 in every rounding, saturation and layout, exact to the bit.

In: tests/sim/kernels/reg_cast.cpp. Out: verdicts. Must never leave out the lanes between those a layout names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import cycle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from conftest import KERNELS

from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import POLICIES, launch

F32, F16, BF16 = np.float32, np.float16, ml_dtypes.bfloat16
I8, U8, I16, U16, I32, U32 = np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32
E4M3, E5M2, E8M0 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu
HIF8, E2M1, E1M2 = "hifloat8", "e2m1", "e1m2"
ROUNDINGS = ("rint", "floor", "ceil", "round", "trunc")
ALL = [(how * 2 + sat, ROUNDINGS[how], bool(sat)) for how in range(5) for sat in range(2)]
ROUND_ONLY = [(how, ROUNDINGS[how], False) for how in range(5)]
SAT_ONLY = [(0, "trunc", False), (1, "trunc", True)]
NEAREST = [(0, "rint", False), (1, "rint", True)]
AWAY = [(0, "round", False), (1, "round", True)]
PLAIN = [(0, "rint", False)]
# to, from, layout, (number, rounding, saturates)
PAIRS: list[tuple[Any, Any, int, list[tuple[int, str, bool]]]] = [
    (F16, F32, 0, ALL), (F16, F32, 1, ALL), (BF16, F32, 0, ALL), (BF16, F32, 1, ALL), (F16, BF16, 0, ALL),
    (BF16, F16, 0, ROUND_ONLY), (I32, F32, 0, ALL), (I16, F32, 1, ALL), (I8, F16, 0, ALL), (U8, F16, 1, ALL),
    (I16, F16, 0, ALL), (I32, F16, 1, ROUND_ONLY), (I32, BF16, 0, ALL), (F32, I32, 0, ROUND_ONLY), (F16, I16, 0, ROUND_ONLY),
    (F32, F16, 0, PLAIN), (F32, F16, 1, PLAIN), (F32, BF16, 0, PLAIN), (F32, BF16, 1, PLAIN), (F16, I8, 0, PLAIN),
    (F16, U8, 1, PLAIN), (I16, I8, 1, PLAIN), (I32, I8, 3, PLAIN), (U16, U8, 0, PLAIN), (U32, U8, 2, PLAIN),
    (I32, I16, 1, PLAIN), (U32, I16, 0, [(0, "trunc", True)]), (U32, U16, 1, PLAIN), (F32, I16, 0, PLAIN),
    (U8, I16, 1, SAT_ONLY), (U8, U16, 0, SAT_ONLY), (U8, I32, 3, SAT_ONLY), (I16, I32, 0, SAT_ONLY), (U16, I32, 1, SAT_ONLY),
    (U8, U32, 0, SAT_ONLY), (I16, U32, 1, SAT_ONLY), (U16, U32, 0, SAT_ONLY), (E4M3, F32, 0, NEAREST), (E4M3, F32, 3, NEAREST),
    (E5M2, F32, 1, NEAREST), (HIF8, F32, 2, AWAY), (HIF8, F16, 1, AWAY), (F32, E4M3, 0, PLAIN), (F32, E5M2, 3, PLAIN),
    (F32, HIF8, 2, PLAIN), (F16, HIF8, 1, PLAIN), (BF16, E8M0, 1, PLAIN), (E8M0, BF16, 0, PLAIN), (E2M1, BF16, 2, ROUND_ONLY),
    (E1M2, BF16, 1, ROUND_ONLY), (BF16, E2M1, 3, PLAIN), (BF16, E1M2, 0, PLAIN),
]  # fmt: skip


def hifloat8(code: int) -> float:
    """hifloat8 as its publication defines it: sign, a prefix that tells the width of the exponent, exponent, mantissa."""
    sign, bits = -1.0 if code & 0x80 else 1.0, f"{code & 0x7F:07b}"
    if code == 0x80:
        return float("nan")
    if code & 0x7F == 0x6F:
        return sign * float("inf")
    for prefix, width in (("11", 4), ("10", 3), ("01", 2), ("001", 1), ("0001", 0)):
        if bits.startswith(prefix):
            exponent, mantissa = bits[len(prefix) : len(prefix) + width], bits[len(prefix) + width :]
            value = 0
            if width:
                value = int("1" + exponent[1:], 2) * (-1 if exponent[0] == "1" else 1)
            return sign * 2.0**value * (1 + int(mantissa, 2) / 2 ** len(mantissa))
    return 0.0 if code & 7 == 0 else sign * 2.0 ** ((code & 7) - 23)


FLOAT4 = {E2M1: [0.0, 0.5, 1, 1.5, 2, 3, 4, 6], E1M2: [0.0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]}


def itemsize(kind: Any) -> int:
    return 1 if isinstance(kind, str) else int(np.dtype(kind).itemsize)


def values_of(kind: Any, raw: Any) -> list[float]:
    """What the bytes of a register mean; float4 pairs are two values."""
    if kind == HIF8:
        return [hifloat8(int(code)) for code in raw]
    if kind in FLOAT4:
        table = FLOAT4[kind]
        halves = [half for code in raw for half in (int(code) & 15, int(code) >> 4)]
        return [(-table[code - 8] if code > 7 else table[code]) for code in halves]
    array = raw.view(kind)
    return [float(value) if np.dtype(kind).kind not in "iu" else int(value) for value in array]


def candidates(kind: Any) -> tuple[list[float], float | None]:
    """The finite magnitudes of a floating type in order, and the step beyond them; None for types without any overflow."""
    if kind in FLOAT4:
        return [float(value) for value in FLOAT4[kind]], None
    if kind == HIF8:
        finite = sorted({abs(hifloat8(code)) for code in range(128)} - {float("inf")})
        return finite, 49152.0
    bits = {1: np.uint8, 2: np.uint16}[itemsize(kind)]
    with np.errstate(invalid="ignore"):
        codes = np.arange(1 << (8 * itemsize(kind) - 1)).astype(bits).view(kind).astype(np.float64)
    finite = sorted(set(codes[np.isfinite(codes)].tolist()))
    return finite, 2 * finite[-1] - finite[-2]


def rounded(value: float, kind: Any, mode: str, saturates: bool, table: list[float], beyond: float | None) -> float:
    """`value` in a floating type: the neighbour the mode chooses; `table` and `beyond` are candidates(kind)."""
    if np.isnan(value):
        return 0.0 if saturates or beyond is None else value
    if np.isinf(value) and not saturates and beyond is not None:
        return value
    negative, size = bool(np.signbit(value)), abs(value)
    at = int(np.searchsorted(table, size, side="right")) - 1
    low = table[at]
    high = table[at + 1] if at + 1 < len(table) else (beyond if beyond is not None else low)
    result = low
    if size != low:
        below, above = (Fraction(size) - Fraction(low), Fraction(high) - Fraction(size)) if size < high else (1, 0)  # far out: up
        up = {"floor": negative, "ceil": not negative, "trunc": False}.get(mode)
        if up is None:
            up = below > above or (below == above and (mode == "round" or at % 2 == 1))
        result = high if up else low
    if beyond is not None and result >= beyond:
        result = table[-1] if saturates else float("inf")
    return -result if negative else result


def whole(value: float, kind: Any, mode: str, saturates: bool) -> int:
    info = np.iinfo(kind)
    if np.isnan(value):
        return 0
    if np.isinf(value):
        return int(info.max if value > 0 else info.min)
    rounding: dict[str, Callable[[float], float]] = {
        "rint": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
        "round": lambda v: float(np.sign(v) * np.floor(abs(v) + 0.5)),
    }  # fmt: skip
    result = int(rounding[mode](value))
    if saturates:
        return min(max(result, int(info.min)), int(info.max))
    wrapped = result % (1 << (8 * info.bits // 8))
    return wrapped - (1 << info.bits) if wrapped > info.max else wrapped


def sources(kind: Any, to: Any) -> Any:
    """A register full of values that are awkward for the pair."""
    rng = np.random.default_rng(11)
    if isinstance(kind, str) or kind in (E4M3, E5M2, E8M0):
        return np.arange(256).astype(np.uint8)
    n = 256 // itemsize(kind)
    if np.dtype(kind).kind in "iu":
        info = np.iinfo(kind)
        edges = [info.min, info.max, 0, 1, 127, 255, 2**24 + 1 if info.max > 2**24 else 3, 2049 if info.max > 2049 else 5]
        return np.array([*edges, *rng.integers(info.min, int(info.max) + 1, n - len(edges))]).astype(kind).view(np.uint8)
    edges = [
        0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -2.5, 300.0, -300.0, 70000.0, 1e9, -3e9, 1e-8, -6e-8, 464.0,
    ]  # fmt: skip
    scale = {E4M3: 100.0, E5M2: 3000.0, HIF8: 50.0, E2M1: 3.0, E1M2: 1.0}.get(to, 200.0)
    rest = rng.standard_normal(n - len(edges)) * scale * 2.0 ** rng.integers(-8, 3, n - len(edges))
    with np.errstate(over="ignore"):
        return np.array([*edges, *rest]).astype(kind).view(np.uint8)


@pytest.fixture(scope="module")
def convert(chip_3510: ChipConfig) -> Iterator[Callable[..., Any]]:
    library = compile_kernel(KERNELS / "reg_cast.cpp", "reg_cast", generated=False, arch=3510)
    policies = cycle(POLICIES)

    def run(pair: int, how: int, n: int, x: Any) -> Any:
        out = np.full(256, 0x33, np.uint8)
        arguments = [np.ascontiguousarray(x), out, np.array([pair, how, n], np.int32)]
        report = launch(library, arguments, block_dim=1, chip=chip_3510, policy=next(policies), seed=3)
        assert report.faults == (), report.faults
        return out

    yield run


def places(to: Any, source: Any, layout: int) -> Iterator[tuple[int, int, int, int]]:
    """(byte in the source, byte in the result, bytes there, bytes here) of each element, or of each pair of float4."""
    wide, narrow = max(itemsize(to), itemsize(source)), min(itemsize(to), itemsize(source))
    if to in FLOAT4 or source in FLOAT4:
        wide, narrow = 4, 1
    if wide == narrow:
        layout = 0
    for i in range(256 // wide):
        near, far = i * wide, i * wide + layout * narrow
        widens = itemsize(source) < itemsize(to) or source in FLOAT4
        yield (far, near, narrow, wide) if widens else (near, far, wide, narrow)


def kind_name(kind: Any) -> str:
    return kind if isinstance(kind, str) else str(np.dtype(kind).name)


NAMES = [f"{kind_name(to)}-{kind_name(source)}-{layout}" for to, source, layout, _ in PAIRS]


@pytest.mark.parametrize("pair", range(len(PAIRS)), ids=NAMES)
def test_cast(convert: Callable[..., Any], pair: int) -> None:
    to, source, layout, variants = PAIRS[pair]
    raw = sources(source, to)
    real = not (not isinstance(to, str) and np.dtype(to).kind in "iu")
    table, beyond = candidates(to) if real and to not in (F32, E8M0) else ([], None)
    lanes = 256 // itemsize(source)
    for how, mode, saturates in variants:
        for count in (lanes, lanes - 7):
            out = convert(pair, how, count, raw)
            wanted_zero = np.ones(256, bool)
            for at, place, from_bytes, to_bytes in places(to, source, layout):
                wanted_zero[place : place + to_bytes] = False
                got = values_of(to, out[place : place + to_bytes])
                if at // itemsize(source) >= count:
                    assert not out[place : place + to_bytes].any()
                    continue
                for value, result in zip(values_of(source, raw[at : at + from_bytes]), got, strict=True):
                    check(value, result, to, mode, saturates, table, beyond)
            assert not out[wanted_zero].any()


def check(value: float, result: float, to: Any, mode: str, saturates: bool, table: list[float], beyond: float | None) -> None:
    if to == E8M0:  # the exponent alone
        bits = int(np.float32(value).view(np.uint32)) >> 23 & 0xFF
        wanted = float("nan") if np.isnan(value) else 2.0 ** (min(bits, 254) - 127)
    elif to == F32:
        wanted = float(np.float32(value)) if mode == "rint" else narrow_whole(int(value), mode)
    elif table:
        wanted = rounded(float(value), to, mode, saturates, table, beyond)
        if to == E4M3 and np.isinf(wanted):
            wanted = float("nan")
        if to == HIF8 and wanted == 0:
            wanted = 0.0
    else:
        wanted = whole(value, to, mode, saturates)
    assert (np.isnan(wanted) and np.isnan(result)) or result == wanted, (value, result, wanted, mode, saturates)
    if wanted == 0 and table and to != HIF8 and not np.isnan(value):
        assert np.signbit(result) == np.signbit(value), value


def narrow_whole(value: int, mode: str) -> float:
    near = float(np.float32(value))
    if near == value or mode == "rint":
        return near
    other = float(np.nextafter(np.float32(near), np.float32(np.inf if near < value else -np.inf)))
    low, high = min(near, other), max(near, other)
    if mode == "round":
        return near if value - low != high - value else (high if value > 0 else low)
    return {"floor": low, "ceil": high, "trunc": low if value > 0 else high}[mode]


def test_muls_cast_rounds_ties_away(convert: Callable[..., Any]) -> None:
    x = np.linspace(-3, 3, 64).astype(np.float32)
    x[0] = np.float32(2049 * 2)  # halved: a tie of half
    table, beyond = candidates(F16)
    for pair, scale in ((52, 0.5), (53, 3.0)):
        out = convert(pair, 0, 60, x.view(np.uint8)).view(np.float16)
        for i in range(64):
            product = float(np.float32(x[i] * np.float32(scale)))
            assert float(out[2 * i + pair - 52]) == (rounded(product, F16, "round", False, table, beyond) if i < 60 else 0.0)
        assert not out[1 - (pair - 52) :: 2].view(np.uint16).any()


def test_cast_to_odd(convert: Callable[..., Any]) -> None:
    x = np.array([1 + 2.0**-12, 1 + 2.0**-11, -1 - 2.0**-12, 1.0] * 16, np.float32)
    out = convert(54, 0, 64, x.view(np.uint8)).view(np.uint16)[::2]
    np.testing.assert_array_equal(out[:4], [0x3C01, 0x3C01, 0xBC01, 0x3C00])


def test_float8_is_the_one_of_ml_dtypes(convert: Callable[..., Any]) -> None:
    rng = np.random.default_rng(2)
    x = (rng.standard_normal(64) * 2.0 ** rng.integers(-12, 12, 64)).astype(np.float32)
    for pair, kind, layout in ((37, E4M3, 0), (39, E5M2, 1)):
        out = convert(pair, 0, 64, x.view(np.uint8))[layout::4]
        wanted = x.astype(kind).view(np.uint8)
        nan = np.isnan(wanted.view(kind).astype(np.float32))
        np.testing.assert_array_equal(out[~nan], wanted[~nan])
        assert np.isnan(out.view(kind).astype(np.float32)[nan]).all()
