"""How to launch a hand-written kernel: its entry, blocks, chip and arguments.

In: validated plain data. Out: frozen values. Must never judge the kernel: the simulator does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fiagen.model.base import FileName, Name, Prose, Spec, Text
from fiagen.model.call import TensorArg

Role = Literal["in", "out", "inout", "workspace", "struct"]
ROLES: tuple[Role, ...] = ("in", "out", "inout", "workspace", "struct")


@dataclass(frozen=True)
class StructField:
    """One field of a tiling struct; a tuple of values is an array."""

    name: str
    dtype: str
    value: tuple[int | float | bool, ...]


@dataclass(frozen=True)
class KernelArgument:
    """One GM_ADDR of the kernel.

    A tensor has `tensor`; a workspace has `bytes`; a struct has `fields`, laid out as a C compiler lays them out.
    """

    name: str
    role: Role
    tensor: TensorArg | None = None
    bytes: int = 0
    fields: tuple[StructField, ...] = ()


@dataclass(frozen=True)
class KernelLaunch:
    """One launch. `chip` is a chip of specs/hardware; `arguments` are in the order of the kernel's parameters."""

    entry: str
    blocks: int
    chip: str
    arguments: tuple[KernelArgument, ...]
    place: str = ""

    def replaced(
        self,
        blocks: int | None = None,
        chip: str | None = None,
        fields: Mapping[str, Any] | None = None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
    ) -> KernelLaunch:
        """The same launch with other blocks, another chip, other struct values or other shapes; KeyError for an unknown
        name."""
        fields, shapes = dict(fields or {}), dict(shapes or {})
        arguments = []
        for argument in self.arguments:
            tensor = argument.tensor
            if tensor is not None and argument.name in shapes:
                tensor = TensorArg(shapes.pop(argument.name), tensor.dtype, init=tensor.init)
            changed = tuple(
                StructField(f.name, f.dtype, (fields.pop(f.name),)) if f.name in fields else f for f in argument.fields
            )
            arguments.append(KernelArgument(argument.name, argument.role, tensor, argument.bytes, changed))
        if fields or shapes:
            raise KeyError(", ".join([*fields, *shapes]))
        return KernelLaunch(self.entry, blocks or self.blocks, chip or self.chip, tuple(arguments), self.place)


class PointSpec(Spec):
    """One time that others measured, and the launch of a kernel of specs/kernels that answers it.

    `measure`: microseconds; percent of HBM's peak that the bytes of the first argument reach; or cycles from the first
    product of the cube to its last result.
    """

    id: FileName
    what: Text
    kernel: Name
    chip: FileName
    blocks: int
    fields: dict[Name, int | float]
    shapes: dict[Name, tuple[int, ...]]
    measure: Literal["microseconds", "percent_of_hbm", "cube_cycles"]
    measured: float


class UnansweredSpec(Spec):
    """A measured time that no kernel here answers, and what that would take."""

    what: Text
    measured: Text
    needs: Text


class PointsSpec(Spec):
    """Measured times to calibrate the simulator's time against."""

    kind: Literal["points"]
    source: Text
    doc: Prose = ""
    points: tuple[PointSpec, ...]
    unanswered: tuple[UnansweredSpec, ...]
