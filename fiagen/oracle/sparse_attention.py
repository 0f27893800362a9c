"""The truth for `npu_sparse_attn_sharedkv`: attention over a window and compressed keys that are the values too.

In: the documented parameters as NumPy arrays, lists and scalars. Out: attention_out and softmax_lse, which of their
elements are defined, and their spread. Must never look at the task table, tile, round, or share code with check, plan,
view, sim or verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from fiagen.diagnostics import DiagnosticError, fail


def _refused(rule: str, given: str, allowed: str, fix: str) -> DiagnosticError:
    return fail(rule, given=given, allowed=allowed, why="Without it the result is not defined.", fix=fix,
                source="the operator's spec")


def paged(pool: np.ndarray, table: np.ndarray, tokens: Sequence[int]) -> np.ndarray:
    """The keys (n, 512) of logical `tokens` of one batch: token t lies in block table[t // size] at row t % size."""
    at = np.asarray(tokens, np.int64)
    size = pool.shape[1]
    return pool[table[at // size].astype(np.int64), at % size, 0].astype(np.float64)


def window_tokens(place: int, keys: int, left: int, right: int) -> range:
    """The original tokens that the query token at `place` sees, of `keys` in all."""
    return range(max(0, place - left), min(place + right, keys - 1) + 1)


def compressed_tokens(place: int, ratio: int, indices: np.ndarray | None) -> Sequence[int]:
    """The compressed tokens that it sees: all whose original tokens are past, or those of them that `indices` names.

    Of an index row only as many entries are read as tokens are visible; a negative entry ends it, and an entry that is
    not visible is skipped. An entry that comes twice counts twice.
    """
    visible = (place + 1) // ratio
    if indices is None:
        return range(visible)
    chosen: list[int] = []
    for entry in indices[:visible].tolist():
        if entry < 0:
            break
        if entry < visible:
            chosen.append(entry)
    return chosen


def attention_row(
    q: np.ndarray, keys: np.ndarray, sinks: np.ndarray, scale: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(out (N1, 512), lse (N1,), spread (N1, 512)) of one query token q (N1, 512) over keys (n, 512), in float64.

    The sink of a head is the logit of one more key whose value is 0. spread is the root of the sum of the squares of
    the terms that out adds up.
    """
    scores = scale * (q @ keys.T)
    top = np.maximum(sinks, scores.max(axis=1, initial=-np.inf))
    weights = np.exp(scores - top[:, None])
    total = np.exp(sinks - top) + weights.sum(axis=1)
    out = (weights @ keys) / total[:, None]
    narrow = weights.astype(np.float32)  # the spread only scales a tolerance
    spread = np.sqrt(np.square(narrow) @ np.square(keys.astype(np.float32))) / total[:, None]
    return out, top + np.log(total), spread


def npu_sparse_attn_sharedkv(
    q: np.ndarray,
    *,
    ori_kv: np.ndarray | None = None,
    cmp_kv: np.ndarray | None = None,
    ori_sparse_indices: Any = None,
    cmp_sparse_indices: np.ndarray | None = None,
    ori_block_table: np.ndarray | None = None,
    cmp_block_table: np.ndarray | None = None,
    cu_seqlens_q: Any = None,
    cu_seqlens_ori_kv: Any = None,
    cu_seqlens_cmp_kv: Any = None,
    seqused_q: Any = None,
    seqused_kv: Any = None,
    sinks: np.ndarray | None = None,
    metadata: Any = None,
    softmax_scale: float = 0.0,
    cmp_ratio: int = 0,
    ori_mask_mode: int = 4,
    cmp_mask_mode: int = 3,
    ori_win_left: int = 127,
    ori_win_right: int = 0,
    layout_q: str = "BSND",
    layout_kv: str = "PA_ND",
    return_softmax_lse: bool = False,
) -> dict[str, np.ndarray]:
    """{"attention_out": float64 in the shape of q, "softmax_lse": (..., N1, 1), or (0,) when it is not asked for}, with
    `__defined` for each and `attention_out__spread`.

    q is (T1, N1, 512) under TND, (B, S1, N1, 512) under BSND; ori_kv and cmp_kv are (blocks, block size, 1, 512). Rows
    in no batch are not defined, nor is the log-sum-exp of a row at a negative place. DiagnosticError with the rule's id
    where an argument that the formula needs is missing or of another kind.
    """
    if layout_q not in ("TND", "BSND") or q.ndim != (3 if layout_q == "TND" else 4):
        raise _refused("SAS-GEN-02", f"layout_q = {layout_q}, q with {q.ndim} axes", "TND with 3 axes, BSND with 4",
                       "Reshape q, or name the layout it has.")
    if layout_kv != "PA_ND":
        raise _refused("SAS-GEN-18", f"layout_kv = {layout_kv}", "PA_ND", "Pass 'PA_ND'.")
    if ori_mask_mode != 4 or cmp_mask_mode != 3:
        raise _refused("SAS-GEN-16", f"mask modes {ori_mask_mode} and {cmp_mask_mode}", "4 and 3", "Pass 4 and 3.")
    if ori_kv is None:
        raise _refused("SAS-GEN-06", "no ori_kv", "the pool of original keys", "Pass ori_kv.")
    if ori_block_table is None or seqused_kv is None:
        raise _refused("SAS-GEN-07", "no ori_block_table or no seqused_kv", "both", "Pass both.")
    if cmp_sparse_indices is not None and cmp_kv is None:
        raise _refused("SAS-GEN-13", "cmp_sparse_indices without cmp_kv", "both or none", "Pass cmp_kv.")
    if cmp_kv is not None and cmp_block_table is None:
        raise _refused("SAS-GEN-08", "cmp_kv without cmp_block_table", "both or none", "Pass cmp_block_table.")
    if cmp_kv is not None and cmp_ratio < 1:
        raise _refused("SAS-GEN-12", f"cmp_ratio = {cmp_ratio}", "4 or 128", "Pass the ratio of the layer.")
    if sinks is None:
        raise _refused("SAS-GEN-14", "no sinks", "one logit for every head", "Pass sinks.")
    keys_of = [int(length) for length in seqused_kv]
    if layout_q == "TND":
        if cu_seqlens_q is None:
            raise _refused("SAS-GEN-10", "no cu_seqlens_q", "running totals under layout_q TND", "Pass cu_seqlens_q.")
        totals = [int(total) for total in cu_seqlens_q]
        first_rows, queries_of = totals[:-1], [b - a for a, b in pairwise(totals)]
    else:
        first_rows = [batch * q.shape[1] for batch in range(q.shape[0])]
        queries_of = [q.shape[1]] * q.shape[0] if seqused_q is None else [int(length) for length in seqused_q]
    tokens = q.reshape(-1, *q.shape[-2:])
    rows = None if cmp_sparse_indices is None else cmp_sparse_indices.reshape(-1, cmp_sparse_indices.shape[-1])
    logits = np.asarray(sinks, np.float64)
    out, spread = np.zeros(tokens.shape), np.zeros(tokens.shape)
    lse = np.full(tokens.shape[:2], np.inf)
    written, lse_written = np.zeros(len(tokens), bool), np.zeros(len(tokens), bool)
    for batch, (first, queries, keys) in enumerate(zip(first_rows, queries_of, keys_of, strict=True)):
        for i in range(queries):
            row, place = first + i, keys - queries + i
            written[row] = True
            if place < 0:
                continue
            seen = [paged(ori_kv, ori_block_table[batch], window_tokens(place, keys, ori_win_left, ori_win_right))]
            if cmp_kv is not None and cmp_block_table is not None:
                chosen = compressed_tokens(place, cmp_ratio, None if rows is None else rows[row])
                seen.append(paged(cmp_kv, cmp_block_table[batch], chosen))
            found = attention_row(tokens[row].astype(np.float64), np.concatenate(seen), logits, softmax_scale)
            out[row], lse[row], spread[row] = found
            lse_written[row] = True
    outputs = {
        "attention_out": out.reshape(q.shape), "attention_out__spread": spread.reshape(q.shape),
        "attention_out__defined": np.broadcast_to(written[:, None, None], out.shape).reshape(q.shape),
        "softmax_lse": np.zeros(0), "softmax_lse__defined": np.zeros(0, bool),
    }
    if return_softmax_lse:
        shape = (*q.shape[:-1], 1)
        outputs |= {"softmax_lse": lse.reshape(shape),
                    "softmax_lse__defined": np.broadcast_to(lse_written[:, None], lse.shape).reshape(shape)}
    return outputs
