"""Runs an operator's generated C entry points: arrays in, arrays out, through both phases of the aclnn call.

In: an operator library, its spec, a resolver of kernels, a chip, and per run the documented arguments and the outputs'
shapes. Out: a RunResult, or a PlanResult of the first phase alone. Must never judge the call (the C entry point does)
nor infer a shape (the caller does). Several threads may share one session.
"""

from __future__ import annotations

import ctypes
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from fiagen.acl.library import CallObjects, OpLibrary, keep_resolver
from fiagen.diagnostics import fail
from fiagen.model.call import TensorSpec
from fiagen.model.op import AuthorityName, CParameter, EditionName, OpSpec
from fiagen.sim.abi import FiagenSimChip, FiagenSimReport, FiagenSimSpan, Report, read_report
from fiagen.sim.launch import POLICIES

Value: TypeAlias = "np.ndarray | Sequence[int] | int | float | str | bool"
OutputShape: TypeAlias = "tuple[Sequence[int], np.dtype]"
_SCALARS: dict[str, tuple[Callable[[object], object], Callable[..., object]]] = {
    "int64_t": (operator.index, ctypes.c_int64),  # type: ignore[dict-item]
    "double": (float, ctypes.c_double),  # type: ignore[dict-item]
    "bool": (bool, ctypes.c_bool),
}
_TENSORS = ("aclTensor", "aclTensorList")


@dataclass(frozen=True)
class RunResult:
    """One run. `outputs` is empty unless `status` is 0; `kernel` is '' and `report` None when nothing was launched."""

    outputs: dict[str, np.ndarray]
    kernel: str
    block_dim: int
    report: Report | None
    status: int
    message: str
    workspace_bytes: int


@dataclass(frozen=True)
class PlanResult:
    """A first phase. `rule` is what the refusal's text begins with: a rule's id, or '' for another reason or none."""

    status: int
    message: str
    rule: str
    workspace_bytes: int


