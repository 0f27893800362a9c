"""Calls an operator's two C phases with NumPy arrays, through nothing but ctypes.

In: the paths of the runtime's and the operators' libraries, arrays. Out: the arrays that the caller supplied for the outputs,
filled. Must never need more than NumPy: it runs where the toolkit is, and on the CPU with a library of `fiagen build --library`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

_HUGE_FIRST, _TO_DEVICE, _TO_HOST, _ND = 0, 1, 2, 2
_pointer = ctypes.c_void_p


class AclError(RuntimeError):
    """A call returned a status other than 0; the text is the library's."""


class Library:
    """The two libraries, initialised, with one stream on one device. Close it, or use it in a `with` block."""

    def __init__(self, runtime: str, operators: str, device: int = 0) -> None:
        self.runtime = ctypes.CDLL(runtime, mode=ctypes.RTLD_GLOBAL)
        self.operators = ctypes.CDLL(operators)
        self.runtime.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self._device = device
        self.require(self.runtime.aclInit(None), "aclInit")
        self.require(self.runtime.aclrtSetDevice(device), "aclrtSetDevice")
        self.stream = _pointer()
        self.require(self.runtime.aclrtCreateStream(ctypes.byref(self.stream)), "aclrtCreateStream")

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream, the device and the runtime."""
        self.require(self.runtime.aclrtDestroyStream(self.stream), "aclrtDestroyStream")
        self.require(self.runtime.aclrtResetDevice(self._device), "aclrtResetDevice")
        self.require(self.runtime.aclFinalize(), "aclFinalize")

    def require(self, status: int, call: str) -> None:
        """AclError unless `status` is 0."""
        if status != 0:
            text = self.runtime.aclGetRecentErrMsg() or b"no error text"
            raise AclError(f"{call} returned {status}: {text.decode(errors='replace')}")

    def call(self, c_api: str, arguments: Sequence[tuple[str, Any]], outputs: Mapping[str, np.ndarray],
             numbers: Mapping[str, int]) -> None:
        """Both phases of `c_api` and the copies around them.

        `arguments`: (kind, value) in the order of the C signature; kind is tensor, list, ints, output or a C scalar type.
        """
        with ExitStack() as stack:
            objects = _Objects(self, stack, numbers)
            values = [objects.argument(kind, value, outputs) for kind, value in arguments]
            size, executor = ctypes.c_uint64(), _pointer()
            self.require(
                getattr(self.operators, f"{c_api}GetWorkspaceSize")(*values, ctypes.byref(size), ctypes.byref(executor)),
                f"{c_api}GetWorkspaceSize")
            workspace = objects.memory(size.value)
            self.require(getattr(self.operators, c_api)(workspace, size, executor, self.stream), c_api)
            self.require(self.runtime.aclrtSynchronizeStream(self.stream), "aclrtSynchronizeStream")
            for name, address in objects.outputs.items():
                array = outputs[name]
                if array.nbytes:
                    self.require(
                        self.runtime.aclrtMemcpy(_pointer(array.ctypes.data), ctypes.c_size_t(array.nbytes), address,
                                                 ctypes.c_size_t(array.nbytes), _TO_HOST), "aclrtMemcpy")


class _Objects:
    """Device memory and aclnn objects of one call; the stack ends them."""

    def __init__(self, library: Library, stack: ExitStack, numbers: Mapping[str, int]) -> None:
        self._library, self._stack, self._numbers = library, stack, numbers
        self.outputs: dict[str, ctypes.c_void_p] = {}
        for name in ("aclCreateTensor", "aclCreateTensorList", "aclCreateIntArray"):
            getattr(library.runtime, name).restype = _pointer

    def memory(self, size: int) -> ctypes.c_void_p:
        """Device memory; null for no bytes."""
        address = _pointer()
        if size:
            runtime = self._library.runtime
            self._library.require(runtime.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(size), _HUGE_FIRST), "aclrtMalloc")
            self._stack.callback(runtime.aclrtFree, address)
        return address

    def tensor(self, array: np.ndarray, owned: bool = True) -> ctypes.c_void_p:
        """A contiguous copy of the array on the device."""
        data = np.ascontiguousarray(array)
        address = self.memory(data.nbytes)
        if data.nbytes:
            self._library.require(
                self._library.runtime.aclrtMemcpy(address, ctypes.c_size_t(data.nbytes), _pointer(data.ctypes.data),
                                                  ctypes.c_size_t(data.nbytes), _TO_DEVICE), "aclrtMemcpy")
        return self._described(array, address, owned)

    def _described(self, array: np.ndarray, address: ctypes.c_void_p, owned: bool) -> ctypes.c_void_p:
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        number = self._numbers[array.dtype.name]
        made = self._library.runtime.aclCreateTensor(
            shape, ctypes.c_uint64(array.ndim), number, None, ctypes.c_int64(0), _ND, shape, ctypes.c_uint64(array.ndim), address)
        self._library.require(0 if made else -1, "aclCreateTensor")
        if owned:
            self._stack.callback(self._library.runtime.aclDestroyTensor, _pointer(made))
        return _pointer(made)

    def argument(self, kind: str, value: Any, outputs: Mapping[str, np.ndarray]) -> Any:
        """The value as the C signature takes it; None is a null pointer."""
        runtime = self._library.runtime
        if kind == "output":
            array = outputs[value]
            self.outputs[value] = self.memory(array.nbytes)
            return self._described(array, self.outputs[value], True)
        if kind in ("tensor", "list", "ints") and value is None:
            return _pointer()
        if kind == "tensor":
            return self.tensor(value)
        if kind == "list":
            items = (_pointer * 1)(self.tensor(value, owned=False))
            made = _pointer(runtime.aclCreateTensorList(items, ctypes.c_uint64(1)))
            self._stack.callback(runtime.aclDestroyTensorList, made)
            return made
        if kind == "ints":
            made = _pointer(runtime.aclCreateIntArray((ctypes.c_int64 * len(value))(*value), ctypes.c_uint64(len(value))))
            self._stack.callback(runtime.aclDestroyIntArray, made)
            return made
        if kind == "char*":
            return ctypes.c_char_p(value.encode())
        return {"int64_t": ctypes.c_int64, "double": ctypes.c_double, "bool": ctypes.c_bool}[kind](value)
