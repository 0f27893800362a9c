"""The views of the host side: facts and rules of a call, host tiling, C entry points.

In: an operator's spec with parsed expressions, kernel plans. Out: CallView, HostTilingView, EntryView. Must never decide a
number or word a rule.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from fiagen.expr import Expr
from fiagen.model.op import CParameter, Parameter
from fiagen.plan import KernelPlan, TilingPlan
from fiagen.view.kernel import Constant
from fiagen.view.tiling import TilingView, view_tiling

FACT_TYPES = {
    "tensor": ("fia::TensorFact", ""), "ints": ("fia::IntsFact", ""), "int": ("int64_t", " = {}"),
    "float": ("double", " = {}"), "str": ("std::string_view", " = {}"), "bool": ("bool", " = {}"),
    "opt_int": ("fia::IntFact", ""), "opt_float": ("fia::FloatFact", ""), "opt_str": ("fia::TextFact", ""),
    "opt_ints": ("fia::IntsFact", ""), "opt_bool": ("fia::IntFact", ""),
}
DERIVED_TYPES = {"int": ("int64_t", " = 0"), "bool": ("bool", " = false"), "str": ("std::string_view", ""),
                 "ints": ("fia::Ints", "")}
FOREIGN = {"aclTensor*": "const aclTensor* ", "aclTensorList*": "const aclTensorList* ", "aclIntArray*": "const aclIntArray* ",
           "char*": "char* "}


@dataclass(frozen=True)
class FieldView:
    cpp_type: str
    name: str
    initial: str
    doc: str = ""
    cpp: str = ""


@dataclass(frozen=True)
class RuleView:
    """`given` is a C++ expression; `allowed` and `fix` are literals; `applies` and `must` are conditions."""

    id: str
    status: int
    applies: str
    must: str
    given: str
    allowed: str
    fix: str


@dataclass(frozen=True)
class StageView:
    title: str
    function: str
    ends_here: bool  # a finding in it keeps the later stages from being asked
    rules: tuple[RuleView, ...]


@dataclass(frozen=True)
class CallView:
    """Context of templates/host/call_facts.h.jinja and call_rules.cpp.jinja."""

    op: str
    spec: str
    guard: str
    namespace: str
    facts_header: str
    default_edition: str
    arguments: tuple[FieldView, ...]
    derived: tuple[FieldView, ...]
    skip_when: str
    stages: tuple[StageView, ...]


@dataclass(frozen=True)
class VariantRow:
    literal: str


@dataclass(frozen=True)
class MissingView:
    when: str
    feature: str


@dataclass(frozen=True)
class AxisView:
    """`field` of struct Variant; `test` is true when the call has the variant's value; `text` tells the call's value."""

    field: str
    cpp_type: str
    doc: str
    test: str
    text: str


@dataclass(frozen=True)
class HostTilingView:
    """Context of templates/host/tiling*.jinja."""

    op: str
    spec: str
    guard: str
    data_guard: str
    namespace: str
    header: str
    data_header: str
    facts_header: str
    constants: tuple[Constant, ...]
    missing: tuple[MissingView, ...]
    axes: tuple[AxisView, ...]
    variants: tuple[VariantRow, ...]
    tiling: TilingView


@dataclass(frozen=True)
class EntryParameter:
    name: str
    declaration: str
    test: str = ""


@dataclass(frozen=True)
class EntryArgument:
    name: str
    value: str


@dataclass(frozen=True)
class OutputLayout:
    name: str
    shape: str


@dataclass(frozen=True)
class OutputView:
    name: str
    function: str
    dtype_function: str
    dtype: str
    layouts: tuple[OutputLayout, ...]


@dataclass(frozen=True)
class EntryView:
    """Context of templates/aclnn/aclnn_entry.h.jinja and aclnn_entry.cpp.jinja."""

    op: str
    c_api: str
    spec: str
    guard: str
    namespace: str
    header: str
    tiling_header: str
    default_edition: str
    parameters: tuple[EntryParameter, ...]
    required_pointers: tuple[str, ...]
    required_text: str
    unreachable: tuple[EntryParameter, ...]
    lists: tuple[str, ...]
    arguments: tuple[EntryArgument, ...]
    outputs: tuple[OutputView, ...]


def literal(text: str) -> str:
    """A C++ string literal; specs hold plain text, so JSON's escapes are C++'s (what is not ASCII stays as it is)."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def _guard(name: str) -> str:
    return f"{name.upper()}_H"


def _initial(parameter: Parameter) -> tuple[str, str]:
    cpp_type, pattern = FACT_TYPES[parameter.scope_type]
    default = parameter.default
    spelled = json.dumps(default) if isinstance(default, (str, bool)) else str(default)
    return cpp_type, pattern.format(spelled) if pattern else ""


def arguments_of(parameters: tuple[Parameter, ...]) -> tuple[FieldView, ...]:
    return tuple(FieldView(*_initial(p)[:1], p.name, _initial(p)[1]) for p in parameters)


def derived_fields(items: Sequence[tuple[str, str, Expr, str]]) -> tuple[FieldView, ...]:
    """`items`: name, type, expression, doc, in order."""
    return tuple(
        FieldView(DERIVED_TYPES[kind][0], name, DERIVED_TYPES[kind][1], doc, expr.cpp()) for name, kind, expr, doc in items)


