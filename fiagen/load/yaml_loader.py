"""Strict YAML: text -> Tree of plain values, each with its line and column.

In: a path or bytes of UTF-8 YAML. Out: a Tree, or a DiagnosticError naming file, line and column. Must never build
objects from tags, follow aliases, or guess types the way YAML 1.1 does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fiagen.diagnostics import Diagnostic, DiagnosticError, in_order
from fiagen.paths import shown

MAX_DEPTH = 40
MAX_BYTES = 64 << 20
_PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?\Z")
_SOURCE = "the YAML subset of spec and call files"
Place = tuple[int, int]


@dataclass(frozen=True)
class Node:
    """One value with the place (line, column; from 1) where it starts. `keys` are the places of a mapping's keys."""

    value: dict[str, Node] | list[Node] | str | int | float | bool | None
    at: Place
    keys: dict[str, Place] | None = None

    def plain(self) -> Any:
        """The value without places."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value


@dataclass(frozen=True)
class Tree:
    """A parsed document: its root node and the file name that messages print."""

    root: Node
    file: str

    def place(self, path: Sequence[str | int] = (), *, key: bool = False) -> str:
        """`file:line:column` of the value at `path`, or as near to it as the document goes; `key` means its key."""
        node, at = self.root, self.root.at
        for step in path:
            value = node.value
            if isinstance(value, dict) and isinstance(step, str) and step in value:
                at = node.keys[step] if key and node.keys else value[step].at
                node = value[step]
            elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
                node, at = value[step], value[step].at
            # A step that names no child (a union member that pydantic reports) stays where it is.
        return f"{self.file}:{at[0]}:{at[1]}"


def _finding(rule: str, place: str, given: str, allowed: str, why: str, fix: str) -> Diagnostic:
    return Diagnostic(rule, "error", given, allowed, why, fix, _SOURCE, place)


def _scalar(text: str, plain: bool) -> Any:
    """The value of a scalar: only true/false are booleans, only null, ~ and nothing are null, no octal, no
    sexagesimal."""
    if not plain:
        return text
    if text in ("true", "false"):
        return text == "true"
    if text in ("", "null", "~"):
        return None
    if _INT.match(text) and len(text) <= 40:
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text


class _Builder:
    """Builds the node tree from parser events with an explicit stack, so depth is bounded by us and not by the
    interpreter."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Diagnostic] = []
        self.documents: list[Node] = []
        self.stack: list[tuple[Any, Node, list[Any]]] = []  # (kind, node, pending key)

    def report(self, at: Place, rule: str, given: str, allowed: str, why: str, fix: str) -> None:
        self.found.append(_finding(rule, f"{self.file}:{at[0]}:{at[1]}", given, allowed, why, fix))

    def add(self, node: Node, is_scalar_key: bool) -> None:
        if not self.stack:
            self.documents.append(node)
            return
        kind, parent, pending = self.stack[-1]
        if kind == "list":
            parent.value.append(node)  # type: ignore[union-attr]
        elif not pending:
            if not is_scalar_key:
                self.report(node.at, "spec.bad_yaml", "a list or mapping as a key", "text as a key",
                            "Keys are names.", "Write the key as plain text.")
            pending.append((node.value if isinstance(node.value, str) else "", node.at))
        else:
            key, at = pending.pop()
            if key in parent.value:  # type: ignore[operator]
                first = parent.keys[key]  # type: ignore[index]
                self.report(at, "spec.duplicate_key", f"key {key!r} a second time", "each key once",
                            f"The first one stands at line {first[0]}; one of them would be lost silently.",
                            "Delete or rename one of the two.")
            else:
                parent.value[key] = node  # type: ignore[index]
                parent.keys[key] = at  # type: ignore[index]

    def expects_key(self) -> bool:
        return bool(self.stack) and self.stack[-1][0] == "map" and not self.stack[-1][2]

    def handle(self, event: Any) -> None:
        at = (event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            self.report(at, "spec.anchor", "an anchor or alias", "plain values",
                        "A shared value hides where a fact is written.", "Write the value out.")
            if isinstance(event, yaml.AliasEvent):
                self.add(Node(None, at), True)
                return
        if getattr(event, "tag", None) is not None:
            self.report(at, "spec.tag", f"tag {event.tag!r}", "untagged values",
                        "A tag asks for an object of a chosen type.", "Delete the tag.")
        if isinstance(event, yaml.ScalarEvent):
            if self.expects_key():
                if event.value == "<<":
                    self.report(at, "spec.anchor", "a merge key", "plain keys",
                                "A merged mapping hides where a fact is written.", "Write the keys out.")
                self.add(Node(event.value, at), True)
            else:
                self.add(Node(_scalar(event.value, not event.style and event.implicit[0]), at), True)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if len(self.stack) >= MAX_DEPTH:
                raise DiagnosticError([_finding("spec.too_deep", f"{self.file}:{at[0]}:{at[1]}",
                                                f"nesting deeper than {MAX_DEPTH}", f"at most {MAX_DEPTH} levels",
                                                "No spec or call needs more.", "Flatten the value.")])
            if isinstance(event, yaml.MappingStartEvent):
                self.stack.append(("map", Node({}, at, {}), []))
            else:
                self.stack.append(("list", Node([], at), []))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            _, node, _ = self.stack.pop()
            self.add(node, False)


def read_text(path: str | Path, rule: str = "spec.unreadable") -> str:
    """The UTF-8 text of a file; DiagnosticError(`rule`) when it is missing, a folder, too large or not UTF-8."""
    file = Path(path)
    place = shown(file)
    try:
        data = file.read_bytes() if not file.is_dir() and file.stat().st_size <= MAX_BYTES else None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DiagnosticError([_finding(rule, place, reason, "a readable file", "It could not be read.",
                                        "Check the path and its permissions.")]) from None
    if data is None:
        what = "a folder" if file.is_dir() else f"more than {MAX_BYTES} bytes"
        raise DiagnosticError([_finding(rule, place, what, "a file of sensible size", "Only files are read.",
                                        "Name a file.")])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise DiagnosticError([_finding(rule, f"{place}:{line}:{column}", f"byte 0x{data[error.start]:02x}",
                                        "UTF-8 text", "The file is not UTF-8.", "Save it as UTF-8.")]) from None


def parse_yaml(text: str, file: str) -> Tree:
    """The one document in `text`. Every duplicate key, tag and anchor is reported at once; a syntax error ends the
    search."""
    builder = _Builder(file)
    try:
        for event in yaml.parse(text, Loader=_PARSER):
            builder.handle(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else file
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it does not parse"
        builder.found.append(_finding("spec.bad_yaml", place, str(problem), "well-formed YAML",
                                      "The text is not YAML.", "Repair the syntax at this place."))
    except DiagnosticError as error:
        builder.found.extend(error.diagnostics)
    if not builder.found and len(builder.documents) != 1:
        count = len(builder.documents)
        builder.found.append(
            _finding(
                "spec.bad_yaml",
                f"{file}:1:1",
                "an empty file" if not count else f"{count} documents",
                "one document",
                "A file describes one thing.",
                "Write exactly one document.",
            )
        )
    if builder.found:
        raise DiagnosticError(in_order(builder.found))
    return Tree(builder.documents[0], file)


def load_yaml(path: str | Path) -> Tree:
    """The Tree of a YAML file."""
    return parse_yaml(read_text(path), shown(path))
