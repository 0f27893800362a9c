"""Does the table come out word for word as worked out by hand?

In: batches whose tables were derived on paper, one of them printed from hardware. Out: equality. Must never compute the
expected table from the oracle's own parts.
"""

from __future__ import annotations

import numpy as np
import pytest

import fiagen
from fiagen.diagnostics import DiagnosticError
from fiagen.oracle import run_oracle
from fiagen.oracle.sparse_metadata import Compression, Window, rows_of

OP = "npu_sparse_attn_sharedkv_metadata"
SCFA = {"cmp_topk": 512, "cmp_ratio": 4}
CFA = {"cmp_topk": 0, "cmp_ratio": 128}
SWA = {"has_cmp_kv": False}


def totals(*lengths):
    return [0, *np.cumsum(lengths).tolist()]


def packed(queries, keys, **more):
    return {"cu_seqlens_q": totals(*queries), "seqused_kv": keys, "layout_q": "TND", **more}


def table(args):
    metadata = fiagen.oracle(OP, num_heads_q=64, num_heads_kv=1, head_dim=512, **args)["metadata"]
    assert metadata.shape == (1024,) and metadata.dtype == np.int32
    return metadata


def written(ends):
    """The whole table whose cores end at `ends`."""
    words = [0] * 1024
    start = (0, 0)
    for core, (batch, row) in enumerate(ends):
        words[core * 8 : core * 8 + 8] = [1, start[0], start[1], 0, batch, row, 0, 0]
        start = (batch, row)
    return words


DECODE_30 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 20, 22, 23, 25, 27, 28, 30]
PREFILL = [(0, 17), (0, 34), (0, 51), (0, 67), (0, 80), (0, 93), (2, 1), (2, 8), (2, 15), (2, 22), (2, 29), (2, 36),
           (2, 43), (2, 50), (2, 58), (2, 65), (2, 73), (2, 81), (2, 89), (2, 97), (2, 104), (2, 112), (2, 120), (3, 0)]
HARDWARE = [(0, 5), (1, 2), (1, 7), (2, 4), (3, 1), (3, 6), (4, 3), (5, 0), (5, 5), (6, 2), (6, 7), (7, 4), (8, 1),
            (8, 5), (9, 2), (9, 6), (10, 3), (10, 7), (11, 4), (12, 0)]


@pytest.mark.parametrize(("args", "ends"), [
    pytest.param(packed([1], [8193], **SCFA), [(1, 0)], id="6.1 one decode request, selected keys"),
    pytest.param(packed([1], [8193], **CFA), [(1, 0)], id="6.1 one decode request, all compressed keys"),
    pytest.param(packed([1] * 30, [4096] * 30, **SCFA), [(end, 0) for end in DECODE_30], id="6.2 thirty requests"),
    pytest.param(packed([1] * 8, [100, 5000, 64, 70000, 1, 2048, 300, 1024], **SCFA),
                 [(end, 0) for end in (1, 2, 3, 4, 6, 7, 8)], id="6.2 mixed contexts"),
    # the core that is full beyond its limit, with 34 + 148 > 148, takes the batch without keys behind it all the same
    pytest.param(packed([1] * 9, [100, 5000, 64, 70000, 1, 2048, 0, 300, 1024], **SCFA),
                 [(end, 0) for end in (1, 2, 3, 4, 7, 8, 9)], id="mixed contexts, one empty"),
    pytest.param(packed([96, 4, 128], [96, 5000, 1152], **CFA), PREFILL, id="6.3 prefill of unequal lengths"),
    pytest.param({"batch_size": 4, "max_seqlen_q": 2, "seqused_kv": [1, 128, 129, 4096], **SWA},
                 [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0)], id="6.4 padded, window alone"),
    pytest.param(packed([3, 0, 5 - 3, 4, 2], [10, 50, 700, 2, 0], **SCFA),
                 [(0, 1), (0, 2), (2, 0), (2, 1), (3, 2), (5, 0)], id="6.5 empty batches and rows"),
    pytest.param(packed([1, 1, 0], [0, 0, 9], **SCFA), [(3, 0)], id="6.6 everything empty"),
    pytest.param(packed([8] * 12, [9000] * 12, **SWA, aic_core_num=20, aiv_core_num=40), HARDWARE,
                 id="6.7 printed from hardware"),
    pytest.param({"batch_size": 0, "seqused_kv": [5], **SWA}, [(0, 0)], id="1.5 no batches"),
])
def test_worked_example(args, ends):
    assert table(args).tolist() == written(ends)


def test_entries_printed_in_the_sheet():
    assert table(packed([1] * 30, [4096] * 30, **SCFA))[15 * 8 : 16 * 8].tolist() == [1, 15, 0, 0, 17, 0, 0, 0]
    assert table(packed([96, 4, 128], [96, 5000, 1152], **CFA))[6 * 8 : 7 * 8].tolist() == [1, 0, 93, 0, 2, 1, 0, 0]


