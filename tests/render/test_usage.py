"""Is every template drawn by something, and every field of every view read by some template?

In: everything that the specs generate. Out: verdicts. Must never trust a name in a comment: it watches the drawing.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import jinja2
import pytest

import fiagen.view
from fiagen import paths
from fiagen.emit.bindings import emit_bindings
from fiagen.emit.host import emit_host
from fiagen.emit.kernels import emit_kernel
from fiagen.emit.render import render
from fiagen.load.variants import load_variants

# Fields that no template reads, each with its reason.
UNREAD = {
    "fiagen.view.docs.*.path": "where a page goes: the writer reads it, the page does not say it",
    "fiagen.view.docs.site.Page.*": "an entry of the navigation, which the view of the site's configuration spells",
}


class Watched:
    """A view, or a part of one, that notes which fields are read; everything else behaves as it did."""

    def __init__(self, value: Any, seen: set[str]) -> None:
        self._value, self._seen = value, seen

    def __getattr__(self, name: str) -> Any:
        self._seen.add(f"{type(self._value).__module__}.{type(self._value).__name__}.{name}")
        return watched(getattr(self._value, name), self._seen)


def watched(value: Any, seen: set[str]) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return Watched(value, seen)
    if isinstance(value, (tuple, list)):
        return [watched(item, seen) for item in value]
    return value


def caches() -> Iterator[Any]:
    """Every cached function that may hold text drawn before."""
    for name in ("host", "kernels", "bindings", "docs", "build", "render"):
        try:
            module = import_module(f"fiagen.emit.{name}")
        except ModuleNotFoundError:
            continue
        yield from (item for item in vars(module).values() if hasattr(item, "cache_clear"))


@pytest.fixture(scope="module")
def drawn() -> Iterator[tuple[set[str], set[str]]]:
    """Templates loaded and fields read while everything is drawn."""
    templates: set[str] = set()
    fields: set[str] = set()
    patch = pytest.MonkeyPatch()
    draw: Callable[..., str] = jinja2.Template.render
    load = jinja2.FileSystemLoader.get_source

    def spy_draw(self: jinja2.Template, **context: Any) -> str:
        return draw(self, view=watched(context["view"], fields))

    def spy_load(self: Any, env: Any, name: str) -> Any:
        templates.add(name)
        return load(self, env, name)

    def empty() -> None:
        for item in caches():
            item.cache_clear()

    patch.setattr(jinja2.Template, "render", spy_draw)
    patch.setattr(jinja2.FileSystemLoader, "get_source", spy_load)
    empty()
    kernels = [emit_kernel(name) for name in load_variants()]
    ops = {kernel.path.split("/")[0] for kernel in kernels}
    assert len(kernels) >= 64 and all(emit_host(op) and emit_bindings(op) for op in ops)
    if (paths.TEMPLATES / "docs").is_dir():
        assert import_module("fiagen.emit.docs").emit_docs()
    yield templates, fields
    patch.undo()
    empty()


def view_fields() -> set[str]:
    """Every field and property of every dataclass of fiagen.view."""
    found = set()
    for info in walk_packages(fiagen.view.__path__, "fiagen.view."):
        for _, item in inspect.getmembers(import_module(info.name), inspect.isclass):
            if item.__module__ != info.name or not dataclasses.is_dataclass(item):
                continue
            names = [field.name for field in dataclasses.fields(item)]
            names += [name for name, kind in vars(item).items() if isinstance(kind, property)]
            found |= {f"{info.name}.{item.__name__}.{name}" for name in names}
    return found


def test_every_template_is_drawn(drawn: tuple[set[str], set[str]]) -> None:
    there = {path.relative_to(paths.TEMPLATES).as_posix() for path in paths.TEMPLATES.rglob("*.jinja")}
    assert drawn[0] == there


def test_every_field_of_a_view_is_read(drawn: tuple[set[str], set[str]]) -> None:
    unread = sorted(view_fields() - drawn[1])
    assert [name for name in unread if not any(fnmatch(name, pattern) for pattern in UNREAD)] == []
    if (paths.TEMPLATES / "docs").is_dir():
        assert [pattern for pattern in UNREAD if not any(fnmatch(name, pattern) for name in unread)] == []


def test_watching_changes_nothing(drawn: tuple[set[str], set[str]]) -> None:
    assert "fiagen.view.kernel.KernelView.element" in drawn[1]
    watched_text = render("kernel/_declare_constants.jinja", _constants())
    assert watched_text == "using Element = half; // query, key, value and attention_out\n"


@dataclasses.dataclass(frozen=True)
class _Constants:
    element: str
    constant_groups: tuple[str, ...]


def _constants() -> _Constants:
    return _Constants("half", ())
