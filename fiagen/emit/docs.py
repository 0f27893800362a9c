"""The documentation as Markdown: operators, hardware, calls, kernels and messages, with the site's configuration.

In: all specs. Out: Emitted files below `docs/`. Must never fetch anything, or say what no spec says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from fiagen import paths
from fiagen.check.compiled import CompiledOperator, compiled
from fiagen.check.pairs import load_pairs
from fiagen.emit.kernels import kernel_plan
from fiagen.emit.render import render
from fiagen.emit.writer import Emitted
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import (
    chip_names,
    dtypes_source,
    load_arch,
    load_chip,
    load_dtypes,
    load_error_codes,
    load_products,
)
from fiagen.load.messages import load_messages
from fiagen.load.reference import load_apis, load_masks, masks_of
from fiagen.load.variants import load_variant_sets, load_variants
from fiagen.model.catalogue import Catalogue, Operator
from fiagen.model.variant import Variant, VariantSet
from fiagen.view.docs import operator as of_operator
from fiagen.view.docs import reference as of_reference
from fiagen.view.docs import rules as of_rules
from fiagen.view.docs.examples import view_example
from fiagen.view.docs.pictures import mask_path, view_mask
from fiagen.view.docs.site import HomeView, Page, view_config
from fiagen.view.docs.text import Links, code, escaped, table

ROOM = "docs"
MASKS = "assets/masks"
STATIC = ("fiagen.css", "iframe-worker.js")
Drawn = tuple[Page, str, object]  # page, template, view
Variants = Mapping[str, tuple[VariantSet, Variant]]
SECTIONS = "docs/sections.md.jinja"


def _global_targets(catalogue: Catalogue, variants: Variants) -> dict[str, str]:
    """Names that mean the same on every page."""
    targets = {name: f"ops/{name}/index.md" for name in catalogue.operators}
    targets |= {name: f"products/{name}.md" for name in load_products()}
    targets |= {name: f"chips/{name}.md" for name in chip_names()}
    targets |= {name: f"archs/{name}.md" for name in _archs()}
    targets |= {name: f"variants/{variant.op}.md#{name}" for name, (_, variant) in variants.items()}
    for name, operator in catalogue.operators.items():
        for group in operator.groups:
            page = f"ops/{name}/{of_rules.group_file(group.group)}"
            targets |= {rule.id: f"{page}#{rule.id}" for rule in group.rules}
        targets |= {conflict.id: f"ops/{name}/conflicts.md#{conflict.id}" for conflict in operator.spec.conflicts}
    return targets


def _archs() -> list[str]:
    return sorted({load_chip(name).chip.arch for name in chip_names()})


def _targets_of(operator: Operator, known: dict[str, str]) -> dict[str, str]:
    """Names that mean something on the pages of one operator."""
    home = f"ops/{operator.name}"
    own = {d.name: f"{home}/quantities.md#quantity-{d.name}" for d in operator.derived}
    own |= {name: f"{home}/parameters.md#parameter-{name}" for name in operator.parameters}
    own |= {name: f"{home}/layouts.md#layout-{name}" for name in operator.layouts_by_name}
    own |= {"edition": f"{home}/editions.md", "authority": f"{home}/editions.md"}
    own |= {"page:rules": f"{home}/rules/index.md", "page:layouts": f"{home}/layouts.md"}
    own |= {f"group:{g.group}": f"{home}/{of_rules.group_file(g.group)}" for g in operator.groups}
    return {**known, **own}


def _operator_pages(names: CompiledOperator, known: dict[str, str], catalogue: Catalogue) -> Iterator[Drawn]:
    operator = names.operator
    home, folder = f"ops/{operator.name}", f"specs/ops/{operator.spec.family}/{operator.name}"
    targets = _targets_of(operator, known)
    links = Links("", targets, {letter: f"{home}/index.md#source-{letter}" for letter in operator.spec.sources})
    order = tuple(operator.parameters)
    examples = {
        rule: view_example(pair.legal, pair.illegal, pair.said, order)
        for rule, pair in load_pairs(operator.name, catalogue).items()
    }
    codes = {status: f"{code(status)} {escaped(known_.name)}" for status, known_ in load_error_codes().items()}

    def at(file: str) -> tuple[str, Links]:
        return f"{home}/{file}", links.at(f"{home}/{file}")

    contents = [
        (f"{home}/parameters.md", "Parameters", "Every parameter, with the rules that read it."),
        (f"{home}/layouts.md", "Layouts", "Every layout, drawn as axes."),
        (f"{home}/quantities.md", "Quantities", "Scenarios and derived quantities."),
        (f"{home}/rules/index.md", "Rules", f"All {len(operator.rules)} rules in a line each, and by group in full."),
        (f"{home}/editions.md", "Editions", "The editions side by side; document and shipped checks."),
    ]
    masks = masks_of(operator.name, operator.parameters)
    if masks:
        contents.insert(2, (f"{home}/masks.md", "Masks", "The mask modes as pictures."))
    if operator.spec.conflicts:
        contents.append(
            (f"{home}/conflicts.md", "Conflicts", "Where the sources contradict each other, and the reading chosen.")
        )
    under = ("Operators", operator.name)
    page, here = at("index.md")
    yield (
        Page(page, "Overview", under),
        "docs/operator.md.jinja",
        of_operator.view_operator(names, page, here, folder, contents),
    )
    page, here = at("parameters.md")
    yield Page(page, "Parameters", under), SECTIONS, of_operator.view_parameters(names, page, here, f"{folder}/op.yaml")
    page, here = at("layouts.md")
    yield Page(page, "Layouts", under), SECTIONS, of_operator.view_layouts(names, page, here, f"{folder}/layouts.yaml")
    if masks:
        page, here = at("masks.md")
        yield (
            Page(page, "Masks", under),
            "docs/masks.md.jinja",
            of_operator.view_masks(names, page, here, load_masks().about, masks, MASKS),
        )
    page, here = at("quantities.md")
    yield (
        Page(page, "Scenarios and quantities", under),
        SECTIONS,
        of_operator.view_quantities(names, page, here, f"{folder}/derived.yaml"),
    )
    page, here = at("rules/index.md")
    yield (
        Page(page, "All rules", (*under, "Rules")),
        "docs/rule_list.md.jinja",
        of_rules.view_rule_list(names, page, here, folder, examples),
    )
    for group in operator.groups:
        page, here = at(of_rules.group_file(group.group))
        yield (
            Page(page, group.group, (*under, "Rules")),
            "docs/rules.md.jinja",
            of_rules.view_group(
                names,
                group,
                page,
                here,
                {s: here.to(f"codes.md#code-{s}", text) for s, text in codes.items()},
                examples,
            ),
        )
    page, here = at("editions.md")
    yield (
        Page(page, "Editions and authority", under),
        "docs/editions.md.jinja",
        of_rules.view_editions(names, page, here, folder),
    )
    if operator.spec.conflicts:
        page, here = at("conflicts.md")
        yield (
            Page(page, "Conflicts", under),
            SECTIONS,
            of_operator.view_conflicts(names, page, here, f"{folder}/conflicts.yaml"),
        )


def _reference_pages(known: dict[str, str], catalogue: Catalogue, kernels: Variants) -> Iterator[Drawn]:
    """Everything that operators stand on."""
    links = Links("", known)
    chips = [load_chip(name).chip for name in chip_names()]
    serving = Counter((variant.op, product) for spec, variant in kernels.values() for product in spec.products)
    for name, product in load_products().items():
        page = f"products/{name}.md"
        ops = [
            (op, len([r for r in o.rules if name in (r.products or o.spec.products)]), serving[op, name])
            for op, o in catalogue.operators.items()
            if name in o.spec.products
        ]
        yield (
            Page(page, name, ("Hardware", "Products")),
            SECTIONS,
            of_reference.view_product(product, page, links.at(page), [c for c in chips if c.family == name], ops),
        )
    for chip in chips:
        page = f"chips/{chip.name}.md"
        yield (
            Page(page, chip.name, ("Hardware", "Chips")),
            SECTIONS,
            of_reference.view_chip(chip, page, f"specs/hardware/{chip.name}.yaml", links.at(page)),
        )
    for arch in _archs():
        page = f"archs/{arch}.md"
        yield (
            Page(page, arch, ("Hardware", "Architectures")),
            SECTIONS,
            of_reference.view_arch(
                load_arch(arch),
                page,
                f"specs/hardware/arch_{arch}.yaml",
                [c.name for c in chips if c.arch == arch],
                links.at(page),
            ),
        )
    for api in load_apis():
        page = f"api/{api.family}.md"
        yield (
            Page(page, api.family, ("AscendC calls",)),
            SECTIONS,
            of_reference.view_api(api, page, f"specs/api/{api.family}.yaml", links.at(page)),
        )
    for spec in load_variant_sets():
        page = f"variants/{spec.op}.md"
        variants = [variant for _, variant in kernels.values() if variant.op == spec.op]
        if not variants:
            continue
        yield (
            Page(page, spec.op, ("Kernels",)),
            SECTIONS,
            of_reference.view_variants(spec, variants, [kernel_plan(v.name) for v in variants], page, links.at(page)),
        )
    returned = Counter(
        r.status for o in catalogue.operators.values() for r in o.rules if r.severity == "error" and r.must
    )
    tables = ("Tables",)
    yield (
        Page("dtypes.md", "Dtypes", tables),
        SECTIONS,
        of_reference.view_dtypes(load_dtypes(), "dtypes.md", dtypes_source()),
    )
    yield (
        Page("codes.md", "Return codes", tables),
        SECTIONS,
        of_reference.view_codes(load_error_codes(), "codes.md", returned),
    )
    yield Page("messages.md", "Messages", tables), SECTIONS, of_reference.view_messages(load_messages(), "messages.md")
    yield (
        Page("tolerances.md", "Tolerances", tables),
        SECTIONS,
        of_reference.view_tolerances(
            [o.spec for o in catalogue.operators.values()], "tolerances.md", links.at("tolerances.md")
        ),
    )


def _home(catalogue: Catalogue, known: dict[str, str], pages: list[Page]) -> HomeView:
    links = Links("index.md", known)
    ops = [
        (links.name(name), links.names(o.spec.products), f"{len(o.rules)}", escaped(o.spec.title))
        for name, o in catalogue.operators.items()
    ]
    others = [
        (escaped(" / ".join(page.under)), links.to(page.path, escaped(page.title)))
        for page in pages
        if page.under[0] != "Operators"
    ]
    grouped: dict[str, list[str]] = {}
    for heading, link in others:
        grouped.setdefault(heading, []).append(link)
    rest = [(heading, ", ".join(found)) for heading, found in grouped.items()]
    return HomeView(
        "index.md",
        "fiagen",
        "specs",
        (
            table(("Operator", "Products", "Rules", "What it is"), ops, "Operators"),
            table(("What", "Pages"), rest, "What they stand on"),
        ),
    )


def _pictures() -> Iterator[Emitted]:
    template = "docs/mask.svg.jinja"
    for group in load_masks().groups:
        for picture in group.pictures:
            path = f"{MASKS}/{mask_path(group, picture)}"
            yield Emitted(
                f"{ROOM}/{path}",
                render(template, view_mask(picture, path)),
                "specs/masks.yaml",
                f"templates/{template}",
            )


def emit_docs(operators: Collection[str] | None = None, kernels: Collection[str] | None = None) -> list[Emitted]:
    """All pages and pictures below `docs/`, and the site's configuration beside it; None means all of them."""
    every = load_catalogue().operators
    catalogue = Catalogue(
        {name: operator for name, operator in every.items() if operators is None or name in operators}
    )
    variants = {
        name: found
        for name, found in load_variants().items()
        if found[1].op in catalogue.operators and (kernels is None or name in kernels)
    }
    known = _global_targets(catalogue, variants)
    drawn: list[Drawn] = [
        page
        for operator in catalogue.operators.values()
        for page in _operator_pages(compiled(operator), known, catalogue)
    ]
    drawn += _reference_pages(known, catalogue, variants)
    pages = [page for page, _, _ in drawn]
    home = Page("index.md", "fiagen")
    drawn.insert(0, (home, "docs/home.md.jinja", _home(catalogue, known, pages)))
    files = [
        Emitted(f"{ROOM}/{page.path}", render(template, view), getattr(view, "spec", ""), f"templates/{template}")
        for page, template, view in drawn
    ]
    config = "docs/mkdocs.yml.jinja"
    files.append(Emitted("mkdocs.yml", render(config, view_config([home, *pages])), "specs", f"templates/{config}"))
    for name in STATIC:
        source = f"docs/static/{name}"
        files.append(
            Emitted(
                f"{ROOM}/assets/{name}",
                (paths.TEMPLATES / source).read_text(encoding="utf-8"),
                "",
                f"templates/{source}",
            )
        )
    return [*files, *_pictures()]
