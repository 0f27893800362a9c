"""One change between two sets of specs.

In: nothing. Out: Change. Must never hold more than one change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """`kind` of thing, what happened to it, its operator (empty when it has none) and name, both states, and why.

    `change` is added, removed, changed, reworded, loosened, tightened or unreadable; for a call it is verdict.
    """

    kind: str
    change: str
    name: str
    op: str = ""
    old: Any = None
    new: Any = None
    why: str = ""

    def json(self) -> dict[str, Any]:
        fields = {
            "kind": self.kind,
            "change": self.change,
            "op": self.op,
            "name": self.name,
            "old": self.old,
            "new": self.new,
            "why": self.why,
        }
        return {key: value for key, value in fields.items() if value not in ("", None)}

    def text(self) -> str:
        """A line, and one for each state that there is."""
        owner = f" of {self.op}" if self.op else ""
        lines = [f"{self.kind} {self.name}{owner}: {self.change}" + (f" ({self.why})" if self.why else "")]
        lines += [
            f"  {label}  {value}" for label, value in (("old", self.old), ("new", self.new)) if value not in ("", None)
        ]
        return "\n".join(lines)
