"""npu_fused_infer_attention_score_v2 over aclnnFusedInferAttentionScoreV4, with NumPy arrays.

Generated from specs/ops/attention/npu_fused_infer_attention_score_v2 by templates/python/ctypes_binding.py.jinja. Do not edit: run `fiagen build`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_ctypes import Library

# The number of each dtype in the C interface.
DTYPES = {
    "float16": 1,
    "bfloat16": 27,
    "float32": 0,
    "float64": 11,
    "int8": 2,
    "uint8": 4,
    "int32": 3,
    "int64": 9,
    "uint64": 10,
    "bool": 12,
    "int4": 29,
    "hifloat8": 34,
    "float8_e4m3fn": 36,
    "float8_e8m0": 37,
    "float4_e2m1": 40,
}


def npu_fused_infer_attention_score_v2(
    library: Library,
    outputs: dict[str, np.ndarray],
    *,
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    query_rope: np.ndarray | None = None,
    key_rope: np.ndarray | None = None,
    pse_shift: np.ndarray | None = None,
    atten_mask: np.ndarray | None = None,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    block_table: np.ndarray | None = None,
    dequant_scale_query: np.ndarray | None = None,
    dequant_scale_key: np.ndarray | None = None,
    dequant_offset_key: np.ndarray | None = None,
    dequant_scale_value: np.ndarray | None = None,
    dequant_offset_value: np.ndarray | None = None,
    dequant_scale_key_rope: np.ndarray | None = None,
    quant_scale_out: np.ndarray | None = None,
    quant_offset_out: np.ndarray | None = None,
    learnable_sink: np.ndarray | None = None,
    num_query_heads: int = 1,
    num_key_value_heads: int = 0,
    softmax_scale: float = 1.0,
    pre_tokens: int = 2147483647,
    next_tokens: int = 2147483647,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
    block_size: int = 0,
    query_quant_mode: int = 0,
    key_quant_mode: int = 0,
    value_quant_mode: int = 0,
    inner_precise: int = 0,
    return_softmax_lse: bool = False,
) -> None:
    """Fills the arrays of `outputs` (attention_out, softmax_lse). AclError with the rule when the library refuses the call."""
    library.call(
        "aclnnFusedInferAttentionScoreV4",
        [
            ("tensor", query),
            ("list", key),
            ("list", value),
            ("tensor", pse_shift),
            ("tensor", atten_mask),
            ("ints", actual_seq_qlen),
            ("ints", actual_seq_kvlen),
            ("tensor", None),
            ("tensor", None),
            ("tensor", None),
            ("tensor", quant_scale_out),
            ("tensor", quant_offset_out),
            ("tensor", None),
            ("tensor", None),
            ("tensor", block_table),
            ("tensor", None),
            ("tensor", None),
            ("tensor", dequant_scale_key),
            ("tensor", dequant_offset_key),
            ("tensor", dequant_scale_value),
            ("tensor", dequant_offset_value),
            ("tensor", None),
            ("tensor", None),
            ("ints", None),
            ("tensor", query_rope),
            ("tensor", key_rope),
            ("tensor", dequant_scale_key_rope),
            ("tensor", dequant_scale_query),
            ("tensor", learnable_sink),
            ("int64_t", num_query_heads),
            ("double", softmax_scale),
            ("int64_t", pre_tokens),
            ("int64_t", next_tokens),
            ("char*", input_layout),
            ("int64_t", num_key_value_heads),
            ("int64_t", sparse_mode),
            ("int64_t", inner_precise),
            ("int64_t", block_size),
            ("int64_t", 0),
            ("bool", return_softmax_lse),
            ("int64_t", key_quant_mode),
            ("int64_t", value_quant_mode),
            ("int64_t", query_quant_mode),
            ("output", "attention_out"),
            ("output", "softmax_lse"),
        ],
        outputs,
        DTYPES,
    )
