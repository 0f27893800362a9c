"""Are the tensors of a call what the call says, the same everywhere, and hostile where nobody may look?"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.model.call import Call, InitSpec, TensorArg
from fiagen.oracle import run_oracle
from fiagen.verify.draw import POOL
from fiagen.verify.inputs import materialise

OP = "npu_fused_infer_attention_score_v2"
SMALL: dict[str, Any] = {
    "query": TensorArg((2, 4, 6, 8), "float16"),
    "key": TensorArg((2, 2, 9, 8), "float16"),
    "value": TensorArg((2, 2, 9, 8), "float16"),
    "input_layout": "BNSD",
    "num_query_heads": 4,
    "num_key_value_heads": 2,
}
# sha256 over the bytes of query, key and value of SMALL: the same on every machine
DIGEST = "931ce435e310f01f6433c944e177aead2a93512374ec744940bca9de0ad6b4c1"


def call_of(name: str = "inputs", **args: Any) -> Call:
    return Call(name, OP, "a2", {**SMALL, **args})


def digest(call: Call) -> str:
    arrays = materialise(call)
    return hashlib.sha256(b"".join(arrays[name].tobytes() for name in ("query", "key", "value"))).hexdigest()


def test_values_are_the_same_on_every_machine() -> None:
    assert digest(call_of()) == DIGEST


def test_values_do_not_depend_on_the_process() -> None:
    code = "import test_verify_inputs as t; print(t.digest(t.call_of(atten_mask=t.TensorArg((6, 9), 'bool'))))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.path.dirname(__file__)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1 and len(found.pop().strip()) == 64


def test_values_depend_on_the_call_and_on_the_parameter() -> None:
    assert digest(call_of("other")) != digest(call_of())
    arrays = materialise(call_of())
    assert not np.array_equal(arrays["key"], arrays["value"])


def test_values_are_near_normal_and_large_tensors_do_not_repeat_soon() -> None:
    big = materialise(Call("big", OP, "a2", {"pse_shift": TensorArg((POOL + 5,), "float32")}))["pse_shift"]
    assert abs(float(big.mean())) < 0.01 and abs(float(big.std()) - 1) < 0.01
    assert np.array_equal(big[:5], big[POOL:]) and not np.array_equal(big[:5], big[5:10])


def test_lists_and_scalars_pass_through() -> None:
    arrays = materialise(call_of(actual_seq_qlen=(6, 5), softmax_scale=0.25, return_softmax_lse=True))
    assert arrays["actual_seq_qlen"] == [6, 5]
    assert arrays["softmax_scale"] == 0.25 and arrays["return_softmax_lse"] is True


def test_written_values_win_and_have_to_fit() -> None:
    call = call_of(learnable_sink=TensorArg((2, 2), "bfloat16", values=((1, 2), (3, 4.5))))
    assert materialise(call)["learnable_sink"].astype(float).tolist() == [[1, 2], [3, 4.5]]
    with pytest.raises(DiagnosticError, match="values of shape"):
        materialise(call_of(learnable_sink=TensorArg((3,), "bfloat16", values=(1, 2))))


def test_given_arrays_replace_tensors() -> None:
    query = np.ones((2, 4, 6, 8), np.float16)
    arrays = materialise(call_of(actual_seq_qlen=(1, 1)), {"query": query})
    assert arrays["query"] is query and np.isfinite(query).all()


@pytest.mark.parametrize(
    ("init", "expected"),
    [
        (InitSpec("zeros"), [0, 0, 0]),
        (InitSpec("arange"), [0, 1, 2]),
        (InitSpec("arange", low=5.0, scale=0.5), [5, 5.5, 6]),
        (InitSpec("uniform", low=3.0, high=3.0), [3, 3, 3]),
        (InitSpec("normal", scale=0.0), [0, 0, 0]),
    ],
)
def test_init_is_honoured(init: InitSpec, expected: list[float]) -> None:
    found = materialise(Call("init", OP, "a2", {"pse_shift": TensorArg((3,), "float16", init=init)}))["pse_shift"]
    assert found.tolist() == expected


def test_init_seed_alone_decides_the_values() -> None:
    def drawn(call: str, seed: int | None, dist: Any = "normal") -> list[float]:
        spec = TensorArg((50,), "float32", init=InitSpec(dist, low=-2.0, high=1.0, seed=seed))
        return materialise(Call(call, OP, "a2", {"pse_shift": spec}))["pse_shift"].tolist()

    assert drawn("a", 1) == drawn("b", 1) != drawn("a", 2)
    assert drawn("a", None) != drawn("b", None)
    uniform = drawn("a", 1, "uniform")
    assert -2 <= min(uniform) < -1 and 0 < max(uniform) < 1


def test_strides_are_kept() -> None:
    plain = materialise(Call("s", OP, "a2", {"pse_shift": TensorArg((3, 4), "bfloat16")}))["pse_shift"]
    turned = materialise(Call("s", OP, "a2", {"pse_shift": TensorArg((3, 4), "bfloat16", strides=(1, 3))}))["pse_shift"]
    assert turned.strides == (2, 6) and np.array_equal(turned, plain)


@pytest.mark.parametrize("layout", ["BSH", "BSND", "BNSD"])
def test_padding_is_hostile_and_the_rest_is_not(layout: str) -> None:
    shapes = {
        "BSH": ((2, 6, 32), (2, 9, 16)),
        "BSND": ((2, 6, 4, 8), (2, 9, 2, 8)),
        "BNSD": ((2, 4, 6, 8), (2, 2, 9, 8)),
    }
    q, k = shapes[layout]
    call = call_of(
        query=TensorArg(q, "bfloat16"),
        key=TensorArg(k, "bfloat16"),
        value=TensorArg(k, "bfloat16"),
        input_layout=layout,
        actual_seq_qlen=(6, 2),
        actual_seq_kvlen=(4, 0, 7),
    )
    arrays = materialise(call)
    axis = 2 if layout == "BNSD" else 1
    for name, counts in (("query", (6, 2)), ("key", (4, 0)), ("value", (4, 0))):
        for b, count in enumerate(counts):
            rows = np.moveaxis(arrays[name][b].astype(np.float64), axis - 1, 0)
            assert np.isfinite(rows[:count]).all()
            assert np.isnan(rows[count:]).any() == (count < rows.shape[0])
            assert np.isinf(rows[count:]).any() == (count < rows.shape[0])
            assert (np.abs(rows[count:]) >= 1000).sum() + np.isnan(rows[count:]).sum() == rows[count:].size
    found = run_oracle(OP, **arrays)
    assert np.isfinite(found["attention_out"]).all() and found["attention_out"][0].any()


def test_query_of_one_row_is_never_padding() -> None:
    arrays = materialise(call_of(query=TensorArg((2, 4, 1, 8), "float16"), actual_seq_qlen=(0, 1)))
    assert np.isfinite(arrays["query"]).all()


@pytest.mark.parametrize("shape", [(2048, 2048), (1, 1, 2048, 2048)])
@pytest.mark.parametrize("mode", [2, 3, 4])
def test_compressed_mask_is_the_upper_triangle(mode: int, shape: tuple[int, ...]) -> None:
    mask = materialise(call_of(atten_mask=TensorArg(shape, "int8"), sparse_mode=mode))["atten_mask"]
    assert mask.dtype == np.int8 and mask.shape == shape
    assert np.array_equal(mask.reshape(2048, 2048), np.triu(np.ones((2048, 2048)), 1))


@pytest.mark.parametrize("shape", [(40, 50), (1, 40, 50), (2, 40, 50), (2, 1, 48, 64), (1, 1, 64, 64)])
@pytest.mark.parametrize("tokens", [{}, {"pre_tokens": 7, "next_tokens": 3}, {"pre_tokens": 9, "next_tokens": -4}])
def test_full_mask_agrees_with_the_tokens_and_leaves_every_row_a_key(
    shape: tuple[int, ...], tokens: dict[str, int]
) -> None:
    call = call_of(
        query=TensorArg((2, 4, 40, 8), "float16"),
        key=TensorArg((2, 2, 50, 8), "float16"),
        value=TensorArg((2, 2, 50, 8), "float16"),
        atten_mask=TensorArg(shape, "uint8"),
        actual_seq_kvlen=(50, 3),
        inner_precise=0,
        **tokens,
    )
    arrays = materialise(call)
    mask = arrays["atten_mask"].reshape(-1, *shape[-2:])
    assert set(np.unique(mask)) == {0, 1}
    i, j = np.indices(shape[-2:])
    far = 2147483647
    inside = (i - tokens.get("pre_tokens", far) <= j) & (j <= i + tokens.get("next_tokens", far))
    assert (mask[:, ~inside] == 1).all()
    assert 0.2 < mask[:, inside].mean() < 0.6
    found = run_oracle(OP, **arrays)
    assert found["attention_out__defined"].all()


def test_full_mask_takes_whole_tiles_of_keys_from_some_rows() -> None:
    call = call_of(
        query=TensorArg((1, 2, 64, 8), "float16"),
        key=TensorArg((1, 1, 2048, 8), "float16"),
        value=TensorArg((1, 1, 2048, 8), "float16"),
        atten_mask=TensorArg((64, 2048), "bool"),
    )
    mask = materialise(call)["atten_mask"]
    first, last = mask[:, :512].all(axis=1), mask[:, -512:].all(axis=1)
    assert first.sum() >= 3 and last.sum() >= 3 and (~first & ~last).sum() >= 16


def test_mask_of_one_row_ignores_the_tokens() -> None:
    call = call_of(
        query=TensorArg((2, 4, 1, 8), "float16"),
        atten_mask=TensorArg((2, 9), "bool"),
        actual_seq_kvlen=(9, 1),
        pre_tokens=0,
        next_tokens=0,
    )
    arrays = materialise(call)
    assert not arrays["atten_mask"][0].all() and not arrays["atten_mask"][1, 0]
    assert not arrays["atten_mask"][:, 1:].all()
    assert run_oracle(OP, **arrays)["attention_out__defined"].all()


@pytest.mark.parametrize("cache", [(12, 4, 16), (12, 2, 4, 8)])
def test_block_table_is_a_permutation_and_the_rest_of_the_cache_is_hostile(cache: tuple[int, ...]) -> None:
    call = call_of(
        key=TensorArg(cache, "bfloat16"),
        value=TensorArg(cache, "bfloat16"),
        block_table=TensorArg((2, 5), "int32"),
        block_size=4,
        actual_seq_kvlen=(18, 3),
    )
    arrays = materialise(call)
    table = arrays["block_table"]
    used = [*table[0], table[1, 0]]
    assert len(set(used)) == 6 and min(used) >= 0 and max(used) < 12
    assert table[1, 1:].tolist() == [-1] * 4
    assert used != sorted(used)
    key = arrays["key"].astype(np.float64)
    assert sum(bool(np.isfinite(block).all()) for block in key) == 4  # four whole blocks, two with a spoiled tail
    assert np.isfinite(run_oracle(OP, **arrays)["attention_out"]).all()


def test_block_table_repeats_blocks_when_the_cache_is_too_small() -> None:
    call = call_of(
        key=TensorArg((2, 4, 16), "bfloat16"),
        value=TensorArg((2, 4, 16), "bfloat16"),
        block_table=TensorArg((2, 3), "int32"),
        actual_seq_kvlen=(12, 9),
    )
    table = materialise(call)["block_table"]
    assert set(table.ravel().tolist()) <= {0, 1}


def test_scales_are_positive_and_integers_fill_their_range() -> None:
    call = Call(
        "q",
        OP,
        "a2",
        {
            "dequant_scale_key": TensorArg((500,), "float32"),
            "key": TensorArg((5000,), "int8"),
            "x": TensorArg((9,), "int32"),
        },
    )
    arrays = materialise(call)
    assert arrays["dequant_scale_key"].min() > 0
    assert arrays["key"].min() == -127 and arrays["key"].max() == 127
    assert len(set(arrays["x"].tolist())) == 9
