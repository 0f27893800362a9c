"""The truth for `npu_fused_infer_attention_score_v2`: softmax(Q K^T * scale + masks) V, in float64.

In: the documented parameters as NumPy arrays, lists and scalars. Out: attention_out and softmax_lse, and which of their
elements are defined. Must never tile, round, or share code with check, plan, view, sim or verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fiagen.diagnostics import Diagnostic, DiagnosticError
from fiagen.oracle.layouts import (
    TOKEN_LAYOUTS,
    channels,
    from_head_major,
    head_major,
    layouts_of,
    lse_from_head_major,
    paged_rows,
    segments_of,
)
from fiagen.oracle.masks import INT_MAX, kept_by_matrix, masking, window

ROW_CORRECTION = 2  # bit 1 of inner_precise
PLAIN = ("BSH", "BSND", "BNSD")


def attention_head(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    scale: float,
    keep: np.ndarray | None = None,
    bias: np.ndarray | None = None,
    sink: float | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Attention of one head, whole rows at once.

    q (Lq, Dqk), k (Lk, Dqk), v (Lk, Dv) float64; keep (Lq, Lk) bool, None for all pairs; bias (Lq, Lk) added to the
    scaled score; sink a logit without a value. Returns out (Lq, Dv), lse (Lq,) and spread (Lq, Dv); a row without any
    pair has out 0, lse +inf, spread 0. spread is the root of the sum of the squares of the terms that out adds up: an
    independent relative error e in every probability moves out by about e * spread.
    """
    scores = (q @ k.T) * scale
    if bias is not None:
        scores += bias
    if keep is not None:
        scores[~keep] = -np.inf
    top = scores.max(axis=1, initial=-np.inf)
    empty = np.isneginf(top)
    top = np.where(empty, 0.0, top if sink is None else np.maximum(top, sink))
    scores -= top[:, None]
    weights = np.exp(scores, out=scores)
    total = weights.sum(axis=1)
    if sink is not None:
        total += np.exp(np.where(empty, 0.0, sink - top))
    total = np.where(empty, 1.0, total)
    out = (weights @ v) / total[:, None]
    lse = top + np.log(total)
    narrow = weights.astype(np.float32)  # the spread only scales a tolerance
    spread = np.sqrt(np.square(narrow) @ np.square(v.astype(np.float32))) / total[:, None]
    for part, value in ((out, 0.0), (lse, np.inf), (spread, 0.0)):
        part[empty] = value
    return out, lse, spread


