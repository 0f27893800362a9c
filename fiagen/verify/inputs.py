"""Fills the tensors of a call: with what the call says, else with seeded values that suit the parameter.

In: a legal Call, optional arrays that replace tensors. Out: arrays, lists and scalars under the documented names. Must
never change what the call states, and must leave hostile values wherever a correct kernel has no business reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fiagen.diagnostics import fail
from fiagen.model.call import Call, TensorArg
from fiagen.oracle.layouts import TOKEN_LAYOUTS, Segment, head_major, layouts_of, segments_of
from fiagen.oracle.masks import COMPRESSED_MODES, INT_MAX, masking, window
from fiagen.verify.draw import POOL, bell, generator, spread
from fiagen.verify.dtypes import numpy_dtype, storage_dtype
from fiagen.verify.sparse_inputs import FITTERS

MASK = "atten_mask"
TABLE = "block_table"
QUERY_SIDE = ("query", "query_rope")
KEY_SIDE = ("key", "value", "key_rope")
MASKED_IN_FIVE = 1  # of five elements of a full mask, how many are 1


def materialise(call: Call, given: Mapping[str, np.ndarray] | None = None) -> dict[str, Any]:
    """Every argument of `call` ready to run: arrays (ml_dtypes types where NumPy has none), lists, scalars.

    Values come from `given` (arrays named as the parameters), else from the tensor's `values` or `init`, else from a
    generator seeded by the call's id and the parameter's name. DiagnosticError when values don't fit a tensor's shape.
    """
    given = given or {}
    filled: dict[str, Any] = {}
    for name, arg in call.args.items():
        if isinstance(arg, TensorArg):
            filled[name] = given[name] if name in given else _tensor(call, name, arg)
        elif isinstance(arg, tuple) and arg and isinstance(arg[0], TensorArg):
            filled[name] = [
                given.get(f"{name}.{i}", None) if f"{name}.{i}" in given else _tensor(call, f"{name}.{i}", part)
                for i, part in enumerate(arg)
                if isinstance(part, TensorArg)
            ]
        else:
            filled[name] = list(arg) if isinstance(arg, tuple) else arg
    free = {name for name in call.args if name not in given and _is_free(call.tensor(name))}
    if {"query", "key", "value"} <= set(filled) and isinstance(filled["key"], np.ndarray):
        _fit_together(call, filled, free)
    if call.op in FITTERS:
        FITTERS[call.op](call, filled, free)
    return filled


def _is_free(arg: TensorArg | None) -> bool:
    return arg is not None and arg.values is None and arg.init is None and arg.numel > 0


def _tensor(call: Call, name: str, arg: TensorArg) -> np.ndarray:
    """One tensor by itself, in the strides of the call."""
    dtype = numpy_dtype(arg.dtype)
    if arg.values is not None:
        array = np.asarray(arg.values)
        array = array if array.dtype == dtype else array.astype(dtype)
        if array.shape != arg.shape:
            raise fail(
                "call.values",
                given=f"{name}: values of shape {array.shape}",
                allowed=f"the shape of the tensor, {arg.shape}",
                why="Every element needs exactly one value.",
                fix="Nest the lists as the shape says, or correct the shape.",
                place=call.place,
            )
    else:
        array = _drawn(call, name, arg, dtype)
    if arg.strides is None or arg.contiguous:
        return array
    extent = 1 + sum((size - 1) * stride for size, stride in zip(arg.shape, arg.strides, strict=True))
    memory = np.zeros(extent, dtype=dtype)
    view = np.lib.stride_tricks.as_strided(memory, arg.shape, [stride * dtype.itemsize for stride in arg.strides])
    view[...] = array
    return view


def _drawn(call: Call, name: str, arg: TensorArg, dtype: np.dtype) -> np.ndarray:
    init = arg.init
    rng = generator(call.id if init is None or init.seed is None else f"seed {init.seed}", name)
    if init is not None and init.dist == "zeros":
        return np.zeros(arg.shape, dtype=dtype)
    if init is not None and init.dist == "arange":
        low, step = init.low or 0.0, 1.0 if init.scale is None else init.scale
        return (low + step * np.arange(arg.numel)).astype(dtype).reshape(arg.shape)
    count = min(arg.numel, POOL)
    if init is not None and init.dist == "uniform":
        low, high = init.low or 0.0, 1.0 if init.high is None else init.high
        pool: np.ndarray = low + (high - low) * rng.random(count)
        if dtype.kind in "iub":
            pool = np.floor(pool) if dtype.kind != "b" else pool >= 0.5
    elif init is not None:
        pool = bell(rng, count) * np.float32(1.0 if init.scale is None else init.scale)
    else:
        pool = _suited(rng, name, count, dtype)
    return spread(pool.astype(dtype).view(storage_dtype(dtype)), arg.numel).view(dtype).reshape(arg.shape)


def _suited(rng: np.random.Generator, name: str, count: int, dtype: np.dtype) -> np.ndarray:
    """Values for a parameter that the call leaves open."""
    if name in (MASK, TABLE) or dtype.kind == "b":
        return np.zeros(count)
    if "scale" in name.lower():
        return 0.005 + 0.015 * rng.random(count)
    if dtype.kind in "iu":
        width = np.iinfo(dtype)
        return rng.integers(max(width.min + 1, -(2**31)), min(width.max, 2**31 - 1), size=count, endpoint=True)
    return bell(rng, count)


def _fit_together(call: Call, filled: dict[str, Any], free: set[str]) -> None:
    """The tensors whose values depend on others: block table, mask, and the rows that nobody may read."""
    table = filled.get(TABLE)
    q_segments, k_segments = segments_of(
        filled["query"],
        filled["key"],
        filled["value"],
        input_layout=filled.get("input_layout", "BSH"),
        num_query_heads=filled.get("num_query_heads", 1),
        num_key_value_heads=filled.get("num_key_value_heads", 0),
        actual_seq_qlen=filled.get("actual_seq_qlen"),
        actual_seq_kvlen=filled.get("actual_seq_kvlen"),
        paged=table is not None,
    )
    if TABLE in free:
        table = filled[TABLE] = _block_table(call, filled, k_segments)
    if MASK in free:
        filled[MASK] = _mask(call, filled, q_segments, k_segments)
    source, _ = layouts_of(filled.get("input_layout", "BSH"))
    heads = filled.get("num_query_heads", 1)
    kv_heads = filled.get("num_key_value_heads", 0) or heads
    for name in sorted(free & {*QUERY_SIDE, *KEY_SIDE}):
        array = filled[name]
        if array.dtype.kind in "iub" or not array.flags.c_contiguous:
            continue
        bits = array.view(storage_dtype(array.dtype))
        garbage = hostile_values(array.dtype).view(bits.dtype)
        if name in KEY_SIDE and table is not None:
            _spoil_blocks(bits, garbage, table, k_segments)
        elif filled.get("input_layout", "BSH") not in TOKEN_LAYOUTS:
            placed = head_major(bits, source, heads if name in QUERY_SIDE else kv_heads)
            pattern = np.resize(garbage, placed.shape[3])
            for part in q_segments if name in QUERY_SIDE else k_segments:
                placed[part.index, :, part.start + part.length :] = pattern


def hostile_values(dtype: np.dtype) -> np.ndarray:
    """What stands where nobody may read: NaN, both infinities, and the largest finite numbers of a float dtype."""
    largest = 65504.0 if dtype == np.float16 else 3.0e38
    return np.array([np.nan, np.inf, largest, -np.inf, -largest, np.nan, 1000.0]).astype(dtype)


def _slots(cache: np.ndarray) -> int:
    return cache.shape[1] if cache.ndim == 3 else cache.shape[-2]


def _block_table(call: Call, filled: dict[str, Any], k_segments: list[Segment]) -> np.ndarray:
    """A random permutation of the cache's blocks, dealt out to the batches; entries that no key needs are -1."""
    rng = generator(call.id, TABLE)
    cache = filled["key"]
    table = np.full(filled[TABLE].shape, -1, dtype=filled[TABLE].dtype)
    needed = [min(-(-part.length // _slots(cache)), table.shape[1]) for part in k_segments]
    total, blocks = sum(needed), cache.shape[0]
    dealt = rng.permutation(blocks) if total <= blocks else rng.integers(0, max(blocks, 1), size=total)
    start = 0
    for part, count in zip(k_segments, needed, strict=True):
        table[part.batch, :count] = dealt[start : start + count]
        start += count
    return table


def _spoil_blocks(bits: np.ndarray, garbage: np.ndarray, table: np.ndarray, k_segments: list[Segment]) -> None:
    """Hostile values in cache blocks that no batch uses, and behind the last key of the last block of each batch."""
    slots, blocks = _slots(bits), bits.shape[0]
    valid = np.zeros((blocks, slots), dtype=bool)
    for part in k_segments:
        for place in range(-(-part.length // slots)):
            valid[table[part.batch, place], : part.length - place * slots] = True
    slot_axis = 1 if bits.ndim == 3 else bits.ndim - 2
    by_slot = np.moveaxis(bits, slot_axis, 1)  # (block, slot, ...)
    by_slot[~valid] = np.resize(garbage, by_slot.shape[-1])


def _mask(call: Call, filled: dict[str, Any], q_segments: list[Segment], k_segments: list[Segment]) -> np.ndarray:
    """The triangle for compressed modes, a random tree for mode 9, else a full matrix.

    The full matrix is 1 outside the band of the tokens, random inside it with runs at either end of some rows, and
    keeps a column in every row to which the band leaves one.
    """
    mask: np.ndarray = filled[MASK]
    mode = filled.get("sparse_mode", 0)
    layout = filled.get("input_layout", "BSH")
    rng = generator(call.id, MASK)
    if mode in COMPRESSED_MODES and mask.shape[-2:] == (2048, 2048):
        mask[...] = np.triu(np.ones(mask.shape[-2:], dtype=mask.dtype), 1)
        return mask
    mask[...] = rng.integers(0, 5, size=mask.shape, dtype=np.uint8) < MASKED_IN_FIVE
    if mode == 9:
        _keep_own_token(mask, q_segments)
        return mask
    _mask_runs(rng, mask)
    tokens = layout in TOKEN_LAYOUTS
    one_row = (
        not tokens
        and head_major(filled["query"], layouts_of(layout)[0], filled.get("num_query_heads", 1)).shape[2] == 1
    )
    ignored = one_row and layout in ("BSH", "BSND", "BNSD") and "query_rope" not in filled
    force = masking(
        mode,
        mask,
        filled.get("pre_tokens", INT_MAX),
        filled.get("next_tokens", INT_MAX),
        one_row=one_row,
        mode_ignored=ignored,
    )
    planes = mask if mask.ndim == 2 else mask.reshape(mask.shape[0], *mask.shape[-2:])
    by_batch = mask.ndim == 2 and one_row
    if force.mode == 0 and not by_batch:
        planes[...] |= ~window(force, *planes.shape[-2:])
    for q_part, k_part in zip(q_segments, k_segments, strict=True):
        if by_batch:
            plane = planes[q_part.batch : q_part.batch + 1]
        else:
            plane = planes if mask.ndim == 2 else planes[q_part.batch if len(planes) > 1 else 0]
        allowed = window(force, q_part.length, k_part.length)
        kept = allowed & (plane[: q_part.length, : k_part.length] == 0)
        for row in np.flatnonzero(allowed.any(axis=1) & ~kept.any(axis=1)):
            plane[row, rng.choice(np.flatnonzero(allowed[row]))] = 0
    return mask


def _mask_runs(rng: np.random.Generator, mask: np.ndarray) -> None:
    """Every fourth row loses all columns left of some place, every fourth all from some place on: key tiles vanish."""
    rows = mask.reshape(-1, mask.shape[-1])
    column = np.arange(rows.shape[1])
    style, edge = rng.integers(0, 4, size=(len(rows), 1)), rng.integers(0, rows.shape[1] + 1, size=(len(rows), 1))
    rows |= (((style == 0) & (column < edge)) | ((style == 1) & (column >= edge))).astype(rows.dtype)


def _keep_own_token(mask: np.ndarray, q_segments: list[Segment]) -> None:
    """Every node of a tree sees itself."""
    if mask.ndim == 3:
        own = np.arange(mask.shape[-1])
        mask[:, own, own] = 0
        return
    start = 0
    for part in q_segments:
        mask[start : start + part.length**2 : part.length + 1] = 0
        start += part.length**2