def given_text(shown: list[Expr]) -> str:
    """A C++ expression for what was given: `name = value` of every shown expression."""
    if not shown:
        return 'std::string("-")'
    pieces = [f"Shown({literal(expr.text)}, {expr.cpp()})" for expr in shown]
    return ' + ", " + '.join(pieces)


def variant_row(plan: KernelPlan) -> VariantRow:
    fields = [
        json.dumps(plan.variant.name), str(plan.tiling_key), *(json.dumps(value) for value in plan.variant.values.values()),
        str(plan.value("MAX_ROWS")), str(plan.value("PART_ROWS")), str(plan.value("KV_TILE")),
        str(plan.value("CORE_WORKSPACE_BYTES")),
    ]
    return VariantRow(", ".join(fields))


def axis_view(name: str, doc: str, of_call: Expr, serves: tuple[tuple[object, object], ...]) -> AxisView:
    """`serves`: pairs of a call's value and the variant's value that serves it, where they differ."""
    value = of_call.cpp()
    test = f"variant.{name} == ({value})"
    for served, by in serves:
        test = f"({test} || (variant.{name} == {json.dumps(by)} && ({value}) == {json.dumps(served)}))"
    text = {"str": f"std::string({value})", "bool": f'std::string(({value}) ? "true" : "false")'}.get(
        of_call.type, f"std::to_string({value})")
    return AxisView(name, DERIVED_TYPES[of_call.type][0], doc, test, f'"{name} " + {text} + " "')


def host_constants(plans: list[KernelPlan], tiling: TilingPlan, costs: tuple[Constant, ...]) -> tuple[Constant, ...]:
    decode = next(plan for plan in plans if plan.variant.values["phase"] == "decode")
    shared = [("FRACTAL", "int64_t"), ("FLOATS_PER_BLOCK", "uint64_t"), ("PARTS_PER_CORE", "uint32_t")]
    reasons = {d.name: d.because for d in decode.decisions}
    return (
        Constant("uint32_t", "MAX_CORES", str(tiling.max_cores), "cube cores the tiling data has room for"),
        *(Constant(kind, name, str(decode.value(name)), reasons[name]) for name, kind in shared),
        *costs,
    )


def view_host_tiling(op: str, spec: str, plans: list[KernelPlan], tiling: TilingPlan, costs: tuple[Constant, ...],
                     missing: tuple[MissingView, ...], axes: tuple[AxisView, ...]) -> HostTilingView:
    """Spell the table of variants and the constants of host tiling."""
    return HostTilingView(
        op=op, spec=spec, guard=_guard("fia_tiling"), data_guard=_guard("fia_tiling_data"), namespace=f"fiagen_{op}",
        header="fia_tiling.h", data_header="fia_tiling_data.h", facts_header="call_facts.h",
        constants=host_constants(plans, tiling, costs), variants=tuple(variant_row(p) for p in plans), missing=missing, axes=axes,
        tiling=view_tiling(tiling, assert_offsets=True))


def _declaration(parameter: CParameter) -> str:
    return f"{FOREIGN.get(parameter.type, parameter.type + ' ')}{parameter.name}".replace("const const", "const")


def _argument(parameter: CParameter, kinds: dict[str, str]) -> EntryArgument:
    value = parameter.name
    if parameter.type == "aclTensorList*":
        value = f"FactOf(OnlyItem({value}))"
    elif parameter.type in ("aclTensor*", "aclIntArray*"):
        value = f"FactOf({value})"
    elif kinds[parameter.parameter].startswith("opt_"):
        value = f"{{true, {value}}}"
    return EntryArgument(parameter.parameter, value)


def view_entry(op: str, c_api: str, spec: str, default_edition: str, parameters: tuple[Parameter, ...],
               c_parameters: tuple[CParameter, ...], outputs: tuple[OutputView, ...]) -> EntryView:
    """Spell the C entry points: declarations, argument facts, arguments that no kernel uses."""
    kinds = {p.name: p.scope_type for p in parameters}
    required = {p.name for p in parameters if p.required}
    pointers = tuple(p.name for p in c_parameters if p.parameter in required or p.type == "char*" or p.name == "attentionOut")
    results = {"attentionOut", "softmaxLse"}
    unreachable = tuple(
        EntryParameter(p.name, "", f"{p.name} != {'nullptr' if p.type.endswith('*') else '0'}")
        for p in c_parameters if not p.parameter and p.name not in results)
    return EntryView(
        op=op, c_api=c_api, spec=spec, guard=_guard(c_api), namespace=f"fiagen_{op}",
        header=f"aclnnop/{snake(c_api)}.h", tiling_header="fia_tiling.h", default_edition=default_edition,
        parameters=tuple(EntryParameter(p.name, _declaration(p)) for p in c_parameters),
        required_pointers=pointers, required_text=", ".join(pointers), unreachable=unreachable,
        lists=tuple(p.name for p in c_parameters if p.type == "aclTensorList*" and p.parameter),
        arguments=tuple(_argument(p, kinds) for p in c_parameters if p.parameter),
        outputs=outputs)


def snake(name: str) -> str:
    """aclnnFusedInferAttentionScoreV4 -> aclnn_fused_infer_attention_score_v4."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
