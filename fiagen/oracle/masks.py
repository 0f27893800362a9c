"""Which (row, column) pairs of one batch take part in attention.

In: the mask parameters of a call. Out: boolean matrices, True where a pair counts. Must never look at scores, and takes
the compressed masks of modes 2, 3 and 4 by their documented meaning, not by their bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

INT_MAX = 2147483647
COMPRESSED_MODES = (2, 3, 4)


@dataclass(frozen=True)
class Masking:
    """The mask of a call after the documented rules on what is ignored.

    `mode` is the sparse mode in force, `matrix` the full or tree mask (None when there is none), `pre` and `next` the
    tokens in force, `by_batch` says that a two-axis matrix is (batch, column), as it is when the query has one row.
    """

    mode: int
    matrix: np.ndarray | None
    pre: int
    next: int
    by_batch: bool


def masking(
    sparse_mode: int,
    atten_mask: np.ndarray | None,
    pre_tokens: int,
    next_tokens: int,
    *,
    one_row: bool,
    mode_ignored: bool,
) -> Masking:
    """The mask in force. `one_row`: a batched layout with Q_S == 1; `mode_ignored`: mode and tokens have no effect.

    A 2048x2048 mask given for a compressed mode that is ignored is ignored with it; any other mask still applies.
    """
    given = atten_mask if atten_mask is not None and atten_mask.size else None
    if mode_ignored:
        compressed = sparse_mode in COMPRESSED_MODES and given is not None and given.shape[-2:] == (2048, 2048)
        return Masking(0, None if compressed else given, INT_MAX, INT_MAX, one_row)
    if sparse_mode == 0 and given is None:
        return Masking(0, None, INT_MAX, INT_MAX, one_row)
    if sparse_mode == 1:
        return Masking(1, given, INT_MAX, INT_MAX, one_row)
    matrix = None if sparse_mode in COMPRESSED_MODES else given
    return Masking(sparse_mode, matrix, pre_tokens, next_tokens, one_row)


def window(mask: Masking, rows: int, columns: int) -> np.ndarray:
    """(rows, columns): pairs that the geometry of the mode allows, whatever a mask matrix holds."""
    i = np.arange(rows, dtype=np.int64)[:, None]
    j = np.arange(columns, dtype=np.int64)[None, :]
    shift = columns - rows  # right-bottom alignment
    if mask.mode == 0:
        return (i - mask.pre <= j) & (j <= i + mask.next)
    if mask.mode == 2:
        return j <= i
    if mask.mode == 3:
        return j <= i + shift
    if mask.mode == 4:
        return (i + shift - mask.pre <= j) & (j <= i + shift + mask.next)
    return np.ones((rows, columns), dtype=bool)  # 1 (full mask) and 9 (tree): the matrix alone decides


def kept_by_matrix(
    mask: Masking, batch: int, rows: int, columns: int, tree_start: int | None = None
) -> np.ndarray | None:
    """(rows, columns): pairs whose mask element is 0, or None when no matrix is in force.

    `tree_start` is where the Lq x Lq tree of this batch begins in a one-axis tree mask (token layouts, mode 9).
    """
    if mask.matrix is None:
        return None
    if mask.mode == 9:
        if tree_start is None:
            tree = mask.matrix[batch, :rows, :rows]
        else:
            tree = mask.matrix.reshape(-1)[tree_start : tree_start + rows * rows].reshape(rows, rows)
        keep = np.ones((rows, columns), dtype=bool)
        keep[:, columns - rows :] = tree == 0
        return keep
    matrix = mask.matrix
    if matrix.ndim == 2:
        plane = matrix[batch : batch + 1] if mask.by_batch else matrix
    else:
        per_batch = matrix.reshape(matrix.shape[0], matrix.shape[-2], matrix.shape[-1])
        plane = per_batch[batch if len(per_batch) > 1 else 0]
    return plane[:rows, :columns] == 0