@pytest.mark.parametrize(("queries", "keys", "compression", "costs"), [
    (1, 8193, Compression(4, 512), [44 + 104]),
    (1, 8193, Compression(128, 0), [44 + 34]),
    (1, 8193, Compression(), [44]),
    (1, 64, Compression(), [34]),
    (1, 65, Compression(), [44]),
    (2, 1, Compression(), [0, 34]),
    (3, 10, Compression(4, 512), [68, 68, 68]),
    (2, 700, Compression(4, 512), [98, 98]),
    (1, 70000, Compression(4, 0), [44 + 34 * 104 + 44]),  # 17500 compressed tokens: 34 blocks and 92 of the next
    (0, 9, Compression(4, 512), []),
    (2, 0, Compression(4, 512), [0, 0]),
])
def test_row_costs(queries, keys, compression, costs):
    assert list(rows_of(queries, keys, 64, Window(), compression).costs) == costs


def test_last_block_is_the_compressed_one_where_there_is_one():
    assert rows_of(1, 8193, 64, Window(), Compression(4, 512)).last_block == 104
    assert rows_of(1, 8193, 64, Window(), Compression(128, 0)).last_block == 34
    assert rows_of(1, 8193, 64, Window(), Compression()).last_block == 44
    assert rows_of(2, 1, 64, Window(), Compression()).last_blocks == (0, 34)
    assert rows_of(1, 2, 64, Window(), Compression(4, 512)).last_block == 34  # too short for a compressed token


def test_masks_of_practice_see_more():
    assert rows_of(1, 5000, 64, Window(mask_mode=3), Compression()).costs == (9 * 104 + 94,)  # 9 * 512 + 392 keys
    assert rows_of(2, 600, 64, Window(mask_mode=0), Compression()).costs == (104 + 44, 104 + 44)
    assert rows_of(1, 5000, 64, Window(left=600), Compression()).costs == (104 + 44,)
    assert rows_of(2, 130, 64, Window(left=64, right=1), Compression()).costs == (44, 44)  # 66 and 65 keys


def test_fewer_heads_cost_less_and_are_split_the_same_way():
    assert rows_of(1, 8193, 16, Window(), Compression(4, 512)).costs == (6 + 20 + 6 + 80,)
    eight = packed([1] * 8, [4096] * 8, **SCFA)
    less = run_oracle(OP, num_heads_q=16, num_heads_kv=1, head_dim=512, **eight)["metadata"]
    assert less[:64].reshape(8, 8)[:, 4].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_lengths_come_from_the_first_tensor_that_tells_them():
    padded = {"batch_size": 2, "max_seqlen_q": 4, "seqused_kv": [9, 9], **SWA}
    assert table({**padded, "seqused_q": [1, 1]}).tolist() == table({**padded, "max_seqlen_q": 1}).tolist()
    assert table(padded).tolist() != table({**padded, "max_seqlen_q": 1}).tolist()
    keys = {"layout_kv": "TND", "cu_seqlens_ori_kv": [0, 9, 18], "seqused_kv": None}
    assert table({**padded, **keys}).tolist() == table(padded).tolist()
    longest = {"layout_kv": "BSND", "seqused_kv": None, "max_seqlen_kv": 9}
    assert table({**padded, **longest}).tolist() == table(padded).tolist()


@pytest.mark.parametrize(("change", "rule"), [
    ({"aic_core_num": 0}, "SASM-GEN-29"), ({"aic_core_num": 37}, "SASM-GEN-29"), ({"aiv_core_num": 73}, "SASM-GEN-29"),
    ({"cu_seqlens_q": None}, "SASM-GEN-13"), ({"seqused_kv": []}, "SASM-GEN-14"),
    ({"cu_seqlens_q": [0, 2, 1]}, "SASM-GEN-16"), ({"cu_seqlens_q": [1, 2, 3]}, "SASM-GEN-16"),
    ({"seqused_kv": [9, -1]}, "SASM-GEN-17"), ({"seqused_kv": [9]}, "SASM-GEN-18"),
    ({"layout_q": "BNSD"}, "SASM-GEN-10"), ({"layout_kv": "PA"}, "SASM-GEN-11"), ({"cmp_ratio": 1}, "SASM-GEN-25"),
    ({"ori_mask_mode": 1}, "SASM-GEN-21"), ({"ori_win_left": -1}, "SASM-GEN-23"),
    ({"ori_win_right": -1}, "SASM-GEN-24"),
])
def test_what_leaves_the_table_undefined_is_refused_by_name(change, rule):
    with pytest.raises(DiagnosticError) as caught:
        table({**packed([1, 1], [9, 9], **SCFA), **change})
    assert [d.rule for d in caught.value.diagnostics] == [rule]
