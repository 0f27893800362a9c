"""Calls for the tests of fiagen.torch: the kernels are those that the tests of the C programs use too.

In: nothing. Out: arguments as tensors. A missing PyTorch is a failure here, never a skip.
"""

from __future__ import annotations

from typing import Any

import torch

import fiagen.torch  # noqa: F401
from fiagen.load.variants import load_variants
from fiagen.model.call import Call, TensorArg
from fiagen.torch.values import torch_dtypes
from fiagen.verify.cases import generate_case
from fiagen.verify.inputs import materialise

OP = "npu_fused_infer_attention_score_v2"
VARIANTS = (
    "fia_v2_c220_f16_bnsd_nomask_d64_prefill",
    "fia_v2_c220_bf16_bsnd_nomask_d64_decode",
    "fia_v2_c220_bf16_tnd_causal_d128_prefill",
)


def served_call(variant: str, index: int) -> Call:
    """A small legal call of the variant."""
    return generate_case(load_variants()[variant][1], 23, index)


def as_tensors(call: Call) -> dict[str, Any]:
    """The call's arguments with drawn values, arrays as tensors."""
    from fiagen.torch.values import tensor_of

    return {name: tensor_of(value) if hasattr(value, "dtype") else value for name, value in materialise(call).items()}


def as_meta(call: Call) -> dict[str, Any]:
    """The call's arguments with tensors that have no data."""

    def one(value: Any) -> Any:
        if isinstance(value, TensorArg):
            shape, dtype = value.shape, torch_dtypes()[value.dtype]
            return torch.empty_strided(
                shape, value.strides or torch.empty(shape, device="meta").stride(), dtype=dtype, device="meta"
            )
        return list(value) if isinstance(value, tuple) else value

    return {name: one(value) for name, value in call.args.items()}
