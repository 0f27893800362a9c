"""Is the truth of sparse attention true: values worked out by hand, a second way to compute it, and properties?

In: small calls. Out: verdicts on the oracle. Must never compute an expected value with the oracle's own functions.
"""

from __future__ import annotations

import math
from random import Random

import ml_dtypes
import numpy as np
import pytest

from fiagen.diagnostics import DiagnosticError
from fiagen.load.calls import read_call
from fiagen.load.catalogue import load_catalogue
from fiagen.oracle import run_oracle
from fiagen.verify.inputs import materialise
from fiagen.verify.sparse_inputs import core_counts

OP = "npu_sparse_attn_sharedkv"


def line(*values):
    """Keys of 512 elements that differ in the first alone; element 1 is 1 everywhere."""
    keys = np.zeros((len(values), 512), np.float32)
    keys[:, 0], keys[:, 1] = values, 1.0
    return keys


def pool(keys, blocks, size=16):
    """(pool, table row): the keys in blocks of `size`, placed in the order of `blocks`; NaN wherever no key is."""
    count = -(-len(keys) // size)
    room = np.full((max(blocks, default=0) + 1, size, 1, 512), np.nan, np.float32)
    for token, key in enumerate(keys):
        room[blocks[token // size], token % size, 0] = key
    return room, np.array([blocks[:count] + [-1] * (len(blocks) - count)], np.int32)


def one_batch(queries, keys, blocks=(3, 0, 2, 1, 5, 4, 6, 7, 8, 9), **more):
    """A call of one batch whose q has `queries` in element 0 for each of 4 heads and 0 elsewhere."""
    ori, table = pool(keys, list(blocks))
    q = np.zeros((len(queries), 4, 512), np.float32)
    q[:, :, 0] = np.array(queries, np.float32)[:, None]
    return {"q": q, "ori_kv": ori, "ori_block_table": table, "cu_seqlens_q": [0, len(queries)], "layout_q": "TND",
            "seqused_kv": [len(keys)], "sinks": np.full(4, -np.inf, np.float32), "softmax_scale": 1.0, **more}


def result(**args):
    return run_oracle(OP, **args)["attention_out"]


def test_one_key_is_the_output():
    out = result(**one_batch([1.0], line(3.0)))
    assert out.shape == (1, 4, 512) and out.dtype == np.float64
    assert out[0, :, 0].tolist() == [3.0] * 4 and out[0, :, 1].tolist() == [1.0] * 4 and out[0, 0, 2:].sum() == 0


def test_two_keys_by_hand():
    # scores 0 and ln 3: weights 1/4 and 3/4
    keys = line(0.0, math.log(3.0))
    out = result(**one_batch([1.0], keys))
    assert out[0, 0, 0] == pytest.approx(0.75 * math.log(3.0), abs=1e-7) and out[0, 0, 1] == pytest.approx(1.0)


def test_the_sink_is_in_the_denominator_alone():
    # scores 0 and 0, sink ln 2: denominator 2 + 2
    args = one_batch([0.0], line(5.0, 7.0), sinks=np.array([math.log(2.0), -np.inf, 100.0, 0.0]))
    out = result(**args)
    assert out[0, :, 0] == pytest.approx([12 / 4, 6.0, 0.0, 12 / 3], abs=1e-12)
    assert out[0, :, 1] == pytest.approx([2 / 4, 1.0, 0.0, 2 / 3], abs=1e-12)
    lse = run_oracle(OP, **args, return_softmax_lse=True)["softmax_lse"]
    assert lse.shape == (1, 4, 1)
    assert lse[0, :, 0] == pytest.approx([math.log(4.0), math.log(2.0), 100.0, math.log(3.0)])


def test_the_scale_multiplies_the_scores():
    out = result(**one_batch([2.0], line(0.0, 1.0), softmax_scale=math.log(3.0) / 2))
    assert out[0, 0, 0] == pytest.approx(0.75)
    assert result(**one_batch([2.0], line(0.0, 1.0), softmax_scale=0.0))[0, 0, 0] == pytest.approx(0.5)


def test_the_window_holds_128_keys_with_its_own():
    keys = line(*range(130))  # query 0, 1 and 2 stand at 127, 128 and 129
    out = result(**one_batch([0.0, 0.0, 0.0], keys))
    assert out[:, 0, 0] == pytest.approx([np.mean(range(128)), np.mean(range(1, 129)), np.mean(range(2, 130))])
    wide = result(**one_batch([0.0, 0.0, 0.0], keys, ori_win_left=1, ori_win_right=1))
    assert wide[:, 0, 0] == pytest.approx([127.0, 128.0, 128.5])


COMPRESSED = line(1000.0, 2000.0, 4000.0, 8000.0)


def with_compressed(queries, keys, **more):
    cmp, table = pool(COMPRESSED, [1, 0])
    return one_batch(queries, keys, cmp_kv=cmp, cmp_block_table=table, cmp_ratio=4, ori_win_left=0, **more)


@pytest.mark.parametrize(("length", "seen"), [
    (3, []), (4, [1000.0]), (7, [1000.0]), (8, [1000.0, 2000.0]), (11, [1000.0, 2000.0]),
    (16, [1000.0, 2000.0, 4000.0, 8000.0]),
])
def test_a_compressed_key_counts_once_all_its_tokens_are_past(length, seen):
    own = 10.0
    out = result(**with_compressed([0.0], line(*[own] * length)))
    assert out[0, 0, 0] == pytest.approx(np.mean([own, *seen]))


@pytest.mark.parametrize(("entries", "length", "seen"), [
    ([2, 0, -1, 1], 16, [4000.0, 1000.0]),
    ([1, 1, -1, -1], 16, [2000.0, 2000.0]),
    ([-1, 0, 1, 2], 16, []),
    ([3, 2, 1, 0], 8, []),  # two are visible, so two entries are read, and neither is visible
    ([0, 3, 1, -1], 12, [1000.0, 2000.0]),  # 3 is skipped
    ([0, 1, 2, 3], 8, [1000.0, 2000.0]),
    ([0, 1, 2, 3], 3, []),
])
def test_index_rows(entries, length, seen):
    out = result(**with_compressed([0.0], line(*[10.0] * length), cmp_sparse_indices=np.array([[entries]], np.int32)))
    assert out[0, 0, 0] == pytest.approx(np.mean([10.0, *seen]))


def test_a_query_before_the_first_key_is_zero_whatever_the_sink():
    args = one_batch([0.0, 0.0, 0.0], line(5.0), sinks=np.zeros(4), return_softmax_lse=True)
    found = run_oracle(OP, **args)
    assert found["attention_out"][:, 0, 0].tolist() == [0.0, 0.0, 2.5]
    assert found["attention_out__defined"].all()
    assert found["softmax_lse__defined"][:, 0, 0].tolist() == [False, False, True]
    empty = {**one_batch([0.0], line()), "ori_kv": np.full((1, 16, 1, 512), np.nan, np.float32)}
    assert result(**empty).sum() == 0


def test_rows_in_no_batch_are_not_defined():
    args = one_batch([0.0, 0.0, 0.0], line(5.0, 6.0))
    found = run_oracle(OP, **{**args, "cu_seqlens_q": [0, 2]})
    assert found["attention_out__defined"][:, 0, 0].tolist() == [True, True, False]
    padded = {**args, "q": args["q"][None], "layout_q": "BSND", "cu_seqlens_q": None, "seqused_q": [2]}
    again = run_oracle(OP, **padded)
    assert again["attention_out__defined"][0, :, 0, 0].tolist() == [True, True, False]
    assert again["attention_out"][0, :2].tolist() == found["attention_out"][:2].tolist()


def tensor(*shape, dtype="int32"):
    return {"shape": list(shape), "dtype": dtype}


def drawn(seed, scenario, layout):
    """The values of a random call: ragged batches, shuffled blocks, NaN wherever nobody may read."""
    random = Random(f"{seed} {scenario} {layout}")
    batches, size, cmp_size = random.randint(1, 3), random.choice([16, 32, 128]), random.choice([16, 64])
    longest = random.randint(1, 4)
    q = tensor(longest * batches, 64, 512, dtype="bfloat16") if layout == "TND" else tensor(
        batches, longest, 64, 512, dtype="bfloat16")
    width = random.randint(1, 40)
    args = {"q": q, "ori_kv": tensor(width * batches + 2, size, 1, 512, dtype="bfloat16"), "layout_q": layout,
            "ori_block_table": tensor(batches, width), "seqused_kv": tensor(batches),
            "sinks": tensor(64, dtype="float32"), "metadata": tensor(1024), "softmax_scale": 0.044}
    if layout == "TND":
        args["cu_seqlens_q"] = tensor(batches + 1)
    if scenario != "SWA":
        args |= {"cmp_kv": tensor(12 * batches, cmp_size, 1, 512, dtype="bfloat16"),
                 "cmp_block_table": tensor(batches, 12), "cmp_ratio": random.choice([4, 128])}
    if scenario == "SCFA":
        args["cmp_sparse_indices"] = tensor(*q["shape"][:-2], 1, 512)
    call, found = read_call({"id": f"{seed}", "op": OP, "product": "a3:9372", "args": args}, load_catalogue(), "")
    assert call is not None, found
    return call, materialise(call)


def by_loops(values):
    """The same attention head by head and key by key, from the sentences of the spec."""
    q = np.asarray(values["q"], np.float64)
    packed = values["layout_q"] == "TND"
    out = np.zeros(q.shape)
    for batch, keys in enumerate(values["seqused_kv"].tolist()):
        start, stop = values["cu_seqlens_q"][batch : batch + 2] if packed else (0, q.shape[1])
        for i in range(int(stop - start)):
            place = keys - int(stop - start) + i
            at = (start + i,) if packed else (batch, i)
            if place < 0:
                continue
            picked = [("ori", t) for t in range(keys) if place - 127 <= t <= place]
            if "cmp_kv" in values:
                limit = (place + 1) // values["cmp_ratio"]
                row = values["cmp_sparse_indices"][at][0].tolist() if "cmp_sparse_indices" in values else range(limit)
                picked += [("cmp", t) for t in row[:limit] if t >= 0]
            for head in range(0, 64, 21):
                weights, vectors = [], []
                for side, t in picked:
                    cache, table = values[f"{side}_kv"], values[f"{side}_block_table"]
                    key = cache[table[batch, t // cache.shape[1]], t % cache.shape[1], 0].astype(np.float64)
                    weights.append(math.exp(values["softmax_scale"] * float(q[at][head] @ key)))
                    vectors.append(key)
                total = math.exp(float(values["sinks"][head])) + math.fsum(weights)
                out[at][head] = sum(w * v for w, v in zip(weights, vectors, strict=True)) / total
    return out


@pytest.mark.parametrize("layout", ["TND", "BSND"])
@pytest.mark.parametrize("scenario", ["SWA", "CFA", "SCFA"])
@pytest.mark.parametrize("seed", range(2))
def test_against_loops(seed, scenario, layout):
    _, values = drawn(seed, scenario, layout)
    found = run_oracle(OP, **values)["attention_out"]
    expected = by_loops(values)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[..., ::21, :], expected[..., ::21, :], rtol=1e-9, atol=1e-12)
    assert np.abs(found).max() > 0.01


@pytest.mark.parametrize("scenario", ["SWA", "CFA", "SCFA"])
def test_properties(scenario):
    _, values = drawn(5, scenario, "TND")
    found = run_oracle(OP, **values)["attention_out"]

    def again(**change):
        return run_oracle(OP, **{**values, **change})["attention_out"]

    order = np.random.default_rng(1).permutation(64)
    mixed = again(q=values["q"][:, order], sinks=values["sinks"][order])
    np.testing.assert_allclose(mixed, found[:, order], rtol=1e-12)
    assert again(metadata=np.zeros(1024, np.int32)).tolist() == found.tolist()  # the table decides who, not what
    assert np.abs(again(sinks=values["sinks"] + 3.0)).sum() < np.abs(found).sum()
    flat = again(softmax_scale=0.0, sinks=np.full(64, -np.inf, np.float32))
    np.testing.assert_allclose(flat, np.broadcast_to(flat[:, :1], flat.shape), rtol=1e-12)  # all heads alike
    blocks = np.random.default_rng(2).permutation(len(values["ori_kv"]))
    moved = np.empty_like(values["ori_kv"])
    moved[blocks] = values["ori_kv"]
    table = np.where(values["ori_block_table"] < 0, -1, blocks[values["ori_block_table"]]).astype(np.int32)
    assert again(ori_kv=moved, ori_block_table=table).tolist() == found.tolist()
    if scenario == "SCFA":
        rows = values["cmp_sparse_indices"].copy()
        for row in rows.reshape(-1, 512):
            used = int((row >= 0).sum())
            row[:used] = row[:used][::-1]
        np.testing.assert_allclose(again(cmp_sparse_indices=rows), found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("layout", ["TND", "BSND"])
def test_drawn_tables_are_those_of_the_metadata_operator(layout):
    call, values = drawn(3, "SCFA", layout)
    same = {name: values[name] for name in ("cu_seqlens_q", "seqused_kv", "cmp_ratio", "layout_q") if name in values}
    if layout == "BSND":
        same |= {"batch_size": values["q"].shape[0], "max_seqlen_q": values["q"].shape[1]}
    expected = run_oracle("npu_sparse_attn_sharedkv_metadata", num_heads_q=64, num_heads_kv=1, head_dim=512,
                          cmp_topk=512, aic_core_num=20, aiv_core_num=40, **same)["metadata"]
    assert values["metadata"].tolist() == expected.tolist() and core_counts(call) == {}
    assert np.isnan(values["ori_kv"].astype(np.float32)).any()


@pytest.mark.parametrize(("change", "rule"), [
    ({"ori_kv": None}, "SAS-GEN-06"), ({"seqused_kv": None}, "SAS-GEN-07"), ({"sinks": None}, "SAS-GEN-14"),
    ({"cu_seqlens_q": None}, "SAS-GEN-10"), ({"layout_q": "BSND"}, "SAS-GEN-02"), ({"layout_kv": "BSND"}, "SAS-GEN-18"),
    ({"cmp_mask_mode": 0}, "SAS-GEN-16"), ({"cmp_sparse_indices": np.zeros((1, 1, 4), np.int32)}, "SAS-GEN-13"),
    ({"cmp_kv": np.zeros((1, 16, 1, 512))}, "SAS-GEN-08"),
    ({"cmp_kv": np.zeros((1, 16, 1, 512)), "cmp_block_table": np.zeros((1, 1), np.int32)}, "SAS-GEN-12"),
])
def test_what_the_formula_needs_is_asked_for(change, rule):
    with pytest.raises(DiagnosticError) as caught:
        result(**{**one_batch([1.0], line(3.0)), **change})
    assert [d.rule for d in caught.value.diagnostics] == [rule]


def test_inputs_may_be_bfloat16():
    args = one_batch([1.0], line(3.0, 1.0))
    narrow = {name: args[name].astype(ml_dtypes.bfloat16) for name in ("q", "ori_kv")}
    assert result(**{**args, **narrow}).tolist() == result(**args).tolist()
