"""Profiles calls: each through its generated C entry points, for time alone.

In: calls. Out: one CallProfile each. Must never compute an output: nobody compares it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fiagen.check import check_call
from fiagen.check.choice import choose_variant
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_product
from fiagen.model.call import Call, TensorArg
from fiagen.sim.abi import FiagenSimSpan
from fiagen.sim.chip import ChipConfig
from fiagen.verify.dtypes import numpy_dtype
from fiagen.verify.engine import run_call
from fiagen.verify.handwritten import MAX_SPANS
from fiagen.verify.profile import Profile, profile_of, write_trace


@dataclass(frozen=True)
class CallProfile:
    """The profile of one call; without `profile`, `why` says why there is none."""

    id: str
    variant: str
    blocks: int = 0
    profile: Profile | None = None
    why: str = ""

    def json(self) -> dict[str, Any]:
        """The fields of the contract."""
        if self.profile is None:
            return {
                "id": self.id,
                "variant": self.variant,
                "microseconds": None,
                "bound": None,
                "pipes": {},
                "utilisation": {},
                "why": self.why,
            }
        return {"id": self.id, "variant": self.variant, "blocks": self.blocks, **self.profile.json()}


def blank(call: Call) -> dict[str, Any]:
    """The arguments of a call, tensors without values: lengths and scalars decide the time, not what is multiplied."""
    filled: dict[str, Any] = {}
    for name, arg in call.args.items():
        if isinstance(arg, TensorArg):
            filled[name] = _blank_tensor(arg)
        elif isinstance(arg, tuple) and arg and isinstance(arg[0], TensorArg):
            filled[name] = [_blank_tensor(part) for part in arg if isinstance(part, TensorArg)]
        else:
            filled[name] = list(arg) if isinstance(arg, tuple) else arg
    return filled


def _blank_tensor(arg: TensorArg) -> np.ndarray:
    dtype = numpy_dtype(arg.dtype)
    if arg.values is not None:
        return np.asarray(arg.values).astype(dtype)
    if arg.strides is None or arg.contiguous:
        return np.zeros(arg.shape, dtype)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(arg.shape, arg.strides, strict=True))
    strides = [stride * dtype.itemsize for stride in arg.strides]
    return np.lib.stride_tricks.as_strided(np.zeros(extent, dtype), arg.shape, strides)


def profile_call(call: Call, trace: str | None = None) -> CallProfile:
    """The simulated time of a call. An illegal call and one without a kernel have a reason instead of a profile."""
    verdict = check_call(call, load_catalogue(), opinions=False)
    if not verdict.accepted:
        return CallProfile(call.id, "", why="refused by " + ", ".join(d.rule for d in verdict.violations))
    variant, missing = choose_variant(call)
    if missing:
        return CallProfile(call.id, "", why=f"no generated kernel serves {missing}")
    spans = (FiagenSimSpan * MAX_SPANS)() if trace else None
    result = run_call(call, blank(call), policy="early", time_only=True, spans=spans)  # time is the same under any
    if result.status or result.report is None:
        why = result.message.strip() or "the call launches no kernel"
        return CallProfile(call.id, result.kernel or variant, why=why)
    chip = ChipConfig.from_hardware(load_product(call.product))
    if trace and spans is not None and not write_trace(trace, spans, result.report, chip.clock_mhz):
        return CallProfile(
            call.id, result.kernel, why=f"{result.report.num_spans} instructions do not fit into a trace"
        )
    return CallProfile(call.id, result.kernel, result.block_dim, profile_of(result.report, chip))
