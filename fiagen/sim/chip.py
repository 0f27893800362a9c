"""The chip a kernel runs on, as the simulator's C interface wants it.

In: a flat dict, or a hardware object of `specs/hardware`. Out: ChipConfig and its C struct. Must never hold a number of
a chip.

Flat names are those of the fields of ChipConfig.

Read from a hardware object: `.chip.aic .aiv .clock_mhz`, `.memory_bytes(ub l1 l0a l0b l0c bt fb)`, `.rate(...)` of
l2_read ub_to_gm l1_to_l0a l1_to_l0b l1_to_bt fixpipe_to_gm fixpipe_elements l1_to_l0_startup fixpipe_startup gm_latency
gm_write_latency vector_simple vector_transcendental vector_reduce vector_startup cube_startup cube_mac_b16 scalar_op,
and `.arch.limits["repeat_bytes"]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from fiagen.diagnostics import fail
from fiagen.sim.abi import FiagenSimChip

_MEMORIES = ("ub", "l1", "l0a", "l0b", "l0c", "bt", "fb")
_FRACTAL_MACS = 16 * 16 * 16  # multiply-adds of one 16-bit fractal product
_FIXPIPE_ELEMENT_BYTES = 2  # fixpipe rates are published for half results


@dataclass(frozen=True)
class ChipConfig:
    """Sizes, counts and rates of one chip; rates are per core: bytes per cycle, or cycles."""

    ub_bytes: int
    l1_bytes: int
    l0a_bytes: int
    l0b_bytes: int
    l0c_bytes: int
    bt_bytes: int
    fb_bytes: int
    aic_count: int
    aiv_count: int
    clock_mhz: float
    gm_to_l1_bytes: float
    gm_to_ub_bytes: float
    ub_to_gm_bytes: float
    l1_to_l0a_bytes: float
    l1_to_l0b_bytes: float
    l1_to_bt_bytes: float
    l0c_to_gm_bytes: float
    l0c_to_l1_bytes: float
    mte1_startup_cycles: float
    mte2_startup_cycles: float
    mte3_startup_cycles: float
    fix_startup_cycles: float
    vector_startup_cycles: float
    vector_repeat_cycles: float
    vector_slow_repeat_cycles: float
    vector_reduce_repeat_cycles: float
    cube_startup_cycles: float
    cube_fractal_cycles: float
    scalar_issue_cycles: float
    flag_cycles: float
    cross_flag_cycles: float
    sync_all_cycles: float

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
        """A chip from a `fiagen.model.hardware.HardwareSpec`. Raises KeyError when a rate is missing."""
        rate, repeat = hardware.rate, hardware.arch.limits["repeat_bytes"].value
        memories = {f"{name}_bytes": hardware.memory_bytes(name) for name in _MEMORIES}
        return cls(
            **memories,
            aic_count=hardware.chip.aic,
            aiv_count=hardware.chip.aiv,
            clock_mhz=hardware.chip.clock_mhz,
            gm_to_l1_bytes=rate("l2_read"),
            gm_to_ub_bytes=rate("l2_read"),
            ub_to_gm_bytes=rate("ub_to_gm"),
            l1_to_l0a_bytes=rate("l1_to_l0a"),
            l1_to_l0b_bytes=rate("l1_to_l0b"),
            l1_to_bt_bytes=rate("l1_to_bt"),
            l0c_to_gm_bytes=rate("fixpipe_to_gm") * _FIXPIPE_ELEMENT_BYTES,
            l0c_to_l1_bytes=rate("fixpipe_elements") * _FIXPIPE_ELEMENT_BYTES,
            mte1_startup_cycles=rate("l1_to_l0_startup"),
            mte2_startup_cycles=rate("gm_latency"),
            mte3_startup_cycles=rate("gm_write_latency"),
            fix_startup_cycles=rate("fixpipe_startup"),
            vector_startup_cycles=rate("vector_startup"),
            vector_repeat_cycles=repeat / rate("vector_simple"),
            vector_slow_repeat_cycles=repeat / rate("vector_transcendental"),
            vector_reduce_repeat_cycles=repeat / rate("vector_reduce"),
            cube_startup_cycles=rate("cube_startup"),
            cube_fractal_cycles=_FRACTAL_MACS / rate("cube_mac_b16"),
            scalar_issue_cycles=rate("scalar_op"),
            flag_cycles=rate("scalar_op"),
            cross_flag_cycles=rate("gm_latency"),
            sync_all_cycles=2 * rate("gm_latency"),
        )

    def c_struct(self) -> FiagenSimChip:
        """The C struct a launch takes."""
        return FiagenSimChip(**asdict(self))
