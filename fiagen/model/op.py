"""One operator: parameters, layouts, derived quantities, outputs, rules.

In: validated YAML of specs/ops/<family>/<op>/. Out: frozen values. Must never evaluate an expression.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from fiagen.model.base import ExprText, FileName, Name, Prose, RuleId, Spec, Text

ParameterType = Literal["tensor", "tensors", "ints", "int", "float", "str", "bool"]
DerivedType = Literal["int", "bool", "str", "ints"]
RuleSeverity = Literal["error", "ignored", "recommendation", "behaviour", "unchecked"]
Stage = Literal["form", "shape", "value"]
EditionName = Literal["seed", "current"]
AuthorityName = Literal["document", "host"]
STAGES: tuple[Stage, ...] = ("form", "shape", "value")


class Parameter(Spec):
    """One parameter in its documented place. `c_name` is empty when the C entry point does not have it."""

    name: Name
    type: ParameterType
    required: bool = False
    keyword: bool = True
    default: int | float | str | bool | None = None
    dtypes: tuple[Name, ...] = ()
    torch_type: Prose = ""
    python_type: Prose = ""  # where there is no torch interface
    c_name: Prose = ""
    c_type: Prose = ""
    reserved: bool = False
    contiguous: bool = False
    listed: bool = False  # a short integer tensor: a call may write it as a list, and rules may read its values
    editions: tuple[EditionName, ...] = ("seed", "current")
    layout: Prose = ""  # a role in LayoutSpec.shapes, e.g. query, kv
    doc: Text
    source: Text

    @model_validator(mode="after")
    def _default_fits(self) -> Parameter:
        kinds: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
        if self.default is not None and type(self.default) not in kinds.get(self.type, ()):
            raise ValueError(f"the default of {self.name} is not of type {self.type}")
        if self.dtypes and self.type not in ("tensor", "tensors"):
            raise ValueError(f"{self.name} is no tensor and has no dtypes")
        return self

    @property
    def documented(self) -> str:
        """The name the operator's document uses: for C interfaces the one with the suffix `Optional`."""
        return self.c_name if self.c_name and not self.torch_type else self.name

    @property
    def scope_type(self) -> str:
        """Its type in expressions: optional scalars without a default and host lists may be absent."""
        if self.type in ("tensor", "tensors"):  # of a list, expressions see the first tensor and its axes over the list
            return "tensor"
        return self.type if self.default is not None else f"opt_{self.type}"


class CParameter(Spec):
    """One argument of the C entry point. `from_` names the parameter it carries; empty means always absent here."""

    name: Name
    type: Text
    parameter: Prose = ""
    doc: Prose = ""


class Layout(Spec):
    """Axis names of the roles that the operator has, under one layout; an axis may be a product such as `Q_N*Dq`."""

    name: Name
    query: tuple[ExprText | int, ...] = ()
    kv: tuple[ExprText | int, ...] = ()
    value: tuple[ExprText | int, ...] = ()  # where it differs from that of key
    attention_out: tuple[ExprText | int, ...] = ()
    softmax_lse: tuple[ExprText | int, ...] = ()
    metadata: tuple[ExprText | int, ...] = ()
    doc: Prose = ""


class ShapeForm(Spec):
    """Shapes of parameters that the layout does not tell, such as those of a paged cache."""

    name: Name
    when: ExprText
    axes: dict[Name, tuple[ExprText | int, ...]]
    doc: Text


class Derived(Spec):
    """A quantity computed from the call, in order; later ones may use earlier ones."""

    name: Name
    type: DerivedType
    expr: ExprText
    doc: Text


class Output(Spec):
    """An output: `shape` is a role of the layout table, `dtype` an expression; `otherwise` is its shape when `when` is
    false.

    A supplied output is judged by the operator's rules under the name `fact`, or, without one, compared with the
    derived one.
    """

    name: Name
    dtype: ExprText
    shape: Literal["attention_out", "softmax_lse", "metadata"]
    when: ExprText | None = None
    otherwise: tuple[int, ...] = ()
    rule: RuleId  # broken when a supplied output is another
    fact: Name | None = None
    doc: Text


