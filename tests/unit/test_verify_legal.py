"""Are random cases and the calls of public models legal, every one of them?"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from fiagen.check import check_call
from fiagen.load.calls import load_calls
from fiagen.load.catalogue import load_catalogue
from fiagen.load.variants import load_variants
from fiagen.model.call import Call
from fiagen.oracle import run_oracle
from fiagen.paths import SPECS
from fiagen.verify.cases import PREFILL_KINDS, RATIOS, generate_case
from fiagen.verify.inputs import materialise

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

OP = "npu_fused_infer_attention_score_v2"
SEED = 11
CASES = 4 * len(PREFILL_KINDS)
ELEMENTS = 3_000_000  # of key: what the truth of a call is computed for here
CATALOGUE = load_catalogue()
VARIANTS = {name: variant for name, (spec, variant) in load_variants().items() if spec.op == OP}
MODELS = load_calls(SPECS / "calls" / "models.yaml", CATALOGUE)


def rules_against(call: Call) -> list[str]:
    return [finding.rule for finding in check_call(call, CATALOGUE).violations]


def test_there_are_variants_and_models() -> None:
    assert len(VARIANTS) >= 40 and len(MODELS) >= 16


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_random_cases_are_legal(name: str) -> None:
    for index in range(CASES):
        call = generate_case(VARIANTS[name], SEED, index)
        assert rules_against(call) == [], call


def test_legality_of_cases_is_really_judged() -> None:
    variant = next(
        v for name, v in sorted(VARIANTS.items()) if v.values["layout"] == "TND" and v.values["mask"] == "band"
    )
    call = generate_case(variant, SEED, RATIOS.index(8))
    for change, rule in (({"inner_precise": 1}, "V2-TND-42"), ({"pre_tokens": -1, "next_tokens": -1}, "V2-MASK-15")):
        assert rule in rules_against(dataclasses.replace(call, args={**call.args, **change}))


@pytest.mark.parametrize("call", MODELS, ids=lambda call: call.id)
def test_model_call_is_legal_and_names_its_source_and_edition(call: Call) -> None:
    assert rules_against(call) == []
    refused_by_seed = bool(rules_against(dataclasses.replace(call, edition="seed")))
    assert refused_by_seed == (call.edition == "current")
    assert "heads" in call.extra["note"]
    heads = call.args["num_query_heads"]
    assert heads // (call.args.get("num_key_value_heads") or heads) <= 64


SMALL = [call for call in MODELS if call.tensor("key").numel <= ELEMENTS and call.tensor("query").numel <= ELEMENTS]


@pytest.mark.parametrize("call", SMALL, ids=lambda call: call.id)
def test_model_call_has_a_truth(call: Call) -> None:
    found = run_oracle(call.op, **materialise(call))
    assert np.isfinite(found["attention_out"]).all() and found["attention_out"].any()
    assert found["attention_out__defined"].all()
