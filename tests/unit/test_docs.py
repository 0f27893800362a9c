"""Do the views of the documentation say what the specs say?

In: specs and toy values. Out: verdicts. Must never build the site.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from fiagen.check import check_call
from fiagen.check.pairs import confirmed, load_pairs, pair_file
from fiagen.emit.docs import emit_docs
from fiagen.load.calls import load_calls
from fiagen.load.catalogue import load_catalogue
from fiagen.load.reference import load_masks
from fiagen.oracle.masks import masking, window
from fiagen.paths import SPECS
from fiagen.view.docs.pictures import kept, view_mask
from fiagen.view.docs.site import Page, view_config
from fiagen.view.docs.text import Links, code, escaped

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

CATALOGUE = load_catalogue()
PICTURES = [(group, picture) for group in load_masks().groups for picture in group.pictures]
SPARSE_MODES = [picture for group, picture in PICTURES if "sparse_mode" in group.parameters]


@pytest.mark.parametrize("picture", SPARSE_MODES, ids=lambda p: p.title)
def test_a_mask_picture_shows_what_the_oracle_computes(picture) -> None:
    rows, columns = picture.rows, picture.columns
    matrix = np.array([[int(c) for c in row] for row in picture.matrix], bool) if picture.matrix else None
    given = np.zeros((1, 1), bool) if matrix is None and picture.value else matrix
    pre, after = (2**31 - 1 if value is None else value for value in (picture.pre, picture.next))
    true = window(masking(picture.value, given, pre, after, one_row=False, mode_ignored=False), rows, columns)
    if matrix is not None and picture.value != 9:
        true = true & ~matrix
    if picture.value == 9:  # the columns before the tree always count
        true = true & ~(matrix & (np.arange(columns) >= columns - rows))
    assert np.array_equal(np.array(kept(picture)), true)
    assert {cell.kind for cell in view_mask(picture, "").cells} == {
        "kept" if value else "dropped" for value in np.unique(np.array(kept(picture)))
    }


def test_every_mode_of_the_operator_is_drawn() -> None:
    assert {picture.value for picture in SPARSE_MODES} == {0, 1, 2, 3, 4, 9}


@pytest.mark.parametrize(
    ("plain", "markdown"),
    [
        ("a <= b", "a &lt;= b"),
        ("x * y_z", "x \\* y_z"),
        ("_lead and trail_", "\\_lead and trail\\_"),
        ("[1] | {2}", "\\[1\\] &#124; &#123;2&#125;"),
        ("# not a heading", "\\# not a heading"),
    ],
)
def test_plain_text_stays_plain(plain: str, markdown: str) -> None:
    assert escaped(plain) == markdown


def test_code_cannot_end_a_table_cell() -> None:
    assert code("a | b") == "<code>a &#124; b</code>" and code("a") == "`a`" and code("") == ""


def test_links_are_relative_and_know_what_is_a_word() -> None:
    links = Links(
        "ops/x/rules/mask.md",
        {
            "value": "ops/x/parameters.md#parameter-value",
            "V2-MASK-01": "ops/x/rules/mask.md#V2-MASK-01",
            "atten_mask": "ops/x/parameters.md#parameter-atten_mask",
        },
        {"S": "ops/x/index.md#source-S"},
    )
    assert links.condition("value is 3") == "[`value`](../parameters.md#parameter-value) is 3"
    assert (
        links.prose("The value of atten_mask.") == "The value of [`atten_mask`](../parameters.md#parameter-atten_mask)."
    )
    assert links.prose("see V2-MASK-01") == "see [`V2-MASK-01`](#V2-MASK-01)"
    assert links.source("5.1; S S-new") == "5.1; [S](../index.md#source-S) [S-new](../index.md#source-S)"
    assert links.source("5.1; nobody") == "5.1; nobody"


def test_navigation_opens_a_heading_once() -> None:
    pages = [
        Page("index.md", "home"),
        Page("a/b.md", "b", ("A",)),
        Page("a/c/d.md", "d", ("A", "C")),
        Page("e.md", "e", ("E",)),
    ]
    assert view_config(pages).nav == (
        '  - "home": index.md',
        '  - "A":',
        '      - "b": a/b.md',
        '      - "C":',
        '          - "d": a/c/d.md',
        '  - "E":',
        '      - "e": e.md',
    )


@pytest.mark.parametrize("op", sorted(CATALOGUE.operators))
def test_examples_are_what_the_checker_confirms(op: str) -> None:
    calls = load_calls(SPECS / "calls" / pair_file(op), CATALOGUE)
    pairs = load_pairs(op, CATALOGUE)
    assert len(pairs) * 2 == len(calls), (
        "some pair no longer shows its rule: python -m fiagen.verify.pairs specs/calls/models.yaml"
    )
    refusing = [r.id for r in CATALOGUE.operators[op].rules if r.severity == "error" and r.must]
    assert set(pairs) <= set(refusing) and len(pairs) >= 0.6 * len(refusing)


def test_a_pair_that_does_not_hold_is_not_shown() -> None:
    op = "npu_fused_infer_attention_score_v2"
    pair = load_pairs(op, CATALOGUE)["V2-GEN-09"]
    assert check_call(pair.legal, CATALOGUE).accepted and pair.said.rule == "V2-GEN-09"
    assert confirmed("V2-GEN-09", pair.legal, pair.illegal, CATALOGUE) == pair
    assert confirmed("V2-GEN-08", pair.legal, pair.illegal, CATALOGUE) is None
    assert confirmed("V2-GEN-09", pair.illegal, pair.illegal, CATALOGUE) is None
    assert confirmed("V2-GEN-09", pair.legal, pair.legal, CATALOGUE) is None


def test_a_rule_with_a_pair_shows_both_calls() -> None:
    pair = load_pairs("npu_fused_infer_attention_score_v2", CATALOGUE)["V2-GEN-09"]
    page = next(f.text for f in emit_docs() if "## V2-GEN-09 {" in f.text)
    section = page.split("## V2-GEN-09 {")[1].split("\n## ")[0]
    block = re.search(r"```diff\n(.*?)```", section, re.S)
    assert block and block[1].count("\n- ") + block[1].count("\n+ ") >= 1 and f"! {pair.said.given}" in block[1]


def test_only_chosen_operators_are_described() -> None:
    files = emit_docs(["npu_fused_infer_attention_score_v2"], ["fia_v2_c220_bf16_tnd_causal_d128_prefill"])
    assert {f.path.split("/")[2] for f in files if f.path.startswith("docs/ops/")} == {
        "npu_fused_infer_attention_score_v2"
    }
    kernels = next(f.text for f in files if f.path.startswith("docs/variants/"))
    assert "fia_v2_c220_bf16_tnd_causal_d128_prefill" in kernels and "_bsnd_" not in kernels
