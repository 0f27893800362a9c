"""Do the PyTorch operators have the documented interface, the oracle's results, and fakes that tell the truth?"""

from __future__ import annotations

import re
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from torch_calls import OP, VARIANTS, as_meta, as_tensors, served_call

import fiagen.torch
from fiagen.check import check_call
from fiagen.diagnostics import DiagnosticError
from fiagen.load.catalogue import load_catalogue
from fiagen.load.variants import load_variants
from fiagen.model.call import Call, TensorArg
from fiagen.oracle import run_oracle
from fiagen.torch.values import array_of, spec_of, tensor_of, torch_dtypes
from fiagen.verify.cases import generate_case
from fiagen.verify.compare import compare
from fiagen.verify.inputs import materialise
from fiagen.view.torch_schema import torch_name

# As documented: npu_fia_v2.md section 1.3, the adapter's schema.
KEYWORDS = (
    "Tensor? query_rope=None, Tensor? key_rope=None, Tensor? pse_shift=None, Tensor? atten_mask=None, "
    "SymInt[]? actual_seq_qlen=None, SymInt[]? actual_seq_kvlen=None, Tensor? block_table=None, "
    "Tensor? dequant_scale_query=None, Tensor? dequant_scale_key=None, Tensor? dequant_offset_key=None, "
    "Tensor? dequant_scale_value=None, Tensor? dequant_offset_value=None, Tensor? dequant_scale_key_rope=None, "
    "Tensor? quant_scale_out=None, Tensor? quant_offset_out=None, Tensor? quant_scale_p=None, "
    "Tensor? learnable_sink=None, int num_query_heads=1, int num_key_value_heads=0, float softmax_scale=1., "
    'int pre_tokens=2147483647, int next_tokens=2147483647, str input_layout="BSH", int sparse_mode=0, '
    "int block_size=0, int query_quant_mode=0, int key_quant_mode=0, int value_quant_mode=0, int inner_precise=0, "
    "bool return_softmax_lse=False, int? query_dtype=None, int? key_dtype=None, int? value_dtype=None, "
    "int? query_rope_dtype=None, int? key_rope_dtype=None, int? key_shared_prefix_dtype=None, "
    "int? value_shared_prefix_dtype=None, int? dequant_scale_query_dtype=None, int? dequant_scale_key_dtype=None, "
    "int? dequant_scale_value_dtype=None, int? dequant_scale_key_rope_dtype=None, int? out_dtype=None"
)
POSITIONAL = "Tensor query, Tensor key, Tensor value, *, "
V2 = torch.ops.fiagen.npu_fused_infer_attention_score_v2
WORKSPACE = torch.ops.fiagen._npu_fused_infer_attention_score_v2_get_max_workspace


def test_the_schemas_are_the_documented_ones() -> None:
    assert str(V2.default._schema) == f"fiagen::{OP}({POSITIONAL}{KEYWORDS}) -> (Tensor, Tensor)"
    outputs = "Tensor? workspace=None, Tensor(a!) attention_out, Tensor(b!) softmax_lse"
    assert str(V2.out._schema) == f"fiagen::{OP}.out({POSITIONAL}{KEYWORDS}, {outputs}) -> (Tensor(a!), Tensor(b!))"
    assert str(WORKSPACE.default._schema) == f"fiagen::_{OP}_get_max_workspace({POSITIONAL}{KEYWORDS}) -> Tensor"


def test_every_operator_of_the_catalogue_is_there() -> None:
    names = [torch_name(operator) for operator in load_catalogue().operators.values()]
    assert OP in names and len(names) == len(set(names)) >= 1
    for name in names:
        schema = getattr(torch.ops.fiagen, name).default._schema
        spec = next(o.spec for o in load_catalogue().operators.values() if torch_name(o) == name)
        assert [argument.name for argument in schema.arguments] == [parameter.name for parameter in spec.parameters]


