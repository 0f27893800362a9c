"""Does every rule of aclnnFusedInferAttentionScoreV5 refuse what it should, and nothing next to it?

The table v5_rules.txt changes a legal call and names exactly the rules that the change breaks.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from v5_bases import BASES, arguments

from fiagen.check import check_call
from fiagen.check.consistency import check_operator
from fiagen.load.calls import read_call
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_dtypes, load_error_codes, load_product
from fiagen.model.call import Call

OP = "aclnnFusedInferAttentionScoreV5"
OUTPUTS = {"attentionOut": "attention_out", "softmaxLse": "softmax_lse"}
RULES_OF_THE_SHEETS = 465 + 125  # V5 and V5S


def _table():
    rows = []
    for line in (Path(__file__).with_name("v5_rules.txt")).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            opinion, base, change, broken = line.split(" | ")
            edition, authority = opinion.split()
            rows.append((edition, authority, base, json.loads(change), tuple(broken.split())))
    return rows


TABLE = _table()


def operator():
    return load_catalogue().operators[OP]


def call(described, edition="current", authority="document"):
    args = arguments(described)
    outputs = {name: args.pop(given) for given, name in OUTPUTS.items() if given in args}
    return Call("x", OP, "ascend950", args, edition, authority, outputs or None)


def broken(described, edition, authority):
    verdict = check_call(call(described, edition, authority), load_catalogue(), opinions=False)
    return tuple(d.rule for d in verdict.violations)


def _name(row):
    edition, authority, base, change, rules = row
    return f"{rules[0]}-{edition}-{authority}-{base}-{'-'.join(change)}"


@pytest.mark.parametrize("base", BASES)
def test_bases_are_legal_in_practice_and_by_document(base):
    verdicts = {(e, a): broken(BASES[base], e, a) for e in ("seed", "current") for a in ("document", "host")}
    assert () in (verdicts["seed", "document"], verdicts["current", "document"])
    assert () in (verdicts["seed", "host"], verdicts["current", "host"])


@pytest.mark.parametrize("row", TABLE, ids=_name)
def test_a_change_breaks_exactly_these_rules(row):
    edition, authority, base, change, rules = row
    assert broken(BASES[base], edition, authority) == ()
    assert broken({**BASES[base], **change}, edition, authority) == rules


def test_every_refusing_rule_has_a_call_that_breaks_it():
    refusing = {r.id for r in operator().rules if r.severity == "error" and not r.covered_by}
    assert len(refusing) > 380
    assert refusing == {rule for row in TABLE for rule in row[4]}


def test_every_rule_of_the_sheets_is_there_with_its_reasons():
    rules = operator().rules
    assert len(rules) == RULES_OF_THE_SHEETS
    assert not [rule.id for rule in rules if not (rule.summary and rule.because and rule.source)]
    assert {r.id for r in rules if r.id.startswith("V5S-") and r.editions != ("seed",)} == set()


def test_the_specs_agree_with_themselves():
    assert check_operator(operator(), load_dtypes(), load_error_codes()) == ()


def test_the_chip_of_the_product():
    hardware = load_product("ascend950")
    assert (hardware.chip.aic, hardware.chip.aiv, hardware.arch.npu_arch) == (32, 64, 3510)


@pytest.mark.parametrize(("base", "change", "edition", "authority", "ignored"), [
    ("GQA", {"preTokens": 5}, "current", "document", [("preTokens", "V5-MASK-10")]),
    ("CAUSAL", {"nextTokens": 5}, "current", "document", [("nextTokens", "V5-MASK-12")]),
    ("BAND", {}, "current", "document", []),
    ("BIAS", {"qStartIdx": [3]}, "current", "document", [("qStartIdxOptional", "V5-PSE-20")]),
    ("SLOPES", {"qStartIdx": [3]}, "seed", "document", []),
    ("GQA", {"keyRopeAntiquantScale": "f16[1]"}, "current", "document",
     [("keyRopeAntiquantScaleOptional", "V5-GEN-15")]),
    ("BF16", {"innerPrecise": 0}, "current", "document", [("innerPrecise", "V5-PREC-02")]),
    ("GQA", {"innerPrecise": 0}, "current", "document", []),
    ("GQA", {"quantScale2": "f32[1]", "attentionOut": "f16[2,8,16,128]"}, "current", "document",
     [("quantScale2Optional", "V5-POSTQ-15")]),
    ("CHANNEL", {"actualSeqLengths": [1, 1]}, "current", "document", [("actualSeqLengthsOptional", "V5-SEQ-20")]),
    ("CHANNEL", {"queryPaddingSize": "i64[1]"}, "current", "host", [("queryPaddingSizeOptional", "V5-LPAD-09")]),
    ("GQA", {"sparseMode": 3, "query": "f16[2,8,1,128]"}, "seed", "document",
     [("sparseMode", "V5S-MASK-01")]),
    ("PADDED", {"attenMask": "b8[2,16,64]", "innerPrecise": 2, "preTokens": 5}, "seed", "document",
     [("preTokens", "V5S-MASK-02")]),
])
def test_arguments_without_effect_are_named(base, change, edition, authority, ignored):
    verdict = check_call(call({**BASES[base], **change}, edition, authority), load_catalogue())
    assert verdict.accepted
    assert [item for item in verdict.ignored if item[0] not in ("innerPrecise",) or item in ignored] == ignored


@pytest.mark.parametrize(("base", "change", "advised"), [
    ("FULL_MASK", {"innerPrecise": 0}, "V5-PREC-04"),
    ("PAGED3", {}, "V5-PA-21"),
    ("BIAS", {"pseShift": "f16[2,8,16,70]"}, "V5-PSE-21"),
    ("MX", {"dequantScaleQuery": "e8m0[4,64,2,2]"}, "V5-MXFP8-04"),
])
def test_advice_leaves_the_call_legal(base, change, advised):
    verdict = check_call(call({**BASES[base], **change}), load_catalogue(), opinions=False)
    assert verdict.accepted
    assert [d.rule for d in verdict.advice] == [advised]


@pytest.mark.parametrize(("base", "change", "edition", "authority", "accepted", "advised", "names"), [
    ("SLOPES", {}, "seed", "document", True, "edition.differs", "V5-PSE-01"),
    ("SLOPES", {}, "current", "document", False, "edition.differs", "V5-PSE-01"),
    ("MX", {}, "seed", "document", False, "edition.differs", "V5S-QUANT-02"),
    ("BLOCK", {}, "seed", "host", True, "edition.differs", "V5-FP8BLK-01"),
    ("CHANNEL_TND", {}, "seed", "document", False, "authority.differs", "V5S-ANTIQ-09"),
    ("GQA", {"innerPrecise": 4}, "current", "document", False, "authority.differs", "V5-PREC-01"),
    ("PADDED", {"actualSeqLengths": None}, "seed", "document", True, "authority.differs", "V5S-LPAD-03"),
])
def test_what_the_other_edition_or_the_shipped_checks_would_say(
        base, change, edition, authority, accepted, advised, names):
    verdict = check_call(call({**BASES[base], **change}, edition, authority), load_catalogue())
    assert verdict.accepted is accepted
    assert names in next(d for d in verdict.advice if d.rule == advised).why


def test_suffix_lists_and_outputs_of_a_call_file():
    raw = {"id": "x", "op": OP, "product": "ascend950", "edition": "current", "args": {
        "query": {"shape": [2, 8, 16, 128], "dtype": "float16"},
        "key": [{"shape": [1, 2, 64, 128], "dtype": "float16"}, {"shape": [1, 2, 32, 128], "dtype": "float16"}],
        "value": [{"shape": [1, 2, 64, 128], "dtype": "float16"}, {"shape": [1, 2, 32, 128], "dtype": "float16"}],
        "actualSeqLengthsKvOptional": [64, 32], "actualSeqLengths": [16], "inputLayout": "BNSD", "numHeads": 8,
        "numKeyValueHeads": 2, "attentionOut": {"shape": [2, 8, 16, 128], "dtype": "float16"}}}
    read, found = read_call(raw, load_catalogue(), "here")
    assert not found
    assert [spec.shape for spec in read.args["key"]] == [(1, 2, 64, 128), (1, 2, 32, 128)]
    assert read.args["actualSeqLengthsKv"] == (64, 32)
    assert set(read.outputs) == {"attention_out"}
    assert check_call(read, load_catalogue()).accepted


def test_a_violation_tells_its_numbers():
    verdict = check_call(call({**BASES["PAGED"], "blockTable": "i32[2,3]"}), load_catalogue(), opinions=False)
    assert [d.text() for d in verdict.violations] == ["""\
x  error V5-PA-04
  given    blockTable.shape = (2, 3), MAX_BLK = 4, blockSize = 128
  allowed  axis 1 of blockTable is at least MAX_BLK
  why      Every block of a batch is named in its row.
  fix      Widen the table, or shorten the batch.
  docs     fiagen explain V5-PA-04   (6.18; D)"""]
