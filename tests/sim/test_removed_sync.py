"""Takes every synchronisation call out of generated kernels, one at a time: each time the simulator has to object.

In: kernels as they are generated. Out: verdicts. Must never count a call as covered that no case reaches.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from fiagen.acl.session import RunResult, Session
from fiagen.check import output_specs
from fiagen.emit.kernels import emit_kernel
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_product, numpy_dtype
from fiagen.load.variants import load_variants
from fiagen.model.call import Call
from fiagen.sim.build import compile_kernel
from fiagen.sim.chip import ChipConfig
from fiagen.sim.schedules import schedules
from fiagen.verify.cases import generate_case
from fiagen.verify.engine import op_library
from fiagen.verify.inputs import materialise

KERNELS = {  # and the random cases that together reach every call
    "fia_v2_c220_f16_bsnd_causal_d64_prefill": range(8),
    "fia_v2_c220_bf16_bnsd_nomask_d128_decode": range(8),
    "fia_v2_c220_bf16_tnd_band_d128_prefill": (*range(8), 18),
}
NAMES = "SetFlag|WaitFlag|PipeBarrier|CrossCoreSetFlag|CrossCoreWaitFlag|SyncAll"
CALL = re.compile(rf"^(\s*)((?:{NAMES})\b[^;]*;)", re.MULTILINE)
INCLUDE = '#include "kernel_operator.h"\n'
SEED, SCHEDULES = 7, 3
BUDGET = 5_000_000
SWITCH = """extern "C" {
__attribute__((visibility("default"))) int32_t removed_call = -1;
__attribute__((visibility("default"))) uint8_t reached_calls[1024] = {};
}
static inline bool Present(int32_t call) { reached_calls[call] = 1; return removed_call != call; }
"""


@dataclass(frozen=True)
class Switched:
    """A kernel whose synchronisation calls can be taken out at run time, and cases that reach them."""

    calls: tuple[tuple[int, str], ...]  # line and text of each
    library: ctypes.CDLL
    session: Session
    cases: tuple[Call, ...]

    def remove(self, call: int) -> None:
        ctypes.c_int32.in_dll(self.library, "removed_call").value = call

    def reached(self, call: int) -> bool:
        return bool((ctypes.c_uint8 * 1024).in_dll(self.library, "reached_calls")[call])

    def run(self, case: Call, policy: str, seed: int) -> RunResult:
        specs = output_specs(case, load_catalogue().operators[case.op])
        outputs = {name: (spec.shape, numpy_dtype(spec.dtype)) for name, spec in specs.items()}
        formats = {name: case.tensor(name).format for name in case.args if case.tensor(name) is not None}
        return self.session.run(
            materialise(case), outputs, seed=seed, policy=policy, instruction_budget=BUDGET, formats=formats,
            edition=case.edition, authority=case.authority,
        )  # fmt: skip


@lru_cache(maxsize=4)
def switched(name: str, folder: Path) -> Switched:
    calls: list[tuple[int, str]] = []

    def guard(match: re.Match[str]) -> str:
        calls.append((text.count("\n", 0, match.start(2)) + 1, match[2]))
        return f"{match[1]}if (Present({len(calls) - 1})) {match[2]}"

    text = emit_kernel(name).text
    guarded = CALL.sub(guard, text).replace(INCLUDE, INCLUDE + SWITCH, 1)
    source = folder / f"{name}.cpp"
    source.write_text(guarded)
    library = compile_kernel(source, name)
    variant = load_variants()[name][1]
    cases = tuple(generate_case(variant, SEED, number) for number in KERNELS[name])
    chip = ChipConfig.from_hardware(load_product(cases[0].product))
    spec = load_catalogue().operators[variant.op].spec
    session = Session(op_library(variant.op), lambda _: library, chip.c_struct(), spec)
    return Switched(tuple(calls), ctypes.CDLL(str(library)), session, cases)


def survivors(kernel: Switched) -> list[str]:
    """The calls that no case misses under any schedule, and those that no case reaches."""
    left = []
    for number, (line, text) in enumerate(kernel.calls):
        kernel.remove(number)
        orders = [(case, schedule) for schedule in schedules(SCHEDULES) for case in kernel.cases]
        found = any(kernel.run(case, order.policy, order.seed).status != 0 for case, order in orders)
        if not found:
            left.append(f"line {line}: {text}" + ("" if kernel.reached(number) else " (not reached)"))
    kernel.remove(-1)
    return left


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("switched")


@pytest.mark.parametrize("name", KERNELS)
def test_every_removed_call_is_reported(folder: Path, name: str) -> None:
    kernel = switched(name, folder)
    assert len(kernel.calls) > 50
    for case in kernel.cases:
        assert kernel.run(case, "late", 0).status == 0
    assert survivors(kernel) == []
