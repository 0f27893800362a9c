"""What a page of the site links to, names and fetches.

In: HTML. Out: links, ids and fetched addresses. Must never need a browser.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHING = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}


@dataclass
class Page(HTMLParser):
    """`links` are addresses of anchors, `fetched` what a browser loads by itself, `ids` what a fragment can name."""

    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            if value and (tag, name) in FETCHING and not value.startswith("data:"):
                self.fetched.append(value)
            if value and tag == "a" and name == "href":
                self.links.append(value)


def read_pages(site: Path) -> dict[str, Page]:
    """Every page by its path below the site."""
    pages = {}
    for file in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(file.read_text(encoding="utf-8"))
        pages[file.relative_to(site).as_posix()] = page
    return pages


def broken(site: Path, pages: dict[str, Page]) -> list[str]:
    """Links that lead nowhere: `page -> address`."""
    found = []
    for path, page in pages.items():
        for address in [*page.links, *page.fetched]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                found.append(f"{path} -> {address}, which is outside")
                continue
            target = ((site / path).parent / unquote(parts.path)).resolve() if parts.path else site / path
            target = target / "index.html" if target.is_dir() else target
            name = target.relative_to(site.resolve()).as_posix() if target.is_relative_to(site.resolve()) else ""
            if not target.is_file() or (
                parts.fragment and name.endswith(".html") and unquote(parts.fragment) not in pages[name].ids
            ):
                found.append(f"{path} -> {address}")
    return found
