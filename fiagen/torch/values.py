"""Tensors between PyTorch and NumPy, by the names of the dtype table.

In: tensors, arrays. Out: the same memory or bits in the other world. Must never convert a value.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import torch

from fiagen.check.api import dtype_name
from fiagen.diagnostics import fail
from fiagen.load.hardware import load_dtypes, numpy_dtype
from fiagen.model.call import TensorSpec

_CARRIERS = {1: torch.uint8, 2: torch.int16}  # for types that NumPy does not know


@lru_cache(maxsize=1)
def torch_dtypes() -> dict[str, torch.dtype]:
    """Contract name -> PyTorch's dtype, for those that PyTorch has."""
    return {name: found for name in load_dtypes() if isinstance(found := getattr(torch, name, None), torch.dtype)}


def spec_of(tensor: torch.Tensor) -> TensorSpec:
    """Shape, dtype and strides; works for tensors without data. OperatorError `torch.dtype` for a dtype out of the table."""
    name = next((known for known, dtype in torch_dtypes().items() if dtype == tensor.dtype), None)
    if name is None:
        raise fail(
            "torch.dtype",
            given=f"a tensor of {tensor.dtype}",
            allowed=", ".join(sorted(torch_dtypes())),
            why="The operators' documents know no other types.",
            fix="Convert the tensor.",
        )
    shape = tuple(int(size) for size in tensor.shape)
    strides = None if tensor.is_contiguous() else tuple(int(step) for step in tensor.stride())
    return TensorSpec(shape, name, "ND", strides)


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """The tensor's own memory as an array with its strides."""
    spec = spec_of(tensor)
    wanted = numpy_dtype(spec.dtype)
    plain = tensor.detach()
    carrier = _CARRIERS.get(tensor.element_size())
    if carrier is not None and tensor.dtype not in (torch.bool, carrier):
        plain = plain.view(carrier)
    array: np.ndarray = plain.numpy()
    return array if array.dtype == wanted else array.view(wanted)


def tensor_of(array: np.ndarray) -> torch.Tensor:
    """The array's memory as a tensor."""
    dtype = torch_dtypes()[dtype_name(array.dtype)]
    if array.size == 0:  # NumPy's strides of nothing are not PyTorch's
        return torch.empty(array.shape, dtype=dtype)
    carrier = {1: np.uint8, 2: np.int16}.get(array.itemsize)
    if array.dtype == np.bool_ or carrier is None:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(carrier)).view(dtype)


def empty_like_spec(spec: TensorSpec, near: torch.Tensor | None) -> torch.Tensor:
    """An uninitialised contiguous tensor, on the device (real, meta or fake) of `near`."""
    dtype = torch_dtypes()[spec.dtype]
    return torch.empty(spec.shape, dtype=dtype) if near is None else near.new_empty(spec.shape, dtype=dtype)


def plain_value(value: Any) -> Any:
    """An argument as `fiagen.check` takes it: tensors as TensorSpec, symbolic integers as integers."""
    if isinstance(value, torch.Tensor):
        return spec_of(value)
    if isinstance(value, torch.SymInt):
        return int(value)
    if isinstance(value, (list, tuple)):
        return [plain_value(item) for item in value]
    return value
