"""The work that a table divides: rows of batches, each of one or more blocks, in one order.

In: the rows of every batch. Out: places on one line, costs between places. Must never see a table.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fiagen.oracle.sparse_metadata import BLOCK_TOKENS, Rows, block_cost
from fiagen.schedule.table import Position


@dataclass(frozen=True, eq=False)
class Work:
    """`batches` as the metadata operator counts them, `heads` query heads a row, `cores` cube cores to share it.

    A row without keys is one unit of no cost: somebody has to fill its output with zeros.
    """

    batches: Sequence[Rows]
    heads: int
    cores: int

    @cached_property
    def units(self) -> list[np.ndarray]:
        """Units of every row, by batch."""
        return [np.maximum(sum(-(-np.array(tokens, np.int64) // BLOCK_TOKENS)
                               for tokens in (rows.window_tokens, rows.compressed_tokens)), 1) for rows in self.batches]

    @cached_property
    def row_starts(self) -> list[np.ndarray]:
        """Where each row of a batch begins on the line, and where its last row ends."""
        starts, at = [], 0
        for units in self.units:
            starts.append(at + np.concatenate([[0], np.cumsum(units)]).astype(np.int64))
            at = int(starts[-1][-1])
        return starts

    @cached_property
    def batch_starts(self) -> list[int]:
        return [int(starts[0]) for starts in self.row_starts] + [self.size]

    @cached_property
    def size(self) -> int:
        """Units in all."""
        return int(self.row_starts[-1][-1]) if self.row_starts else 0

    @property
    def rows(self) -> int:
        return sum(len(rows.costs) for rows in self.batches)

    @property
    def total(self) -> int:
        """Cost of everything."""
        return sum(rows.total for rows in self.batches)

    @property
    def dearest(self) -> int:
        """Cost of the dearest row."""
        return max((max(rows.costs, default=0) for rows in self.batches), default=0)

    @property
    def lower_bound(self) -> int:
        """No division into whole rows is faster than this."""
        return max(-(-self.total // self.cores), self.dearest)

    def place(self, position: Position) -> int | None:
        """Where `position` is on the line; None when there is no such position."""
        batch, row, block = position
        if batch == len(self.batches):
            return self.size if (row, block) == (0, 0) else None
        if not (0 <= batch < len(self.batches) and 0 <= row <= len(self.batches[batch].costs)):
            return None
        starts = self.row_starts[batch]
        if row == len(self.batches[batch].costs):
            return int(starts[row]) if block == 0 else None
        return int(starts[row]) + block if 0 <= block <= int(self.units[batch][row]) else None

    def position(self, place: int) -> Position:
        """The position of a unit on the line, or (batches, 0, 0) at its end."""
        if place >= self.size:
            return len(self.batches), 0, 0
        batch = bisect_right(self.batch_starts, place) - 1
        starts = self.row_starts[batch]
        row = int(np.searchsorted(starts, place, side="right")) - 1
        return batch, row, place - int(starts[row])

    def cost(self, start: int, end: int) -> int:
        """Cost of the units from `start` up to `end`."""
        return sum(self.pieces(start, end).values())

    def pieces(self, start: int, end: int) -> dict[int, int]:
        """Cost of the units from `start` up to `end`, by batch."""
        found: dict[int, int] = {}
        while start < end:
            batch, row, block = self.position(start)
            starts, costs = self.row_starts[batch], self.batches[batch].costs
            row_end = int(starts[row + 1])
            if block == 0 and end >= row_end:  # whole rows at once
                last = int(np.searchsorted(starts, min(end, int(starts[-1])), side="right")) - 1
                found[batch] = found.get(batch, 0) + sum(costs[row:last])
                start = int(starts[last])
            else:
                stop = min(end, row_end)
                blocks = self._block_costs(batch, row)
                found[batch] = found.get(batch, 0) + sum(blocks[block : block + stop - start])
                start = stop
        return found

    def _block_costs(self, batch: int, row: int) -> list[int]:
        rows = self.batches[batch]
        costs: list[int] = []
        for tokens in (rows.window_tokens[row], rows.compressed_tokens[row]):
            full, tail = divmod(tokens, BLOCK_TOKENS)
            costs += [block_cost(self.heads, BLOCK_TOKENS)] * full + [block_cost(self.heads, tail)] * (tail > 0)
        return costs or [0]
