"""The views of an operator: overview, parameters, layouts, masks, quantities, conflicts.

In: an operator with parsed expressions, links. Out: one frozen dataclass a page. Must never decide or word a fact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fiagen.check.compiled import CompiledOperator
from fiagen.model.op import CParameter, Layout, OpSpec, Parameter
from fiagen.model.reference import MaskGroup, MaskPicture
from fiagen.view.docs.pictures import axes, mask_path, parameter_of, window_text
from fiagen.view.docs.rules import Fact, facts
from fiagen.view.docs.text import Links, Table, code, escaped, listed, table


@dataclass(frozen=True)
class Overview:
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class OperatorView:
    """Context of templates/docs/operator.md.jinja."""

    path: str
    title: str
    name: str
    spec: str
    summary: str
    formula: str
    semantics: tuple[str, ...]
    overview: tuple[Overview, ...]
    python: tuple[str, ...]
    c_api: str
    c_arguments: tuple[str, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Section:
    """A heading with its anchor, a sentence and facts."""

    name: str
    anchor: str
    doc: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class SectionsView:
    """Context of templates/docs/sections.md.jinja: tables, then sections."""

    path: str
    title: str
    spec: str
    about: str
    tables: tuple[Table, ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Picture:
    file: str
    title: str
    window: str
    keep: str
    doc: str
    source: str


@dataclass(frozen=True)
class MasksView:
    """Context of templates/docs/masks.md.jinja."""

    path: str
    title: str
    spec: str
    about: str
    groups: tuple[PictureGroup, ...]


@dataclass(frozen=True)
class PictureGroup:
    parameter: str
    pictures: tuple[Picture, ...]


def _python_type(parameter: Parameter) -> str:
    return parameter.torch_type or parameter.python_type or parameter.type


def default_text(parameter: Parameter) -> str:
    """The default as Python spells it."""
    return repr(parameter.default) if parameter.default is not None else "None"


def python_arguments(spec: OpSpec) -> tuple[str, ...]:
    """The arguments of the Python call, one a line; a star before the first that is passed by name only."""
    lines, starred = [], False
    for parameter in spec.parameters:
        if parameter.keyword and not starred:
            lines.append("*")
            starred = True
        default = "" if parameter.required else f" = {default_text(parameter)}"
        lines.append(f"{parameter.name}: {_python_type(parameter)}{default}")
    return tuple(lines)


def c_argument(argument: CParameter) -> str:
    constant = (
        "const "
        if argument.type in ("aclTensor*", "aclTensorList*", "aclIntArray*") and argument.doc != "an output"
        else ""
    )
    return f"{constant}{argument.type} {argument.name}"


def view_operator(
    names: CompiledOperator, page: str, links: Links, spec_folder: str, contents: Sequence[tuple[str, str, str]]
) -> OperatorView:
    """The overview page; `contents` are the operator's other pages as (target, title, what is there)."""
    spec = names.operator.spec
    outputs = [
        (
            code(o.name),
            links.condition(names.expr(o.dtype).english()),
            links.condition(names.expr(o.when).english()) if o.when else "always",
            links.name(o.rule),
            links.prose(o.doc),
        )
        for o in spec.outputs
    ]
    tolerances = [
        (code(dtype), f"{t.rtol:g}", f"{t.atol:g}", f"{t.spread_factor:g}", escaped(t.because))
        for dtype, t in spec.tolerances.items()
    ]
    sources = [(f'<a id="source-{letter}"></a>{code(letter)}', escaped(text)) for letter, text in spec.sources.items()]
    return OperatorView(
        page,
        spec.name,
        spec.name,
        f"{spec_folder}/op.yaml",
        escaped(spec.title) + ". " + links.prose(spec.summary),
        spec.formula,
        tuple(links.prose(text) for text in spec.semantics),
        (
            Overview(
                facts(
                    ("C entry", code(spec.c_api)),
                    ("Products", links.names(spec.products)),
                    ("Since", escaped(spec.since)),
                    ("Layouts", links.names(names.operator.layouts_by_name)),
                )
            ),
        ),
        python_arguments(spec),
        spec.c_api,
        tuple(c_argument(a) for a in spec.c_parameters),
        (
            table(
                ("Page", "What is there"),
                [(links.to(target, escaped(title)), escaped(what)) for target, title, what in contents],
                "Pages",
            ),
            table(("Output", "Dtype", "Written", "Rule", "What it is"), outputs, "Outputs"),
            table(("Dtype", "Relative", "Absolute", "Of the spread", "Because"), tolerances, "Tolerances"),
            table(("Letter", "Source"), sources, "Sources"),
        ),
    )


