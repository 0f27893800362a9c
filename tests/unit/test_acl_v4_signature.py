"""The operator's spec and the published C signature: every documented parameter arrives in its own argument."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import acl_fake
import ml_dtypes
import numpy as np
import pytest

from fiagen import paths
from fiagen.acl.build import build_op_library
from fiagen.acl.session import Session, Value
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.op import OpSpec

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

OP = paths.SPECS / "ops" / "attention" / "npu_fused_infer_attention_score_v2" / "op.yaml"
# What the defaults of the operator's document become, in the order of the C signature.
DEFAULTS = {
    "numHeads": "1",
    "scaleValue": "1.000000",
    "preTokens": "2147483647",
    "nextTokens": "2147483647",
    "inputLayout": "BSH",
    "numKeyValueHeads": "0",
    "sparseMode": "0",
    "innerPrecise": "0",
    "blockSize": "0",
    "antiquantMode": "0",
    "softmaxLseFlag": "false",
    "keyAntiquantMode": "0",
    "valueAntiquantMode": "0",
    "queryQuantMode": "0",
}
# Torch parameter -> C argument, as the adapter passes them (npu_fia_v2.md section 1.5).
TENSORS = {
    "pse_shift": "pseShiftOptional",
    "atten_mask": "attenMaskOptional",
    "quant_scale_out": "quantScale2Optional",
    "quant_offset_out": "quantOffset2Optional",
    "block_table": "blockTableOptional",
    "dequant_scale_key": "keyAntiquantScaleOptional",
    "dequant_offset_key": "keyAntiquantOffsetOptional",
    "dequant_scale_value": "valueAntiquantScaleOptional",
    "dequant_offset_value": "valueAntiquantOffsetOptional",
    "query_rope": "queryRopeOptional",
    "key_rope": "keyRopeOptional",
    "dequant_scale_key_rope": "keyRopeAntiquantScaleOptional",
    "dequant_scale_query": "dequantScaleQueryOptional",
    "learnable_sink": "learnableSinkOptional",
}
SCALARS: dict[str, tuple[Value, str, str]] = {
    "num_query_heads": (32, "numHeads", "32"),
    "softmax_scale": (0.125, "scaleValue", "0.125000"),
    "pre_tokens": (-7, "preTokens", "-7"),
    "next_tokens": (2**40, "nextTokens", str(2**40)),
    "input_layout": ("TND", "inputLayout", "TND"),
    "num_key_value_heads": (8, "numKeyValueHeads", "8"),
    "sparse_mode": (3, "sparseMode", "3"),
    "inner_precise": (2, "innerPrecise", "2"),
    "block_size": (128, "blockSize", "128"),
    "return_softmax_lse": (True, "softmaxLseFlag", "true"),
    "key_quant_mode": (4, "keyAntiquantMode", "4"),
    "value_quant_mode": (5, "valueAntiquantMode", "5"),
    "query_quant_mode": (6, "queryQuantMode", "6"),
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    paths.set_cache_dir(tmp_path_factory.mktemp("v4"))
    library = build_op_library([acl_fake.PROGRAMS / "v4_echo.cpp"], [])
    yield Session(library, lambda name: Path(name), acl_fake.fake_chip(), validate(load_yaml(OP), OpSpec))
    paths.set_cache_dir(None)


def arrived(session: Session, args: dict[str, Value], **options: Any) -> dict[str, str]:
    """C argument -> what it was, for every argument that was not null."""
    outputs = {
        "attention_out": ((2, 3, 9), np.dtype(ml_dtypes.bfloat16)),
        "softmax_lse": ((0,), np.dtype(np.float32)),
    }
    result = session.run(args, outputs, **options)
    assert result.status == 161002 and result.kernel == ""
    lines = result.message.splitlines()[1:]
    return dict(line.split("=", 1) for line in lines)


def test_edition_and_authority_reach_the_entry_point(session: Session) -> None:
    found = arrived(session, required(), edition="current", authority="host")
    assert found == {**MINIMAL, "policy": "current/host"}


def test_no_parameter_of_the_c_signature_is_left_out() -> None:
    known = {item.parameter for item in validate(load_yaml(OP), OpSpec).c_parameters} - {""}
    assert known == {*required(), *TENSORS, *SCALARS, "actual_seq_qlen", "actual_seq_kvlen"}


def required() -> dict[str, Value]:
    shapes = {"query": (2, 3, 4), "key": (2, 5, 6), "value": (2, 5, 7)}
    return {name: np.zeros(shape, ml_dtypes.bfloat16) for name, shape in shapes.items()}


MINIMAL = {
    "query": "bfloat16[2, 3, 4]",
    "key#0": "bfloat16[2, 5, 6]",
    "value#0": "bfloat16[2, 5, 7]",
    **DEFAULTS,
    "attentionOut": "bfloat16[2, 3, 9]",
    "softmaxLse": "float32[0]",
    "policy": "seed/document",
    "results": "true",
}


def test_a_minimal_call_carries_the_documented_defaults(session: Session) -> None:
    assert arrived(session, required()) == MINIMAL


def test_every_optional_tensor_has_its_own_place(session: Session) -> None:
    for size, (parameter, argument) in enumerate(TENSORS.items(), start=1):
        found = arrived(session, {**required(), parameter: np.zeros(size, np.float16)})
        assert found == {**MINIMAL, argument: f"float16[{size}]"}, parameter


def test_every_scalar_has_its_own_place(session: Session) -> None:
    for parameter, (value, argument, text) in SCALARS.items():
        assert arrived(session, {**required(), parameter: value}) == {**MINIMAL, argument: text}, parameter


def test_length_lists_arrive_as_integer_arrays(session: Session) -> None:
    found = arrived(session, {**required(), "actual_seq_qlen": [1, 0], "actual_seq_kvlen": []})
    assert found == {**MINIMAL, "actualSeqLengthsOptional": "[1, 0]", "actualSeqLengthsKvOptional": "[]"}