@pytest.mark.parametrize("variant", VARIANTS)
def test_results_are_the_oracles_and_fakes_tell_their_form(variant: str) -> None:
    tolerances = load_catalogue().operators[OP].spec.tolerances
    for index in range(5):
        call = served_call(variant, index)
        args = as_tensors(call)
        with fiagen.torch.settings(product=call.product, edition=call.edition):
            results = V2(**args)
            fakes = V2(**as_meta(call))
        kinds = {"attention_out": call.tensor("query").dtype, "softmax_lse": "float32"}
        arrays = {name: array_of(tensor) for name, tensor in zip(kinds, results, strict=True)}
        found = compare(arrays, run_oracle(OP, **materialise(call)), {n: tolerances[k] for n, k in kinds.items()})
        assert found.status == "pass", (call.id, found.worst)
        for real, fake in zip(results, fakes, strict=True):
            assert (real.shape, real.dtype, real.stride()) == (fake.shape, fake.dtype, fake.stride()), call.id
            assert fake.is_meta


def expected_shape(args: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both outputs by the inference rules of the adapter (npu_fia_v2.md section 3.4), without paged attention."""
    layout = args.get("input_layout", "BSH")
    query, value = args["query"].shape, args["value"].shape
    heads = args.get("num_query_heads", 1)
    kv_heads = args.get("num_key_value_heads", 0) or heads
    form, _, result = layout.partition("_")
    if form == "BSH":
        batch, length, n, value_d = query[0], query[1], heads, value[2] // kv_heads
    elif form == "BSND":
        (batch, length, n, _), value_d = query, value[3]
    elif form == "BNSD":
        (batch, n, length, _), value_d = query, value[3]
    else:
        (length, n, _), value_d, batch = (query if form == "TND" else (query[1], query[0], query[2])), value[2], 0
    shapes = {
        "BSH": (batch, length, n * value_d),
        "BSND": (batch, length, n, value_d),
        "BNSD": (batch, n, length, value_d),
        "NBSD": (n, batch, length, value_d),
        "TND": (length, n, value_d),
        "NTD": (n, length, value_d),
    }
    lse = (length, n, 1) if form in ("TND", "NTD") else (batch, n, length, 1)
    return shapes[result or form], lse if args.get("return_softmax_lse") else (0,)


def test_fakes_of_many_legal_calls_follow_the_adapters_rules() -> None:
    random = Random(5)
    variants = [variant for _, variant in load_variants().values()]
    seen = set()
    for index in range(300):
        call = generate_case(random.choice(variants), 31, index)
        attention, lse = V2(**as_meta(call))
        shapes = expected_shape(dict(call.args))
        assert (tuple(attention.shape), tuple(lse.shape)) == shapes, call
        assert attention.dtype == torch_dtypes()[call.tensor("query").dtype] and lse.dtype == torch.float32
        assert attention.is_contiguous() and lse.is_contiguous()
        seen.add((call.args.get("input_layout", "BSH"), shapes[1] == (0,)))
    assert len(seen) >= 6


def test_refusals_are_exceptions_with_the_checkers_first_rule() -> None:
    random = Random(9)
    variants = [variant for _, variant in load_variants().values()]
    rules = set()
    for index in range(150):
        args = dict(generate_case(random.choice(variants), 37, index).args)
        spoiled = random.choice(
            ["num_query_heads", "num_key_value_heads", "sparse_mode", "inner_precise", "key", "value"]
        )
        if spoiled in ("key", "value"):
            shape = list(args[spoiled].shape)
            shape[random.randrange(len(shape))] += random.choice([1, 64])
            args[spoiled] = TensorArg(tuple(shape), args[spoiled].dtype)
        else:
            args[spoiled] = random.choice([5, 6, 300, -1])
        verdict = check_call(Call("x", OP, "a2", args), load_catalogue(), opinions=False)
        if verdict.accepted:
            continue
        tensors = {
            n: torch.zeros(v.shape, dtype=torch_dtypes()[v.dtype])
            if isinstance(v, TensorArg)
            else list(v)
            if isinstance(v, tuple)
            else v
            for n, v in args.items()
        }
        with pytest.raises(RuntimeError) as caught:
            V2(**tensors)
        assert isinstance(caught.value, DiagnosticError)
        assert caught.value.diagnostics[0].rule == verdict.violations[0].rule
        assert caught.value.diagnostics[0].rule in str(caught.value)
        rules.add(verdict.violations[0].rule)
    assert len(rules) >= 5, rules


def test_unserved_and_unreadable_calls_say_so() -> None:
    q = torch.zeros(1, 4, 8, 128, dtype=torch.float16)
    shared = {"num_query_heads": 4, "input_layout": "BNSD"}
    sink = torch.zeros(4, dtype=torch.bfloat16)
    with pytest.raises(RuntimeError, match=r"fiagen\.unsupported|V2-"):
        V2(q, q, q, learnable_sink=sink, **shared)
    with pytest.raises(RuntimeError, match=r"call\.no_outputs"):
        V2(q.to("meta"), q.to("meta"), q.to("meta"), num_query_heads=4, input_layout="XYZ")
    with pytest.raises(RuntimeError, match=r"torch\.dtype"):
        V2(q.to(torch.complex64), q, q, **shared)


def test_strides_reach_the_checker() -> None:
    q = torch.zeros(1, 8, 4, 128, dtype=torch.float16)
    with pytest.raises(RuntimeError, match="contiguous"):
        V2(q.transpose(1, 2), q.transpose(1, 2), q.transpose(1, 2), num_query_heads=4, input_layout="BNSD")


def test_out_fills_what_it_is_given_and_refuses_what_does_not_fit() -> None:
    call = served_call(VARIANTS[0], 1)
    args = {**as_tensors(call), "return_softmax_lse": True}
    with fiagen.torch.settings(product=call.product, edition=call.edition):
        expected = V2(**args)
        workspace = WORKSPACE(**args)
        made = [torch.full_like(tensor, 7) for tensor in expected]
        results = V2.out(**args, workspace=workspace, attention_out=made[0], softmax_lse=made[1])
        assert results[0] is made[0] and results[1] is made[1]
        for given, right in zip(made, expected, strict=True):
            assert torch.equal(given, right)
        with pytest.raises(RuntimeError, match=r"torch\.workspace"):
            V2.out(**args, workspace=workspace[:-1], attention_out=made[0], softmax_lse=made[1])
        with pytest.raises(RuntimeError, match="V2-"):
            V2.out(**args, attention_out=made[0][:, :, :1], softmax_lse=made[1])
        with pytest.raises(RuntimeError, match="V2-"):
            V2.out(**args, attention_out=made[0], softmax_lse=made[1].double())


def test_the_workspace_is_the_same_with_and_without_data() -> None:
    for variant in VARIANTS:
        call = served_call(variant, 2)
        with fiagen.torch.settings(product=call.product, edition=call.edition):
            real, fake = WORKSPACE(**as_tensors(call)), WORKSPACE(**as_meta(call))
        assert real.dtype == torch.uint8 and real.shape == fake.shape and real.numel() > 0 and fake.is_meta


def test_settings_end_with_their_block() -> None:
    q = torch.zeros(1, 1, 4, 64, dtype=torch.bfloat16)
    packed = {"num_query_heads": 1, "actual_seq_qlen": [4], "actual_seq_kvlen": [4], "input_layout": "TND"}
    tensors = [q.reshape(4, 1, 64)] * 3
    with fiagen.torch.settings(edition="current"):
        V2(*tensors, **packed)  # the edition current allows a head dim of 64
    with pytest.raises(RuntimeError, match="V2-TND"):
        V2(*tensors, **packed)
    with pytest.raises(TypeError):
        fiagen.torch.settings(colour="blue").__enter__()


@pytest.mark.parametrize("name", [n for n in torch_dtypes() if n not in ("int4",)])
def test_tensors_cross_without_a_changed_bit(name: str) -> None:
    bits = torch.arange(64, dtype=torch.uint8) % (2 if name == "bool" else 64)
    tensor = bits.view(torch_dtypes()[name]) if name != "bool" else bits.bool()
    array = array_of(tensor[1:])
    assert spec_of(tensor).dtype == name
    back = tensor_of(array)
    assert back.dtype == tensor.dtype
    assert torch.equal(back.view(torch.uint8), tensor[1:].view(torch.uint8))
    assert array.tobytes() == tensor[1:].view(torch.uint8).numpy().tobytes()


def test_bfloat16_memory_is_shared() -> None:
    tensor = torch.zeros(3, 5, dtype=torch.bfloat16).t()
    array = array_of(tensor)
    assert array.dtype == ml_dtypes.bfloat16 and array.strides == (2, 10)
    array[1, 2] = np.float32(3)
    assert tensor[1, 2] == 3 and re.match(r"tensor", repr(tensor))
