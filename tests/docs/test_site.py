"""Is the site whole: every link resolves, nothing comes from outside, every rule and parameter can be found?

In: the built site. Out: verdicts. Must never need a browser.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pages import Page, broken, read_pages

from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import chip_names, load_error_codes, load_products
from fiagen.load.messages import load_messages
from fiagen.load.reference import load_apis
from fiagen.load.variants import load_variants
from fiagen.model.catalogue import Operator

OPERATORS = load_catalogue().operators


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return read_pages(site)


@pytest.fixture(scope="module")
def index(site: Path) -> dict[str, dict[str, str]]:
    """The sections of the search index by their place."""
    docs = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    return {doc["location"]: doc for doc in docs}


def test_there_is_a_page_for_everything(pages: dict[str, Page]) -> None:
    wanted = {f"products/{name}.html" for name in load_products()} | {f"chips/{name}.html" for name in chip_names()}
    wanted |= {f"api/{api.family}.html" for api in load_apis()} | {
        f"variants/{v.op}.html" for _, v in load_variants().values()
    }
    wanted |= {"index.html", "codes.html", "messages.html", "tolerances.html", "dtypes.html"}
    for op, operator in OPERATORS.items():
        wanted |= {
            f"ops/{op}/{name}.html"
            for name in ("index", "parameters", "layouts", "quantities", "editions", "rules/index")
        }
        wanted |= {f"ops/{op}/rules/{group.group.lower()}.html" for group in operator.groups}
    assert len(wanted) > 60 and wanted <= set(pages)


def test_every_internal_link_resolves_and_none_leads_outside(site: Path, pages: dict[str, Page]) -> None:
    assert sum(len(page.links) for page in pages.values()) > 5000
    assert broken(site, pages) == []


def test_a_broken_link_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="x"></h1><a href="b.html#y"></a><a href="#x"></a><a href="c.html"></a>'
        '<script src="https://cdn.example/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<p id="z"></p><a href="a.html#x"></a><a href="../../etc/passwd"></a>')
    found = broken(tmp_path, read_pages(tmp_path))
    assert [line.split(" -> ")[1] for line in found] == [
        "b.html#y",
        "c.html",
        "https://cdn.example/x.js, which is outside",
        "../../etc/passwd",
    ]


def test_styles_fetch_nothing_from_outside(site: Path) -> None:
    styles = list(site.rglob("*.css"))
    assert len(styles) >= 2
    for style in styles:
        assert not re.search(r"""(?:url\(|@import\s+)["']?(?:https?:)?//""", style.read_text(encoding="utf-8")), style


@pytest.mark.parametrize("op", sorted(OPERATORS))
def test_search_index_has_every_rule_and_parameter(
    op: str, index: dict[str, dict[str, str]], pages: dict[str, Page]
) -> None:
    operator: Operator = OPERATORS[op]
    for group in operator.groups:
        page = f"ops/{op}/rules/{group.group.lower()}.html"
        for rule in group.rules:
            section = index[f"{page}#{rule.id}"]
            assert section["title"] == rule.id and rule.id in pages[page].ids
            assert rule.because.split()[0].strip(".,:;'\"") in section["text"]
    for name in operator.parameters:
        assert index[f"ops/{op}/parameters.html#parameter-{name}"]["title"] == name


def test_codes_and_messages_have_their_anchors(pages: dict[str, Page]) -> None:
    assert {f"code-{code}" for code in load_error_codes()} <= pages["codes.html"].ids
    assert set(load_messages()) <= pages["messages.html"].ids


def test_every_refusing_rule_says_condition_why_fix_source_and_code(index: dict[str, dict[str, str]]) -> None:
    asked = 0
    for op, operator in OPERATORS.items():
        for group in operator.groups:
            for rule in group.rules:
                if rule.severity == "error" and rule.must:
                    text = index[f"ops/{op}/rules/{group.group.lower()}.html#{rule.id}"]["text"]
                    asked += 1
                    for label in ("Applies", "Must hold", "Why", "Fix", "Editions", "Enforced by", "Returns", "Source"):
                        assert label in text, (rule.id, label)
    assert asked > 250


def test_masks_are_pictures(site: Path) -> None:
    for op, operator in OPERATORS.items():
        if {"sparse_mode", "sparseMode"} & set(operator.parameters):
            page = (site / "ops" / op / "masks.html").read_text(encoding="utf-8")
            assert page.count(".svg") >= 8
