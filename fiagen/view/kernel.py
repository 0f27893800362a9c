"""The view of one kernel file: plan values spelled in C++, partials chosen, in reading order.

In: a KernelPlan, a TilingPlan, the dtype table. Out: a KernelView. Must never decide a number or hold a statement of C++.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from fiagen.model.hardware import DtypeSpec
from fiagen.plan import Buffer, Decision, Flag, KernelPlan, TilingPlan
from fiagen.view.tiling import TilingView, view_tiling

GROUP_TITLES = {
    "shape": "Shape of the variant",
    "tile": "Tiles",
    "hardware": "Units of the hardware",
    "l1": "Buffers of the cube core",
    "ub": "Buffers of a vector core",
    "workspace": "Share of one core in the workspace",
    "mask": "Mask",
    "combine": "Cut rows",
    "signal": "Signals between the cores of a block",
    "event": "Event ids inside a core: the first of as many as there are slots",
    "number": "Numbers",
}
SIGNED = {"event"}


LINE = 120  # characters of a generated line


@dataclass(frozen=True)
class Constant:
    """`is_long`: the reason stands in a line of its own, because it does not fit behind the value."""

    cpp_type: str
    name: str
    literal: str
    because: str

    @property
    def is_long(self) -> bool:
        return len(f"constexpr {self.cpp_type} {self.name} = {self.literal}; // {self.because}") > LINE


@dataclass(frozen=True)
class ConstantGroup:
    title: str
    constants: tuple[Constant, ...]


@dataclass(frozen=True)
class BufferView:
    name: str
    position: str
    bytes_name: str


@dataclass(frozen=True)
class FlagUse:
    event: str
    id: str


@dataclass(frozen=True)
class FlagGroup:
    verb: str
    side: str
    flags: tuple[FlagUse, ...]


@dataclass(frozen=True)
class Member:
    cpp_type: str
    name: str
    doc: str


@dataclass(frozen=True)
class KernelView:
    """Context of templates/kernel/fused_attention.cpp.jinja."""

    name: str
    namespace: str
    summary: tuple[str, ...]
    spec: str
    template: str
    story: tuple[str, ...]
    element: str
    constant_groups: tuple[ConstantGroup, ...]
    tiling: TilingView
    work_fields: tuple[Member, ...]
    cube_buffers: tuple[BufferView, ...]
    vector_buffers: tuple[BufferView, ...]
    flag_groups: tuple[FlagGroup, ...]
    members: tuple[Member, ...]
    has_mask: bool
    has_combine: bool
    lengths_partial: str
    addressing_partial: str
    window_partial: str
    walk_partial: str
    query_load_partial: str
    part_partial: str
    mask_partial: str
    finish_partial: str
    copy_out_partial: str
    lse_partial: str
    fill_partial: str


def upper_snake(name: str) -> str:
    """scoresBuf -> SCORES_BUF."""
    return "".join(f"_{c}" if c.isupper() else c.upper() for c in name)


def _unsigned(decision: Decision) -> Constant:
    return Constant("uint32_t", decision.name, str(decision.value), decision.because)


def _buffer_constants(buffers: tuple[Buffer, ...], element_bytes: dict[str, int]) -> list[Constant]:
    constants = []
    for buffer in buffers:
        name = upper_snake(buffer.name)
        slots = f"{buffer.slots} x {buffer.slot_bytes} bytes: " if buffer.slots > 1 else ""
        constants.append(Constant("uint32_t", f"{name}_BYTES", str(buffer.num_bytes), slots + buffer.because))
        if buffer.name in element_bytes:
            elements = buffer.slot_bytes // element_bytes[buffer.name]
            constants.append(Constant("uint32_t", f"{name}_ELEMENTS", str(elements), "elements of one slot"))
    return constants


def _constant_groups(plan: KernelPlan) -> tuple[ConstantGroup, ...]:
    grouped: dict[str, list[Constant]] = {title: [] for title in GROUP_TITLES}
    for decision in plan.decisions:
        grouped[decision.group].append(_unsigned(decision))
    slice_elements = plan.value("SLICE_ROWS") * plan.value("KV_TILE")
    grouped["tile"].append(Constant("uint32_t", "SLICE_ELEMENTS", str(slice_elements), "SLICE_ROWS x KV_TILE"))
    cube = tuple(b for b in plan.buffers if b.memory != "ub")
    vector = tuple(b for b in plan.buffers if b.memory == "ub")
    grouped["l1"] = _buffer_constants(
        cube, {"queryL1": 2, "keyL1": 2, "valueL1": 2, "probsL1": 2, "leftL0": 2, "rightL0": 2, "accL0": 4})
    grouped["ub"] = _buffer_constants(vector, {})
    grouped["event"] = [Constant("int32_t", flag.name, str(flag.first_id), flag.because) for flag in plan.flags]
    grouped["number"] = [
        Constant("float", "MASKED_SCORE", "-3.0e38f", "stands for a score that does not count; exp of it less any other is 0"),
        Constant("float", "MASKED_SCORE_LIMIT", "-2.9e38f", "a maximum that is not above this saw no key"),
        Constant("float", "POSITIVE_INFINITY", "__builtin_inff()", "log-sum-exp of a row without keys"),
    ]
    return tuple(ConstantGroup(GROUP_TITLES[key], tuple(items)) for key, items in grouped.items() if items)


def _flag_groups(flags: tuple[Flag, ...]) -> tuple[FlagGroup, ...]:
    groups = []
    for side in ("Cube", "Vector"):
        uses = tuple(
            FlagUse(flag.event, flag.name if slot == 0 else f"{flag.name} + {slot}")
            for flag in flags if flag.side == side and flag.starts_set for slot in range(flag.slots))
        groups += [FlagGroup(verb, side, uses) for verb in ("Set", "Wait")]
    return tuple(groups)


def _members(decode: bool) -> tuple[Member, ...]:
    left = ("tilesLeft", "key tiles this core still has to do") if decode else (
        "blocksLeft", "row blocks this core still has to do")
    following = ("nextTile", "key tile of walk that comes next") if decode else (
        "nextRowBlock", "row block of walk's kv head that comes next")
    return (
        Member("int64_t", "kvNext", "key of walk that comes next"),
        Member("uint32_t", "core", "index of the block"),
        Member("uint32_t", *left),
        Member("uint32_t", *following),
        Member("uint32_t", "stepCount", "steps so far"),
        Member("uint32_t", "blockCount", "row blocks so far"),
        Member("uint32_t", "keyChunks", "turns of the key slots"),
        Member("uint32_t", "valueChunks", "turns of the value slots"),
        Member("uint32_t", "matmuls", "turns of the L0A and L0B slots"),
        Member("uint32_t", "accumulators", "turns of the L0C slots"),
        Member("uint32_t", "slices", "turns of the score slots"),
    )


def _story(plan: KernelPlan) -> tuple[str, ...]:
    values = plan.variant.values
    split = ("Key tiles are spread over the cores; the parts of a row that was cut are combined at the end."
             if values["phase"] == "decode" else
             "Row blocks are spread over the cores by cost; keys that no row of a block sees are skipped.")
    return (
        "One block is a cube core and two vector cores. Scores, probabilities and context cross between them through the",
        "workspace; all heads of a kv head's group are rows of one tile, so keys and values are read once for a group.",
        split,
    )


def view_kernel(plan: KernelPlan, tiling: TilingPlan, dtype: DtypeSpec, summary: str, spec: str) -> KernelView:
    """Spell `plan` for the kernel template; `dtype` is the element type's row of the dtype table."""
    values = plan.variant.values
    decode, layout, mask = values["phase"] == "decode", values["layout"], str(values["mask"])
    head_major = layout == "BNSD"
    one_head_a_copy = head_major and not decode
    window = "band" if mask != "none" and not decode else "none"
    buffers = [(b, BufferView(b.name, b.position, f"{upper_snake(b.name)}_BYTES")) for b in plan.buffers]
    return KernelView(
        name=plan.variant.name,
        namespace=f"{plan.variant.name}_kernel",
        summary=tuple(textwrap.wrap(summary, LINE - 3)),
        spec=spec,
        template="templates/kernel/fused_attention.cpp.jinja",
        story=_story(plan),
        element=dtype.cpp,
        constant_groups=_constant_groups(plan),
        tiling=view_tiling(tiling, assert_offsets=False),
        work_fields=(
            Member("bool", "isCut", "other cores have the rest of this row"),
            Member("uint32_t", "partSlot", "where this core leaves its part"),
        ) if decode else (),
        cube_buffers=tuple(view for buffer, view in buffers if buffer.memory != "ub"),
        vector_buffers=tuple(view for buffer, view in buffers if buffer.memory == "ub"),
        flag_groups=_flag_groups(plan.flags),
        members=_members(decode),
        has_mask=mask != "none",
        has_combine=decode,
        lengths_partial=f"kernel/_lengths_{'packed' if layout == 'TND' else 'padded'}.jinja",
        addressing_partial=f"kernel/_addressing_{'head' if head_major else 'token'}_major.jinja",
        window_partial=f"kernel/_window_{window}.jinja",
        walk_partial=f"kernel/_walk_{'kv_tiles' if decode else 'row_blocks'}.jinja",
        query_load_partial=f"kernel/_load_query_{'head' if one_head_a_copy else 'token'}_major.jinja",
        part_partial=f"kernel/_part_by_{'head' if decode else 'position'}.jinja",
        mask_partial=f"kernel/_mask_{mask}.jinja",
        finish_partial=f"kernel/_finish_{'cut' if decode else 'whole'}_rows.jinja",
        copy_out_partial=f"kernel/_copy_out_{'one_position' if decode else 'head_major' if head_major else 'token_major'}.jinja",
        lse_partial=f"kernel/_lse_{'token' if layout == 'TND' else 'head'}_major.jinja",
        fill_partial=f"kernel/_fill_{'packed' if layout == 'TND' else 'padded'}_blocks.jinja",
    )