class Session:
    """One operator library with what it needs to run: its spec, where its kernels come from, the chip they run on."""

    def __init__(self, library: Path, resolver: Callable[[str], Path], chip: FiagenSimChip, op: OpSpec) -> None:
        """Loads the library. Raises DiagnosticError `sim.library_unusable` when it lacks the entry points of `op`."""
        self._library, self._resolver, self._chip, self._op = OpLibrary(library), resolver, chip, op
        names = (f"{op.c_api}GetWorkspaceSize", op.c_api)
        missing = [name for name in names if not hasattr(self._library.c, name)]
        if missing:
            raise fail(
                "sim.library_unusable",
                given=f"{library.name} has no {', '.join(missing)}",
                allowed=" and ".join(names),
                why="The call goes through these C entry points.",
                fix="This is our bug: generate and build the host code of this operator again.",
            )
        self._plan, self._execute = (getattr(self._library.c, name) for name in names)
        self._plan.restype = self._execute.restype = ctypes.c_int32

    def run(
        self,
        args: Mapping[str, Value],
        outputs: Mapping[str, OutputShape],
        *,
        seed: int = 0,
        policy: str = "late",
        instruction_budget: int = 0,
        time_only: bool = False,
        spans: ctypes.Array[FiagenSimSpan] | None = None,
        formats: Mapping[str, str] | None = None,
        edition: EditionName = "seed",
        authority: AuthorityName = "document",
    ) -> RunResult:
        """Runs the call once.

        `args`: documented parameter name -> array (its dtype and strides are the tensor's), list of ints, or scalar;
        absent ones take the documented default. `outputs`: output name -> (shape, dtype). `policy`: when pending copies
        land: late, early or random. `time_only`: only the time is told, the outputs are not computed; `spans` receives
        the instructions in time. `formats`: storage format of a tensor that is not ND. `edition` and `authority`:
        by what the C entry point judges the call. A refusal by it or a fault of the kernel is a RunResult with its
        status; a kernel that cannot be built raises what the resolver raised.
        """
        raised: list[Exception] = []
        self._prepare_thread(edition, authority)
        self._library.c.fiagenForgetLaunch()
        self._library.c.fiagenSetSimOptions(seed, POLICIES.index(policy), instruction_budget)
        self._library.c.fiagenSetSimTiming(int(time_only), spans, 0 if spans is None else len(spans))
        undo = keep_resolver(self._library, self._resolver, raised)
        try:
            with CallObjects(self._library) as objects:
                result = self._two_phases(objects, args, outputs, formats or {})
        finally:
            undo()
        if raised:
            raise raised[0]
        return result

    def plan(
        self,
        args: Mapping[str, Value | TensorSpec],
        outputs: Mapping[str, TensorSpec],
        *,
        edition: EditionName = "seed",
        authority: AuthorityName = "document",
    ) -> PlanResult:
        """The first phase alone, with tensors that have no memory: is the call legal, how much workspace does it need?

        `args` as for `run`, tensors as TensorSpec. Raises DiagnosticError `call.not_a_device_tensor` for a tensor that
        the runtime cannot even describe (an unknown dtype, a negative size).
        """
        self._prepare_thread(edition, authority)
        with CallObjects(self._library) as objects:
            handles = {name: objects.own_tensor(objects.bare_tensor(spec)) for name, spec in outputs.items()}
            c_args = [self._c_argument(objects, item, args, handles, {}) for item in self._op.c_parameters]
            workspace_bytes, executor = ctypes.c_uint64(), ctypes.c_void_p()
            status = self._plan(*c_args, ctypes.byref(workspace_bytes), ctypes.byref(executor))
            message = self._library.message()
            if status == 0:
                self._library.require(self._library.c.aclDestroyAclOpExecutor(executor), "aclDestroyAclOpExecutor")
        found = re.match(r"error \d+: ([A-Z0-9]+(?:-[A-Z0-9]+)+)(?=\n|$)", message)
        return PlanResult(status, message, found[1] if found else "", workspace_bytes.value)

    def _prepare_thread(self, edition: str, authority: str) -> None:
        """What the runtime keeps for each thread: device, chip, by whose word calls are judged; no old error text."""
        self._library.stream()
        self._library.message()
        self._library.c.fiagenSetChip(ctypes.byref(self._chip))
        self._library.c.fiagenSetCallPolicy(edition.encode(), authority.encode())

    def _two_phases(
        self,
        objects: CallObjects,
        args: Mapping[str, Value],
        outputs: Mapping[str, OutputShape],
        formats: Mapping[str, str],
    ) -> RunResult:
        tensors = {name: objects.empty_tensor(shape, np.dtype(dtype)) for name, (shape, dtype) in outputs.items()}
        handles = {name: objects.own_tensor(tensor) for name, (tensor, _) in tensors.items()}
        c_args = [self._c_argument(objects, item, args, handles, formats) for item in self._op.c_parameters]
        workspace_bytes, executor = ctypes.c_uint64(), ctypes.c_void_p()
        status = self._plan(*c_args, ctypes.byref(workspace_bytes), ctypes.byref(executor))
        if status == 0:
            workspace = objects.buffer(workspace_bytes.value)
            stream = self._library.stream()
            status = self._execute(ctypes.c_void_p(workspace), workspace_bytes, executor, stream)
            synchronized = self._library.c.aclrtSynchronizeStream(stream)
            status = status or synchronized
        message = self._library.message()
        done = status == 0
        return RunResult(
            outputs={
                name: objects.read(tensors[name][1], shape, np.dtype(dtype))
                for name, (shape, dtype) in outputs.items()
                if done
            },
            kernel=self._library.c.fiagenGetLastKernelName().decode(),
            block_dim=self._library.c.fiagenGetLastBlockDim(),
            report=self._last_report(),
            status=status,
            message="" if done else message,
            workspace_bytes=workspace_bytes.value,
        )

    def _c_argument(
        self,
        objects: CallObjects,
        item: CParameter,
        args: Mapping[str, Value | TensorSpec],
        outputs: Mapping[str, int],
        formats: Mapping[str, str],
    ) -> object:
        """The value of one C argument: an output, the documented parameter it carries, its default, or nothing."""
        kind = item.type.replace("const", "").replace("*", "").strip()
        output = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", item.name).lower()  # attentionOut carries attention_out
        if not item.parameter and output in outputs:
            return ctypes.c_void_p(outputs[output])
        value: Any = args.get(item.parameter, self._default(item.parameter))
        try:
            if kind in _TENSORS:
                if value is None:
                    return ctypes.c_void_p()
                if isinstance(value, TensorSpec):
                    tensor = objects.bare_tensor(value)
                else:
                    tensor, _ = objects.tensor(np.asarray(value), formats.get(item.parameter, "ND"))
                owned = objects.tensor_list([tensor]) if kind == "aclTensorList" else objects.own_tensor(tensor)
                return ctypes.c_void_p(owned)
            if kind == "aclIntArray":
                if value is None:
                    return ctypes.c_void_p()
                return ctypes.c_void_p(objects.int_array([operator.index(v) for v in np.asarray(value).tolist()]))
            if kind == "char":
                return ctypes.c_char_p(str(value if value is not None else "").encode())
            if kind in _SCALARS:
                convert, c_type = _SCALARS[kind]
                return c_type(convert(value if value is not None else 0))
        except (TypeError, ValueError) as error:
            raise fail(
                "call.argument_type",
                given=f"{item.parameter} = {value!r}: {error}",
                allowed=f"a value for the C type {item.type}",
                why=f"{item.parameter} becomes the C argument {item.name}.",
                fix="Pass a value of the documented type.",
            ) from None
        raise fail(
            "spec.c_type",
            given=f"{item.name} has the C type {item.type!r}",
            allowed=", ".join([*_TENSORS, "aclIntArray", "char", *_SCALARS]),
            why="ctypes must know how to pass the argument.",
            fix="Correct the type in the operator's c_parameters, or teach fiagen/acl/session.py the new type.",
        )

    def _default(self, name: str) -> Value | None:
        return next((known.default for known in self._op.parameters if known.name == name), None)

    def _last_report(self) -> Report | None:
        raw = FiagenSimReport()
        if not self._library.c.fiagenGetLastKernelName():
            return None
        self._library.require(self._library.c.fiagenGetLastReport(ctypes.byref(raw)), "fiagenGetLastReport")
        return read_report(raw)
