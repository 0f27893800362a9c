"""The views of the whole site: its first page and its configuration with the navigation.

In: pages with titles. Out: HomeView, ConfigView. Must never know what is on a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fiagen.view.docs.text import Table


@dataclass(frozen=True)
class Page:
    """A page's place, its title in the navigation, and the headings it stands under."""

    path: str
    title: str
    under: tuple[str, ...] = ()


@dataclass(frozen=True)
class HomeView:
    """Context of templates/docs/home.md.jinja."""

    path: str
    title: str
    spec: str
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class ConfigView:
    """Context of templates/docs/mkdocs.yml.jinja."""

    nav: tuple[str, ...]  # lines of YAML


def view_config(pages: Sequence[Page]) -> ConfigView:
    """The navigation: pages in order, with a heading wherever `under` changes."""
    lines: list[str] = []
    open_: tuple[str, ...] = ()
    for page in pages:
        shared = 0
        while shared < min(len(open_), len(page.under)) and open_[shared] == page.under[shared]:
            shared += 1
        for depth in range(shared, len(page.under)):
            lines.append("  " * (2 * depth + 1) + f'- "{page.under[depth]}":')
        open_ = page.under
        lines.append("  " * (2 * len(page.under) + 1) + f'- "{page.title}": {page.path}')
    return ConfigView(tuple(lines))
