"""The C surface of an operator library, with the types ctypes needs, and the objects a call is made of.

In: a shared library made by build.py. Out: device buffers and aclnn objects that end with their CallObjects. Must never
keep an object of one call for the next.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from types import TracebackType

import numpy as np

from fiagen.diagnostics import fail
from fiagen.load import hardware
from fiagen.model.call import TensorSpec
from fiagen.sim.abi import FiagenSimChip, FiagenSimReport, FiagenSimSpan

Resolver = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)
POISON_BYTE = 0xFF  # NaN in every float type, so that an element nobody wrote shows
_HUGE_FIRST, _HOST_TO_DEVICE, _DEVICE_TO_HOST = 0, 1, 2
_REPEAT_INITIALIZE = 100002
_pointer, _size, _status = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_SIGNATURES: dict[str, tuple[type | None, tuple[type, ...]]] = {
    "aclInit": (_status, (ctypes.c_char_p,)),
    "aclrtSetDevice": (_status, (ctypes.c_int32,)),
    "aclrtMalloc": (_status, (ctypes.POINTER(_pointer), _size, ctypes.c_int)),
    "aclrtFree": (_status, (_pointer,)),
    "aclrtMemcpy": (_status, (_pointer, _size, _pointer, _size, ctypes.c_int)),
    "aclrtMemset": (_status, (_pointer, _size, ctypes.c_int32, _size)),
    "aclrtCreateStream": (_status, (ctypes.POINTER(_pointer),)),
    "aclrtDestroyStream": (_status, (_pointer,)),
    "aclrtSynchronizeStream": (_status, (_pointer,)),
    "aclCreateTensor": (
        _pointer,
        (
            _pointer,
            ctypes.c_uint64,
            ctypes.c_int,
            _pointer,
            ctypes.c_int64,
            ctypes.c_int,
            _pointer,
            ctypes.c_uint64,
            _pointer,
        ),
    ),
    "aclCreateTensorList": (_pointer, (_pointer, ctypes.c_uint64)),
    "aclCreateIntArray": (_pointer, (_pointer, ctypes.c_uint64)),
    "aclDataTypeSize": (_size, (ctypes.c_int,)),
    "aclDestroyTensor": (_status, (_pointer,)),
    "aclDestroyTensorList": (_status, (_pointer,)),
    "aclDestroyIntArray": (_status, (_pointer,)),
    "aclDestroyAclOpExecutor": (_status, (_pointer,)),
    "aclGetRecentErrMsg": (ctypes.c_char_p, ()),
    "fiagenSetKernelResolver": (None, (Resolver,)),
    "fiagenSetResolverError": (None, (ctypes.c_char_p,)),
    "fiagenSetSimOptions": (None, (ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint64)),
    "fiagenSetSimTiming": (None, (ctypes.c_uint32, ctypes.POINTER(FiagenSimSpan), ctypes.c_uint64)),
    "fiagenSetCallPolicy": (None, (ctypes.c_char_p, ctypes.c_char_p)),
    "fiagenSetChip": (None, (ctypes.POINTER(FiagenSimChip),)),
    "fiagenGetLastReport": (_status, (ctypes.POINTER(FiagenSimReport),)),
    "fiagenGetLastKernelName": (ctypes.c_char_p, ()),
    "fiagenGetLastBlockDim": (ctypes.c_uint32, ()),
    "fiagenForgetLaunch": (None, ()),
    "fiagenDeviceBytesInUse": (ctypes.c_uint64, ()),
    "fiagenDataTypeFromName": (ctypes.c_int, (ctypes.c_char_p,)),
    "fiagenFormatFromName": (ctypes.c_int, (ctypes.c_char_p,)),
}


@lru_cache(maxsize=1)
def acl_numbers() -> dict[np.dtype, int]:
    """The aclDataType of every NumPy dtype of the dtype table."""
    return {hardware.numpy_dtype(name): spec.acl_number for name, spec in hardware.load_dtypes().items()}


class OpLibrary:
    """The loaded library; its runtime is initialized and device 0 set."""

    def __init__(self, path: Path) -> None:
        """Loads `path`. Raises DiagnosticError `sim.library_unusable` when it is not an operator library."""
        try:
            self.c = ctypes.CDLL(str(path))
            for name, (result, arguments) in _SIGNATURES.items():
                function = getattr(self.c, name)
                function.restype, function.argtypes = result, list(arguments)
        except (OSError, AttributeError) as error:
            raise fail(
                "sim.library_unusable",
                given=str(error),
                allowed="a library made by fiagen.acl.build.build_op_library",
                why="The call goes through the C entry points of this library.",
                fix="This is our bug: build the library again and pass the path that build_op_library returns.",
            ) from None
        self.require(self.c.aclInit(None), "aclInit", also=_REPEAT_INITIALIZE)
        self._threads = threading.local()
        self.stream()
        self.message()  # a repeated aclInit leaves a text that belongs to no call

    def stream(self) -> ctypes.c_void_p:
        """The calling thread's own stream; at the first call of a thread, device 0 is set in it."""
        own: _Stream | None = getattr(self._threads, "stream", None)
        if own is None:
            self.require(self.c.aclrtSetDevice(0), "aclrtSetDevice")
            own = self._threads.stream = _Stream(self)
        return own.handle

    def message(self) -> str:
        """The runtime's error texts since the last time, newest first; '' when there are none."""
        text = self.c.aclGetRecentErrMsg()
        return text.decode(errors="replace") if text else ""

    def require(self, status: int, call: str, also: int = 0) -> None:
        """Raises DiagnosticError `sim.runtime_refused` unless `status` is 0 or `also`."""
        if status not in (0, also):
            raise fail(
                "sim.runtime_refused",
                given=f"{call} returned {status}: {self.message()}",
                allowed="status 0",
                why="Without this step there is no device memory to run on.",
                fix="This is our bug unless the machine is out of memory.",
            )


