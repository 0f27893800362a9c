"""The site in a real browser, opened from the disk: search, tables, console.

In: the built site and a Chromium. Out: verdicts. Must never be silent about a browser that is not there.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest

from fiagen.load.catalogue import load_catalogue

V2 = "ops/npu_fused_infer_attention_score_v2"
NO_BROWSER = (
    "no Chromium with chromedriver here: search, tables and console of the site were not looked at in a browser"
)
# Tables that stick out of what holds them, or out of the text's column.
WIDE = """
const column = document.querySelector('.md-content').getBoundingClientRect().right;
return [...document.querySelectorAll('.md-typeset table, .md-typeset pre')].filter(item => {
  const room = item.closest('.md-typeset__scrollwrap') || item.parentElement;
  return room.scrollWidth > room.clientWidth + 1 || item.getBoundingClientRect().right > column + 1;
}).map(item => item.innerText.slice(0, 60));
"""
TYPE = """
const field = document.querySelector('.md-search__input');
field.focus(); field.value = arguments[0];
field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
return true;
"""
RESULTS = (
    "return [...document.querySelectorAll('a.md-search-result__link')].map(link => link.href.split('?')[0] + link.hash)"
)


@pytest.fixture(scope="module")
def window() -> Iterator[browser.Browser]:
    if browser.find() is None:
        warnings.warn(NO_BROWSER, stacklevel=1)
        pytest.skip(NO_BROWSER)
    with browser.Browser(1280) as opened:
        yield opened


def search(window: browser.Browser, site: Path, words: str) -> list[str]:
    """Addresses that the search finds, best first, below the site."""
    window.open((site / "index.html").resolve().as_uri())
    window.run(TYPE, words)
    window.until("return document.querySelectorAll('a.md-search-result__link').length > 0")
    root = site.resolve().as_uri() + "/"
    return [link.removeprefix(root) for link in window.run(RESULTS)]


def settled(window: browser.Browser) -> list[str]:
    """What is too wide once the page's own script has put its tables where they stay."""
    end = time.monotonic() + 5
    while (wide := window.run(WIDE)) and time.monotonic() < end:
        time.sleep(0.2)
    return wide


@pytest.mark.parametrize("rule", ["V2-MASK-11", "V2-GEN-09", "V2-PA-04"])
def test_search_finds_a_rule_by_its_id(window: browser.Browser, site: Path, rule: str) -> None:
    found = search(window, site, rule)
    assert any(link.endswith(f"#{rule}") for link in found[:5]), found[:8]


@pytest.mark.parametrize("parameter", ["block_table", "sparse_mode", "actual_seq_kvlen"])
def test_search_finds_a_parameter_and_rules_about_it(window: browser.Browser, site: Path, parameter: str) -> None:
    found = search(window, site, parameter)
    assert f"{V2}/parameters.html#parameter-{parameter}" in found[:8], found[:8]
    assert any(f"{V2}/rules/" in link for link in found)


def test_nothing_overflows_at_1280_pixels_and_the_console_is_silent(window: browser.Browser, site: Path) -> None:
    seen = 0
    for page in sorted(site.rglob("*.html")):
        window.open(page.resolve().as_uri())
        name = page.relative_to(site).as_posix()
        assert settled(window) == [], name
        assert window.run("return document.documentElement.scrollWidth") <= 1280, name
        assert window.complaints() == [], name
        seen += 1
    assert seen > 60


def test_a_wide_table_would_be_found(window: browser.Browser, site: Path) -> None:
    window.open((site / "index.html").resolve().as_uri())
    window.run("document.querySelector('.md-typeset td').style.minWidth = '1400px'")
    assert len(settled(window)) == 1


def test_rules_link_to_what_they_read(window: browser.Browser, site: Path) -> None:
    rule = load_catalogue().operators["npu_fused_infer_attention_score_v2"].rules_by_id["V2-MASK-11"]
    window.open((site / f"{V2}/rules/mask.html").resolve().as_uri() + f"#{rule.id}")
    links = window.run(
        """
        const list = document.getElementById(arguments[0]).nextElementSibling.nextElementSibling;
        return [...list.querySelectorAll('a')].map(link => link.hash)""",
        rule.id,
    )
    assert {"#parameter-atten_mask", "#quantity-PACKED_MASK", "#source-S"} <= set(links)