def npu_fused_infer_attention_score_v2(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    query_rope: np.ndarray | None = None,
    key_rope: np.ndarray | None = None,
    pse_shift: np.ndarray | None = None,
    atten_mask: np.ndarray | None = None,
    actual_seq_qlen: Sequence[int] | None = None,
    actual_seq_kvlen: Sequence[int] | None = None,
    block_table: np.ndarray | None = None,
    dequant_scale_query: np.ndarray | None = None,
    dequant_scale_key: np.ndarray | None = None,
    dequant_offset_key: np.ndarray | None = None,
    dequant_scale_value: np.ndarray | None = None,
    dequant_offset_value: np.ndarray | None = None,
    dequant_scale_key_rope: np.ndarray | None = None,
    quant_scale_out: np.ndarray | None = None,
    quant_offset_out: np.ndarray | None = None,
    quant_scale_p: np.ndarray | None = None,
    learnable_sink: np.ndarray | None = None,
    num_query_heads: int = 1,
    num_key_value_heads: int = 0,
    softmax_scale: float = 1.0,
    pre_tokens: int = INT_MAX,
    next_tokens: int = INT_MAX,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
    block_size: int = 0,
    query_quant_mode: int = 0,
    key_quant_mode: int = 0,
    value_quant_mode: int = 0,
    inner_precise: int = 0,
    return_softmax_lse: bool = False,
    query_dtype: int | None = None,
    key_dtype: int | None = None,
    value_dtype: int | None = None,
    query_rope_dtype: int | None = None,
    key_rope_dtype: int | None = None,
    key_shared_prefix_dtype: int | None = None,
    value_shared_prefix_dtype: int | None = None,
    dequant_scale_query_dtype: int | None = None,
    dequant_scale_key_dtype: int | None = None,
    dequant_scale_value_dtype: int | None = None,
    dequant_scale_key_rope_dtype: int | None = None,
    out_dtype: int | None = None,
) -> dict[str, np.ndarray]:
    """The outputs of the operator as float64, in the documented shapes; `softmax_lse` has shape (0,) when it is off.

    Tensors are float16, bfloat16 or wider (masks bool, int8 or uint8, block_table int32). The result also holds the
    booleans `attention_out__defined` and `softmax_lse__defined`: False where the decisions on the documents' open
    points leave the value open; and `attention_out__spread`, what scales the error of rounded probabilities.
    DiagnosticError for a layout that does not exist, for ranks that don't fit it, and for quantised calls.
    """
    _refuse_quantised(locals())
    source, result = layouts_of(input_layout)
    kv_heads = num_key_value_heads or num_query_heads
    tokens = input_layout in TOKEN_LAYOUTS
    q = head_major(query, source, num_query_heads)
    groups, heads, rows, width = q.shape
    value_width = channels(value, source, kv_heads, paged=block_table is not None)
    kv_empty = key.size == 0 or value.size == 0
    one_row = not tokens and rows == 1
    plain_decode = one_row and input_layout in PLAIN and query_rope is None and value_width in (0, width)

    q_segments, k_segments = segments_of(
        query,
        key,
        value,
        input_layout=input_layout,
        num_query_heads=num_query_heads,
        num_key_value_heads=num_key_value_heads,
        actual_seq_qlen=actual_seq_qlen,
        actual_seq_kvlen=actual_seq_kvlen,
        paged=block_table is not None,
    )

    def rows_of(array: np.ndarray, b: int, kv_head: int) -> np.ndarray:
        """Rows (Lk, D) of one kv head of key, value or key_rope, in float64."""
        part = k_segments[b]
        if block_table is not None:
            return paged_rows(array, block_table[b], part.length, kv_head, kv_heads).astype(np.float64)
        placed = head_major(array, source, kv_heads)[part.index, kv_head]
        return placed[part.start : part.start + part.length].astype(np.float64)

    mask = masking(sparse_mode, atten_mask, pre_tokens, next_tokens, one_row=one_row, mode_ignored=plain_decode)
    scale = float(np.float32(softmax_scale))  # the operator attribute is a float32
    group_size = heads // kv_heads
    out = np.zeros((groups, heads, rows, value_width or width))
    spread = np.zeros(out.shape)
    lse = np.full((groups, heads, rows), np.inf)
    out_defined = np.ones(lse.shape, dtype=bool)
    lse_defined = np.ones(lse.shape, dtype=bool)

    tree_start = 0
    for b, (q_part, k_part) in enumerate(zip(q_segments, k_segments, strict=True)):
        at = slice(q_part.start, q_part.start + q_part.length)
        by_window = window(mask, q_part.length, k_part.length)
        by_matrix = kept_by_matrix(mask, b, q_part.length, k_part.length, tree_start if tokens else None)
        tree_start += q_part.length**2
        keep = by_window if by_matrix is None else by_window & by_matrix
        has_pair = keep.any(axis=1)

        # Rows dropped by mask content alone, when nobody asked for their correction, are left open (UND-02, O-05).
        corrected = bool(inner_precise & ROW_CORRECTION) and mask.mode in (0, 1)
        open_rows = by_window.any(axis=1) & ~has_pair & (not corrected)
        # So is the lse of rows without a pair when there is a sink, and in the legacy decode path (O-11, UND-03b).
        lse_open = open_rows | (~has_pair & (learnable_sink is not None))
        if k_part.length == 0 and plain_decode:
            lse_open |= not kv_empty
        out_defined[q_part.index, :, at] = ~open_rows
        lse_defined[q_part.index, :, at] = ~lse_open
        if k_part.length == 0:
            continue

        for kv_head in range(kv_heads):
            k_head, v_head = rows_of(key, b, kv_head), rows_of(value, b, kv_head)
            if key_rope is not None:
                k_head = np.concatenate([k_head, rows_of(key_rope, b, kv_head)], axis=1)
            for head in range(kv_head * group_size, (kv_head + 1) * group_size):
                q_head = q[q_part.index, head, at].astype(np.float64)
                if query_rope is not None:
                    rope = head_major(query_rope, source, num_query_heads)[q_part.index, head, at]
                    q_head = np.concatenate([q_head, rope.astype(np.float64)], axis=1)
                place = (q_part.index, head, at)
                out[place], lse[place], spread[place] = attention_head(
                    q_head,
                    k_head,
                    v_head,
                    scale,
                    keep=None if keep.all() else keep,
                    bias=_bias(pse_shift, b, head, q_part.length, k_part.length),
                    sink=None if learnable_sink is None else float(learnable_sink[head]),
                )

    wide = np.broadcast_to(out_defined[..., None], out.shape)
    outputs = {
        "attention_out": from_head_major(out, result),
        "attention_out__defined": from_head_major(wide, result),
        "attention_out__spread": from_head_major(spread, result),
        "softmax_lse": lse_from_head_major(lse, input_layout),
        "softmax_lse__defined": lse_from_head_major(lse_defined, input_layout),
    }
    if not return_softmax_lse:
        outputs |= {"softmax_lse": np.zeros(0), "softmax_lse__defined": np.zeros(0, dtype=bool)}
    return outputs


def _bias(pse: np.ndarray | None, batch: int, head: int, rows: int, columns: int) -> np.ndarray | None:
    """The additive position term (rows, columns) of one head; batch axis and row axis of size 1 hold for all."""
    if pse is None:
        return None
    plane = pse[batch if pse.shape[0] > 1 else 0, head]
    return plane[: min(rows, plane.shape[0]), :columns].astype(np.float64)


def _refuse_quantised(given: dict[str, Any]) -> None:
    """Quantised calls have a formula of their own, which is not written here: say so instead of answering wrongly."""
    named = [
        name
        for name in (
            "dequant_scale_query",
            "dequant_scale_key",
            "dequant_offset_key",
            "dequant_scale_value",
            "dequant_offset_value",
            "quant_scale_out",
            "quant_offset_out",
        )
        if given[name] is not None
    ]
    named += [f"{name} ({given[name].dtype})" for name in ("query", "key", "value") if given[name].dtype.kind in "iub"]
    if named:
        raise DiagnosticError(
            [
                Diagnostic(
                    rule="oracle.unquantised_only",
                    severity="error",
                    given=f"quantised parameters: {', '.join(named)}",
                    allowed="query, key and value in float16, bfloat16 or a wider float, and no quantisation parameter",
                    why="This oracle holds the formula of the non-quantised operator only.",
                    fix="Leave the quantisation parameters out, or dequantise the tensors before the call.",
                    source="npu_fia_v2 4.8, 4.9, 4.11",
                )
            ]
        )
