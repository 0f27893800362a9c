"""Attention once more, one number at a time, in plain Python: a second reading of the document.

In: the documented parameters. Out: {(batch, query head, row): (output row, lse or None when open)}. Must never
import fiagen.
"""

from __future__ import annotations

import math
from typing import Any

BIG = 2147483647
Row = tuple[list[float], float | None]


def lengths(args: dict[str, Any]) -> tuple[list[int], list[int]]:
    """Query rows and key rows of every batch."""
    layout, q_list, k_list = args["input_layout"], args.get("actual_seq_qlen"), args.get("actual_seq_kvlen")
    paged = args.get("block_table") is not None
    query, key = args["query"].shape, args["key"].shape

    def differences(ends: list[int]) -> list[int]:
        return [end - before for before, end in zip([0, *ends], ends, strict=False)]

    if layout.split("_")[0] in ("TND", "NTD"):
        return differences(q_list), list(k_list) if paged else differences(k_list)
    if layout == "NSD":
        batch, rows, columns = 1, query[1], key[1]
    elif layout.startswith("BNSD"):
        batch, rows, columns = query[0], query[2], key[2] if not paged else None
    else:
        batch, rows, columns = query[0], query[1], key[1] if not paged else None

    def each(given: list[int] | None, axis: int | None) -> list[int]:
        if given is None:
            assert axis is not None
            return [axis] * batch
        return [given[0] if len(given) == 1 else given[b] for b in range(batch)]

    return [1] * batch if rows == 1 else each(q_list, rows), each(k_list, columns)


def element(array: Any, layout: str, heads: int, place: tuple[int, int, int, int], starts: list[int]) -> float:
    """One number of a tensor: batch, head, row in the batch, channel."""
    b, n, s, c = place
    if layout == "BSH":
        return float(array[b, s, n * (array.shape[2] // heads) + c])
    if layout == "BSND":
        return float(array[b, s, n, c])
    if layout == "BNSD":
        return float(array[b, n, s, c])
    if layout == "NBSD":
        return float(array[n, b, s, c])
    if layout == "TND":
        return float(array[starts[b] + s, n, c])
    if layout == "NTD":
        return float(array[n, starts[b] + s, c])
    return float(array[n, s, c])


def cached(cache: Any, heads: int, place: tuple[int, int, int, int]) -> float:
    """One number of a paged cache: block, kv head, slot, channel."""
    p, n, s, c = place
    if cache.ndim == 3:
        return float(cache[p, s, n * (cache.shape[2] // heads) + c])
    if cache.ndim == 4:
        return float(cache[p, n, s, c])
    return float(cache[p, n, c // cache.shape[4], s, c % cache.shape[4]])


def attention_by_loops(args: dict[str, Any]) -> dict[tuple[int, int, int], Row]:
    layout = args["input_layout"].split("_")[0]
    heads = args["num_query_heads"]
    kv_heads = args.get("num_key_value_heads") or heads
    q_lengths, k_lengths = lengths(args)
    q_starts = [sum(q_lengths[:b]) for b in range(len(q_lengths))]
    k_starts = [sum(k_lengths[:b]) for b in range(len(k_lengths))]
    table, sink, pse = args.get("block_table"), args.get("learnable_sink"), args.get("pse_shift")

    def from_keys(name: str, b: int, n: int, j: int, c: int) -> float:
        if table is None:
            return element(args[name], layout, kv_heads, (b, n, j, c), k_starts)
        size = args[name].shape[1] if args[name].ndim == 3 else args[name].shape[-2]
        return cached(args[name], kv_heads, (int(table[b, j // size]), n, j % size, c))

    def channels(name: str) -> int:
        array = args[name]
        if table is not None and name in ("value", "key_rope"):
            return {3: array.shape[-1] // kv_heads, 4: array.shape[-1], 5: array.shape[2] * array.shape[-1]}[array.ndim]
        count = heads if name.startswith("query") else kv_heads
        return array.shape[-1] // count if layout == "BSH" else array.shape[-1]

    rows: dict[tuple[int, int, int], Row] = {}
    for b, (q_length, k_length) in enumerate(zip(q_lengths, k_lengths, strict=True)):
        for n in range(heads):
            m = n // (heads // kv_heads)
            for i in range(q_length):
                scores: dict[int, float] = {}
                for j in range(k_length):
                    if not kept(args, b, i, j, q_lengths, k_lengths):
                        continue
                    s = 0.0
                    for c in range(channels("query")):
                        s += element(args["query"], layout, heads, (b, n, i, c), q_starts) * from_keys(
                            "key", b, m, j, c
                        )
                    if args.get("query_rope") is not None:
                        for c in range(channels("query_rope")):
                            q = element(args["query_rope"], layout, heads, (b, n, i, c), q_starts)
                            s += q * from_keys("key_rope", b, m, j, c)
                    s *= args.get("softmax_scale", 1.0)
                    if pse is not None:
                        s += float(pse[b if pse.shape[0] > 1 else 0, n, i, j])
                    scores[j] = s
                if not scores:
                    rows[b, n, i] = ([0.0] * channels("value"), None if sink is not None else math.inf)
                    continue
                total = sum(math.exp(s) for s in scores.values())
                if sink is not None:
                    total += math.exp(float(sink[n]))
                out = [
                    sum(math.exp(s) * from_keys("value", b, m, j, c) for j, s in scores.items()) / total
                    for c in range(channels("value"))
                ]
                rows[b, n, i] = (out, math.log(total))
    return rows


def kept(args: dict[str, Any], b: int, i: int, j: int, q_lengths: list[int], k_lengths: list[int]) -> bool:
    """Does row i of batch b see column j?"""
    layout, mask, mode = args["input_layout"], args.get("atten_mask"), args.get("sparse_mode", 0)
    before, after = args.get("pre_tokens", BIG), args.get("next_tokens", BIG)
    tokens = layout.split("_")[0] in ("TND", "NTD")
    axis = {"BSH": 1, "BSND": 1, "BNSD": 2, "NSD": 1}.get(layout.split("_")[0])
    single = not tokens and args["query"].shape[axis] == 1
    if single and layout in ("BSH", "BSND", "BNSD") and args.get("query_rope") is None:
        if mask is None or (mode in (2, 3, 4) and mask.shape[-1] == mask.shape[-2] == 2048):
            return True
        mode, before, after = 0, BIG, BIG
    shift = k_lengths[b] - q_lengths[b]
    if mode == 2:
        return j <= i
    if mode == 3:
        return j <= i + shift
    if mode == 4:
        return i + shift - before <= j <= i + shift + after
    if mask is None:
        return True
    if mode == 9:
        if j < shift:
            return True
        if mask.ndim == 3:
            return not mask[b, i, j - shift]
        start = sum(length * length for length in q_lengths[:b])
        return not mask[start + i * q_lengths[b] + j - shift]
    if mask.ndim == 2:
        dropped = mask[b, j] if single else mask[i, j]
    else:
        plane = mask[b if mask.shape[0] > 1 else 0]
        dropped = plane[i, j] if mask.ndim == 3 else plane[0, i, j]
    return not dropped and (mode == 1 or i - before <= j <= i + after)
