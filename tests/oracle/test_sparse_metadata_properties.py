"""Does every table hand out every row exactly once, within the cores there are, and evenly?

In: random batches. Out: verdicts on the tables, read as the consumer reads them. Must never trust the oracle's own
parts where a few lines of counting can tell.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from fiagen.oracle import run_oracle
from fiagen.oracle.sparse_metadata import Compression, Window, rows_of

OP = "npu_sparse_attn_sharedkv_metadata"
COMPRESSIONS = {"SWA": {"has_cmp_kv": False}, "CFA": {"cmp_ratio": 128}, "SCFA": {"cmp_ratio": 4, "cmp_topk": 512},
                "long": {"cmp_ratio": 4}}


def draw(random):
    """(query lengths, key lengths, arguments) of a batch; empty ones, short contexts and long ones among them."""
    batches = random.randint(1, 12)
    longest = random.choice([1, 1, 2, 8, 40])
    padded = random.random() < 0.3
    queries = [longest] * batches if padded else [random.randint(0, longest) for _ in range(batches)]
    keys = [random.choice([0, 1, random.randint(0, 40), random.randint(0, 1500), random.randint(0, 60000)])
            for _ in queries]
    args = {"seqused_kv": keys, **random.choice(list(COMPRESSIONS.values()))}
    if padded:
        args |= {"batch_size": batches, "max_seqlen_q": longest}
    else:
        args |= {"layout_q": "TND", "cu_seqlens_q": np.cumsum([0, *queries]).astype(np.int32)}
    return queries, keys, args


def table(args, cores):
    return run_oracle(OP, num_heads_q=64, num_heads_kv=1, head_dim=512, aic_core_num=cores, aiv_core_num=2 * cores,
                      **args)["metadata"]


def rows_as_the_consumer_reads(words, queries, cores):
    """The rows that each core works on, in its own order of reading."""
    taken = []
    for core in range(cores):
        enabled, batch, first, block, end_batch, end_row, end_block, _ = words[8 * core : 8 * core + 8].tolist()
        mine = []
        if enabled:
            stop = end_batch
            stop += (first, block) != (end_row, end_block) if batch == end_batch else (end_row, end_block) != (0, 0)
            for b in range(batch, stop):
                last = end_row if b == stop - 1 and end_row != 0 else queries[b]
                mine += [(b, row) for row in range(first if b == batch else 0, last)]
        taken.append(mine)
    return taken


def cost_by_counting(queries, keys, row, args):
    """The cost of a row, from the set of keys that its token sees."""
    place = keys - queries + row
    seen = [t for t in range(max(0, place - 127), place + 1) if t < keys]
    compressed = 0
    if args.get("has_cmp_kv", True):
        compressed = (place + 1) // args["cmp_ratio"] if place >= 0 else 0
        compressed = min(compressed, args["cmp_topk"]) if args.get("cmp_topk") else compressed
    parts = [[512] * (n // 512) + [n % 512] * (n % 512 > 0) for n in (len(seen), compressed)]
    return sum(6 * 4 + 10 * -(-block // 64) for part in parts for block in part)


@pytest.mark.parametrize("seed", range(40))
def test_every_row_is_handed_out_once_in_order(seed):
    random = Random(seed)
    for _ in range(10):
        queries, keys, args = draw(random)
        every = [(b, row) for b, length in enumerate(queries) for row in range(length)]
        for cores in (1, 2, random.randint(3, 35), 24, 36):
            words = table(args, cores)
            if all(q == 0 or k == 0 for q, k in zip(queries, keys, strict=True)):
                assert words.tolist() == [1, 0, 0, 0, len(queries), 0, 0, 0] + [0] * 1016
                continue
            taken = rows_as_the_consumer_reads(words, queries, cores)
            assert [row for mine in taken for row in mine] == every
            entries = words[:288].reshape(36, 8)
            used = int(entries[:, 0].sum())
            assert entries[:, 0].tolist() == [1] * used + [0] * (36 - used) and 1 <= used <= cores
            assert entries[0, 1:4].tolist() == [0, 0, 0] and entries[used - 1, 4:7].tolist() == [len(queries), 0, 0]
            assert (entries[1:used, 1:4] == entries[: used - 1, 4:7]).all()
            assert (entries[used:] == 0).all() and (entries[:, 7] == 0).all() and (words[288:] == 0).all()


@pytest.mark.parametrize("seed", range(20))
def test_costs_are_those_of_the_keys_that_are_seen(seed):
    random = Random(1000 + seed)
    queries, keys, args = draw(random)
    compression = Compression(args.get("cmp_ratio", 0), args.get("cmp_topk", 0))
    for q, k in zip(queries, keys, strict=True):
        expected = [cost_by_counting(q, k, row, args) if k else 0 for row in range(q)]
        assert list(rows_of(q, k, 64, Window(), compression).costs) == expected


@pytest.mark.parametrize("seed", range(20))
def test_no_core_is_loaded_far_beyond_its_share(seed):
    random = Random(2000 + seed)
    queries, keys, args = draw(random)
    cores = random.choice([1, 4, 20, 24])
    costs = {(b, row): cost_by_counting(q, k, row, args) if k else 0
             for b, (q, k) in enumerate(zip(queries, keys, strict=True)) for row in range(q)}
    loads = [sum(costs[row] for row in mine) for mine in rows_as_the_consumer_reads(table(args, cores), queries, cores)]
    left, dearest = sum(costs.values()), max(costs.values(), default=0)
    assert sum(loads) == left
    for core, load in enumerate(loads):
        limit = max(left // (cores - core), dearest)
        assert load <= limit + 104 // 2
        assert load > 0 or left == 0  # no core is passed over
        left -= load


def test_the_order_of_the_cores_does_not_matter_but_their_number_does():
    args = {"layout_q": "TND", "cu_seqlens_q": list(range(31)), "seqused_kv": [4096] * 30, **COMPRESSIONS["SCFA"]}
    tables = {cores: table(args, cores).tolist() for cores in (1, 20, 24, 36)}
    assert len({tuple(words) for words in tables.values()}) == 4
    assert tables[1][:8] == [1, 0, 0, 0, 30, 0, 0, 0]
    vectors = run_oracle(OP, num_heads_q=64, num_heads_kv=1, head_dim=512, aic_core_num=24, aiv_core_num=1, **args)
    assert vectors["metadata"].tolist() == tables[24]


@pytest.mark.parametrize("change", [{"head_dim": 7}, {"ori_topk": 3}, {"cmp_mask_mode": 0}, {"has_ori_kv": False},
                                    {"cu_seqlens_cmp_kv": [0, 1]}, {"cu_seqlens_ori_kv": [0, 9]}, {"max_seqlen_kv": 5},
                                    {"max_seqlen_q": 9}, {"batch_size": 7}, {"device": "cpu"}])
def test_parameters_without_effect_have_none(change):
    args = {"num_heads_q": 64, "num_heads_kv": 1, "head_dim": 512, "layout_q": "TND", "cu_seqlens_q": [0, 3, 5],
            "seqused_kv": [700, 9], "aic_core_num": 2, **COMPRESSIONS["SCFA"]}
    expected = run_oracle(OP, **args)["metadata"].tolist()
    assert run_oracle(OP, **{**args, **change})["metadata"].tolist() == expected
    assert run_oracle(OP, **{**args, "seqused_kv": [9, 700]})["metadata"].tolist() != expected
