"""Host files of an operator: facts and rules, tiling, C entry points.

In: an operator's name. Out: Emitted files. Must never read a spec itself, word a rule or decide a number.
"""

from __future__ import annotations

from functools import lru_cache

from fiagen import paths
from fiagen.check.choice import choosing
from fiagen.check.compiled import CompiledOperator
from fiagen.emit.kernels import kernel_plan, tiling_plan
from fiagen.emit.render import render
from fiagen.emit.writer import Emitted
from fiagen.load.catalogue import load_catalogue
from fiagen.load.variants import load_variant_sets, load_variants
from fiagen.model.catalogue import Operator
from fiagen.model.op import STAGES, Rule
from fiagen.model.variant import VariantSet
from fiagen.plan.host import plan_host
from fiagen.view.host import (
    CallView,
    MissingView,
    OutputLayout,
    OutputView,
    RuleView,
    StageView,
    arguments_of,
    axis_view,
    derived_fields,
    given_text,
    literal,
    snake,
    view_entry,
    view_host_tiling,
)
from fiagen.view.kernel import Constant

DEFAULT_EDITION = "seed"
STATIC = "host/static/fia_expr.h"


def _applies(rule: Rule, host_of_edition: bool) -> str:
    """The condition under which a rule is asked at all, as one expression of the spec's language."""
    parts = []
    if len(rule.editions) == 1:
        timeless = "" if host_of_edition else "authority == 'host' or "
        parts.append(f"({timeless}edition == '{rule.editions[0]}')")
    host = f"({rule.host_when})" if rule.host_when else ""
    if "document" not in rule.stated_by:
        parts.append("authority == 'host'")
        parts += [host] if host else []
    elif "host" not in rule.stated_by:
        parts.append("authority == 'document'")
    elif host:
        parts.append(f"(authority == 'document' or {host})")
    if rule.when:
        parts.append(f"({rule.when})")
    return " and ".join(parts) or "True"


def _rule_view(operator: CompiledOperator, rule: Rule) -> RuleView:
    place = operator.operator.places.get(rule.id, rule.id)
    condition = operator.expr(_applies(rule, operator.operator.spec.host_of_edition), place).cpp()
    must = operator.expr(str(rule.must), place)
    skipped = rule.stage != "form" and not rule.even_when_empty and operator.operator.derivations.skip_checks is not None
    if skipped:
        condition = "!skipped" if condition == "true" else f"!skipped && ({condition})"
    return RuleView(
        id=rule.id, status=rule.status, applies=condition, must=must.cpp(), given=given_text(list(operator.shown(rule))),
        allowed=literal(must.english()), fix=literal(rule.fix))


def _stages(operator: CompiledOperator) -> tuple[StageView, ...]:
    """Rules that can refuse, by stage; what follows a rule's `covered_by` is said by the other rule."""
    stages = []
    for stage in STAGES:
        rules = [r for r in operator.operator.rules if r.stage == stage and r.severity == "error" and not r.covered_by]
        stages.append(StageView(stage, stage.capitalize(), stage == "form", tuple(_rule_view(operator, r) for r in rules)))
    return tuple(stages)


def _variant_set(op: str) -> VariantSet:
    return next(spec for spec in load_variant_sets() if spec.op == op)


def _view_call(operator: CompiledOperator) -> CallView:
    op = operator.operator
    derived = [(d.name, d.type, operator.expr(d.expr), d.doc) for d in (*op.derived, *_variant_set(op.name).derived)]
    skip = op.derivations.skip_checks
    return CallView(
        op=op.name, spec=spec_folder(op), guard="FIA_CALL_FACTS_H", namespace=f"fiagen_{op.name}",
        facts_header="call_facts.h", default_edition=DEFAULT_EDITION, arguments=arguments_of(op.spec.parameters),
        derived=derived_fields(derived), skip_when=operator.expr(skip.when, "skip_checks").cpp() if skip else "false",
        stages=_stages(operator))


def output_views(operator: CompiledOperator) -> tuple[OutputView, ...]:
    outputs = []
    for output in operator.operator.spec.outputs:
        layouts = []
        for layout in operator.operator.layouts.layouts:
            axes = [operator.expr(str(axis), f"layout {layout.name}").cpp() for axis in getattr(layout, output.shape)]
            layouts.append(OutputLayout(layout.name, f"{{{', '.join(axes)}}}"))
        stem = "".join(word.capitalize() for word in output.name.split("_"))
        dtype = operator.expr(str(output.dtype), f"output {output.name}").cpp()
        outputs.append(OutputView(output.name, f"{stem}Shape", f"{stem}Dtype", dtype, tuple(layouts)))
    return tuple(outputs)


def spec_folder(operator: Operator) -> str:
    return f"specs/ops/{operator.spec.family}/{operator.name}"


@lru_cache(maxsize=8)
def emit_host(op: str) -> tuple[Emitted, ...]:
    """All host files of `op`; their include folders are `<op>/host` and `<op>/aclnn`."""
    operator = load_catalogue().operators[op]
    spec = spec_folder(operator)
    plans = [kernel_plan(name) for name, (_, variant) in load_variants().items() if variant.op == op]
    costs = tuple(Constant(d.group, d.name, str(d.value), d.because) for d in plan_host())
    names, chosen = choosing(op), _variant_set(op)
    call = _view_call(names)
    missing = tuple(MissingView(names.expr(item.when).cpp(), literal(item.feature)) for item in chosen.missing)
    axes = tuple(
        axis_view(name, axis.doc, names.expr(axis.of_call), tuple((s, v.value) for v in axis.values for s in v.serves))
        for name, axis in chosen.axes.items())
    tiling = view_host_tiling(op, spec, plans, tiling_plan(plans[0].variant.arch), costs, missing, axes)
    api = operator.spec.c_api
    entry = view_entry(op, api, spec, DEFAULT_EDITION, operator.spec.parameters, operator.spec.c_parameters, output_views(names))
    drawn = [
        ("host/call_facts.h", "host/call_facts.h.jinja", call),
        ("host/call_rules.cpp", "host/call_rules.cpp.jinja", call),
        ("host/fia_tiling_data.h", "host/tiling_data.h.jinja", tiling),
        ("host/fia_tiling.h", "host/tiling.h.jinja", tiling),
        ("host/fia_tiling.cpp", "host/tiling.cpp.jinja", tiling),
        (f"aclnn/aclnnop/{snake(api)}.h", "aclnn/aclnn_entry.h.jinja", entry),
        (f"aclnn/{snake(api)}.cpp", "aclnn/aclnn_entry.cpp.jinja", entry),
    ]
    static = (paths.TEMPLATES / STATIC).read_text(encoding="utf-8")
    return (
        Emitted(f"{op}/host/fia_expr.h", static, "", f"templates/{STATIC}"),
        *(Emitted(f"{op}/{path}", render(template, view), spec, f"templates/{template}") for path, template, view in drawn),
    )
