"""The layout of the tiling data: one struct that host tiling writes and every core reads.

In: the number of cores it must serve. Out: structs with offsets. Must never differ between host and kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

BYTES = {"int64_t": 8, "uint32_t": 4, "float": 4}


@dataclass(frozen=True)
class TilingField:
    """One member: `count` > 1 is an array. `offset` is filled in by `lay_out`."""

    cpp_type: str
    name: str
    doc: str
    count: int = 1
    offset: int = -1


@dataclass(frozen=True)
class TilingStruct:
    name: str
    fields: tuple[TilingField, ...]
    num_bytes: int
    align: int


@dataclass(frozen=True)
class TilingPlan:
    """`structs` in the order of definition; the last one is the tiling data itself."""

    structs: tuple[TilingStruct, ...]
    max_cores: int

    @property
    def name(self) -> str:
        return self.structs[-1].name

    @property
    def num_bytes(self) -> int:
        return self.structs[-1].num_bytes


def lay_out(name: str, fields: list[TilingField], known: dict[str, TilingStruct]) -> TilingStruct:
    """Offsets by the rules of the C++ ABI; a hole would make host and device disagree, so there must be none."""
    offset, align, placed = 0, 1, []
    for item in fields:
        size = known[item.cpp_type].num_bytes if item.cpp_type in known else BYTES[item.cpp_type]
        own_align = known[item.cpp_type].align if item.cpp_type in known else BYTES[item.cpp_type]
        if offset % own_align:
            raise ValueError(f"{name}.{item.name} would start at {offset}, not a multiple of {own_align}")
        placed.append(TilingField(item.cpp_type, item.name, item.doc, item.count, offset))
        offset += size * item.count
        align = max(align, own_align)
    if offset % align:
        raise ValueError(f"{name} is {offset} bytes long, not a multiple of {align}")
    return TilingStruct(name, tuple(placed), offset, align)


def plan_tiling(max_cores: int) -> TilingPlan:
    """The tiling data of the attention kernels for chips of at most `max_cores` cube cores."""
    known: dict[str, TilingStruct] = {}
    known["CoreWork"] = lay_out("CoreWork", [
        TilingField("uint32_t", "batch", "batch of the first unit of work"),
        TilingField("uint32_t", "kvHead", "its kv head"),
        TilingField("uint32_t", "unit", "its row block (prefill) or key tile (decode)"),
        TilingField("uint32_t", "count", "units of this core, in the order batch, kv head, unit"),
    ], known)
    known["CutRow"] = lay_out("CutRow", [
        TilingField("uint32_t", "batch", "batch of a row that several cores share"),
        TilingField("uint32_t", "kvHead", "its kv head"),
        TilingField("uint32_t", "firstCore", "core that has its first part"),
        TilingField("uint32_t", "firstSlot", "where that core leaves its part; the others use their first slot"),
        TilingField("uint32_t", "parts", "cores that share the row"),
    ], known)
    known["FiaTiling"] = lay_out("FiaTiling", [
        TilingField("int64_t", "maskBatchPitch", "mask elements from batch to batch; 0 when all batches share one mask"),
        TilingField("int64_t", "windowBack", "a row sees this many columns left of its anchor column"),
        TilingField("int64_t", "windowAhead", "and this many right of it"),
        TilingField("uint32_t", "batch", "batches"),
        TilingField("uint32_t", "numQueryHeads", "query heads"),
        TilingField("uint32_t", "numKvHeads", "key and value heads"),
        TilingField("uint32_t", "groupSize", "query heads that share one kv head"),
        TilingField("uint32_t", "querySeqAxis", "S axis of query; unused when all batches share one token axis"),
        TilingField("uint32_t", "keySeqAxis", "S axis of key and value, likewise"),
        TilingField("uint32_t", "queryLengthEntries", "entries of the query length list; 0 without one"),
        TilingField("uint32_t", "keyLengthEntries", "entries of the key length list; 0 without one"),
        TilingField("uint32_t", "rowsPerBlock", "query positions of a row block"),
        TilingField("uint32_t", "maskRowPitch", "mask elements from row to row"),
        TilingField("uint32_t", "anchorRight", "1 when the last row is anchored at the last column, 0 for first at first"),
        TilingField("uint32_t", "returnLse", "1 when softmax_lse is wanted"),
        TilingField("float", "softmaxScale", "factor of query x key^T"),
        TilingField("uint32_t", "cutRowCount", "rows in cutRows"),
        TilingField("CoreWork", "coreWork", "what each core does", max_cores),
        TilingField("CutRow", "cutRows", "rows that the combine step has to put together", max_cores),
    ], known)
    return TilingPlan(tuple(known.values()), max_cores)
