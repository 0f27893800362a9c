"""Calls that move elements, sums of half into float and scaled casts against NumPy, in each of their forms and types.

In: tests/sim/kernels/rearrange_api.cpp. Out: verdicts. Must never leave out the lanes a call does not write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import KERNELS

from fiagen.load.hardware import load_chip
from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.launch import SimReport, launch

Array = np.ndarray[Any, Any]
TILE_BYTES = 8192
TYPES: list[Any] = [np.float32, np.float16, np.uint16, np.int32]
BYTES, HALF_SQUARE, INT_SQUARE, MIXED = 4, 5, 6, 7
SENTINEL = 11
Run = Callable[..., tuple[Array, int, SimReport]]


@pytest.fixture(scope="module", params=["910B1", "950"])
def api(request: pytest.FixtureRequest) -> Run:
    """Runs one call on the bytes of a, b and d; gives back the new d, the kept count and the report."""
    chip = ChipConfig.from_hardware(load_chip(request.param))
    library = compile_kernel(KERNELS / "rearrange_api.cpp", "rearrange_api", generated=False, arch=chip.npu_arch)

    def run(a: Array, b: Array, d: Array, number: int, kind: int, n: int = 0, mode: int = 0) -> tuple[Array, int, SimReport]:
        tiles = [np.zeros(TILE_BYTES, np.uint8) for _ in range(3)]
        for tile, array in zip(tiles, (a, b, d), strict=True):
            tile[: array.nbytes] = array.view(np.uint8)
        kept = np.zeros(16, np.int32)
        select = np.array([number, kind, n, mode], np.int32)
        report = launch(library, [*tiles, kept, select], block_dim=1, chip=chip)
        return tiles[2].view(d.dtype)[: d.size], int(kept[0]), report

    return run


def tile(dtype: Any, seed: int = 0) -> Array:
    count = TILE_BYTES // np.dtype(dtype).itemsize
    return np.random.default_rng(seed).integers(1, 2000, count).astype(dtype)


@pytest.mark.parametrize("kind", range(4))
def test_gather(api: Run, kind: int) -> None:
    dtype = TYPES[kind]
    a, d = tile(dtype), np.full(TILE_BYTES // np.dtype(dtype).itemsize, SENTINEL, dtype)
    lanes, block = 256 // a.itemsize, 32 // a.itemsize
    pick = np.random.default_rng(3).integers(0, a.size - 2, 1000)
    offsets = (pick * a.itemsize).astype(np.uint32)
    for n in (1, 77, 1000):
        got, _, report = api(a, offsets, d, 0, kind, n)
        expected = d.copy()
        expected[:n] = a[pick[:n] + 2]
        assert report.faults == ()
        np.testing.assert_array_equal(got, expected)
    got, _, _ = api(a, offsets, d, 1, kind)  # repeats nine blocks apart, three lanes off
    expected = d.copy()
    for r in range(3):
        at = 9 * r * block
        expected[at : at + lanes - 3] = a[pick[r * lanes : (r + 1) * lanes - 3]]
    np.testing.assert_array_equal(got, expected)
    got, _, _ = api(a, offsets, d, 2, kind)
    lane = np.arange(2 * lanes)
    expected = d.copy()
    expected[: lane.size] = np.where(lane % 2 == 1, a[pick[: lane.size]], SENTINEL)
    np.testing.assert_array_equal(got, expected)


def test_gather_checks_its_offsets(api: Run) -> None:
    a, d = tile(np.float32), np.zeros(64, np.float32)
    past = np.full(64, 3 * TILE_BYTES, np.uint32)
    assert api(a, past, d, 0, 0, 8)[2].faults[0].id == "sim.ub_out_of_bounds"
    assert api(a, np.full(64, 2, np.uint32), d, 0, 0, 8)[2].faults[0].id == "sim.misaligned"


def kept_by(pattern: int, count: int) -> Array:
    lane = np.arange(count)
    return np.ones(count, bool) if pattern == 7 else lane % 2 == pattern - 1 if pattern < 3 else lane % 4 == pattern - 3


@pytest.mark.parametrize("kind", range(4))
def test_gather_mask(api: Run, kind: int) -> None:
    dtype = TYPES[kind]
    a, d = tile(dtype, 1), np.full(TILE_BYTES // np.dtype(dtype).itemsize, SENTINEL, dtype)
    none, lanes, block = np.zeros(0, np.uint8), 256 // a.itemsize, 32 // a.itemsize

    def check(result: tuple[Array, int, SimReport], chosen: Array) -> None:
        got, kept, report = result
        assert report.faults == () and kept == chosen.size
        np.testing.assert_array_equal(got[:kept], chosen)
        assert (got[kept:] == SENTINEL).all()

    for pattern in range(1, 8):
        whole = a[: 3 * lanes]
        check(api(a, none, d, 3, kind, 0, pattern), whole[kept_by(pattern, whole.size)])
        rows = np.concatenate([a[r * 16 * block :][:70] for r in range(2)])
        keep = np.tile(kept_by(pattern, 70), 2)
        check(api(a, none, d, 4, kind, 70, pattern), rows[keep])
        check(api(a, none, d, 6, kind, 0, pattern), a[: 4 * lanes][kept_by(pattern, 4 * lanes)])
    bits = np.random.default_rng(5).integers(0, 256, 64).astype(np.uint8)
    keep = np.unpackbits(bits, bitorder="little").astype(bool)
    chosen = [
        a[(16 * r + 2 * (i // block)) * block + i % block]
        for r in range(2)
        for i in range(lanes)
        if keep[r * 256 + i]
    ]
    check(api(a, bits, d, 5, kind), np.array(chosen, dtype))
    assert api(a, none, d, 3, kind, 0, 8)[2].faults[0].id == "sim.limit"


@pytest.mark.parametrize("kind", range(4))
def test_copy_with_a_count(api: Run, kind: int) -> None:
    a, none = tile(TYPES[kind]), np.zeros(0, np.uint8)
    d = np.full_like(a, SENTINEL)
    for n in (1, 100, 777):
        got, _, report = api(a, none, d, 7, kind, n)
        assert report.faults == ()
        np.testing.assert_array_equal(got, np.concatenate([a[:n], d[n:]]))


@pytest.mark.parametrize("kind", range(4))
def test_blocks_become_columns(api: Run, kind: int) -> None:
    a, none = tile(TYPES[kind]), np.zeros(0, np.uint8)
    d = np.full_like(a, SENTINEL)
    block = 32 // a.itemsize

    def turned(blocks: Array) -> Array:
        return blocks.T.reshape(16, block)

    got, _, report = api(a, none, d, 8, kind)
    assert report.faults == ()
    rows = a[: 32 * block].reshape(16, 2, block)
    expected = np.concatenate([turned(rows[:, 0]), turned(rows[:, 1])])
    np.testing.assert_array_equal(got[: expected.size].reshape(32, block), expected)
    assert (got[expected.size :] == SENTINEL).all()
    for shift in (0, 1):
        got, _, report = api(a, none, d, 9, kind, 0, shift)
        source = a[shift * block :][: 16 * block].reshape(16, block)
        np.testing.assert_array_equal(got[shift * block :][: 16 * block].reshape(16, block), turned(source))
        assert report.faults == () and (got[: shift * block] == SENTINEL).all()


@pytest.mark.parametrize("mode", range(4))
def test_bytes_become_columns(api: Run, mode: int) -> None:
    a, none = np.random.default_rng(2).integers(-128, 128, 512).astype(np.int8), np.zeros(0, np.uint8)
    d = np.full(512, SENTINEL, np.int8)
    got, _, report = api(a, none, d, 0, BYTES, 0, mode)
    to, source = (16 if mode & 1 else 0), (16 if mode & 2 else 0)
    expected = d.reshape(16, 32).copy()
    expected[:, to : to + 16] = a.reshape(16, 32)[:, source : source + 16].T
    assert report.faults == ()
    np.testing.assert_array_equal(got.reshape(16, 32), expected)


@pytest.mark.parametrize(("kind", "dtype"), [(HALF_SQUARE, np.float16), (INT_SQUARE, np.int16)])
def test_transpose(api: Run, kind: int, dtype: Any) -> None:
    a = tile(dtype)[:256]
    got, _, report = api(a, np.zeros(0, np.uint8), np.zeros(256, dtype), 0, kind)
    assert report.faults == ()
    np.testing.assert_array_equal(got.reshape(16, 16), a.reshape(16, 16).T)


def test_half_is_added_to_float(api: Run) -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal(2048).astype(np.float16) for _ in range(2))
    d = rng.standard_normal(2048).astype(np.float32)
    x, y = a.astype(np.float32), b.astype(np.float32)
    for number, change, where in [
        (20, x * y, np.arange(2048) < 777),
        (21, x * y, (np.arange(2048) < 256) & (np.arange(2048) % 64 < 61)),
        (22, x * np.float32(2.5), np.arange(2048) < 777),
        (23, x * np.float32(2.5), np.arange(2048) < 192),
    ]:
        got, _, report = api(a, b, d, number, MIXED, 777)
        assert report.faults == ()
        np.testing.assert_array_equal(got, np.where(where, d + change, d), err_msg=str(number))


def test_integers_become_scaled_halves(api: Run) -> None:
    a = np.random.default_rng(8).integers(-200_000, 200_000, 512).astype(np.int32)
    d, none = np.full(1024, SENTINEL, np.float16), np.zeros(0, np.uint8)
    got, _, report = api(a, none, d, 24, MIXED, 500)
    assert report.faults == ()
    np.testing.assert_array_equal(got[:500], (a[:500].astype(np.float32) * np.float32(0.25)).astype(np.float16))
    assert (got[500:] == SENTINEL).all()
    assert api(a, none, d, 25, MIXED, 500)[2].faults[0].id == "sim.no_deq_scale"


def test_an_unknown_call_does_not_pass(api: Run) -> None:
    a = tile(np.float32)
    assert api(a, a, a, 999, 0)[2].faults[0].id == "sim.wait_never_set"
