"""`fiagen explain`: a rule, a parameter, a variant, an operator, a product, an error code or a message, in full.

In: a name. Out: text. Must never explain a thing that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import click

from fiagen.check.compiled import compiled
from fiagen.diagnostics import fail, suggestion
from fiagen.emit.kernels import kernel_plan, summary
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_error_codes, load_product, load_products
from fiagen.load.messages import load_messages
from fiagen.load.variants import load_variants
from fiagen.model.catalogue import Operator
from fiagen.model.op import Parameter, Rule


def _lines(title: str, fields: list[tuple[str, str]]) -> str:
    width = max(len(label) for label, _ in fields)
    shown = [f"  {label:<{width}}  {text}" for label, text in fields if text]
    return "\n".join([title, *shown])


def _rule(operator: Operator, rule: Rule) -> str:
    names = compiled(operator)
    fields = [
        ("severity", rule.severity), ("operator", operator.name), ("editions", ", ".join(rule.editions)),
        ("stated by", " and ".join(rule.stated_by) + ("" if not rule.host_when else
                                                    f"; the shipped checks only when {names.expr(rule.host_when).english()}")),
        ("products", ", ".join(rule.products or operator.spec.products)),
        ("applies", names.expr(rule.when).english() if rule.when else "always"),
        ("must hold", names.expr(rule.must).english() if rule.must else ""),
        ("no effect", ", ".join(rule.ignores)), ("why", rule.because), ("fix", rule.fix),
        ("returns", _code(rule.status) if rule.severity == "error" else ""), ("source", rule.source),
        ("place", operator.places.get(rule.id, "")),
    ]
    return _lines(f"{rule.id}: {rule.summary}", fields)


def _code(status: int) -> str:
    known = load_error_codes().get(status)
    return f"{status} {known.name}" if known else str(status)


def _parameter(operator: Operator, parameter: Parameter) -> str:
    rules = [r.id for r in operator.rules if any(
        parameter.name in compiled(operator).expr(text).names() for text in (r.when, r.must) if text)
        or parameter.name in r.ignores]
    default = "required" if parameter.required else f"default {parameter.default}"
    fields = [
        ("operator", operator.name),
        ("type", f"{parameter.torch_type or parameter.python_type} in Python, {parameter.c_type or 'none'} in C"),
        ("C name", parameter.c_name), ("value", default), ("dtypes", ", ".join(parameter.dtypes)),
        ("reserved", "yes: keep the default" if parameter.reserved else ""), ("editions", ", ".join(parameter.editions)),
        ("what", parameter.doc), ("rules", ", ".join(rules)), ("source", parameter.source),
    ]
    return _lines(parameter.name, fields)


def _variant(name: str) -> str:
    spec, variant = load_variants()[name]
    plan = kernel_plan(name)
    fields = [("operator", variant.op), ("what", summary(spec, variant)), ("tiling key", str(plan.tiling_key)),
              *((axis, str(value)) for axis, value in variant.values.items())]
    decisions = [(d.name, f"{d.value} {d.unit}: {d.because}") for d in plan.decisions]
    buffers = [(b.name, f"{b.num_bytes} bytes of {b.memory}, {b.slots} slots: {b.because}") for b in plan.buffers]
    flags = [(f.name, f"{f.event} ids {f.first_id}..{f.first_id + f.slots - 1}: {f.because}") for f in plan.flags]
    return "\n\n".join([_lines(name, fields), _lines("decisions", decisions), _lines("buffers", buffers), _lines("flags", flags)])


def _operator(operator: Operator) -> str:
    spec = operator.spec
    fields = [("C entry", spec.c_api), ("products", ", ".join(spec.products)), ("what", spec.summary), ("formula", spec.formula),
              *(("semantics" if i == 0 else "", text) for i, text in enumerate(spec.semantics)),
              ("parameters", ", ".join(operator.parameters)), ("layouts", ", ".join(operator.layouts_by_name))]
    return _lines(f"{operator.name}: {spec.title}", fields)


def _subjects() -> Iterator[tuple[str, Callable[[], str]]]:
    """Every name that can be explained with what explains it; a name may come more than once."""
    for operator in load_catalogue().operators.values():
        yield operator.name, lambda o=operator: _operator(o)  # type: ignore[misc]
        for rule in operator.rules:
            yield rule.id, lambda o=operator, r=rule: _rule(o, r)  # type: ignore[misc]
        for parameter in operator.spec.parameters:
            for name in {parameter.name, parameter.c_name} - {""}:
                yield name, lambda o=operator, p=parameter: _parameter(o, p)  # type: ignore[misc]
    for name in load_variants():
        yield name, lambda n=name: _variant(n)  # type: ignore[misc]
    for name, product in load_products().items():
        chip = load_product(name).chip
        yield name, lambda p=product, c=chip, n=name: _lines(f"{n}: {p.title}", [  # type: ignore[misc]
            ("architecture", p.arch), ("plain name", f"chip {p.default_chip}: {p.because}"),
            ("cores", f"{c.aic} cube, {c.aiv} vector, {c.clock_mhz} MHz"), ("source", c.source)])
    for code, known in load_error_codes().items():
        for name in (str(code), known.name):
            yield name, lambda k=known: _lines(f"{k.code} {k.name}", [("what", k.doc), ("source", k.source)])  # type: ignore[misc]
    for message in load_messages().values():
        yield message.id, lambda m=message: _lines(m.id, [("means", m.means), ("fix", m.fix)])  # type: ignore[misc]


@click.command("explain")
@click.argument("subject", metavar="ID")
def command(subject: str) -> int:
    """Explain a rule, parameter, variant, operator, product, error code or message."""
    subjects = list(_subjects())
    found = [explain() for name, explain in subjects if name.lower() == subject.lower()]
    if not found:
        names = {name for name, _ in subjects}
        near = suggestion(subject, names).split(" Known:")[0]
        raise fail("cli.unknown_subject", given=subject, allowed="a rule, parameter, variant, operator, product, error code or "
                   "message id", why="There is nothing of this name.", source="specs",
                   fix=near if near.startswith("Did you mean") else "`fiagen list rules` and `fiagen list variants` list names.")
    click.echo("\n\n".join(dict.fromkeys(found)))
    return 0
