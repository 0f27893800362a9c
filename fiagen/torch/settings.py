"""Which chip the operators run on, and by whose word they judge calls.

In: the user's choice for a block of code. Out: the choice that holds now. Must never outlive its `with` block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from fiagen.model.op import AuthorityName, EditionName


@dataclass(frozen=True)
class Settings:
    """`product` '' is the operator's first one. `seed` and `policy` choose the simulator's schedule."""

    product: str = ""
    edition: EditionName = "seed"
    authority: AuthorityName = "document"
    seed: int = 0
    policy: str = "late"


_current: ContextVar[Settings] = ContextVar("fiagen_torch_settings")


def current() -> Settings:
    """What holds in this context."""
    return _current.get(Settings())


@contextmanager
def settings(**changes: object) -> Iterator[Settings]:
    """Within the block, calls run with these settings: product, edition, authority, seed, policy.

    TypeError for a name that is none of them.
    """
    chosen = replace(current(), **changes)  # type: ignore[arg-type]
    token = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(token)
