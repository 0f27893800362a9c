"""The views of the bindings for a machine with the toolkit: the PyTorch extension and the ctypes module.

In: an operator's spec with parsed expressions. Out: BindingView, CtypesView. Must never decide a number or word a rule.
"""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass

from fiagen.model.catalogue import Operator
from fiagen.model.op import CParameter, Parameter
from fiagen.view.host import OutputView, snake
from fiagen.view.torch_schema import schema, torch_name

_CPP = {
    "Tensor": "const at::Tensor&", "Tensor?": "const std::optional<at::Tensor>&", "SymInt[]?": "at::OptionalIntArrayRef",
    "int": "int64_t", "int?": "std::optional<int64_t>", "float": "double", "str": "c10::string_view", "bool": "bool",
}
_ABSENT = {"int64_t": "0", "double": "0.0", "bool": "false"}
_SCHEMA_WIDTH = 100


@dataclass(frozen=True)
class BindingParameter:
    declaration: str


@dataclass(frozen=True)
class BindingFact:
    name: str
    value: str


@dataclass(frozen=True)
class BindingResult:
    """`shape` and `dtype` are C++ expressions over the facts `c`."""

    name: str
    shape: str
    dtype: str


@dataclass(frozen=True)
class BindingView:
    """Context of templates/python/torch_binding.cpp.jinja. `near` is the tensor whose device the outputs share."""

    torch_name: str
    function: str
    c_api: str
    spec: str
    header: str
    namespace: str
    near: str
    schema_lines: tuple[str, ...]
    parameters: tuple[BindingParameter, ...]
    facts: tuple[BindingFact, ...]
    outputs: tuple[OutputView, ...]
    results: tuple[BindingResult, ...]
    c_arguments: tuple[str, ...]
    result_type: str
    returned: str


@dataclass(frozen=True)
class DtypeNumber:
    name: str
    number: int


@dataclass(frozen=True)
class CtypesView:
    """Context of templates/python/ctypes_binding.py.jinja; `parameters` and `arguments` are Python source."""

    op: str
    c_api: str
    spec: str
    output_names: str
    dtypes: tuple[DtypeNumber, ...]
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]


def carried_output(parameter: CParameter, operator: Operator) -> str:
    """The output that an argument of the C entry carries: attentionOut carries attention_out; '' for none."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", parameter.name).lower()
    return name if not parameter.parameter and any(o.name == name for o in operator.spec.outputs) else ""


def _fact(parameter: Parameter) -> str:
    if parameter.type in ("tensor", "ints") or parameter.scope_type.startswith("opt_"):
        return f"acl_torch::FactOf({parameter.name})"
    return parameter.name


def _c_argument(parameter: CParameter, operator: Operator) -> str:
    output = carried_output(parameter, operator)
    if output:
        return f"objects.Tensor({output})"
    kind = parameter.type.replace("const ", "")
    if not parameter.parameter:
        return "nullptr" if kind.endswith("*") else _ABSENT[kind]
    wrap = {"aclTensor*": "objects.Tensor({})", "aclTensorList*": "objects.List({})", "aclIntArray*": "objects.Array({})",
            "char*": "objects.Text({})"}
    return wrap.get(kind, "{}").format(parameter.parameter)


def view_binding(operator: Operator, spec: str, outputs: tuple[OutputView, ...], shown: dict[str, str]) -> BindingView:
    """Spell the PyTorch extension. `shown`: output name -> the C++ condition under which it has its shape, '' for always."""
    parameters = operator.spec.parameters
    results = []
    for output, view in zip(operator.spec.outputs, outputs, strict=True):
        shape = f"{view.function}(c)"
        if shown[output.name]:
            shape = f"{shown[output.name]} ? {shape} : fia::Ints{{{', '.join(map(str, output.otherwise))}}}"
        results.append(BindingResult(output.name, shape, f"{view.dtype_function}(c)"))
    names = [output.name for output in operator.spec.outputs]
    text = textwrap.wrap(schema(operator), _SCHEMA_WIDTH, drop_whitespace=False, break_long_words=False)
    return BindingView(
        torch_name=torch_name(operator), function="Run", c_api=operator.spec.c_api, spec=spec,
        header=f"aclnnop/{snake(operator.spec.c_api)}.h", namespace=f"fiagen_{operator.name}",
        near=next(p.name for p in parameters if p.type == "tensor" and p.required),
        schema_lines=tuple(json.dumps(line) for line in text),
        parameters=tuple(BindingParameter(_declared(p)) for p in parameters),
        facts=tuple(BindingFact(p.name, _fact(p)) for p in parameters), outputs=outputs, results=tuple(results),
        c_arguments=tuple(_c_argument(p, operator) for p in operator.spec.c_parameters),
        result_type="at::Tensor" if len(names) == 1 else f"std::tuple<{', '.join(['at::Tensor'] * len(names))}>",
        returned=names[0] if len(names) == 1 else f"{{{', '.join(names)}}}")


def _declared(parameter: Parameter) -> str:
    return f"{_CPP[parameter.torch_type]} {parameter.name}"


def _python_parameter(parameter: Parameter) -> str:
    kind = {"tensor": "np.ndarray", "ints": "list[int]"}.get(parameter.type, parameter.type)
    if parameter.required:
        return f"{parameter.name}: {kind}"
    if parameter.default is None:
        return f"{parameter.name}: {kind} | None = None"
    default = json.dumps(parameter.default) if parameter.type == "str" else repr(parameter.default)
    return f"{parameter.name}: {kind} = {default}"


def _python_argument(parameter: CParameter, operator: Operator) -> str:
    output = carried_output(parameter, operator)
    if output:
        return f'("output", "{output}")'
    kind = {"aclTensor*": "tensor", "aclTensorList*": "list", "aclIntArray*": "ints"}.get(
        parameter.type.replace("const ", ""), parameter.type.replace("const ", ""))
    absent = {"int64_t": "0", "double": "0.0", "bool": "False"}.get(kind, "None")
    return f'("{kind}", {parameter.parameter or absent})'


def view_ctypes(operator: Operator, spec: str, numbers: dict[str, int]) -> CtypesView:
    """Spell the ctypes module. Parameters that the C entry has no place for are left out."""
    carried = {p.parameter for p in operator.spec.c_parameters}
    return CtypesView(
        op=operator.name, c_api=operator.spec.c_api, spec=spec,
        output_names=", ".join(output.name for output in operator.spec.outputs),
        dtypes=tuple(DtypeNumber(name, number) for name, number in numbers.items()),
        parameters=tuple(_python_parameter(p) for p in operator.spec.parameters if p.name in carried),
        arguments=tuple(_python_argument(p, operator) for p in operator.spec.c_parameters))
