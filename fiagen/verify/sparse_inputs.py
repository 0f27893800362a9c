"""Makes the arguments of the sparse attention operators fit together: lengths, tables, indices, core counts.

In: a legal Call with its tensors filled one by one. Out: the same, with those replaced that nobody stated. Must never
leave a finite key where a correct kernel has no business reading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fiagen.load.hardware import load_product
from fiagen.model.call import Call
from fiagen.oracle import ORACLES, parameter_names, run_oracle
from fiagen.verify.draw import generator

METADATA, CONSUMER = "npu_sparse_attn_sharedkv_metadata", "npu_sparse_attn_sharedkv"
LONGEST_QUERY, LONGEST_CONTEXT = 4, 8192  # of a batch whose call does not bound it
Filled = dict[str, Any]


def core_counts(call: Call) -> dict[str, int]:
    """`aic_core_num` and `aiv_core_num` of the call's chip, when the oracle of its operator takes them."""
    names = parameter_names(call.op) if call.op in ORACLES else ()
    return {name: count for name, count in _counts(call).items() if name in names}


def _counts(call: Call) -> dict[str, int]:
    chip = load_product(call.product).chip
    return {"aic_core_num": chip.aic, "aiv_core_num": chip.aiv}


def fit_metadata(call: Call, filled: Filled, free: set[str]) -> None:
    """Lengths of a metadata call: running totals under cu_seqlens_*, plain lengths under seqused_*."""
    queries = filled.get("max_seqlen_q", 0) or LONGEST_QUERY
    keys = filled.get("max_seqlen_kv", 0) or LONGEST_CONTEXT
    for name in sorted(free):
        rng, array = generator(call.id, name), filled[name]
        longest = queries if name.endswith("_q") else keys
        if name.startswith("cu_seqlens"):
            array[0], array[1:] = 0, np.cumsum(rng.integers(0, longest + 1, size=array.size - 1))
        elif name.startswith("seqused"):
            array[...] = rng.integers(0, longest + 1, size=array.shape)


