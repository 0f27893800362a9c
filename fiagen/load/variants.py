"""Loads which kernels exist and lists them.

In: specs/variants. Out: VariantSet values and their Variants, in the order of the axes. Must never invent a
combination.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from pathlib import Path

from fiagen import paths
from fiagen.diagnostics import fail, suggestion
from fiagen.expr import parse
from fiagen.expr.nodes import Type
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.variant import AxisValue, Variant, VariantSet


@lru_cache(maxsize=8)
def load_variant_sets(specs: Path = paths.SPECS) -> tuple[VariantSet, ...]:
    """Every file of specs/variants, sorted by name. No file is an error: nothing could be generated."""
    files = sorted((specs / "variants").glob("*.yaml"))
    if not files:
        raise fail(
            "spec.unreadable",
            given=f"no file in {paths.shown(specs / 'variants')}",
            allowed="one file an operator",
            why="Without variants there is nothing to generate.",
            fix="Add a variants file.",
            source="specs/variants",
        )
    return tuple(validate(load_yaml(file), VariantSet) for file in files)


@lru_cache(maxsize=8)
def gallery(specs: Path = paths.SPECS) -> tuple[str, ...]:
    """Names of the variants that generated/ shows; one that does not exist is refused."""
    known = load_variants(specs)
    names = tuple(name for spec in load_variant_sets(specs) for name in spec.gallery)
    for name in names:
        if name not in known:
            raise fail("spec.unknown_variant", given=f"gallery: {name}", allowed="a variant of the set",
                       why="The gallery shows variants that are generated.", fix=suggestion(name, known), source="specs/variants")
    return names


def axis_type(values: tuple[AxisValue, ...]) -> Type:
    """The type an axis has in expressions."""
    kinds = {type(value) for value in values}
    return "bool" if kinds == {bool} else "int" if kinds == {int} else "str"


@lru_cache(maxsize=8)
def load_variants(specs: Path = paths.SPECS) -> dict[str, tuple[VariantSet, Variant]]:
    """Every variant of every operator by name, with the set it belongs to."""
    return {variant.name: (spec, variant) for spec in load_variant_sets(specs) for variant in expand(spec)}


def expand(spec: VariantSet) -> tuple[Variant, ...]:
    """The combinations that `select` keeps, with readable names; two of one name are refused."""
    scope = {name: axis_type(tuple(v.value for v in axis.values)) for name, axis in spec.axes.items()}
    select = parse(spec.select, scope, f"specs/variants: select of {spec.op}")
    names = tuple(spec.axes)
    found: dict[str, Variant] = {}
    for combination in itertools.product(*(axis.values for axis in spec.axes.values())):
        values = {name: item.value for name, item in zip(names, combination, strict=False)}
        if not select.value(values):
            continue
        short = {name: item.short for name, item in zip(names, combination, strict=False)}
        name = _filled(spec.name, {**short, "arch": spec.arch})
        if name in found:
            raise fail("spec.variant_twice", given=f"{name} for {found[name].values} and for {values}",
                       allowed="one name a combination", why="A kernel is found by its name.",
                       fix="Give the values different short names.", source=f"specs/variants/{spec.op}.yaml")
        found[name] = Variant(name=name, op=spec.op, arch=spec.arch, values=values)
    return tuple(found.values())


def _filled(pattern: str, short: dict[str, str]) -> str:
    """`pattern` with every {axis} replaced; anything else in braces is refused, so a name can't hold a format program.
    """
    text = pattern
    for name, value in short.items():
        text = text.replace("{" + name + "}", value)
    if "{" in text or "}" in text:
        raise fail("spec.variant_name", given=pattern, allowed=", ".join("{" + name + "}" for name in short),
                   why="Only axes can stand in braces.", fix=suggestion(pattern, short), source="specs/variants")
    return text


def serves(spec: VariantSet, variant: Variant) -> tuple[dict[str, AxisValue], ...]:
    """The axis values under which selectors find `variant`: its own, and those that it serves as well."""
    choices = []
    for name, axis in spec.axes.items():
        item = next(v for v in axis.values if v.value == variant.values[name])
        choices.append([(name, value) for value in (item.value, *item.serves)])
    return tuple(dict(pairs) for pairs in itertools.product(*choices))
