"""Runs seeded cases of one variant in the tree on PYTHONPATH and stops at the first that is reported.

In: a variant, how many cases, a seed. Out: a line when all is built, then one JSON object: how it was
reported, by which case, in which words. Must never import fiagen from another tree than the one that is judged.
"""

from __future__ import annotations

import json
import sys

from fiagen.diagnostics import DiagnosticError
from fiagen.load.variants import load_variants
from fiagen.sim.launch import POLICIES
from fiagen.verify.cases import generate_case
from fiagen.verify.engine import kernel_library, op_library
from fiagen.verify.runner import judge_call


def judge(name: str, cases: int, seed: int) -> dict[str, str | int]:
    """The cases of `fiagen verify`, in its order and under its schedules, up to the first that does not pass.

    `how` is one of: passed, mismatch, fault, wrong_kernel, refused; `case` counts from 0.
    """
    variant = load_variants()[name][1]
    for index in range(cases):
        call = generate_case(variant, seed, index)
        result = judge_call(call, seed=seed + index, policy=POLICIES[index % len(POLICIES)])
        if result.status == "pass" and result.variant in (name, ""):
            continue
        if result.status == "pass":
            return {"how": "wrong_kernel", "case": index, "words": result.variant, "text": ""}
        how = "fault" if result.faults else "mismatch" if result.comparison else "refused"
        words = str(result.faults[0]["id"]) if result.faults else result.why
        return {"how": how, "case": index, "words": words, "text": f"{result.status}: {result.why}"}
    return {"how": "passed", "case": cases, "words": "", "text": ""}


def build(name: str) -> dict[str, str | int] | None:
    """Everything the cases need, compiled; what was refused, if something was."""
    try:
        kernel_library(name)
        op_library(load_variants()[name][1].op)
    except DiagnosticError as error:
        return {"how": "not_built", "case": 0, "words": error.diagnostics[0].rule, "text": str(error)}
    return None


def main() -> None:
    name, cases, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    refused = build(name)
    print("built" if refused is None else "refused", flush=True)
    print(json.dumps(refused or judge(name, cases, seed)))


if __name__ == "__main__":
    main()