class Tolerance(Spec):
    """|actual - expected| <= atol + rtol * |expected| + spread_factor * spread of the expected value."""

    rtol: float
    atol: float
    spread_factor: float = 0.0
    because: Text


class SkipChecks(Spec):
    """When `when` holds, rules of the stages after `form` don't apply, except those marked `even_when_empty`."""

    when: ExprText
    rule: RuleId


class Conflict(Spec):
    """A point on which sources differ or say nothing, and the reading chosen here."""

    id: RuleId
    about: Text
    readings: tuple[Text, ...]
    chosen: Text
    because: Text
    rules: tuple[RuleId, ...] = ()
    source: Text


class OpSpec(Spec):
    """The op file: everything but the rules."""

    kind: Literal["op"]
    name: Name
    title: Text
    family: Name
    c_api: Name
    since: Text
    summary: Text
    formula: Text
    semantics: tuple[Text, ...]
    products: tuple[Name, ...]
    sources: dict[Name, Text]
    parameters: tuple[Parameter, ...]
    c_parameters: tuple[CParameter, ...]
    rule_files: tuple[FileName, ...]  # rules_<name>.yaml, in the order they are checked
    outputs: tuple[Output, ...]
    host_of_edition: bool = (
        False  # each edition has its own shipped host checks: `editions` counts for the authority host too
    )
    tolerances: dict[Name, Tolerance]
    conflicts: tuple[Conflict, ...] = ()


class ConflictsSpec(Spec):
    """The conflicts of an operator in a file of their own; they count as if they stood in the op file."""

    kind: Literal["conflicts"]
    op: Name
    source: Text
    conflicts: tuple[Conflict, ...]


class LayoutsSpec(Spec):
    kind: Literal["layouts"]
    op: Name
    named_by: Name = "input_layout"  # the parameter or derived quantity that holds the layout's name
    source: Text
    layouts: tuple[Layout, ...]
    forms: tuple[ShapeForm, ...] = ()


class DerivedSpec(Spec):
    kind: Literal["derived"]
    op: Name
    skip_checks: SkipChecks | None = None
    derived: tuple[Derived, ...]


class Rule(Spec):
    """One rule. Applies in an authority when `stated_by` names it, and for `host` also only when `host_when` holds."""

    id: RuleId
    severity: RuleSeverity = "error"
    stage: Stage = "value"
    editions: tuple[EditionName, ...] = ("seed", "current")
    stated_by: tuple[AuthorityName, ...] = ("document", "host")
    host_when: ExprText | None = None
    even_when_empty: bool = False
    covered_by: RuleId | None = None  # that rule says the same or more and is the one evaluated
    products: tuple[Name, ...] = ()
    when: ExprText | None = None
    must: ExprText | None = None
    ignores: tuple[Name, ...] = ()
    show: tuple[ExprText, ...] = ()
    summary: Text
    because: Text
    fix: Prose = ""
    status: int = 561002
    source: Text

    @model_validator(mode="after")
    def _fits_its_severity(self) -> Rule:
        if self.covered_by:
            if self.must or self.when:
                raise ValueError(f"{self.id} is covered by {self.covered_by} and states no expressions of its own")
            return self
        if self.severity == "error" and not (self.must and self.fix):
            raise ValueError(f"{self.id} is an error and needs both `must` and `fix`")
        if self.severity == "ignored" and not self.ignores:
            raise ValueError(f"{self.id} must say in `ignores` which parameters have no effect")
        if self.must and self.severity not in ("error", "recommendation"):
            raise ValueError(f"{self.id} has a `must`, so it is an error or a recommendation")
        return self


class RulesSpec(Spec):
    """One group of rules, in the order they are checked. `when` is a condition that all of them share."""

    kind: Literal["rules"]
    op: Name
    group: Name
    about: Text
    when: ExprText | None = None
    rules: tuple[Rule, ...]
