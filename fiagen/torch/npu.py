"""An opt-in stand-in for `torch_npu`: scripts written for the vendor's package run on the CPU.

In: nothing. Out: a module `torch_npu`, and `.npu()` on tensors and modules, which leaves them where they are. Must never
replace a real `torch_npu`.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import torch

from fiagen.diagnostics import fail
from fiagen.load.catalogue import load_catalogue
from fiagen.torch.register import register_all
from fiagen.view.torch_schema import torch_name, workspace_name

_MARK = "__fiagen__"


def _stay(self: Any, *_: Any, **__: Any) -> Any:
    """The tensor or module, unmoved: the simulated device reads the host's tensors."""
    return self


def _device_module() -> ModuleType:
    """`torch.npu`: one device, always there, never busy (an operator returns when its result is there)."""
    module = ModuleType("torch.npu")
    answers: dict[str, Any] = {
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "set_device": None,
        "synchronize": None,
        "empty_cache": None,
        "manual_seed": None,
        "manual_seed_all": None,
    }
    for name, answer in answers.items():
        setattr(module, name, lambda *_, answer=answer, **__: answer)
    return module


def as_torch_npu() -> ModuleType:
    """Makes `import torch_npu` give the simulated operators from now on, and returns that module.

    `torch.ops.npu.*` and `torch_npu.*` hold the same operators as `torch.ops.fiagen.*`. DiagnosticError
    `torch.real_torch_npu` when the vendor's package is there.
    """
    known = sys.modules.get("torch_npu")
    if known is not None and getattr(known, _MARK, False):
        return known
    if known is not None or importlib.util.find_spec("torch_npu") is not None:
        raise fail(
            "torch.real_torch_npu",
            given="torch_npu is installed",
            allowed="a machine without it",
            why="The stand-in would hide the real device.",
            fix="Use torch.ops.fiagen beside it, or uninstall it.",
        )
    register_all("npu")
    module = ModuleType("torch_npu", "The operators of fiagen under the names of torch_npu, on the CPU simulator.")
    setattr(module, _MARK, True)
    device = _device_module()
    setattr(module, "npu", device)  # noqa: B010
    for operator in load_catalogue().operators.values():
        for name in (torch_name(operator), workspace_name(operator)):
            setattr(module, name, getattr(torch.ops.npu, name))
    setattr(torch, "npu", device)  # noqa: B010
    torch.Tensor.npu = _stay
    torch.nn.Module.npu = _stay
    sys.modules["torch_npu"] = module
    sys.modules["torch.npu"] = device
    return module
