"""The twins of 3510: its own, and which of those of c220 do not mean the same there.

In: the markers in tests/sim/kernels/arch3510_twins*.h. Out: TWINS_3510, NOT_ON_3510. Must never list a twin twice.
"""

from __future__ import annotations

from functools import lru_cache

from twin_table import (
    ALIGN,
    CORES,
    CUBE_LIMITS,
    KERNELS,
    LIMIT,
    MARKER,
    NOBODY,
    OVERLAP,
    RACE,
    VECTOR,
    Twin,
    _numbered,
)  # fmt: skip

SCHEDULES_3510 = [("late", 0), ("early", 0), *(("random", seed) for seed in range(1, 7))]
VF, SHARE = 10, 11
BAR = "sim.missing_mem_bar"
TWINS_3510: list[Twin] = [
    *_numbered(VF, [
        (BAR, "blame store_load", "other store_load"),
        (BAR, "blame store_loop", "other store_loop"),
        (BAR, "blame store_store", "other store_store"),
        (BAR, "blame load_store", "other load_store"),
        (BAR, "blame wrong_bar", "other wrong_bar"),
        (BAR, "blame in_place", "other in_place"),
        ("sim.register_outside_vf", "blame outside_vf"),
        ("sim.not_in_vf", "blame barrier_in_vf"),
        ("sim.not_in_vf", "blame nested_vf"),
        ("sim.mask_not_set", "blame mask_not_set"),
        ("sim.ub_out_of_bounds", "blame load_address"),
        ("sim.ub_out_of_bounds", "blame store_address"),
        (ALIGN, "blame load_address"),
        (ALIGN, "blame store_address"),
        (ALIGN, "blame e2b"),
        ("sim.unalign_not_prepared", "blame not_prepared"),
        ("sim.unalign_not_prepared", "blame jumped"),
        ("sim.unalign_not_stored", "blame jumped_store", "other not_stored"),
        ("sim.unalign_not_stored", "blame last_store"),
        (LIMIT, "blame not_stored"),
        (RACE, "blame copy_load", "other around_in"),
        (RACE, "blame around_out", "blame copy_store"),
        (RACE, "blame copy_store", "other around_out"),
        (RACE, "blame no_barrier", "other no_barrier"),
        (NOBODY, "blame nobody"),
        (NOBODY, "blame nobody"),
        (OVERLAP, "blame same_result"),
        ("sim.tensor_freed", "blame copy_load"),
        ("sim.mutex_locked_twice", "blame mutex_twice", "blame mutex_id"),
        ("sim.mutex_not_locked", "blame mutex_not_locked"),
        ("sim.mutex_not_locked", "blame mutex_wrong_pipe", "blame mutex_id"),
        ("sim.mutex_left_locked", "blame mutex_left"),
        (RACE, "blame mutex_order", "other mutex_order"),
        (LIMIT, "blame mutex_id"),
        ("sim.mutex_ids_exhausted", "blame mutex_ids"),
        ("sim.mutex_not_taken", "blame mutex_not_taken"),
    ]),
    *_numbered(SHARE, [
        (CORES, "blame from_cube", "other to_ub", (), True),
        (CORES, "blame from_cube", "other to_ub", (), True),
        (CORES, "blame again_to_ub", "other from_cube", (), True),
        ("sim.deadlock", "blame second_id", "", ("blame never_set",)),
        ("sim.cross_flag_left_set", "blame left_mode4"),
        ("sim.cross_flag_overflow", "blame overflow_mode4"),
        (LIMIT, "blame flag_id"),
        ("sim.deadlock", "blame second_id", "", ("blame never_set",)),
        ("sim.deadlock", "blame from_above"),
        ("sim.ub_out_of_bounds", "blame to_ub"),
        (CORES, "blame two_pipes", "other to_ub", (), True),
        (CORES, "blame from_vector", "other to_l1", (), True),
        (CORES, "blame again_to_l1", "other from_vector", (), True),
        ("sim.l1_out_of_bounds", "blame to_l1"),
        (CORES, "blame from_vector", "other to_l1", (), True),
        (CORES, "blame l1_to_ub", "other l1_to_ub", (), True),
        ("sim.wrong_memory", "blame l1_to_ub_on_aiv"),
        (NOBODY, "blame nobody_in_l0c"),
        (LIMIT, "blame fix_form"),
        (LIMIT, "blame fix_form"),
        (LIMIT, "blame fix_form"),
        ("sim.wrong_memory", "blame not_to_ub"),
        (ALIGN, "blame fix_form"),
        (LIMIT, "blame fix_form"),
        (LIMIT, "blame column_stride"),
        (LIMIT, "blame fix_form"),
        (LIMIT, "blame fix_form"),
        ("sim.wrong_memory", "blame l1_to_gm"),
        ("sim.load_repeat_not_set", "blame load_image"),
        (LIMIT, "blame load_image"),
        (LIMIT, "blame odd_square"),
        ("sim.l0a_out_of_bounds", "blame l0a_past"),
        (LIMIT, "blame load_step"),
        (LIMIT, "blame fix_form"),
        ("sim.wrong_memory", "blame aic_vector"),
    ]),
]  # fmt: skip

# Group and number of c220's twins whose fault is none on 3510, or which stand on a number of c220.
NO_BARRIER = "vector calls follow each other without a barrier"
NOT_ON_3510: dict[tuple[int, int], str] = {
    (VECTOR, 5): NO_BARRIER,
    (VECTOR, 6): NO_BARRIER,
    (VECTOR, 7): NO_BARRIER,
    (VECTOR, 19): "the end of c220's UB is inside the one of 3510",
    (VECTOR, 23): "what is too much for c220's UB fits",
    (VECTOR, 36): "Select keeps nothing of UB, and the end of UB is elsewhere",
    (VECTOR, 43): "an AIV may name L1: it copies to it",
    (CUBE_LIMITS, 12): "its parameters of Fixpipe say something else here",
    (CUBE_LIMITS, 14): "its parameters of Fixpipe say something else here",
    (CUBE_LIMITS, 16): "L0A holds its fractals in another order",
}


@lru_cache(maxsize=1)
def markers_3510() -> dict[str, int]:
    """Line by marker, as twin_table.markers."""
    found: dict[str, int] = {}
    for path in sorted(KERNELS.glob("arch3510_twins*.h")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for kind, name in MARKER.findall(line.partition("//")[2]):
                assert f"{kind} {name}" not in found, f"{kind} {name} is marked twice"
                found[f"{kind} {name}"] = number
    return found
