"""The shapes of a decision: a number with its reason, a buffer, a flag.

In: nothing. Out: frozen dataclasses. Must never decide anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Decision:
    """One number of a kernel. `unit` says what it counts, `because` why it is what it is, `inputs` from what."""

    name: str
    value: int | float
    unit: str
    because: str
    group: str = "tile"
    inputs: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Buffer:
    """One on-chip buffer: `num_bytes` in all, cut into `slots` equal pieces that are used in turn."""

    name: str
    memory: str  # ub, l1, l0a, l0b, l0c
    position: str  # TPosition of the AscendC queue model
    num_bytes: int
    slots: int
    because: str

    @property
    def slot_bytes(self) -> int:
        return self.num_bytes // self.slots


@dataclass(frozen=True)
class Flag:
    """A flag between two pipes of one core: `slots` event ids from `first_id` on."""

    name: str
    side: str  # Cube or Vector
    event: str  # the HardEvent that says the buffer is free again; the opposite event says that it is full
    first_id: int
    slots: int
    starts_set: bool
    because: str
