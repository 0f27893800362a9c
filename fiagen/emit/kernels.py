"""Kernel files: one for each variant.

In: a variant's name. Out: its text with where it came from. Must never read a spec itself or decide a number.
"""

from __future__ import annotations

from functools import lru_cache

from fiagen.emit.render import render
from fiagen.emit.writer import Emitted
from fiagen.load.hardware import chip_names, load_arch, load_chip, load_dtypes
from fiagen.load.variants import load_variants
from fiagen.model.variant import Variant, VariantSet
from fiagen.plan import KernelPlan, TilingPlan, plan_kernel, plan_tiling
from fiagen.view.kernel import view_kernel

TEMPLATE = "kernel/fused_attention.cpp.jinja"


@lru_cache(maxsize=8)
def max_cores(arch: str) -> int:
    """Cube cores of the largest chip of an architecture: what the tiling data must have room for."""
    return max(hardware.chip.aic for hardware in map(load_chip, chip_names()) if hardware.chip.arch == arch)


@lru_cache(maxsize=8)
def tiling_plan(arch: str) -> TilingPlan:
    return plan_tiling(max_cores(arch))


@lru_cache(maxsize=1024)
def kernel_plan(name: str) -> KernelPlan:
    """The plan of a variant by name; its tiling key is its place in the list of its operator's variants."""
    variants = load_variants()
    variant = variants[name][1]
    siblings = [other for other, (_, v) in variants.items() if v.op == variant.op]
    return plan_kernel(variant, load_arch(variant.arch), max_cores(variant.arch), siblings.index(name))


def summary(spec: VariantSet, variant: Variant) -> str:
    """What a variant computes, from the docs of its axis values."""
    docs = [next(v.doc for v in axis.values if v.value == variant.values[name]) for name, axis in spec.axes.items()]
    return "Fused attention. " + " ".join(docs)


@lru_cache(maxsize=1024)
def emit_kernel(name: str) -> Emitted:
    """The kernel file of a variant."""
    spec, variant = load_variants()[name]
    source = f"specs/variants/{variant.op}.yaml"
    view = view_kernel(kernel_plan(name), tiling_plan(variant.arch), load_dtypes()[str(variant.values["dtype"])],
                       summary(spec, variant), source)
    return Emitted(f"{variant.op}/kernel/{name}.cpp", render(TEMPLATE, view), source, f"templates/{TEMPLATE}")
