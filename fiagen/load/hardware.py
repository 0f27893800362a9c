"""Loads products, chips, architectures, dtypes and error codes.

In: specs/. Out: model values, cached for the process. Must never fall back to a chip that was not named.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from fiagen import paths
from fiagen.diagnostics import fail, suggestion
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.hardware import (
    ArchSpec,
    ChipSpec,
    DtypeSpec,
    DtypesSpec,
    ErrorCode,
    ErrorCodesSpec,
    HardwareSpec,
    ProductSpec,
    ProductsSpec,
)


def _unknown(rule: str, what: str, name: str, known: list[str]) -> Exception:
    return fail(rule, given=f"{what} {name!r}", allowed=", ".join(sorted(known)), why=f"There is no such {what}.",
                fix=suggestion(name, known), source="specs/products.yaml, specs/hardware")


@lru_cache(maxsize=8)
def load_products(specs: Path = paths.SPECS) -> dict[str, ProductSpec]:
    """Product families by name."""
    spec = validate(load_yaml(specs / "products.yaml"), ProductsSpec)
    return {product.name: product for product in spec.products}


@lru_cache(maxsize=64)
def load_arch(name: str, specs: Path = paths.SPECS) -> ArchSpec:
    """One core architecture."""
    return validate(load_yaml(specs / "hardware" / f"arch_{name}.yaml"), ArchSpec)


@lru_cache(maxsize=8)
def chip_names(specs: Path = paths.SPECS) -> tuple[str, ...]:
    """Names of all chips: the file names of specs/hardware."""
    return tuple(sorted(p.stem for p in (specs / "hardware").glob("*.yaml") if not p.stem.startswith("arch_")))


@lru_cache(maxsize=64)
def load_chip(name: str, specs: Path = paths.SPECS) -> HardwareSpec:
    """A chip with its architecture; DiagnosticError `call.unknown_product` when there is none."""
    known = chip_names(specs)
    if name not in known:
        raise _unknown("call.unknown_product", "chip", name, list(known))
    chip = validate(load_yaml(specs / "hardware" / f"{name}.yaml"), ChipSpec)
    return HardwareSpec(chip=chip, arch=load_arch(chip.arch, specs))


def resolve_product(product: str, specs: Path = paths.SPECS) -> tuple[str, str]:
    """(family, chip) of `a2`, `a2:910B4`, ...; DiagnosticError `call.unknown_product` otherwise."""
    family, _, chip = product.partition(":")
    products = load_products(specs)
    if family not in products:
        raise _unknown("call.unknown_product", "product", family, list(products))
    if not chip:
        if ":" in product:
            raise _unknown("call.unknown_product", "chip", "", list(chip_names(specs)))
        return family, products[family].default_chip
    known = [name for name in chip_names(specs) if load_chip(name, specs).chip.family == family]
    if chip not in known:
        raise _unknown("call.unknown_product", f"chip of {family}", chip, known)
    return family, chip


def load_product(product: str, specs: Path = paths.SPECS) -> HardwareSpec:
    """The hardware a product name stands for."""
    return load_chip(resolve_product(product, specs)[1], specs)


@lru_cache(maxsize=8)
def _dtypes(specs: Path) -> DtypesSpec:
    return validate(load_yaml(specs / "dtypes.yaml"), DtypesSpec)


@lru_cache(maxsize=8)
def load_dtypes(specs: Path = paths.SPECS) -> dict[str, DtypeSpec]:
    """The one dtype table, by contract name."""
    return {dtype.name: dtype for dtype in _dtypes(specs).dtypes}


def dtypes_source(specs: Path = paths.SPECS) -> str:
    """Where the dtype table's names and numbers are from."""
    return _dtypes(specs).source


@lru_cache(maxsize=64)
def numpy_dtype(name: str) -> Any:
    """The NumPy dtype of a contract dtype name; KeyError when the table has none."""
    import numpy

    module, _, attribute = load_dtypes()[name].numpy.partition(".")
    return numpy.dtype(getattr(importlib.import_module(module), attribute))


@lru_cache(maxsize=8)
def load_error_codes(specs: Path = paths.SPECS) -> dict[int, ErrorCode]:
    """Return codes of the C entry points, by number."""
    return {code.code: code for code in validate(load_yaml(specs / "error_codes.yaml"), ErrorCodesSpec).codes}