class _Stream:
    """A stream of the runtime that ends with this object, which ends with its thread."""

    def __init__(self, library: OpLibrary) -> None:
        self.handle = ctypes.c_void_p()
        self._c = library.c
        library.require(self._c.aclrtCreateStream(ctypes.byref(self.handle)), "aclrtCreateStream")

    def __del__(self) -> None:
        self._c.aclrtDestroyStream(self.handle)


class CallObjects:
    """Device buffers and aclnn objects of one call; all of them end with the `with` block."""

    def __init__(self, library: OpLibrary) -> None:
        self._library, self._c = library, library.c
        self._stack = ExitStack()

    def __enter__(self) -> CallObjects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def buffer(self, size: int) -> int:
        """The device address of `size` poisoned bytes; 0 for no bytes."""
        if size == 0:
            return 0
        address = ctypes.c_void_p()
        self._library.require(self._c.aclrtMalloc(ctypes.byref(address), size, _HUGE_FIRST), "aclrtMalloc")
        self._stack.callback(self._end, "aclrtFree", address)
        self._library.require(self._c.aclrtMemset(address, size, POISON_BYTE, size), "aclrtMemset")
        return address.value or 0

    def tensor(self, array: np.ndarray, storage_format: str = "ND") -> tuple[int, int]:
        """(aclTensor, device address) of a copy of `array` that keeps its strides; bytes in the gaps stay poisoned."""
        strides = _element_strides(array)
        contiguous = bool(array.flags.c_contiguous) or array.size == 0
        last = sum((size - 1) * step for size, step in zip(array.shape, strides, strict=True))
        span = array.size if contiguous else last + 1
        address = self.buffer(span * array.itemsize)
        if address:
            host = np.full(span * array.itemsize, POISON_BYTE, np.uint8)
            np.ndarray(array.shape, array.dtype, host, strides=None if contiguous else array.strides)[...] = array
            self._library.require(
                self._c.aclrtMemcpy(address, host.nbytes, host.ctypes.data, host.nbytes, _HOST_TO_DEVICE), "aclrtMemcpy"
            )
        storage = array.shape if contiguous else (span,)
        return self._created(
            array.shape, array.dtype, None if contiguous else strides, storage_format, storage, address
        )

    def empty_tensor(self, shape: Sequence[int], dtype: np.dtype) -> tuple[int, int]:
        """(aclTensor, device address) of a poisoned contiguous tensor."""
        address = self.buffer(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        return self._created(tuple(shape), dtype, None, "ND", tuple(shape), address)

    def bare_tensor(self, spec: TensorSpec) -> int:
        """An aclTensor without memory: for a first phase that is not followed by a second."""
        number = self._c.fiagenDataTypeFromName(spec.dtype.encode())
        layout = self._c.fiagenFormatFromName(spec.format.encode())
        strides = None if spec.strides is None else _int64s(spec.strides)
        shape = _int64s(spec.shape)
        made: int | None = self._c.aclCreateTensor(
            shape, spec.rank, number, strides, 0, layout, shape, spec.rank, None
        )
        if not made:
            raise fail(
                "call.not_a_device_tensor",
                given=f"shape {list(spec.shape)}, dtype {spec.dtype}: {self._library.message()}",
                allowed="sizes that are not negative and a dtype of the contract",
                why="The runtime describes tensors as the published headers do.",
                fix="Correct the shape or the dtype.",
            )
        return made

    def read(self, address: int, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        """The device's bytes as an array."""
        result: np.ndarray = np.empty(shape, dtype)
        if result.nbytes:
            self._library.require(
                self._c.aclrtMemcpy(result.ctypes.data, result.nbytes, address, result.nbytes, _DEVICE_TO_HOST),
                "aclrtMemcpy",
            )
        return result

    def tensor_list(self, tensors: Sequence[int]) -> int:
        """An aclTensorList that takes the tensors over."""
        made = self._made("aclCreateTensorList", (ctypes.c_void_p * len(tensors))(*tensors), len(tensors))
        self._stack.callback(self._end, "aclDestroyTensorList", made)
        return made

    def int_array(self, values: Sequence[int]) -> int:
        """An aclIntArray of the values."""
        made = self._made("aclCreateIntArray", (ctypes.c_int64 * len(values))(*values), len(values))
        self._stack.callback(self._end, "aclDestroyIntArray", made)
        return made

    def own_tensor(self, tensor: int) -> int:
        """The tensor, destroyed when the call ends (for one that no list takes over)."""
        self._stack.callback(self._end, "aclDestroyTensor", tensor)
        return tensor

    def _end(self, call: str, handle: object) -> None:
        self._library.require(getattr(self._c, call)(handle), call)

    def _created(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype,
        strides: tuple[int, ...] | None,
        storage_format: str,
        storage: tuple[int, ...],
        address: int,
    ) -> tuple[int, int]:
        number = acl_numbers().get(dtype, -1)
        layout = self._c.fiagenFormatFromName(storage_format.encode())
        if self._c.aclDataTypeSize(number) != dtype.itemsize or layout < 0:
            raise fail(
                "call.not_a_device_tensor",
                given=f"dtype {dtype}, format {storage_format}",
                allowed="a dtype of the contract with whole bytes, format ND or FRACTAL_NZ",
                why="The array's bytes become the device tensor's bytes as they are.",
                fix="Convert the array; 4-bit types need packing, two elements a byte, which this build does not do.",
            )
        made = self._made(
            "aclCreateTensor", _int64s(shape), len(shape), number, None if strides is None else _int64s(strides), 0,
            layout, _int64s(storage), len(storage), address or None,
        )  # fmt: skip
        return made, address

    def _made(self, call: str, *arguments: object) -> int:
        made: int | None = getattr(self._c, call)(*arguments)
        self._library.require(0 if made else -1, call)
        return made or 0


def keep_resolver(library: OpLibrary, resolve: Callable[[str], Path], raised: list[Exception]) -> Callable[[], None]:
    """Makes `resolve` answer the runtime's questions for kernels; what it raises goes to `raised`. Returns the undo."""
    kept: list[ctypes.Array[ctypes.c_char]] = []  # the runtime reads the path after the callback has returned

    def answer(name: bytes) -> int | None:
        try:
            kept.append(ctypes.create_string_buffer(str(resolve(name.decode())).encode()))
        except Exception as error:  # an exception cannot pass through C; the session raises it afterwards
            raised.append(error)
            library.c.fiagenSetResolverError(str(error).encode())
            return None
        return ctypes.addressof(kept[-1])

    callbacks = [Resolver(answer)]  # alive until the undo: the runtime holds no reference
    library.c.fiagenSetKernelResolver(callbacks[0])

    def undo() -> None:
        library.c.fiagenSetKernelResolver(Resolver())
        callbacks.clear()
        kept.clear()

    return undo


def _int64s(values: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(values))(*values)


def _element_strides(array: np.ndarray) -> tuple[int, ...]:
    if any(step < 0 or step % array.itemsize for step in array.strides):
        raise fail(
            "call.strides",
            given=f"strides of {array.strides} bytes with elements of {array.itemsize}",
            allowed="strides of whole elements, none negative",
            why="The runtime's tensors count strides in elements from the first one upwards.",
            fix="Pass numpy.ascontiguousarray of the array.",
        )
    return tuple(step // array.itemsize for step in array.strides)
