"""NumPy float64 truth of every operator that has a formula here.

In: an operator name and its documented parameters. Out: its outputs. Must never import check, plan, view, sim or
verify.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fiagen.diagnostics import fail, suggestion
from fiagen.oracle.attention_v2 import npu_fused_infer_attention_score_v2
from fiagen.oracle.sparse_attention import npu_sparse_attn_sharedkv
from fiagen.oracle.sparse_metadata import npu_sparse_attn_sharedkv_metadata

ORACLES: dict[str, Callable[..., dict[str, np.ndarray]]] = {
    "npu_fused_infer_attention_score_v2": npu_fused_infer_attention_score_v2,
    "npu_sparse_attn_sharedkv": npu_sparse_attn_sharedkv,
    "npu_sparse_attn_sharedkv_metadata": npu_sparse_attn_sharedkv_metadata,
}


def parameter_names(op: str) -> tuple[str, ...]:
    """What the oracle of `op` takes: the documented parameters, and what the host fills in, such as core counts."""
    code = ORACLES[op].__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def run_oracle(op: str, /, **args: Any) -> dict[str, np.ndarray]:
    """Outputs of `op`, and a boolean `<output>__defined` for each; DiagnosticError when there is no oracle, or no such
    parameter, or a required one is missing."""
    if op not in ORACLES:
        raise fail(
            "oracle.unknown_operator",
            given=f"op = {op!r}",
            allowed="an operator with an oracle",
            why="The truth has to be written down before it can be compared with.",
            fix=suggestion(op, ORACLES),
        )
    given = {name: value for name, value in args.items() if value is not None}
    code, names = ORACLES[op].__code__, parameter_names(op)
    unknown = sorted(set(given) - set(names))
    missing = [name for name in names[: code.co_argcount] if name not in given]
    if unknown or missing:
        raise fail(
            "oracle.parameter",
            given="; ".join(
                part
                for part in (
                    f"unknown: {', '.join(unknown)}" if unknown else "",
                    f"missing: {', '.join(missing)}" if missing else "",
                )
                if part
            ),
            allowed="the documented parameters, the required ones among them",
            why="A misspelt parameter would silently be left at its default.",
            fix=suggestion(unknown[0], names) if unknown else "Pass them.",
        )
    return ORACLES[op](**given)