def fit_consumer(call: Call, filled: Filled, free: set[str]) -> None:
    """Lengths within the tables, tables within the pools, visible indices, and the task table of this very call."""
    ratio = filled.get("cmp_ratio", 0) if "cmp_kv" in filled else 0
    packed = filled.get("layout_q", "BSND") == "TND"
    if "cu_seqlens_q" in free:
        totals, rng = filled["cu_seqlens_q"], generator(call.id, "cu_seqlens_q")
        totals[0], totals[-1] = 0, filled["q"].shape[0]
        totals[1:-1] = np.sort(rng.integers(0, filled["q"].shape[0] + 1, size=max(totals.size - 2, 0)))
    if "seqused_q" in free:
        rng = generator(call.id, "seqused_q")
        filled["seqused_q"][...] = rng.integers(0, filled["q"].shape[1] + 1, size=filled["seqused_q"].shape)
    if "seqused_kv" in free:
        longest = filled["ori_block_table"].shape[1] * filled["ori_kv"].shape[1]
        if ratio:
            longest = min(longest, (filled["cmp_block_table"].shape[1] * filled["cmp_kv"].shape[1] + 1) * ratio - 1)
        rng = generator(call.id, "seqused_kv")
        filled["seqused_kv"][...] = rng.integers(0, longest + 1, size=filled["seqused_kv"].shape)
    keys = [int(length) for length in filled["seqused_kv"]]
    if "ori_block_table" in free:
        _deal_blocks(call, filled, "ori", keys)
    if ratio and "cmp_block_table" in free:
        _deal_blocks(call, filled, "cmp", [length // ratio for length in keys])
    queries = _query_lengths(filled, packed)
    if "cmp_sparse_indices" in free:
        _draw_indices(call, filled, queries, keys, ratio, packed)
    if "metadata" in free:
        filled["metadata"] = _table(call, filled, queries, keys, ratio)
    _spoil(filled, free, queries, keys, ratio, packed)


def _query_lengths(filled: Filled, packed: bool) -> list[int]:
    if packed:
        return [int(step) for step in np.diff(filled["cu_seqlens_q"])]
    if "seqused_q" in filled:
        return [int(length) for length in filled["seqused_q"]]
    return [filled["q"].shape[1]] * filled["q"].shape[0]


def _deal_blocks(call: Call, filled: Filled, side: str, tokens: list[int]) -> None:
    """A random permutation of the pool's blocks, dealt out to the batches; entries that no token needs are -1."""
    name, pool = f"{side}_block_table", filled[f"{side}_kv"]
    table, rng = filled[name], generator(call.id, name)
    needed = [min(-(-count // pool.shape[1]), table.shape[1]) for count in tokens]
    total = sum(needed)
    blocks = pool.shape[0]
    dealt = rng.permutation(blocks) if total <= blocks else rng.integers(0, max(blocks, 1), size=total)
    table[...] = -1
    start = 0
    for batch, count in enumerate(needed):
        table[batch, :count] = dealt[start : start + count]
        start += count


def _rows(queries: list[int], keys: list[int]) -> list[tuple[int, int, int]]:
    """(batch, query token, its place among the keys) of every row."""
    return [(b, i, k - q + i) for b, (q, k) in enumerate(zip(queries, keys, strict=True)) for i in range(q)]


def _draw_indices(
    call: Call, filled: Filled, queries: list[int], keys: list[int], ratio: int, packed: bool
) -> None:
    """Distinct visible compressed tokens in random order, as many as fit; -1 behind them."""
    indices, rng = filled["cmp_sparse_indices"], generator(call.id, "cmp_sparse_indices")
    indices[...] = -1
    starts = np.cumsum([0, *queries])
    for batch, token, place in _rows(queries, keys):
        row = indices[starts[batch] + token, 0] if packed else indices[batch, token, 0]
        visible = max(place + 1, 0) // ratio
        count = min(visible, row.size)
        row[:count] = rng.choice(visible, size=count, replace=False)


def _table(call: Call, filled: Filled, queries: list[int], keys: list[int], ratio: int) -> np.ndarray:
    """The task table of the metadata operator for this call."""
    selected = "cmp_sparse_indices" in filled
    heads = filled["q"].shape[-2]
    windows = {name: filled[name] for name in ("ori_mask_mode", "ori_win_left", "ori_win_right") if name in filled}
    return run_oracle(
        METADATA, num_heads_q=heads, num_heads_kv=1, head_dim=512, seqused_kv=np.array(keys, np.int32),
        seqused_q=np.array(queries, np.int32), has_cmp_kv=bool(ratio), cmp_ratio=ratio or -1, **windows,
        cmp_topk=filled["cmp_sparse_indices"].shape[-1] if selected else 0, **_counts(call))["metadata"]


def _spoil(
    filled: Filled, free: set[str], queries: list[int], keys: list[int], ratio: int, packed: bool
) -> None:
    """NaN in every key that no row may read: unused blocks, ends of blocks, what no window or index reaches."""
    left, right = filled.get("ori_win_left", 127), filled.get("ori_win_right", 0)
    reach: dict[str, dict[int, set[int]]] = {"ori": {}, "cmp": {}}
    starts = np.cumsum([0, *queries])
    indices = filled.get("cmp_sparse_indices")
    for batch, token, place in _rows(queries, keys):
        if place < 0:
            continue
        last = min(place + right, keys[batch] - 1)
        reach["ori"].setdefault(batch, set()).update(range(max(0, place - left), last + 1))
        visible = (place + 1) // ratio if ratio else 0
        seen = range(visible)
        if indices is not None and ratio:
            row = (indices[starts[batch] + token, 0] if packed else indices[batch, token, 0])[:visible]
            seen = [int(j) for j in row if 0 <= j < visible]  # type: ignore[assignment]
        reach["cmp"].setdefault(batch, set()).update(seen)
    for side, tokens in reach.items():
        pool = filled.get(f"{side}_kv")
        if pool is None or f"{side}_kv" not in free:
            continue
        valid = np.zeros(pool.shape[:2], bool)
        for batch, read in tokens.items():
            for token in read:
                valid[filled[f"{side}_block_table"][batch, token // pool.shape[1]], token % pool.shape[1]] = True
        pool[~valid] = np.nan


FITTERS: dict[str, Callable[[Call, Filled, set[str]], None]] = {METADATA: fit_metadata, CONSUMER: fit_consumer}
