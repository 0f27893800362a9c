"""`fiagen.check`: a call made of Python values.

In: NumPy arrays, TensorSpecs, lists and scalars under the documented names. Out: a Verdict. Must never read array
values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fiagen.check.verdict import Verdict, check_call
from fiagen.diagnostics import DiagnosticError
from fiagen.load.calls import parameter_name, read_call
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_dtypes, numpy_dtype
from fiagen.model.call import Call, TensorArg, TensorSpec


def dtype_name(dtype: Any) -> str:
    """The contract name of a NumPy dtype, or the dtype's own name when the table has none (a finding then names it)."""
    wanted = np.dtype(dtype)
    for name in load_dtypes():
        if numpy_dtype(name) == wanted:
            return name
    return wanted.name


def plain_argument(value: Any) -> Any:
    """A Python argument as a call file would say it; arrays keep their values."""
    if isinstance(value, TensorSpec):
        return {"shape": list(value.shape), "dtype": value.dtype, "format": value.format,
                "strides": None if value.strides is None else list(value.strides)}
    if isinstance(value, np.generic) and value.ndim == 0:
        return value.item()
    if isinstance(value, np.ndarray):
        size = value.itemsize or 1
        strides = [stride // size for stride in value.strides]
        return {"shape": list(value.shape), "dtype": dtype_name(value.dtype),
                "strides": None if value.flags["C_CONTIGUOUS"] else [abs(stride) for stride in strides]}
    if isinstance(value, (list, tuple)):
        return [plain_argument(item) for item in value]
    return value


def make_call(
    op: str, product: str, args: dict[str, Any], *, edition: str = "seed", authority: str = "document"
) -> Call:
    """A Call of Python values; NumPy arrays for tensors become `values` of their argument, and for host lists a tuple.
    DiagnosticError for unknown names and wrong types."""
    catalogue = load_catalogue()
    operator = catalogue.operators.get(op)
    plain: dict[str, Any] = {}
    if operator is not None:
        args = {parameter_name(name, operator.parameters) or name: value for name, value in args.items()}
    for name, value in args.items():
        parameter = operator.parameters.get(name) if operator else None
        is_list = parameter is not None and parameter.type == "ints" and isinstance(value, np.ndarray)
        plain[name] = value.tolist() if is_list else plain_argument(value)
    raw = {"id": op, "op": op, "product": product, "args": plain, "edition": edition, "authority": authority}
    call, found = read_call(raw, catalogue, "")
    if call is None:
        raise DiagnosticError(found)
    arrays = {name: value for name, value in args.items() if isinstance(value, np.ndarray)}
    typed = {
        name: TensorArg(arg.shape, arg.dtype, arg.format, arg.strides, arrays[name])
        if name in arrays and isinstance(arg, TensorArg) else arg
        for name, arg in call.args.items()
    }
    return Call(call.id, op, product, typed, call.edition, call.authority)


def check(op: str, product: str, *, edition: str = "seed", authority: str = "document", **args: Any) -> Verdict:
    """Whether this call is legal, and if not, why.

    `args`: documented parameters; a tensor is a NumPy array (with ml_dtypes types) or a TensorSpec(shape, dtype), a
    host list a list of integers or an integer array. DiagnosticError for unknown operators, products, parameters or
    types.
    """
    return check_call(make_call(op, product, args, edition=edition, authority=authority), load_catalogue())