def view_parameters(names: CompiledOperator, page: str, links: Links, spec_file: str) -> SectionsView:
    """Every parameter with the rules that read it."""
    reading: dict[str, list[str]] = defaultdict(list)
    for rule in names.operator.rules:
        read = {name for text in (rule.when, rule.must) if text for name in names.expr(text).names()}
        for name in sorted(read | set(rule.ignores)):
            reading[name].append(rule.id)
    spec = names.operator.spec
    rows = [
        (
            links.name(p.name),
            code(_python_type(p)),
            code("required") if p.required else code(default_text(p)),
            escaped("reserved" if p.reserved else listed(p.dtypes)),
            code(p.c_name),
        )
        for p in spec.parameters
    ]
    sections = tuple(_parameter(p, links, reading[p.name]) for p in spec.parameters)
    return SectionsView(
        page,
        "Parameters",
        spec_file,
        f"{len(rows)} parameters of {links.name(spec.name)}, in their documented order.",
        (table(("Parameter", "Type", "Default", "Dtypes", "C argument"), rows, "In one table"),),
        sections,
    )


def _parameter(parameter: Parameter, links: Links, rules: Sequence[str]) -> Section:
    return Section(
        parameter.name,
        f"parameter-{parameter.name}",
        links.prose(parameter.doc),
        facts(
            (
                "Python",
                f"{code(_python_type(parameter))}, "
                + ("required" if parameter.required else f"default {code(default_text(parameter))}"),
            ),
            ("C", f"{code(parameter.c_type)} {code(parameter.c_name)}" if parameter.c_name else "not in the C entry"),
            ("Dtypes", listed(code(dtype) for dtype in parameter.dtypes)),
            ("Layout", links.to(links.targets["page:layouts"], parameter.layout) if parameter.layout else ""),
            ("Reserved", "keep the default; it has no effect" if parameter.reserved else ""),
            ("Editions", listed(code(name) for name in parameter.editions)),
            ("Must be contiguous", "yes" if parameter.contiguous else ""),
            ("Rules", links.names(rules)),
            ("Source", links.source(parameter.source)),
        ),
    )


def _roles(layouts: Sequence[Layout]) -> list[str]:
    return [
        role
        for role in Layout.model_fields
        if role not in ("name", "doc") and any(getattr(one, role) for one in layouts)
    ]


def view_layouts(names: CompiledOperator, page: str, links: Links, spec_file: str) -> SectionsView:
    """Every layout with its tensors drawn as axes, outermost first."""
    layouts = names.operator.layouts
    roles = _roles(layouts.layouts)
    rows = [
        (f'<a id="layout-{one.name}"></a>{code(one.name)}', *(axes(getattr(one, role)) for role in roles))
        for one in layouts.layouts
    ]
    used = {
        name
        for one in layouts.layouts
        for role in roles
        for axis in getattr(one, role)
        if isinstance(axis, str)
        for name in names.expr(axis).names()
    }
    docs = [(links.name(name), escaped(doc)) for name, doc in _meanings(names, used)]
    about = (
        f"Chosen by {links.name(layouts.named_by)}. A box is an axis, the outermost first; a dot is a product of two. "
        f"Source: {links.source(layouts.source)}"
    )
    return SectionsView(
        page,
        "Layouts",
        spec_file,
        about,
        (
            table(("Layout", *(role.replace("_", " ") for role in roles)), rows, "Axes"),
            table(("Axis", "What it is"), docs, "What the axes are"),
        ),
        (),
    )


