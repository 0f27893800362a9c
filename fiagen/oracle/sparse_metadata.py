"""The truth for `npu_sparse_attn_sharedkv_metadata`: which query rows each cube core works on, word for word.

In: the documented parameters, and the core counts that the host fills in. Out: the int32 table of 1024 words. Must
never share code with check, plan, view, sim or verify.

A row is one query token with all of its heads. The steps and their names are those of the spec's semantics; what the
shipped sources leave unwritten is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fiagen.diagnostics import DiagnosticError, fail

WORDS, ENTRY_WORDS = 1024, 8
MAX_CUBE_CORES, MAX_VECTOR_CORES = 36, 72
BLOCK_TOKENS = 512  # keys in one block of work
NO_MASK, CAUSAL, BAND = 0, 3, 4
_SOURCE = "the operator's spec"


@dataclass(frozen=True)
class Window:
    """Which original tokens a query token sees."""

    mask_mode: int = BAND
    left: int = 127
    right: int = 0


@dataclass(frozen=True)
class Compression:
    """`ratio` 0: no compressed tokens. `topk` 0: all that are visible."""

    ratio: int = 0
    topk: int = 0


@dataclass(frozen=True)
class Rows:
    """The rows of one batch: what each costs, what the last block of each costs, and how many keys it sees; all 0 for a
    row without keys."""

    costs: tuple[int, ...]
    last_blocks: tuple[int, ...]
    window_tokens: tuple[int, ...]
    compressed_tokens: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.costs)

    @property
    def last_block(self) -> int:
        """That of the last row with keys."""
        return next((last for last in reversed(self.last_blocks) if last), 0)


def _refused(rule: str, given: str, allowed: str, fix: str) -> DiagnosticError:
    return fail(rule, given=given, allowed=allowed, why="Without it the table is not defined.", fix=fix, source=_SOURCE)


def _steps(name: str, totals: Any) -> list[int]:
    values = [int(v) for v in totals]
    if not values or values[0] or any(a > b for a, b in pairwise(values)):
        raise _refused("SASM-GEN-16", f"{name} = {values[:8]}", "running totals from 0 on that never decrease",
                       "Pass the running totals of this step.")
    return [b - a for a, b in pairwise(values)]


def _has(values: Any) -> bool:
    return values is not None and len(values) > 0


def lengths_of(args: dict[str, Any]) -> tuple[list[int], list[int]]:
    """(query tokens, original key tokens) of every batch; DiagnosticError when the arguments don't tell them."""
    layout_q, layout_kv = args["layout_q"], args["layout_kv"]
    if layout_q not in ("BSND", "TND"):
        raise _refused("SASM-GEN-10", f"layout_q = {layout_q}", "BSND or TND", "Pass 'BSND' or 'TND'.")
    if layout_kv not in ("PA_ND", "BSND", "TND"):
        raise _refused("SASM-GEN-11", f"layout_kv = {layout_kv}", "PA_ND; in practice TND and BSND", "Pass 'PA_ND'.")
    if layout_q == "TND" and not _has(args["cu_seqlens_q"]):
        raise _refused("SASM-GEN-13", "no cu_seqlens_q", "running totals under layout_q TND", "Pass cu_seqlens_q.")
    if layout_kv == "PA_ND" and not _has(args["seqused_kv"]):
        raise _refused("SASM-GEN-14", "no seqused_kv", "one length for every batch", "Pass seqused_kv.")
    if _has(args["seqused_q"]):
        queries = [int(v) for v in args["seqused_q"]]
    elif layout_q == "TND":
        queries = _steps("cu_seqlens_q", args["cu_seqlens_q"])
    else:
        queries = [int(args["max_seqlen_q"])] * max(int(args["batch_size"]), 0)
    if _has(args["seqused_kv"]):
        keys = [int(v) for v in args["seqused_kv"]]
    elif layout_kv == "TND" and _has(args["cu_seqlens_ori_kv"]):
        keys = _steps("cu_seqlens_ori_kv", args["cu_seqlens_ori_kv"])
    else:
        keys = [int(args["max_seqlen_kv"])] * len(queries)
    if any(length < 0 for length in (*queries, *keys)):
        raise _refused("SASM-GEN-17", "a negative length", "lengths from 0 on", "Correct the entry.")
    if queries and len(queries) != len(keys):
        raise _refused("SASM-GEN-18", f"{len(queries)} batches of queries, {len(keys)} of keys", "as many of both",
                       "Pass one length for every batch.")
    return queries, keys[: len(queries)]


