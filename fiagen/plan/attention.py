"""Plans one fused attention kernel for the split cube/vector architecture c220.

In: a variant and the architecture. Out: a KernelPlan whose every number carries its reason. Must never spell C++.
"""

from __future__ import annotations

from dataclasses import dataclass

from fiagen.diagnostics import Diagnostic, DiagnosticError
from fiagen.model.hardware import ArchSpec
from fiagen.model.variant import Variant
from fiagen.plan.decision import Buffer, Decision, Flag

FLOAT_BYTES = 4
ELEMENT_BYTES = 2  # float16 and bfloat16
SIDES = 2  # two vector cores to a cube core


@dataclass(frozen=True)
class KernelPlan:
    """Everything decided about one kernel."""

    variant: Variant
    decisions: tuple[Decision, ...]
    buffers: tuple[Buffer, ...]
    flags: tuple[Flag, ...]
    tiling_key: int

    def value(self, name: str) -> int:
        """The integer value of a decision; KeyError when there is none of that name."""
        for decision in self.decisions:
            if decision.name == name:
                return int(decision.value)
        raise KeyError(name)

    def flag(self, name: str) -> Flag:
        return next(flag for flag in self.flags if flag.name == name)


def align_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _geometry(variant: Variant, arch: ArchSpec) -> list[Decision]:
    """Sizes that follow from the hardware's units."""
    block = arch.limits["block_bytes"].value
    repeat = arch.limits["repeat_bytes"].value
    return [
        Decision("AIV_PER_AIC", arch.aiv_per_aic.value, "cores", "vector cores beside each cube core", "hardware"),
        Decision("BLOCK_BYTES", block, "bytes", "unit of an aligned copy", "hardware"),
        Decision("FRACTAL", 16, "rows", "a fractal of 16-bit elements is 16 x 16", "hardware"),
        Decision("FLOATS_PER_BLOCK", block // FLOAT_BYTES, "floats", "32 bytes", "hardware"),
        Decision("ELEMENTS_PER_BLOCK", block // ELEMENT_BYTES, "elements", "32 bytes", "hardware"),
        Decision("FLOATS_PER_REPEAT", repeat // FLOAT_BYTES, "floats", "256 bytes, what one vector repeat handles", "hardware"),
        Decision("BLOCKS_PER_REPEAT", repeat // block, "blocks", "256 bytes / 32 bytes", "hardware"),
        Decision("SMALL_MMAD_FRACTALS", arch.limits["small_mmad_fractals"].value, "fractals",
                 "products of fewer fractals need a barrier before the next one adds to them", "hardware"),
        Decision("HEAD_DIM", int(variant.values["head_dim"]), "elements", "head dim of query, key and value", "shape"),
    ]


def _tiles(variant: Variant, arch: ArchSpec) -> list[Decision]:
    """Rows, keys and chunks of one step."""
    decode = variant.values["phase"] == "decode"
    lanes = arch.limits["repeat_bytes"].value // FLOAT_BYTES
    max_group = 64
    rows = max_group if decode else lanes * SIDES
    kv_tile = 1024 if decode else 512
    return [
        Decision("PART_ROWS", lanes, "rows",
                 "rows of one vector core: their statistics fill exactly one repeat of floats", "tile"),
        Decision("MAX_ROWS", rows, "rows",
                 "rows of a block: one position of the largest group of heads" if decode else
                 "rows of a block: PART_ROWS for each of the two vector cores", "tile"),
        Decision("KV_TILE", kv_tile, "keys",
                 "keys of a step: few rows, so long tiles keep the turns of the pipeline few" if decode else
                 "keys of a step: long enough that four products of 128 hide a turn of the pipeline", "tile"),
        Decision("CHUNK", 128, "keys", "keys of one product: 128 x 128 elements fill half of L0A and of L0B", "tile"),
    ]


def _cube_buffers(values: dict[str, int]) -> list[Buffer]:
    rows, dim, chunk = values["MAX_ROWS"], values["HEAD_DIM"], values["CHUNK"]
    query, probs, keys = rows * dim * ELEMENT_BYTES, rows * chunk * ELEMENT_BYTES, chunk * dim * ELEMENT_BYTES
    l0 = chunk * chunk * ELEMENT_BYTES
    return [
        Buffer("queryL1", "l1", "A1", 2 * query, 2, "query tile; the next row block loads while this one is in use"),
        Buffer("keyL1", "l1", "B1", 2 * keys, 2, "one chunk of keys; the next loads during the product"),
        Buffer("valueL1", "l1", "B1", 2 * keys, 2, "one chunk of values; the next loads during the product"),
        Buffer("probsL1", "l1", "A1", 2 * probs, 2, "probabilities of one chunk; the next load during the product"),
        Buffer("leftL0", "l0a", "A2", 2 * l0, 2, "left matrix of a product; the next loads during the product"),
        Buffer("rightL0", "l0b", "B2", 2 * l0, 2, "right matrix of a product; the next loads during the product"),
        Buffer("accL0", "l0c", "CO1", 2 * chunk * chunk * FLOAT_BYTES, 2, "sums; one is copied out while the other fills"),
    ]


def _vector_buffers(variant: Variant, values: dict[str, int], slice_rows: int, max_cores: int) -> list[Buffer]:
    decode = variant.values["phase"] == "decode"
    part, dim, tile, block = values["PART_ROWS"], values["HEAD_DIM"], values["KV_TILE"], values["BLOCK_BYTES"]
    update_rows = part // SIDES if decode else part
    slice_elements = slice_rows * tile
    column = part * FLOAT_BYTES
    buffers = [
        Buffer("scoresBuf", "ub", "VECIN", 2 * slice_elements * FLOAT_BYTES, 2,
               "a slice of scores; the next loads while this one is in use"),
        Buffer("probsBuf", "ub", "VECOUT", 2 * slice_elements * ELEMENT_BYTES, 2,
               "its probabilities; the last slice's are still being stored"),
        Buffer("contextBuf", "ub", "VECIN", update_rows * dim * FLOAT_BYTES, 1, "context of one step"),
        Buffer("outputBuf", "ub", "VECCALC", update_rows * dim * FLOAT_BYTES, 1, "running output of the row block"),
        Buffer("resultBuf", "ub", "VECOUT", part * dim * ELEMENT_BYTES, 1, "finished rows in the element type"),
        Buffer("foldBuf", "ub", "VECCALC", slice_rows * values["FLOATS_PER_REPEAT"] * FLOAT_BYTES, 1,
               "row maxima, folded to one repeat a row"),
        Buffer("broadcastBuf", "ub", "VECCALC", part * block, 1, "one value a row, spread over a block"),
        Buffer("lseBlocksBuf", "ub", "VECOUT", part * block, 1, "log-sum-exp, spread so that every row can be copied alone"),
        Buffer("rowBuf", "ub", "VECCALC", column, 1, "one value a row"),
        Buffer("lseBuf", "ub", "VECCALC", column, 1, "log-sum-exp of the rows"),
        Buffer("maxBuf", "ub", "VECCALC", 2 * column, 2, "running row maxima of the two row blocks in flight"),
        Buffer("sumBuf", "ub", "VECCALC", 2 * column, 2, "running row sums of the two row blocks in flight"),
        Buffer("rescaleBuf", "ub", "VECCALC", 2 * column, 2, "exp(old - new maximum) of the two steps in flight"),
        Buffer("rowBitsBuf", "ub", "VECCALC", block, 1, "one bit a row: it saw a key"),
    ]
    if variant.values["mask"] != "none":
        positions = 1 if decode else slice_rows
        buffers += [
            Buffer("maskBuf", "ub", "VECIN", positions * tile, 1, "mask bytes of a slice, one row a position"),
            Buffer("maskWideBuf", "ub", "VECCALC", positions * tile * 2, 1, "the same as float16, which can be compared"),
            Buffer("maskBitsBuf", "ub", "VECCALC", positions * tile // 8, 1, "the same as one bit a score"),
        ]
    if decode:
        buffers.append(Buffer("weightsBuf", "ub", "VECCALC", max_cores * values["FLOATS_PER_REPEAT"] * FLOAT_BYTES, 1,
                              "log-sum-exp, then weight, of every part of a cut row"))
    return buffers


def _check_fit(variant: Variant, buffers: list[Buffer], room: dict[str, int]) -> list[Diagnostic]:
    findings = []
    for memory, limit in room.items():
        inside = [b for b in buffers if b.memory == memory]
        used = sum(b.num_bytes for b in inside)
        if used > limit:
            listed = ", ".join(f"{b.name} {b.num_bytes}" for b in inside)
            findings.append(Diagnostic(
                "plan.buffers_do_not_fit", "error", f"{variant.name}: {used} bytes of {memory} ({listed})",
                f"at most {limit} bytes", f"The {memory} memory of {variant.arch} holds no more.",
                "Choose a smaller head dim, or smaller tiles in the plan.", "specs/hardware"))
    return findings


def _room(arch: ArchSpec) -> dict[str, int]:
    """Bytes a kernel may use of every on-chip memory."""
    room = {name: memory.bytes - memory.reserved_bytes for name, memory in arch.memories.items()}
    room["ub"] = arch.memories["ub"].bytes - max(
        arch.memories["ub"].reserved_bytes, arch.limits["select_reserved_ub"].value)
    return {name: room[name] for name in ("ub", "l1", "l0a", "l0b", "l0c")}


def _flags(decode: bool, masked: bool) -> list[Flag]:
    """Event ids: one kind of event has eight of them, and the pipe object keeps M_MTE1 0 to 2 for itself."""
    flags = [
        Flag("QUERY_EVENT", "Cube", "MTE1_MTE2", 0, 2, True, "slots of the query tile"),
        Flag("KEY_EVENT", "Cube", "MTE1_MTE2", 2, 2, True, "slots of the key chunk"),
        Flag("VALUE_EVENT", "Cube", "MTE1_MTE2", 4, 2, True, "slots of the value and probability chunks, loaded together"),
        Flag("L0_EVENT", "Cube", "M_MTE1", 3, 2, True, "slots of L0A and L0B; the pipe object uses 0 to 2 of this event"),
        Flag("L0_READY_EVENT", "Cube", "MTE1_M", 0, 2, False, "slots of L0A and L0B, filled"),
        Flag("ACC_EVENT", "Cube", "FIX_M", 0, 2, True, "slots of L0C"),
        Flag("SCORES_EVENT", "Vector", "V_MTE2", 0, 2, True, "slots of the score slice"),
        Flag("CONTEXT_EVENT", "Vector", "V_MTE2", 2, 1, True, "context of a step"),
        Flag("PROBS_EVENT", "Vector", "MTE3_V", 0, 2, True, "slots of the probability slice"),
        Flag("OUT_EVENT", "Vector", "MTE3_V", 2, 1, True, "finished rows and their log-sum-exp"),
    ]
    if masked:
        flags.append(Flag("MASK_EVENT", "Vector", "V_MTE2", 3, 1, True, "mask bytes"))
    if decode:
        flags.append(Flag("PART_EVENT", "Vector", "MTE3_V", 3, 1, True, "running output, while a part of a row is stored"))
    return flags


def _workspace(values: dict[str, int]) -> list[Decision]:
    """The share of one cube core in global memory: two slots of everything that crosses between cube and vector."""
    tile = values["MAX_ROWS"] * values["KV_TILE"]
    scores = 2 * tile * FLOAT_BYTES
    probs = 2 * tile * ELEMENT_BYTES
    context = 2 * values["MAX_ROWS"] * values["HEAD_DIM"] * FLOAT_BYTES
    return [
        Decision("SCORES_OFFSET", 0, "bytes", "two tiles of fp32 scores", "workspace"),
        Decision("PROBS_OFFSET", scores, "bytes", "two tiles of probabilities", "workspace"),
        Decision("CONTEXT_OFFSET", scores + probs, "bytes", "two tiles of fp32 context", "workspace"),
        Decision("CORE_WORKSPACE_BYTES", align_up(scores + probs + context, 512), "bytes",
                 "the share of one core, whole 512-byte lines", "workspace"),
    ]


def _signals() -> list[Decision]:
    return [
        Decision("BLOCK_SYNC", 2, "mode", "cube core and both vector cores of a block", "signal"),
        Decision("SCORES_READY", 0, "flag", "cube to vector: scores of a step are in the workspace", "signal"),
        Decision("PROBS_READY", 1, "flag", "vector to cube: probabilities of a step are in the workspace", "signal"),
        Decision("CONTEXT_READY", 2, "flag", "cube to vector: context of a step is in the workspace", "signal"),
    ]


def plan_kernel(variant: Variant, arch: ArchSpec, max_cores: int, tiling_key: int) -> KernelPlan:
    """Decide everything about `variant`.

    Raises DiagnosticError (`plan.buffers_do_not_fit`) when the buffers exceed the memories of the architecture.
    """
    decode, masked = variant.values["phase"] == "decode", variant.values["mask"] != "none"
    decisions = _geometry(variant, arch) + _tiles(variant, arch)
    values = {d.name: int(d.value) for d in decisions}
    room = _room(arch)
    cube = _cube_buffers(values)
    # As many rows to a slice as fit, in whole blocks of statistics; a slice never exceeds 64 rows.
    candidates = range(values["PART_ROWS"], 0, -values["FLOATS_PER_BLOCK"])
    slice_rows = next(
        (rows for rows in candidates
         if sum(b.num_bytes for b in _vector_buffers(variant, values, rows, max_cores)) <= room["ub"]),
        values["FLOATS_PER_BLOCK"])
    vector = _vector_buffers(variant, values, slice_rows, max_cores)
    findings = _check_fit(variant, cube + vector, room)
    if findings:
        raise DiagnosticError(findings)
    decisions.append(Decision("SLICE_ROWS", slice_rows, "rows",
                              "rows of a slice in the unified buffer: the largest multiple of 8 whose buffers fit", "tile",
                              ("room of the unified buffer", "KV_TILE")))
    decisions += _workspace(values) + _signals()
    if masked and not decode:
        decisions.append(Decision("KV_ALIGN", 128, "keys", "where a window begins is rounded down to this, so that "
                                  "neighbouring blocks load the same chunks", "mask"))
    if masked:
        decisions.append(Decision("MASK_BITS_PITCH", values["KV_TILE"] // 8, "bytes", "one bit a key of a tile", "mask"))
    if variant.values["mask"] in ("causal", "band"):
        decisions.append(Decision("TRIANGLE_PITCH", 2048, "elements", "the compressed mask is 2048 x 2048", "mask"))
    if decode:
        decisions += [
            Decision("PARTS_PER_CORE", 2, "parts", "a core's first and last row may be cut, none between", "combine"),
            Decision("COMBINE_ROWS", values["FLOATS_PER_BLOCK"], "rows",
                     "heads a vector core combines at a time: their weights fill one repeat", "combine"),
        ]
    return KernelPlan(variant, tuple(decisions), tuple(cube + vector), tuple(_flags(decode, masked)), tiling_key)
