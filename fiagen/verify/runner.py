"""Judges calls and variants: runs them, asks the oracle, compares.

In: calls, or variants with a number of cases and a seed. Out: one frozen result each. Must never pass a call that was not
compared, nor let one call's failure stop the others.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from fiagen.acl.session import RunResult
from fiagen.check import check_call, output_specs
from fiagen.check.choice import choose_variant
from fiagen.diagnostics import Diagnostic, DiagnosticError
from fiagen.load.catalogue import load_catalogue
from fiagen.load.variants import load_variants
from fiagen.model.call import Call
from fiagen.oracle import run_oracle
from fiagen.sim.launch import POLICIES
from fiagen.verify.cases import generate_case
from fiagen.verify.compare import Comparison, compare
from fiagen.verify.engine import UNSUPPORTED, kernel_library, run_call
from fiagen.verify.inputs import materialise

Status = Literal["pass", "fail", "reject", "unsupported"]
SHOWN_FAILURES = 5


@dataclass(frozen=True)
class CallResult:
    """The outcome of one call; `why` is text for a person, `outputs` what the kernel gave."""

    id: str
    variant: str
    status: Status
    why: str = ""
    comparison: Comparison | None = None
    violations: tuple[Diagnostic, ...] = ()
    faults: tuple[dict[str, Any], ...] = ()
    cycles: float = 0.0
    microseconds: float = 0.0
    outputs: Mapping[str, np.ndarray] = field(default_factory=dict)

    def without_outputs(self) -> CallResult:
        """The same without the arrays."""
        return replace(self, outputs={})

    def json(self) -> dict[str, Any]:
        """The fields of the contract."""
        judged = self.comparison
        found: dict[str, Any] = {
            "id": self.id, "variant": self.variant, "status": self.status,
            "max_abs_err": judged.max_abs_err if judged else None, "max_rel_err": judged.max_rel_err if judged else None,
            "mismatch_ratio": judged.mismatch_ratio if judged else None, "cycles": self.cycles,
            "microseconds": self.microseconds, "faults": list(self.faults),
        }
        if self.why:
            found["why"] = self.why
        if self.violations:
            found["violations"] = [d.json() for d in self.violations]
        return found


@dataclass(frozen=True)
class VariantResult:
    """All cases of one variant. `output_sha256` covers every byte of every output, so two runs can be compared."""

    variant: str
    cases: int
    passed: int
    failed: int
    faults: int
    max_abs_err: float
    max_rel_err: float
    seconds: float
    output_sha256: str
    failures: tuple[str, ...] = ()

    def json(self) -> dict[str, Any]:
        return {**vars(self), "failures": list(self.failures)}


def _faults(result: RunResult, variant: str) -> tuple[dict[str, Any], ...]:
    if result.report is None:
        return ()
    return tuple(
        {"id": f.id, "core": f.core, "pipe": f.pipe, "instruction": f.instruction, "file": f"{variant}.cpp",
         "line": f.line, "message": f.message} for f in result.report.faults)


def _tolerances(call: Call) -> dict[str, Any]:
    operator = load_catalogue().operators[call.op]
    specs = output_specs(call, operator)
    return {name: operator.spec.tolerances[spec.dtype] for name, spec in specs.items()}


def judge_call(call: Call, given: Mapping[str, np.ndarray] | None = None, *, seed: int = 0, policy: str = "late",
               checked: bool = False) -> CallResult:
    """Check, run and compare one call. `given` replaces tensors; `checked` skips the rules when they were asked before."""
    if not checked:
        verdict = check_call(call, load_catalogue(), opinions=False)
        if not verdict.accepted:
            rules = ", ".join(d.rule for d in verdict.violations)
            return CallResult(call.id, "", "reject", f"refused by {rules}", violations=verdict.violations)
    variant, missing = choose_variant(call)
    if missing:
        return CallResult(call.id, "", "unsupported", f"no generated kernel serves {missing}")
    values = materialise(call, given)
    result = run_call(call, values, seed=seed, policy=policy)
    variant = result.kernel or variant
    faults = _faults(result, variant)
    cycles = result.report.cycles if result.report else 0.0
    microseconds = result.report.microseconds if result.report else 0.0
    if result.status:
        status: Status = "unsupported" if UNSUPPORTED in result.message else "fail"
        return CallResult(call.id, variant, status, result.message.strip(), faults=faults, cycles=cycles,
                          microseconds=microseconds)
    comparison = compare(result.outputs, run_oracle(call.op, **values), _tolerances(call))
    why = "" if comparison.status == "pass" else comparison.worst
    return CallResult(call.id, variant, comparison.status, why, comparison, faults=faults, cycles=cycles,
                      microseconds=microseconds, outputs=result.outputs)


def verify_variant(name: str, cases: int, seed: int) -> VariantResult:
    """Run `cases` seeded calls of a variant under the three schedules in turn."""
    start = time.perf_counter()
    variant = load_variants()[name][1]
    kernel_library(name)
    digest = hashlib.sha256()
    failures: list[str] = []
    passed = faults = 0
    worst_abs = worst_rel = 0.0
    for index in range(cases):
        call = generate_case(variant, seed, index)
        try:
            result = judge_call(call, seed=seed + index, policy=POLICIES[index % len(POLICIES)])
        except DiagnosticError as error:
            failures.append(f"{call.id}: {error}")
            continue
        for key in sorted(result.outputs):
            digest.update(key.encode() + result.outputs[key].tobytes())
        faults += len(result.faults)
        if result.comparison:
            worst_abs = max(worst_abs, result.comparison.max_abs_err)
            worst_rel = max(worst_rel, result.comparison.max_rel_err)
        if result.status == "pass" and result.variant in (name, ""):
            passed += 1
        else:
            wrong = f"ran {result.variant}" if result.status == "pass" else f"{result.status}: {result.why}"
            failures.append(f"{call.id}: {wrong}")
    return VariantResult(name, cases, passed, len(failures), faults, worst_abs, worst_rel,
                         round(time.perf_counter() - start, 3), digest.hexdigest(), tuple(failures[:SHOWN_FAILURES]))