def block_cost(heads: int, tokens: Any) -> Any:
    """Cost of one block of `tokens` keys, at most 512, for the heads of one query token; an integer or an array."""
    return 6 * -(-heads // 16) + 10 * -(-tokens // 64)


def _part(heads: int, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(cost, cost of the last block) of `tokens` keys in blocks of 512."""
    blocks, tail = -(-tokens // BLOCK_TOKENS), tokens % BLOCK_TOKENS
    full = block_cost(heads, BLOCK_TOKENS)
    last = np.where(blocks == 0, 0, np.where(tail != 0, block_cost(heads, tail), full))
    return full * np.maximum(blocks - 1, 0) + last, last


def rows_of(queries: int, keys: int, heads: int, window: Window, compression: Compression) -> Rows:
    """The rows of a batch of `queries` query tokens and `keys` original key tokens."""
    if queries == 0 or keys == 0:
        none_seen = (0,) * queries
        return Rows(none_seen, none_seen, none_seen, none_seen)
    token = np.arange(queries, dtype=np.int64)
    place = token + keys - queries  # where the query token stands among the keys
    first = {NO_MASK: np.zeros_like(token), CAUSAL: np.zeros_like(token), BAND: place - window.left}[window.mask_mode]
    end = {NO_MASK: np.full_like(token, keys - 1), CAUSAL: place, BAND: place + window.right}[window.mask_mode]
    none = (first >= keys) | (end < 0) | (end < first)
    first, end = np.clip(first, 0, keys - 1), np.where(none, 0, np.clip(end, 0, keys - 1))
    seen = np.where(none, 0, end - first + 1)
    compressed = (end + 1) // compression.ratio if compression.ratio else np.zeros_like(token)
    if compression.topk:
        compressed = np.minimum(compressed, compression.topk)
    window_cost, window_last = _part(heads, seen)
    compressed_cost, compressed_last = _part(heads, compressed)
    costs = window_cost + compressed_cost
    last_blocks = np.where(compressed > 0, compressed_last, window_last)
    costs, last_blocks, seen, compressed = (a.tolist() for a in (costs, last_blocks, seen, compressed))
    return Rows(tuple(costs), tuple(last_blocks), tuple(seen), tuple(compressed))


def split(batches: Sequence[Rows], cores: int) -> list[tuple[int, int]]:
    """The end (batch, row) of each core that gets work, in order; ends are exclusive, the last is (B, 0).

    Every core takes whole batches, then whole rows of the next one, as long as its load stays within the limit and half
    of a last block beyond it.
    """
    dearest = max((max(rows.costs, default=0) for rows in batches), default=0)
    remaining = sum(rows.total for rows in batches)
    if remaining == 0:
        return [(len(batches), 0)]
    batch, row, open_cost = 0, 0, batches[0].total  # open_cost: of the rows of `batch` that nobody has
    ends: list[tuple[int, int]] = []
    for core in range(cores):
        if batch == len(batches) or remaining <= 0:
            break
        limit = max(remaining // (cores - core), dearest)
        load = 0
        while batch < len(batches) and (open_cost == 0 or load + open_cost <= limit + batches[batch].last_block // 2):
            load += open_cost
            batch, row = batch + 1, 0
            open_cost = batches[batch].total if batch < len(batches) else 0
        if batch < len(batches):
            rows = batches[batch]
            while row < len(rows.costs) and load + rows.costs[row] <= limit + rows.last_blocks[row] // 2:
                load += rows.costs[row]
                open_cost = max(open_cost - rows.costs[row], 0)
                row += 1
                while row < len(rows.costs) and rows.costs[row] == 0:
                    row += 1
        ends.append((batch, row))
        remaining -= load
    return ends


def table_of(ends: Sequence[tuple[int, int]]) -> np.ndarray:
    """The int32 (1024,) table in which core i works from the end of core i - 1 to `ends[i]`."""
    table = np.zeros(WORDS, np.int32)
    start = (0, 0)
    for core, end in enumerate(ends):
        table[core * ENTRY_WORDS : core * ENTRY_WORDS + ENTRY_WORDS] = (1, *start, 0, *end, 0, 0)
        start = end
    return table


def work_of(args: dict[str, Any]) -> list[Rows]:
    """The rows of every batch of a call with all arguments given; DiagnosticError where they are not defined."""
    if args["num_heads_kv"] < 1 or args["num_heads_q"] < args["num_heads_kv"]:
        raise _refused("SASM-GEN-06", f"num_heads_q = {args['num_heads_q']}, num_heads_kv = {args['num_heads_kv']}",
                       "64 and 1; in practice a positive multiple of 4 and 1", "Pass the head counts of the consumer.")
    if args["ori_mask_mode"] not in (NO_MASK, CAUSAL, BAND):
        raise _refused("SASM-GEN-21", f"ori_mask_mode = {args['ori_mask_mode']}", "4; in practice also 0 and 3",
                       "Pass 4.")
    if args["ori_win_left"] < 0 or args["ori_win_right"] < 0:
        raise _refused("SASM-GEN-23" if args["ori_win_left"] < 0 else "SASM-GEN-24", "a negative window",
                       "127 and 0; in practice from 0 on", "Pass 127 and 0.")
    if args["has_cmp_kv"] and args["cmp_ratio"] not in (4, 128):
        raise _refused("SASM-GEN-25", f"cmp_ratio = {args['cmp_ratio']}", "4 or 128", "Pass the ratio of the layer.")
    window = Window(args["ori_mask_mode"], args["ori_win_left"], args["ori_win_right"])
    compression = Compression(args["cmp_ratio"], max(args["cmp_topk"], 0)) if args["has_cmp_kv"] else Compression()
    heads = args["num_heads_q"] // args["num_heads_kv"]
    return [rows_of(queries, keys, heads, window, compression)
            for queries, keys in zip(*lengths_of(args), strict=True)]


def npu_sparse_attn_sharedkv_metadata(
    num_heads_q: int,
    num_heads_kv: int,
    head_dim: int,
    *,
    cu_seqlens_q: Any = None,
    cu_seqlens_ori_kv: Any = None,
    cu_seqlens_cmp_kv: Any = None,
    seqused_q: Any = None,
    seqused_kv: Any = None,
    batch_size: int = 0,
    max_seqlen_q: int = 0,
    max_seqlen_kv: int = 0,
    ori_topk: int = 0,
    cmp_topk: int = 0,
    cmp_ratio: int = -1,
    ori_mask_mode: int = BAND,
    cmp_mask_mode: int = CAUSAL,
    ori_win_left: int = 127,
    ori_win_right: int = 0,
    layout_q: str = "BSND",
    layout_kv: str = "PA_ND",
    has_ori_kv: bool = True,
    has_cmp_kv: bool = True,
    device: str = "npu:0",
    aic_core_num: int = 24,
    aiv_core_num: int = 48,
) -> dict[str, np.ndarray]:
    """{"metadata": int32 (1024,)}: 36 entries of 8 words for cube cores, 72 of 8 for vector cores, 160 unused words.

    Lengths are one-dimensional integer arrays or lists; `aic_core_num` and `aiv_core_num` are the counts of the chip,
    or the caller's limit. Values that are accepted in practice are computed too; DiagnosticError with the rule's id
    where the table is not defined.
    """
    args = dict(locals())
    if not (0 < aic_core_num <= MAX_CUBE_CORES and 0 < aiv_core_num <= MAX_VECTOR_CORES):
        raise _refused("SASM-GEN-29", f"{aic_core_num} cube cores, {aiv_core_num} vector cores",
                       f"1 to {MAX_CUBE_CORES} cube cores, 1 to {MAX_VECTOR_CORES} vector cores",
                       "Pass the counts of the chip, or a limit below them.")
    table = table_of(split(work_of(args), aic_core_num))
    return {"metadata": table, "metadata__defined": np.ones(WORDS, bool)}