def _meanings(names: CompiledOperator, used: set[str]) -> list[tuple[str, str]]:
    docs = {p.name: p.doc for p in names.operator.spec.parameters} | {d.name: d.doc for d in names.operator.derived}
    return [(name, docs[name]) for name in docs if name in used]


def view_masks(
    names: CompiledOperator,
    page: str,
    links: Links,
    about: str,
    groups: Sequence[tuple[str, MaskGroup, Sequence[MaskPicture]]],
    folder: str,
) -> MasksView:
    """The masks of every parameter that chooses one, as pictures in `folder`."""
    parameters = tuple(names.operator.parameters)
    shown = []
    for parameter, group, pictures in groups:
        pre, after = parameter_of(group.pre, parameters), parameter_of(group.next, parameters)
        shown.append(
            PictureGroup(
                links.name(parameter),
                tuple(
                    Picture(
                        links.url(f"{folder}/{mask_path(group, picture)}"),
                        escaped(picture.title),
                        f"{picture.rows} rows, {picture.columns} keys"
                        + (", " + window_text(picture, pre, after)).rstrip(", "),
                        code(picture.keep),
                        links.prose(picture.doc),
                        links.source(picture.source),
                    )
                    for picture in pictures
                ),
            )
        )
    return MasksView(page, "Masks", "specs/masks.yaml", escaped(about), tuple(shown))


def view_quantities(names: CompiledOperator, page: str, links: Links, spec_file: str) -> SectionsView:
    """Derived quantities and scenarios, and how many rules of each group ask for each scenario."""
    operator = names.operator
    asking: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for group in operator.groups:
        for rule in group.rules:
            for name in {n for text in (rule.when, rule.must) if text for n in names.expr(text).names()}:
                asking[name][group.group].append(rule.id)
    scenarios = [d for d in operator.derived if d.type == "bool" and asking[d.name]]
    matrix = [
        (
            links.name(d.name),
            escaped(d.doc),
            listed(
                links.to(links.targets[f"group:{group}"], f"{escaped(group)} {len(ids)}")
                for group, ids in asking[d.name].items()
            ),
        )
        for d in scenarios
    ]
    sections = tuple(
        Section(
            d.name,
            f"quantity-{d.name}",
            links.prose(d.doc),
            facts(
                ("Type", code(d.type)),
                ("Value", links.condition(names.expr(d.expr).english())),
                ("Expression", code(d.expr)),
                ("Asked by", links.names(rule for ids in asking[d.name].values() for rule in ids)),
            ),
        )
        for d in operator.derived
    )
    return SectionsView(
        page,
        "Scenarios and quantities",
        spec_file,
        "What rules and host tiling talk about, computed from the call in this order.",
        (table(("Scenario", "Holds when", "Rules that ask for it, by group"), matrix, "Scenario matrix"),),
        sections,
    )


def view_conflicts(names: CompiledOperator, page: str, links: Links, spec_file: str) -> SectionsView:
    """Points on which the sources differ, with the reading chosen."""
    sections = tuple(
        Section(
            c.id,
            c.id,
            links.prose(c.about),
            facts(
                ("Readings", "; ".join(links.prose(reading) for reading in c.readings)),
                ("Chosen", links.prose(c.chosen)),
                ("Why", links.prose(c.because)),
                ("Rules", links.names(c.rules)),
                ("Source", links.source(c.source)),
            ),
        )
        for c in names.operator.spec.conflicts
    )
    return SectionsView(
        page,
        "Conflicts",
        spec_file,
        "Where the sources contradict each other or say nothing, and the reading chosen here.",
        (),
        sections,
    )
