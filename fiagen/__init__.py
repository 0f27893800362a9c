"""Generates fused attention kernels for Ascend NPUs and checks, simulates and explains calls of them.

In: calls of the documented operators. Out: verdicts, oracle results and simulated runs. Must never do work at import.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

__version__ = "0.1.0"
__all__ = ["DiagnosticError", "TensorSpec", "Verdict", "__version__", "check", "oracle", "run"]

_ELSEWHERE = {
    "TensorSpec": "fiagen.model.call",
    "Verdict": "fiagen.check.verdict",
    "DiagnosticError": "fiagen.diagnostics",
    "run": "fiagen.verify.api",
}


def _callable_module(name: str, home: str, function: str) -> Any:
    """The package `name`, made callable: calling it calls `function` of the module `home`."""
    module = importlib.import_module(name)
    if not callable(module):
        def call(_self: ModuleType, *args: Any, **kwargs: Any) -> Any:
            return getattr(importlib.import_module(home), function)(*args, **kwargs)

        module.__class__ = type("CallableModule", (ModuleType,), {"__call__": call})
    return module


class _Package(ModuleType):
    """`fiagen.check` and `fiagen.oracle` are packages and functions at once, whichever is imported first."""

    @property
    def check(self) -> Any:
        """check(op, product, *, edition="seed", authority="document", **args) -> Verdict."""
        return _callable_module("fiagen.check", "fiagen.check.api", "check")

    @check.setter
    def check(self, module: ModuleType) -> None:  # the import system sets it; the property knows where it is
        pass

    @property
    def oracle(self) -> Any:
        """oracle(op, **args) -> outputs by name."""
        return _callable_module("fiagen.oracle", "fiagen.verify.api", "oracle")

    @oracle.setter
    def oracle(self, module: ModuleType) -> None:
        pass


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module 'fiagen' has no attribute {name!r}")


sys.modules[__name__].__class__ = _Package
