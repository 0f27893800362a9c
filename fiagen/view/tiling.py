"""The view of the tiling structs: fields with extents, offsets and reasons, as host and kernel both draw them.

In: a TilingPlan. Out: a TilingView. Must never move a field.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiagen.plan import TilingPlan


@dataclass(frozen=True)
class FieldView:
    cpp_type: str
    name: str
    extent: str
    doc: str
    offset: int


@dataclass(frozen=True)
class StructView:
    name: str
    fields: tuple[FieldView, ...]
    num_bytes: int


@dataclass(frozen=True)
class TilingView:
    """`assert_offsets` is off in kernels: `offsetof` needs a header that kernels don't include; equal sizes and no
    holes say the same there."""

    name: str
    structs: tuple[StructView, ...]
    assert_offsets: bool


def view_tiling(plan: TilingPlan, assert_offsets: bool) -> TilingView:
    """Spell the structs of `plan`."""
    structs = tuple(
        StructView(struct.name, tuple(
            FieldView(f.cpp_type, f.name, f"[{f.count}]" if f.count > 1 else "", f.doc, f.offset)
            for f in struct.fields),
            struct.num_bytes)
        for struct in plan.structs)
    return TilingView(plan.name, structs, assert_offsets)
