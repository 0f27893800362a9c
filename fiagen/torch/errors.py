"""What the operators raise.

In: Diagnostics. Out: an exception that PyTorch programs and ours both know. Must never lose a rule's id.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fiagen.diagnostics import DiagnosticError, fail


class OperatorError(DiagnosticError, RuntimeError):
    """A refused call: `diagnostics` holds the broken rules, the text tells them. PyTorch programs catch RuntimeError."""


def missing_torch(given: str) -> DiagnosticError:
    """Why there is no fiagen.torch on this machine."""
    return fail(
        "torch.not_installed",
        given=given,
        allowed="PyTorch 2.4 or newer",
        why="fiagen.torch registers operators in PyTorch.",
        fix="pip install fiagen[torch]",
        source="pyproject.toml",
    )


@contextmanager
def as_operator_errors() -> Iterator[None]:
    """DiagnosticErrors inside become OperatorErrors."""
    try:
        yield
    except OperatorError:
        raise
    except DiagnosticError as error:
        raise OperatorError(error.diagnostics) from None
