"""One call of an operator, as a call file or a Python user describes it.

In: validated plain data. Out: frozen Call, TensorArg and InitSpec values. Must never judge legality: that is `check/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Distribution = Literal["normal", "uniform", "zeros", "arange"]
Edition = Literal["seed", "current"]
Authority = Literal["document", "host"]
DISTRIBUTIONS: tuple[Distribution, ...] = ("normal", "uniform", "zeros", "arange")
EDITIONS: tuple[Edition, ...] = ("seed", "current")
AUTHORITIES: tuple[Authority, ...] = ("document", "host")


@dataclass(frozen=True)
class InitSpec:
    """How to draw the values of a tensor that are not written out."""

    dist: Distribution
    low: float | None = None
    high: float | None = None
    scale: float | None = None
    seed: int | None = None


@dataclass(frozen=True)
class TensorSpec:
    """A tensor by shape and dtype alone; `strides` count elements, None means contiguous."""

    shape: tuple[int, ...]
    dtype: str
    format: str = "ND"
    strides: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(int(n) for n in self.shape))
        if self.strides is not None:
            object.__setattr__(self, "strides", tuple(int(n) for n in self.strides))

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def numel(self) -> int:
        total = 1
        for size in self.shape:
            total *= size
        return total

    @property
    def contiguous(self) -> bool:
        """True when elements lie one after another, last axis fastest; axes of size 1 and empty tensors don't matter.
        """
        return self.dense_from == 0

    @property
    def dense_from(self) -> int:
        """The axis from which on the elements lie one after another; 0 for a contiguous tensor."""
        if self.strides is None or self.numel == 0:
            return 0
        expected = 1
        for axis in range(len(self.shape) - 1, -1, -1):
            if self.shape[axis] != 1 and self.strides[axis] != expected:
                return axis + 1
            expected *= self.shape[axis]
        return 0


@dataclass(frozen=True)
class TensorArg(TensorSpec):
    """A tensor argument of a call. `values` is a nested tuple in the shape of the tensor, or a NumPy array of it."""

    values: Any = field(default=None, compare=False)
    init: InitSpec | None = None


Scalar = int | float | str | bool
Arg = TensorArg | tuple[TensorArg, ...] | tuple[int, ...] | Scalar


@dataclass(frozen=True)
class Call:
    """One call. `args` holds only the arguments that are passed (never None), under the documented names.

    A list of integers is a tuple of int, a tensor list a tuple of TensorArg. `extra` carries unknown keys of the call
    file through untouched. `place` is `file:line` of where the call was written.
    """

    id: str
    op: str
    product: str
    args: Mapping[str, Arg]
    edition: Edition = "seed"
    authority: Authority = "document"
    outputs: Mapping[str, TensorSpec] | None = None
    expect: Literal["accept", "reject"] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    place: str = ""

    def __post_init__(self) -> None:
        kept = {name: value for name, value in self.args.items() if value is not None}
        object.__setattr__(self, "args", MappingProxyType(kept))
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Calls travel to worker processes; read-only views of dictionaries don't."""
        fields = (self.id, self.op, self.product, dict(self.args), self.edition, self.authority, self.outputs, self.expect,
                  dict(self.extra), self.place)
        return Call, fields

    def tensor(self, name: str) -> TensorArg | None:
        """The tensor argument of that name, or None when it is not passed."""
        value = self.args.get(name)
        return value if isinstance(value, TensorArg) else None
