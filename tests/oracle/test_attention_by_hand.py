"""Does the oracle give values that a person worked out?"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.oracle import run_oracle

OP = "npu_fused_infer_attention_score_v2"
LN2, LN3 = math.log(2.0), math.log(3.0)


def bnsd(rows: Any) -> np.ndarray:
    """One batch and one head of rows."""
    return np.asarray(rows, dtype=np.float64)[None, None]


def attend(query: np.ndarray, key: np.ndarray, value: np.ndarray, **more: Any) -> tuple[np.ndarray, np.ndarray, dict]:
    given = {"input_layout": "BNSD", "num_query_heads": query.shape[1], "return_softmax_lse": True, **more}
    found = run_oracle(OP, query=query, key=key, value=value, **given)
    return found["attention_out"], found["softmax_lse"], found


def causal_mask() -> np.ndarray:
    return np.triu(np.ones((2048, 2048), dtype=np.int8), 1)


# scores of the two rows: (ln 3, 0) -> weights 3/4, 1/4; (0, ln 2) -> weights 1/3, 2/3
QUERY = bnsd([[LN3, 0.0], [0.0, LN2]])
KEY = bnsd([[1.0, 0.0], [0.0, 1.0]])
VALUE = bnsd([[4.0, 12.0], [8.0, 0.0]])


def test_two_by_two_softmax() -> None:
    out, lse, _ = attend(QUERY, KEY, VALUE)
    np.testing.assert_allclose(out[0, 0], [[3 + 2, 9 + 0], [4 / 3 + 16 / 3, 4 + 0]])
    np.testing.assert_allclose(lse[0, 0, :, 0], [math.log(4), math.log(3)])


def test_scale_multiplies_the_score() -> None:
    out, lse, _ = attend(QUERY, KEY, VALUE, softmax_scale=2.0)  # weights 9/10, 1/10 and 1/5, 4/5
    np.testing.assert_allclose(out[0, 0], [[3.6 + 0.8, 10.8], [0.8 + 6.4, 2.4]])
    np.testing.assert_allclose(lse[0, 0, :, 0], [math.log(10), math.log(5)])


def test_scale_is_used_as_float32() -> None:
    _, lse, _ = attend(bnsd([[1.0]]), bnsd([[1.0]]), bnsd([[1.0]]), softmax_scale=0.1)
    assert lse[0, 0, 0, 0] == float(np.float32(0.1))


def test_left_up_and_right_down_causal_differ_for_unequal_lengths() -> None:
    key, value = bnsd([[0.0], [0.0], [0.0]]), bnsd([[1.0], [2.0], [6.0]])
    query = bnsd([[1.0], [1.0]])
    left_up, *_ = attend(query, key, value, sparse_mode=2, atten_mask=causal_mask())
    right_down, *_ = attend(query, key, value, sparse_mode=3, atten_mask=causal_mask())
    np.testing.assert_allclose(left_up[0, 0, :, 0], [1.0, 1.5])
    np.testing.assert_allclose(right_down[0, 0, :, 0], [1.5, 3.0])


def test_band_counts_from_the_bottom_right() -> None:
    key, value = bnsd([[0.0]] * 4), bnsd([[1.0], [2.0], [4.0], [8.0]])
    out, *_ = attend(
        bnsd([[1.0]] * 2), key, value, sparse_mode=4, atten_mask=causal_mask(), pre_tokens=1, next_tokens=0
    )
    np.testing.assert_allclose(out[0, 0, :, 0], [3.0, 6.0])  # keys 1..2, keys 2..3


def test_rows_before_the_first_key_are_zero_with_infinite_lse() -> None:
    query, key, value = bnsd([[1.0]] * 3), bnsd([[0.0]]), bnsd([[5.0]])
    out, lse, found = attend(query, key, value, sparse_mode=3, atten_mask=causal_mask())
    assert out[0, 0, :, 0].tolist() == [0.0, 0.0, 5.0]
    assert lse[0, 0, :, 0].tolist() == [math.inf, math.inf, 0.0]
    assert found["attention_out__defined"].all() and found["softmax_lse__defined"].all()


def test_full_mask_drops_ones_and_the_window_drops_the_rest() -> None:
    key, value = bnsd([[0.0]] * 3), bnsd([[1.0], [2.0], [6.0]])
    mask = np.array([[0, 1, 0], [0, 0, 0]], dtype=np.uint8)
    out, *_ = attend(bnsd([[1.0]] * 2), key, value, atten_mask=mask)
    np.testing.assert_allclose(out[0, 0, :, 0], [3.5, 3.0])
    out, *_ = attend(bnsd([[1.0]] * 2), key, value, atten_mask=mask, pre_tokens=0, next_tokens=1)
    np.testing.assert_allclose(out[0, 0, :, 0], [1.0, 4.0])  # key 0 alone; keys 1 and 2


@pytest.mark.parametrize(("inner_precise", "defined"), [(0, False), (1, False), (2, True), (3, True)])
def test_row_masked_by_content_is_open_without_correction(inner_precise: int, defined: bool) -> None:
    mask = np.array([[1, 1], [0, 1]], dtype=bool)
    out, lse, found = attend(QUERY, KEY, VALUE, atten_mask=mask, inner_precise=inner_precise)
    assert out[0, 0, 0].tolist() == [0.0, 0.0] and lse[0, 0, 0, 0] == math.inf
    assert found["attention_out__defined"][0, 0].tolist() == [[defined] * 2, [True] * 2]
    assert found["softmax_lse__defined"][0, 0, :, 0].tolist() == [defined, True]


def test_row_outside_the_window_is_defined_without_correction() -> None:
    mask = np.array([[1, 1], [0, 1]], dtype=bool)
    out, lse, found = attend(QUERY, KEY, VALUE, atten_mask=mask, next_tokens=-1)
    assert out[0, 0, 0].tolist() == [0.0, 0.0] and lse[0, 0, 0, 0] == math.inf
    np.testing.assert_allclose(out[0, 0, 1], VALUE[0, 0, 0])
    assert found["attention_out__defined"].all() and found["softmax_lse__defined"].all()


def test_one_row_ignores_mode_and_tokens_but_not_a_full_mask() -> None:
    query, key, value = bnsd([[1.0]]), bnsd([[0.0]] * 2), bnsd([[1.0], [3.0]])
    for mode in (2, 3, 4):
        out, *_ = attend(query, key, value, sparse_mode=mode, atten_mask=causal_mask(), pre_tokens=0, next_tokens=0)
        assert out[0, 0, 0, 0] == 2.0
    out, *_ = attend(query, key, value, atten_mask=np.array([[0, 1]], dtype=bool), next_tokens=0, pre_tokens=0)
    assert out[0, 0, 0, 0] == 1.0
    out, *_ = attend(query, key, value, actual_seq_qlen=[0])
    assert out[0, 0, 0, 0] == 2.0


def test_two_axis_mask_of_one_row_is_per_batch() -> None:
    query, key = np.ones((2, 1, 1, 1)), np.zeros((2, 1, 2, 1))
    value = np.array([1.0, 3.0, 5.0, 7.0]).reshape(2, 1, 2, 1)
    out, *_ = attend(query, key, value, atten_mask=np.array([[0, 1], [1, 0]], dtype=np.int8))
    assert out.ravel().tolist() == [1.0, 7.0]


def test_padding_rows_and_batches_without_keys() -> None:
    query, key = np.ones((3, 1, 2, 1)), np.full((3, 1, 2, 1), np.nan)
    value = key.copy()
    key[0], value[0] = 0.0, 6.0
    key[2, 0, 0], value[2, 0, 0] = 0.0, 9.0
    out, lse, found = attend(query, key, value, actual_seq_qlen=[1, 2, 2], actual_seq_kvlen=[2, 0, 1])
    assert out.reshape(3, 2).tolist() == [[6.0, 0.0], [0.0, 0.0], [9.0, 9.0]]
    assert lse.reshape(3, 2).tolist() == [[LN2, math.inf], [math.inf, math.inf], [0.0, 0.0]]
    assert found["softmax_lse__defined"].all()


def test_lse_of_a_decode_step_without_keys_is_open() -> None:
    query, key = np.ones((2, 1, 1, 1)), np.zeros((2, 1, 2, 1))
    out, lse, found = attend(query, key, key, actual_seq_kvlen=[0, 2])
    assert out.ravel().tolist() == [0.0, 0.0] and lse.ravel().tolist() == [math.inf, LN2]
    assert found["softmax_lse__defined"].ravel().tolist() == [False, True]
    assert found["attention_out__defined"].all()


def test_sink_takes_weight_and_gives_no_value() -> None:
    out, lse, _ = attend(bnsd([[0.0]]), bnsd([[1.0]] * 2), bnsd([[3.0], [9.0]]), learnable_sink=np.zeros(1))
    np.testing.assert_allclose(out.ravel(), [4.0])  # (3 + 9) / (1 + 1 + exp(0))
    np.testing.assert_allclose(lse.ravel(), [LN3])


def test_sink_far_above_the_scores_does_not_overflow() -> None:
    out, lse, _ = attend(bnsd([[0.0]]), bnsd([[1.0]]), bnsd([[3.0]]), learnable_sink=np.full(1, 2000.0))
    assert out.item() == 0.0 and lse.item() == 2000.0


def test_list_of_one_entry_holds_for_every_batch() -> None:
    query, key = np.ones((2, 1, 2, 1)), np.zeros((2, 1, 2, 1))
    value = np.array([1.0, 3.0, 5.0, 7.0]).reshape(2, 1, 2, 1)
    out, *_ = attend(query, key, value, actual_seq_kvlen=[1], actual_seq_qlen=[1])
    assert out.ravel().tolist() == [1.0, 0.0, 5.0, 0.0]


def test_row_without_a_node_of_the_tree_is_open_even_with_correction() -> None:
    tree = np.array([[[1, 1], [0, 1]]], dtype=np.int8)
    _, _, found = attend(QUERY, KEY, VALUE, sparse_mode=9, atten_mask=tree, inner_precise=2)
    assert found["attention_out__defined"][0, 0].tolist() == [[False] * 2, [True] * 2]


def test_lse_of_a_row_without_keys_is_open_when_there_is_a_sink() -> None:
    mask = causal_mask()
    query, key = bnsd([[1.0]] * 2), bnsd([[0.0]])
    out, _, found = attend(query, key, key + 5, sparse_mode=3, atten_mask=mask, learnable_sink=np.zeros(1))
    assert out.ravel().tolist() == [0.0, 2.5]
    assert found["softmax_lse__defined"].ravel().tolist() == [False, True]
    assert found["attention_out__defined"].all()


def test_position_term_is_added_after_the_scale() -> None:
    pse = np.array([[LN3, 0.0], [0.0, LN2]])[None, None]
    out, lse, _ = attend(np.zeros_like(QUERY), KEY, VALUE, pse_shift=pse, softmax_scale=7.0)
    np.testing.assert_allclose(out, attend(QUERY, KEY, VALUE)[0])
    np.testing.assert_allclose(lse[0, 0, :, 0], [math.log(4), math.log(3)])


def test_rope_part_is_scaled_with_the_rest() -> None:
    whole = attend(QUERY, KEY, VALUE, softmax_scale=0.5)
    split = attend(
        QUERY[..., :1], KEY[..., :1], VALUE, softmax_scale=0.5, query_rope=QUERY[..., 1:], key_rope=KEY[..., 1:]
    )
    np.testing.assert_allclose(split[0], whole[0])
    np.testing.assert_allclose(split[1], whole[1])


def test_huge_scores_do_not_overflow() -> None:
    out, lse, _ = attend(bnsd([[1e4]]), bnsd([[1.0], [-1.0]]), bnsd([[2.0], [4.0]]))
    assert out.ravel().tolist() == [2.0] and lse.ravel().tolist() == [1e4]


def test_empty_tensors() -> None:
    out, lse, found = attend(np.ones((1, 2, 3, 4)), np.ones((1, 2, 0, 4)), np.ones((1, 2, 0, 4)), actual_seq_kvlen=[5])
    assert out.shape == (1, 2, 3, 4) and not out.any()
    assert lse.shape == (1, 2, 3, 1) and np.isposinf(lse).all() and found["softmax_lse__defined"].all()
    out, lse, _ = attend(np.ones((1, 2, 0, 4)), np.ones((1, 2, 3, 4)), np.ones((1, 2, 3, 4)))
    assert out.shape == (1, 2, 0, 4) and lse.shape == (1, 2, 0, 1)


def test_lse_is_empty_when_it_is_off() -> None:
    found = run_oracle(OP, query=QUERY, key=KEY, value=VALUE, input_layout="BNSD")
    assert found["softmax_lse"].shape == (0,) and found["softmax_lse__defined"].shape == (0,)


def test_bfloat16_inputs_are_read_as_they_are_stored() -> None:
    third = np.full((1, 1, 1, 1), 1 / 3).astype(ml_dtypes.bfloat16)
    out, *_ = attend(third, third, third)
    assert out.item() == float(third.item()) != 1 / 3


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"input_layout": "BNDS"}, "V2-GEN-15"),
        ({"input_layout": "TND"}, "V2-GEN-16"),
        ({"quant_scale_out": np.ones(1, np.float32)}, "oracle.unquantised_only"),
        ({"key": KEY.astype(np.int8)}, "oracle.unquantised_only"),
        ({"soft_max_scale": 1.0}, "oracle.parameter"),
    ],
)
def test_what_has_no_truth_here_is_refused(change: dict[str, Any], rule: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        run_oracle(OP, **{"query": QUERY, "key": KEY, "value": VALUE, "input_layout": "BNSD", **change})
    assert [d.rule for d in caught.value.diagnostics] == [rule]


def test_unknown_operator_and_missing_parameter_are_refused() -> None:
    with pytest.raises(DiagnosticError, match="Did you mean 'npu_fused_infer_attention_score_v2'"):
        run_oracle("npu_fused_infer_attention_score_v3")
    with pytest.raises(DiagnosticError, match="missing: value"):
        run_oracle(OP, query=QUERY, key=KEY)
