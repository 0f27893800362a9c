"""The views of rules: a page for each group, a list of all of them, the editions side by side.

In: an operator with parsed expressions, links, verified examples. Out: RulesView, RuleListView, EditionsView. Must
never word a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fiagen.check.compiled import CompiledOperator
from fiagen.expr.nodes import Name
from fiagen.model.op import Rule, RulesSpec
from fiagen.view.docs.text import Links, Table, code, escaped, listed, table

SEVERITIES = {
    "error": "refuses the call",
    "ignored": "an argument has no effect",
    "recommendation": "advice, refuses nothing",
    "behaviour": "what happens, refuses nothing",
    "unchecked": "the caller must see to it; nothing checks it",
}
EDITIONS = ("seed", "current")


@dataclass(frozen=True)
class Fact:
    label: str
    text: str


@dataclass(frozen=True)
class Example:
    """A legal call and the one change that breaks exactly one rule: lines of code, and what the checker says."""

    product: str
    edition: str
    authority: str
    kept: tuple[str, ...]
    legal: tuple[str, ...]
    illegal: tuple[str, ...]
    said: str


@dataclass(frozen=True)
class RuleSection:
    id: str
    summary: str
    facts: tuple[Fact, ...]
    example: Example | None


@dataclass(frozen=True)
class RulesView:
    """Context of templates/docs/rules.md.jinja."""

    path: str
    title: str
    spec: str
    about: str
    up: str
    rules: tuple[RuleSection, ...]


@dataclass(frozen=True)
class RuleListView:
    """Context of templates/docs/rule_list.md.jinja."""

    path: str
    title: str
    spec: str
    counts: str
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class EditionsView:
    """Context of templates/docs/editions.md.jinja."""

    path: str
    title: str
    spec: str
    tables: tuple[Table, ...]


def facts(*pairs: tuple[str, str]) -> tuple[Fact, ...]:
    """The pairs whose text is not empty."""
    return tuple(Fact(label, text) for label, text in pairs if text)


def condition(names: CompiledOperator, text: str, links: Links) -> str:
    """A condition in English with its names linked; a bare name gets its verb."""
    expr = names.expr(text)
    return links.condition(expr.english()) + (" holds" if isinstance(expr.node, Name) else "")


def group_file(group: str) -> str:
    return f"rules/{group.lower()}.md"


def enforced(names: CompiledOperator, rule: Rule, links: Links) -> str:
    """Who enforces a rule."""
    if rule.severity not in ("error", "recommendation"):
        return ""
    who = {
        ("document", "host"): "the document and the shipped host checks",
        ("document",): "the document; the shipped checks let it pass",
        ("host",): "the shipped host checks alone; no document says it",
    }[rule.stated_by]
    if rule.host_when:
        who += f"; the shipped checks only when {condition(names, rule.host_when, links)}"
    return who


def editions_of(rule: Rule) -> str:
    absent = [name for name in EDITIONS if name not in rule.editions]
    return listed(code(name) for name in rule.editions) + (
        f" (not in {listed(code(name) for name in absent)})" if absent else ""
    )


def _covered(rule: Rule, links: Links) -> str:
    return (
        f"{links.name(rule.covered_by)} says the same or more and is the one that is checked" if rule.covered_by else ""
    )


def section(
    names: CompiledOperator, rule: Rule, links: Links, codes: Mapping[int, str], example: Example | None
) -> RuleSection:
    """One rule in full."""
    when = condition(names, rule.when, links) if rule.when else "always" if rule.must or rule.ignores else ""
    return RuleSection(
        rule.id,
        links.prose(rule.summary),
        facts(
            (
                "Kind",
                f"{rule.severity}: {SEVERITIES[rule.severity]}"
                + (f"; checked with the {rule.stage}" if rule.must else ""),
            ),
            ("Applies", when),
            ("Must hold", condition(names, rule.must, links) if rule.must else ""),
            ("No effect", links.names(rule.ignores)),
            ("Covered", _covered(rule, links)),
            ("Why", links.prose(rule.because)),
            ("Fix", links.prose(rule.fix)),
            ("Editions", editions_of(rule)),
            ("Enforced by", enforced(names, rule, links)),
            ("Products", links.names(rule.products or names.operator.spec.products)),
            (
                "Returns",
                codes.get(rule.status, code(rule.status)) if rule.severity == "error" and not rule.covered_by else "",
            ),
            ("Source", links.source(rule.source)),
        ),
        example,
    )


def view_group(
    names: CompiledOperator,
    group: RulesSpec,
    page: str,
    links: Links,
    codes: Mapping[int, str],
    examples: Mapping[str, Example],
) -> RulesView:
    """The page of a group of rules, in the order in which they are checked."""
    sections = tuple(section(names, rule, links, codes, examples.get(rule.id)) for rule in group.rules)
    return RulesView(
        page,
        f"Rules {group.group}",
        _file(names, group),
        links.prose(group.about),
        links.to(links.targets["page:rules"], "all rules"),
        sections,
    )


def _file(names: CompiledOperator, group: RulesSpec) -> str:
    file = names.operator.places.get(group.rules[0].id, "").partition(":")[0] if group.rules else ""
    return f"specs/ops/{names.operator.spec.family}/{names.operator.name}/{file.rpartition('/')[2]}"


def view_rule_list(
    names: CompiledOperator, page: str, links: Links, spec: str, examples: Mapping[str, Example]
) -> RuleListView:
    """Every rule in a line, by group."""
    operator = names.operator
    refusing = [rule.id for rule in operator.rules if rule.severity == "error" and rule.must]
    shown = [rule for rule in refusing if rule in examples]
    tables = [
        table(
            ("Rule", "Kind", "Editions", "What it says"),
            [
                (links.name(rule.id), rule.severity, listed(rule.editions), links.prose(rule.summary))
                for rule in group.rules
            ],
            links.to(links.targets[f"group:{group.group}"], group.group),
            links.prose(group.about),
        )
        for group in operator.groups
    ]
    counts = (
        f"{len(operator.rules)} rules in {len(operator.groups)} groups; {len(refusing)} of them refuse calls, and "
        f"{len(shown)} of these show a legal call with the change that breaks only them."
    )
    return RuleListView(page, "All rules", spec, counts, tuple(tables))


def view_editions(names: CompiledOperator, page: str, links: Links, spec: str) -> EditionsView:
    """Where the two editions of the document differ, and where document and shipped checks do."""
    operator = names.operator

    def said(rule: Rule, edition: str) -> str:
        return links.prose(rule.summary) if edition in rule.editions else "not said"

    parameters = [
        (
            links.name(p.name),
            *(escaped(p.doc) if edition in p.editions else "no such parameter" for edition in EDITIONS),
        )
        for p in operator.spec.parameters
        if len(p.editions) < len(EDITIONS)
    ]
    rules = [
        (links.name(rule.id), said(rule, "seed"), said(rule, "current"), links.prose(rule.because))
        for rule in operator.rules
        if len(rule.editions) < len(EDITIONS)
    ]
    depending = [
        (links.name(rule.id), links.prose(rule.summary), links.names(sorted(found)))
        for rule in operator.rules
        if (found := _asks(names, rule, "edition"))
    ]
    authority = [
        (links.name(rule.id), links.prose(rule.summary), enforced(names, rule, links))
        for rule in operator.rules
        if rule.must and (len(rule.stated_by) < 2 or rule.host_when)
    ]
    tables = (
        table(("Parameter", "seed", "current"), parameters, "Parameters of one edition"),
        table(("Rule", "seed", "current", "Why"), rules, "Rules of one edition"),
        table(
            ("Rule", "What it says", "Depends on the edition through"),
            depending,
            "Rules whose meaning depends on the edition",
        ),
        table(
            ("Rule", "What it says", "Enforced by"),
            authority,
            "Where document and shipped checks differ",
            "With the authority `document` the document decides, with `host` only what the shipped checks enforce.",
        ),
    )
    return EditionsView(page, "Editions and authority", spec, tuple(t for t in tables if t.rows))


def _asks(names: CompiledOperator, rule: Rule, opinion: str) -> set[str]:
    """Names through which a rule depends on the edition: itself, or derived quantities."""
    found: set[str] = set()
    for text in (rule.when, rule.must, rule.host_when):
        for name in names.expr(text).names() if text else ():
            derived = names.derived(name)
            if name == opinion or (
                derived is not None and name in names.opinionated and opinion in _reach(names, name)
            ):
                found.add(name)
    return found


def _reach(names: CompiledOperator, name: str) -> set[str]:
    """Everything that a derived quantity reads, through others."""
    found, ahead = set(), [name]
    while ahead:
        expr = names.derived(ahead.pop())
        for read in expr.names() if expr else ():
            if read not in found:
                found.add(read)
                ahead.append(read)
    return found
