"""One shape for every message: Diagnostic, and the error that carries several of them.

In: the facts of a finding. Out: the text block people read and the JSON object machines read. Must never print or exit.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "advice"]
_ORDER = {"error": 0, "warning": 1, "advice": 2}
_PLACE = re.compile(r"^(?P<file>.*?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?$")


@dataclass(frozen=True)
class Diagnostic:
    """One finding: which rule, where, what was given, what is allowed, why, how to fix it, where it is documented."""

    rule: str
    severity: Severity
    given: str
    allowed: str
    why: str
    fix: str
    source: str
    place: str = ""

    def text(self) -> str:
        """The block people read; a field that is empty gets no line."""
        head = " ".join(part for part in (f"{self.place} " if self.place else "", self.severity, self.rule) if part)
        lines = [head]
        for label in ("given", "allowed", "why", "fix"):
            value = getattr(self, label)
            if value:
                lines.append(f"  {label:<8} " + value.replace("\n", "\n" + " " * 11))
        lines.append(f"  {'docs':<8} fiagen explain {self.rule}" + (f"   ({self.source})" if self.source else ""))
        return "\n".join(lines)

    def json(self) -> dict[str, str]:
        """The fields of the contract (`rule given allowed why fix source`), plus `place` when there is one."""
        fields = {name: getattr(self, name) for name in ("rule", "given", "allowed", "why", "fix", "source")}
        return {**fields, "place": self.place} if self.place else fields


class DiagnosticError(Exception):
    """Bad input. Carries every finding collected before stopping; `str()` is their printed form."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return report(self.diagnostics)


def fail(
    rule: str, *, given: str, allowed: str, why: str, fix: str, source: str = "", place: str = ""
) -> DiagnosticError:
    """A DiagnosticError with one error in it, ready to raise."""
    return DiagnosticError([Diagnostic(rule, "error", given, allowed, why, fix, source, place)])


def _by_place(diagnostic: Diagnostic) -> tuple[str, int, int, int]:
    found = _PLACE.match(diagnostic.place)
    line, column = (int(found[k] or 0) for k in ("line", "column")) if found else (0, 0)
    return (found["file"] if found else diagnostic.place, line, column, _ORDER[diagnostic.severity])


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings sorted by file, line and column; findings of one place keep their order."""
    return tuple(sorted(diagnostics, key=_by_place))


def report(diagnostics: Sequence[Diagnostic]) -> str:
    """All blocks in order of place, and a last line that counts them."""
    counts = {kind: sum(d.severity == kind for d in diagnostics) for kind in _ORDER}
    plural = {"error": "errors", "warning": "warnings", "advice": "pieces of advice"}
    words = [f"{n} {kind if n == 1 else plural[kind]}" for kind, n in counts.items() if n]
    return "\n".join([*(d.text() for d in in_order(diagnostics)), ", ".join(words) or "no findings"])


def nearest(word: str, known: Iterable[str]) -> str:
    """The known name most like `word`, or ''."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else ""


_LISTED = 30


def suggestion(word: str, known: Iterable[str]) -> str:
    """A fix for an unknown name: the nearest valid one first, then all of them, or of many only those most like it."""
    names = sorted(known)
    close = nearest(word, names)
    if len(names) > _LISTED:
        like = difflib.get_close_matches(word, names, n=5, cutoff=0.5)
        listed = f"{len(names)} are known" + (f", like it: {', '.join(like)}." if like else ".")
    else:
        listed = f"Known: {', '.join(names)}." if names else "There are none."
    return f"Did you mean {close!r}? {listed}" if close else listed
