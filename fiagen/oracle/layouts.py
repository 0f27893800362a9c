"""Where an element of a tensor lies, for every input layout and every paged cache form.

In: NumPy arrays as the operator gets them. Out: head-major views (batch, head, row, channel) and back. Must never
compute a score, and must know nothing of tiles, plans or kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fiagen.diagnostics import fail, suggestion

# input_layout -> (layout of query, key and value; layout of attention_out)
LAYOUTS: dict[str, tuple[str, str]] = {
    "BSH": ("BSH", "BSH"),
    "BSND": ("BSND", "BSND"),
    "BNSD": ("BNSD", "BNSD"),
    "BNSD_BSND": ("BNSD", "BSND"),
    "BSH_BNSD": ("BSH", "BNSD"),
    "BSND_BNSD": ("BSND", "BNSD"),
    "BSH_NBSD": ("BSH", "NBSD"),
    "BSND_NBSD": ("BSND", "NBSD"),
    "BNSD_NBSD": ("BNSD", "NBSD"),
    "TND": ("TND", "TND"),
    "TND_NTD": ("TND", "NTD"),
    "NTD": ("NTD", "NTD"),
    "NTD_TND": ("NTD", "TND"),
    "NSD": ("NSD", "NSD"),
}
TOKEN_LAYOUTS = frozenset({"TND", "TND_NTD", "NTD", "NTD_TND"})
RANK = {"BSH": 3, "TND": 3, "NTD": 3, "NSD": 3, "BSND": 4, "BNSD": 4}


@dataclass(frozen=True)
class Segment:
    """The rows of one batch: where they start on the row axis of the head-major view, and how many count."""

    batch: int
    index: int
    start: int
    length: int


def layouts_of(input_layout: str) -> tuple[str, str]:
    """The input and the output layout that `input_layout` names; DiagnosticError for a name that is none of the 14."""
    if input_layout not in LAYOUTS:
        raise fail(
            "V2-GEN-15",
            given=f"input_layout = {input_layout!r}",
            allowed="one of the 14 layouts of the operator",
            why="The layout says where a row of a head lies.",
            fix=suggestion(input_layout, LAYOUTS),
            source="npu_fia_v2 3.1",
        )
    return LAYOUTS[input_layout]


def head_major(array: np.ndarray, layout: str, heads: int) -> np.ndarray:
    """View of `array` as (batch, head, row, channel). Token layouts have one batch whose rows are the token axis."""
    if array.ndim != RANK[layout]:
        raise fail(
            "V2-GEN-16",
            given=f"a tensor of shape {array.shape} in layout {layout}",
            allowed=f"{RANK[layout]} axes",
            why="Every letter of the layout is one axis of the tensor.",
            fix="Reshape the tensor, or name the layout it is in.",
            source="npu_fia_v2 3.1",
        )
    if layout == "BSH":
        batch, rows, width = array.shape
        return array.reshape(batch, rows, heads, width // heads).transpose(0, 2, 1, 3)
    if layout == "BSND":
        return array.transpose(0, 2, 1, 3)
    if layout == "BNSD":
        return array
    if layout == "TND":
        return array.transpose(1, 0, 2)[None]
    return array[None]  # NTD and NSD


def channels(array: np.ndarray, layout: str, heads: int, *, paged: bool) -> int:
    """The head dim of key or value, from its layout or, for a paged cache, from its rank."""
    if not paged:
        return head_major(array, layout, heads).shape[3]
    if array.ndim == 3:
        return array.shape[2] // heads
    return array.shape[3] if array.ndim == 4 else array.shape[2] * array.shape[4]


def from_head_major(array: np.ndarray, layout: str) -> np.ndarray:
    """The contiguous tensor in `layout` of a head-major (batch, head, row, channel) array."""
    if layout == "BSH":
        batch, heads, rows, width = array.shape
        placed = array.transpose(0, 2, 1, 3).reshape(batch, rows, heads * width)
    elif layout == "BSND":
        placed = array.transpose(0, 2, 1, 3)
    elif layout == "NBSD":
        placed = array.transpose(1, 0, 2, 3)
    elif layout == "TND":
        placed = array[0].transpose(1, 0, 2)
    elif layout in ("NTD", "NSD"):
        placed = array[0]
    else:
        placed = array
    return np.ascontiguousarray(placed)


def lse_from_head_major(array: np.ndarray, input_layout: str) -> np.ndarray:
    """softmax_lse of a (batch, head, row) array: (T, N, 1) for token layouts and (B, N, S, 1) else."""
    placed = array[0].T if input_layout in TOKEN_LAYOUTS else array
    return np.ascontiguousarray(placed[..., None])


def token_segments(cumulative: Sequence[int]) -> list[Segment]:
    """One segment a batch on a shared token axis: batch b covers tokens c[b-1] .. c[b]."""
    bounds = pairwise([0, *(int(end) for end in cumulative)])
    return [Segment(b, 0, start, end - start) for b, (start, end) in enumerate(bounds)]


def batch_segments(lengths: Sequence[int] | None, batch: int, rows: int) -> list[Segment]:
    """One left-aligned segment a batch. No list: all rows; one entry: for all; a longer list: its first entries."""
    if lengths is None:
        chosen = [rows] * batch
    elif len(lengths) == 1:
        chosen = [int(lengths[0])] * batch
    else:
        chosen = [int(length) for length in lengths[:batch]]
    return [Segment(b, b, 0, length) for b, length in enumerate(chosen)]


def segments_of(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    input_layout: str,
    num_query_heads: int,
    num_key_value_heads: int,
    actual_seq_qlen: Sequence[int] | None,
    actual_seq_kvlen: Sequence[int] | None,
    paged: bool,
) -> tuple[list[Segment], list[Segment]]:
    """The query rows and the key rows of every batch: the effective lengths of section 4.1, and where they start."""
    source, _ = layouts_of(input_layout)
    tokens = input_layout in TOKEN_LAYOUTS
    groups, _, rows, _ = head_major(query, source, num_query_heads).shape
    if query.size == 0:
        return [], []
    if tokens:
        q_segments = token_segments(() if actual_seq_qlen is None else actual_seq_qlen)
    else:  # with one query row the query list of a batched layout has no effect
        q_segments = batch_segments(None if rows == 1 else actual_seq_qlen, groups, rows)
    batch = len(q_segments)
    if key.size == 0 or value.size == 0:
        return q_segments, [Segment(b, 0, 0, 0) for b in range(batch)]
    if paged:
        return q_segments, batch_segments(actual_seq_kvlen, batch, 0)
    if tokens:
        return q_segments, token_segments(() if actual_seq_kvlen is None else actual_seq_kvlen)
    key_rows = head_major(key, source, num_key_value_heads or num_query_heads).shape[2]
    return q_segments, batch_segments(actual_seq_kvlen, batch, key_rows)


def paged_rows(cache: np.ndarray, blocks: np.ndarray, length: int, head: int, kv_heads: int) -> np.ndarray:
    """The first `length` rows (row, channel) of one kv head, gathered through a row of the block table.

    `cache` is (blocks, slots, kv_heads*D), (blocks, kv_heads, slots, D), or NZ (blocks, kv_heads, D/inner, slots,
    inner).
    """
    slots = cache.shape[1] if cache.ndim == 3 else cache.shape[-2]
    needed = blocks[: -(-length // slots)].astype(np.int64)
    if cache.ndim == 3:
        width = cache.shape[2] // kv_heads
        pages = cache[needed, :, head * width : (head + 1) * width]
    elif cache.ndim == 4:
        pages = cache[needed, head]
    else:
        pages = cache[needed, head].transpose(0, 2, 1, 3).reshape(len(needed), slots, -1)
    return pages.reshape(len(needed) * slots, pages.shape[-1])[:length]
