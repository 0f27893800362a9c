"""The Python face: `fiagen.run` and `fiagen.oracle` with NumPy arrays under the documented names.

In: an operator, a product, arguments. Out: outputs by name. Must never change an argument.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fiagen.check import check_call
from fiagen.check.api import make_call
from fiagen.check.choice import choose_variant
from fiagen.diagnostics import DiagnosticError, fail
from fiagen.load.catalogue import load_catalogue
from fiagen.oracle import run_oracle
from fiagen.verify.engine import run_call


def oracle(op: str, **args: Any) -> dict[str, np.ndarray]:
    """The true outputs of `op` in float64: `attention_out`, `softmax_lse` (shape (0,) when it is not asked for).

    `args` are NumPy arrays (with ml_dtypes types), lists and scalars under the documented names. Raises DiagnosticError for
    an unknown operator or argument. Source: the semantics in the operator's spec.
    """
    return {name: value for name, value in run_oracle(op, **args).items() if "__" not in name}


def run(op: str, product: str, *, edition: str = "seed", authority: str = "document", seed: int = 0, policy: str = "late",
        **args: Any) -> dict[str, np.ndarray]:
    """The outputs of `op` on `product` (`a2`, `a3:9391`, ...) from the generated C entry points on the CPU simulator.

    `args` are NumPy arrays (with ml_dtypes types), lists and scalars under the documented names; `policy` and `seed` choose
    the schedule. Raises DiagnosticError with the broken rules when the call is illegal, `fiagen.unsupported` when no kernel
    serves it, `sim.faulted` when the kernel faults.
    """
    call = make_call(op, product, args, edition=edition, authority=authority)
    verdict = check_call(call, load_catalogue(), opinions=False)
    if not verdict.accepted:
        raise DiagnosticError(verdict.violations)
    _, missing = choose_variant(call)
    if missing:
        raise fail("fiagen.unsupported", given=missing, allowed="what `fiagen list variants` shows",
                   why="The call is legal, but no kernel of this build serves it.",
                   fix="Leave the feature out, or add a variant.")
    values = {name: value for name, value in args.items() if value is not None}
    result = run_call(call, values, seed=seed, policy=policy)
    if result.status:
        raise fail("sim.faulted", given=result.message.strip(), allowed="a run without faults", why="This is our bug.",
                   fix="Please report it with this call.")
    return result.outputs
