"""The chip a kernel runs on, as the simulator's C interface wants it.

In: a flat dict, or a hardware object of `specs/hardware`. Out: ChipConfig and its C struct. Must never hold a number of
a chip.

Flat names are those of the fields of ChipConfig. From a hardware object come `.chip` (core counts, clock, L2, HBM), the
sizes of `.memory_bytes(...)`, the rates of `.rate(...)` and the limits of `.arch.limits`; see `from_hardware`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from fiagen.diagnostics import fail
from fiagen.sim.abi import FiagenSimChip

_MEMORIES = ("ub", "l1", "l0a", "l0b", "l0c", "bt", "fb")
_FRACTAL_MACS = 16 * 16 * 16  # multiply-adds of one 16-bit fractal product
_F32_FRACTAL_MACS = 16 * 16 * 8
_SHARED = ("fixpipe_to_ub", "ub_to_l1", "l1_to_ub", "vector_dual_issue")  # only where AIC and AIV share memories
_SAME_NAME = (  # rates that are cycles, nanoseconds or elements in both places
    "mte1_issue", "mte2_hit", "mte2_miss", "mte3_issue", "vector_issue", "vector_latency", "vector_max", "vector_sum",
    "cube_issue", "cube_latency", "scalar_gm", "flag", "cross_flag", "sync_all",
)  # fmt: skip
_LAUNCH = ("launch_vector", "launch_vector_block", "launch_cube", "launch_cube_block", "launch_mix")


@dataclass(frozen=True)
class ChipConfig:
    """Sizes, counts and rates of one chip: bytes, cycles, nanoseconds, bytes or elements per cycle, as the names say.

    Per core, but for `hbm_bytes`, `l2_bytes_per_cycle` (reads) and `l2_write_bytes_per_cycle`, which all cores share.
    """

    ub_bytes: int
    l1_bytes: int
    l0a_bytes: int
    l0b_bytes: int
    l0c_bytes: int
    bt_bytes: int
    fb_bytes: int
    l2_bytes: int
    npu_arch: int
    aic_count: int
    aiv_count: int
    queue_depth: int
    gm_line_bytes: int
    gm_sector_bytes: int
    ub_bank_groups: int
    ub_bank_bytes: int
    clock_mhz: float
    hbm_bytes: float
    l2_bytes_per_cycle: float
    l2_write_bytes_per_cycle: float
    hbm_to_l1_bytes: float
    hbm_to_ub_bytes: float
    l2_to_l1_bytes: float
    l2_to_ub_bytes: float
    ub_to_gm_bytes: float
    l0c_to_gm_bytes: float
    l1_to_l0a_bytes: float
    l1_to_l0b_bytes: float
    l1_to_bt_bytes: float
    fixpipe_elements: float
    l0c_to_ub_bytes: float
    ub_to_l1_bytes: float
    l1_to_ub_bytes: float
    hbm_latency_cycles: float
    l2_latency_cycles: float
    gm_write_latency_cycles: float
    mte1_issue_cycles: float
    mte1_latency_cycles: float
    mte1_3d_latency_cycles: float
    mte2_hit_cycles: float
    mte2_miss_cycles: float
    mte3_issue_cycles: float
    fix_issue_cycles: float
    vector_issue_cycles: float
    vector_latency_cycles: float
    vector_repeat_cycles: float
    vector_exp_elements: float
    vector_div_elements: float
    vector_max_cycles: float
    vector_sum_cycles: float
    vector_dual_issue: float
    cube_issue_cycles: float
    cube_latency_cycles: float
    cube_fractal_cycles: float
    cube_f32_fractal_cycles: float
    scalar_issue_cycles: float
    scalar_gm_cycles: float
    flag_cycles: float
    cross_flag_cycles: float
    sync_all_cycles: float
    launch_vector_ns: float
    launch_vector_block_ns: float
    launch_cube_ns: float
    launch_cube_block_ns: float
    launch_mix_ns: float

    @classmethod
    def from_dict(cls, values: Mapping[str, float]) -> ChipConfig:
        """A chip from flat names. Raises DiagnosticError `sim.bad_chip` for a missing or an unknown name."""
        names = {field.name for field in fields(cls)}
        missing, unknown = sorted(names - values.keys()), sorted(values.keys() - names)
        if missing or unknown:
            raise fail(
                "sim.bad_chip",
                given=f"missing: {', '.join(missing) or 'nothing'}; unknown: {', '.join(unknown) or 'nothing'}",
                allowed="exactly the names of ChipConfig",
                why="The simulator takes every size and rate from its caller.",
                fix="Give the missing names and drop the unknown ones.",
                source="fiagen/sim/chip.py",
            )
        return cls(**values)  # type: ignore[arg-type]

    @classmethod
    def from_hardware(cls, hardware: Any) -> ChipConfig:
        """A chip from a `fiagen.model.hardware.HardwareSpec`. Raises KeyError when a rate or limit is missing."""
        rate, chip = hardware.rate, hardware.chip

        def limit(name: str) -> int:
            return int(hardware.arch.limits[name].value)

        def memory(name: str) -> int:
            # On c220 the toolkit's own bytes at the end are for the kernel's author to leave alone.
            reserved = hardware.arch.memories[name].reserved_bytes
            return int(hardware.memory_bytes(name) - (reserved if hardware.arch.npu_arch == 3510 else 0))

        shared = {name: rate(name) if name in hardware.arch.rates else 0 for name in _SHARED}
        hbm_bytes_per_second = chip.hbm_gb_per_s.value * 1e9 * rate("hbm_efficiency") / 100
        return cls(
            **{f"{name}_bytes": memory(name) for name in _MEMORIES},
            **{f"{name}_cycles": rate(name) for name in _SAME_NAME},
            **{f"{name}_ns": rate(name) for name in _LAUNCH},
            l2_bytes=chip.l2_bytes,
            npu_arch=hardware.arch.npu_arch,
            aic_count=chip.aic,
            aiv_count=chip.aiv,
            queue_depth=limit("queue_depth"),
            gm_line_bytes=limit("gm_line"),
            gm_sector_bytes=limit("gm_sector"),
            ub_bank_groups=limit("ub_bank_groups"),
            ub_bank_bytes=hardware.memory_bytes("ub") // limit("ub_banks"),
            clock_mhz=chip.clock_mhz,
            hbm_bytes=hbm_bytes_per_second / (chip.clock_mhz * 1e6),
            l2_bytes_per_cycle=rate("l2_read") * chip.aic,
            l2_write_bytes_per_cycle=rate("l2_write") * chip.aic,
            hbm_to_l1_bytes=rate("hbm_to_l1"),
            hbm_to_ub_bytes=rate("hbm_to_ub"),
            l2_to_l1_bytes=rate("l2_read"),
            l2_to_ub_bytes=rate("l2_to_ub"),
            ub_to_gm_bytes=rate("ub_to_gm"),
            l0c_to_gm_bytes=rate("l2_write"),
            l1_to_l0a_bytes=rate("l1_to_l0a"),
            l1_to_l0b_bytes=rate("l1_to_l0b"),
            l1_to_bt_bytes=rate("l1_to_bt"),
            fixpipe_elements=rate("fixpipe_elements"),
            l0c_to_ub_bytes=shared["fixpipe_to_ub"],
            ub_to_l1_bytes=shared["ub_to_l1"],
            l1_to_ub_bytes=shared["l1_to_ub"],
            hbm_latency_cycles=rate("hbm_latency"),
            l2_latency_cycles=rate("gm_latency"),
            gm_write_latency_cycles=rate("gm_write_latency"),
            mte1_latency_cycles=rate("l1_to_l0_startup"),
            mte1_3d_latency_cycles=rate("l1_to_l0_3d_startup"),
            fix_issue_cycles=rate("fixpipe_startup"),
            vector_repeat_cycles=limit("repeat_bytes") / rate("vector_simple"),
            vector_exp_elements=rate("vector_exp"),
            vector_div_elements=rate("vector_div"),
            vector_dual_issue=shared["vector_dual_issue"] / 100,
            cube_fractal_cycles=_FRACTAL_MACS / rate("cube_mac_b16"),
            cube_f32_fractal_cycles=_F32_FRACTAL_MACS / rate("cube_mac_b32"),
            scalar_issue_cycles=rate("scalar_op"),
        )

    def c_struct(self) -> FiagenSimChip:
        """The C struct a launch takes."""
        return FiagenSimChip(**asdict(self))
