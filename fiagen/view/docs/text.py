"""Plain text, expressions and references as Markdown with links.

In: texts of the specs and the page they stand on. Out: inline Markdown. Must never change a word.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

_SYNTAX = re.compile(r"[\\`*{}\[\]<>|#~^$]|(?<!\w)_|_(?!\w)")
_ENTITIES = {
    "<": "&lt;",
    ">": "&gt;",
    "{": "&#123;",
    "}": "&#125;",
    "|": "&#124;",
    "$": "&#36;",
    "^": "&#94;",
    "~": "&#126;",
}
_WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Z0-9]+)*")
_ID = re.compile(r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+")


@dataclass(frozen=True)
class Table:
    """A table of ready cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    about: str = ""


def escaped(text: str) -> str:
    """`text` as Markdown that shows exactly it; blanks at its ends stay, for it may be a piece of a sentence."""
    return _SYNTAX.sub(lambda m: _ENTITIES.get(m[0], "\\" + m[0]), text)


def code(text: object) -> str:
    """`text` as inline code; a bar would end a table's cell and is spelled as an entity there."""
    plain = " ".join(str(text).split())
    if "`" in plain or "|" in plain:
        return "<code>" + plain.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;") + "</code>"
    return f"`{plain}`" if plain else ""


def listed(items: Iterable[str]) -> str:
    return ", ".join(items)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str = "", about: str = "") -> Table:
    return Table(tuple(head), tuple(tuple(row) for row in rows), title, about)


class Links:
    """Targets by name, seen from one page: links are relative, so that the Markdown works wherever it lies."""

    def __init__(self, page: str, targets: Mapping[str, str], sources: Mapping[str, str] | None = None) -> None:
        self.page, self.targets, self.sources = page, targets, sources or {}
        self._folder = posixpath.dirname(page)
        self._made: dict[str, str] = {}

    def at(self, page: str) -> Links:
        """The same targets from another page."""
        return Links(page, self.targets, self.sources)

    def url(self, target: str) -> str:
        """The relative address of `path.md#anchor`."""
        path, mark, fragment = target.partition("#")
        if path == self.page and mark:
            return f"#{fragment}"
        return posixpath.relpath(path, self._folder or ".") + mark + fragment

    def to(self, target: str, label: str) -> str:
        return f"[{label}]({self.url(target)})"

    def name(self, name: str) -> str:
        """A known name as linked code; an unknown one as code."""
        made = self._made.get(name)
        if made is None:
            target = self.targets.get(name)
            made = self._made[name] = self.to(target, code(name)) if target else code(name)
        return made

    def names(self, names: Iterable[str]) -> str:
        return listed(self.name(name) for name in names)

    def condition(self, text: str) -> str:
        """A condition in English: every known name linked."""
        return self._linked(text, lambda word: word in self.targets)

    def prose(self, text: str) -> str:
        """A sentence: ids linked, and names that cannot be words of the sentence."""
        return self._linked(
            text,
            lambda word: (
                word in self.targets
                and (
                    "_" in word
                    or bool(_ID.fullmatch(word))
                    or (word != word.lower() and word != word.upper() and not word.istitle())
                )
            ),
        )

    def _linked(self, text: str, wanted: Callable[[str], bool]) -> str:
        flat, parts, last = " ".join(text.split()), [], 0
        for found in _WORDS.finditer(flat):
            if wanted(found[0]):
                parts += [escaped(flat[last : found.start()]), self.name(found[0])]
                last = found.end()
        return "".join([*parts, escaped(flat[last:])])

    def source(self, text: str) -> str:
        """A source: section of the fact sheet, ids linked; after a semicolon letters that the operator explains."""
        where, mark, letters = text.partition(";")
        words = letters.split()
        known = [word.partition("-")[0].rstrip(",.") for word in words]
        if not mark or not words or not all(letter in self.sources for letter in known):
            return self.prose(text)
        shown = " ".join(self.to(self.sources[letter], word) for letter, word in zip(known, words, strict=True))
        return f"{self.prose(where)}; {shown}"
