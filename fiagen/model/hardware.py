"""Chips, core architectures, product families and dtypes.

In: validated YAML of specs/hardware and specs/dtypes.yaml. Out: frozen values. Must never hold a number without a
source.
"""

from __future__ import annotations

from typing import Literal

from fiagen.model.base import FileName, Name, Prose, Spec, Text


class Quantity(Spec):
    """One number with its unit and source; `assumed` marks a number no source states."""

    value: int
    unit: Text
    source: Text
    assumed: bool = False
    doc: Prose = ""


class Memory(Spec):
    """One on-chip memory: its size and the alignment of a tensor's start in it."""

    bytes: int
    align_bytes: int
    reserved_bytes: int = 0  # kept by the toolkit at the end
    per: Literal["aic", "aiv"]
    source: Text
    doc: Prose = ""


class ArchSpec(Spec):
    """What every chip of one core architecture shares."""

    kind: Literal["arch"]
    name: FileName
    npu_arch: int
    aiv_per_aic: Quantity
    memories: dict[Name, Memory]
    rates: dict[Name, Quantity]
    limits: dict[Name, Quantity]


class ChipSpec(Spec):
    """One chip: core counts, clock and sizes outside the cores."""

    kind: Literal["chip"]
    name: FileName
    soc: Name
    family: Name
    arch: FileName
    aic: int
    aiv: int
    clock_mhz: int
    l2_bytes: int
    hbm_bytes: int
    hbm_gb_per_s: Quantity  # peak
    source: Text


class ProductSpec(Spec):
    """A product family of the public names, and the chip its plain name means."""

    name: Name
    title: Text
    arch: FileName
    default_chip: FileName
    because: Text


class ProductsSpec(Spec):
    kind: Literal["products"]
    products: tuple[ProductSpec, ...]


class HardwareSpec(Spec):
    """A chip together with its architecture: what plans and the simulator read."""

    chip: ChipSpec
    arch: ArchSpec

    def rate(self, name: str) -> int:
        """The value of a rate; KeyError when the architecture has none of that name."""
        return self.arch.rates[name].value

    def memory_bytes(self, name: str) -> int:
        """The size of an on-chip memory."""
        return self.arch.memories[name].bytes


class DtypeSpec(Spec):
    """One element type in every spelling; `bits` is 4 for packed halves of a byte."""

    name: Name
    bits: int
    short: Name
    numpy: Text  # "module.name" of the NumPy scalar type
    cpp: Prose = ""  # the kernel's type; empty when kernels don't use it
    acl: Name
    acl_number: int
    kind: Literal["float", "int", "uint", "bool", "scale"]

    @property
    def bytes(self) -> int:
        """Bytes of one element; 1 for the packed 4-bit types, which hold two."""
        return max(1, self.bits // 8)


class DtypesSpec(Spec):
    kind: Literal["dtypes"]
    source: Text
    dtypes: tuple[DtypeSpec, ...]


class ErrorCode(Spec):
    code: int
    name: Name
    doc: Text
    source: Text


class ErrorCodesSpec(Spec):
    kind: Literal["error_codes"]
    codes: tuple[ErrorCode, ...]
