"""The views of what operators stand on: products, chips, AscendC calls, kernels with their plans, dtypes, messages.

In: loaded specs, plans. Out: SectionsView values. Must never hold a number of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from fiagen.model.hardware import ArchSpec, ChipSpec, DtypeSpec, ErrorCode, ProductSpec, Quantity
from fiagen.model.messages import Message
from fiagen.model.op import OpSpec
from fiagen.model.reference import ApiCall, ApiForm, ApiSpec
from fiagen.model.variant import Variant, VariantSet
from fiagen.plan import KernelPlan
from fiagen.view.docs.operator import Section, SectionsView
from fiagen.view.docs.rules import facts
from fiagen.view.docs.text import Links, Table, code, escaped, listed, table


def _quantities(title: str, quantities: Mapping[str, Quantity]) -> Table:
    rows = [
        (
            code(name),
            f"{q.value} {escaped(q.unit)}",
            "**assumed**" if q.assumed else "stated",
            escaped(f"{q.doc} " if q.doc else "") + escaped(q.source),
        )
        for name, q in quantities.items()
    ]
    return table(("Name", "Value", "Known", "Source"), rows, title)


def view_arch(arch: ArchSpec, page: str, spec_file: str, chips: Sequence[str], links: Links) -> SectionsView:
    """A core architecture: memories, rates and limits with their sources."""
    memories = [
        (
            code(name),
            f"{m.bytes}",
            f"{m.align_bytes}",
            f"{m.reserved_bytes}",
            m.per,
            escaped(f"{m.doc} " if m.doc else "") + escaped(m.source),
        )
        for name, m in arch.memories.items()
    ]
    assumed = sum(q.assumed for q in (*arch.rates.values(), *arch.limits.values()))
    about = f"Chips of this architecture: {links.names(chips)}. {assumed} numbers are assumed: no source states them."
    return SectionsView(
        page,
        f"Architecture {arch.name}",
        spec_file,
        about,
        (
            table(("Memory", "Bytes", "Alignment", "Reserved", "Per", "Source"), memories, "Memories"),
            _quantities("Cores", {"aiv_per_aic": arch.aiv_per_aic}),
            _quantities("Rates", arch.rates),
            _quantities("Limits", arch.limits),
        ),
        (),
    )


def view_chip(chip: ChipSpec, page: str, spec_file: str, links: Links) -> SectionsView:
    """A chip: every number of its file."""
    numbers = {name: value for name, value in chip.model_dump().items() if isinstance(value, int) and name != "kind"}
    rows = [(escaped(name.replace("_", " ")), f"{value}") for name, value in numbers.items()]
    about = (
        f"{code(chip.soc)}, of {links.name(chip.family)}, architecture {links.name(chip.arch)}. "
        f"Source: {escaped(chip.source)}."
    )
    return SectionsView(page, f"Chip {chip.name}", spec_file, about, (table(("What", "Value"), rows, "Numbers"),), ())


def view_product(
    product: ProductSpec, page: str, links: Links, chips: Sequence[ChipSpec], ops: Sequence[tuple[str, int, int]]
) -> SectionsView:
    """A product family: its chips, and the operators it has with the number of their rules and kernels."""
    rows = [
        (
            links.name(c.name),
            code(c.soc),
            f"{c.aic}",
            f"{c.aiv}",
            f"{c.clock_mhz}",
            f"{c.l2_bytes >> 20}",
            f"{c.hbm_bytes >> 30}",
            escaped(c.source),
        )
        for c in chips
    ]
    operators = [(links.name(op), f"{rules}", f"{kernels}") for op, rules, kernels in ops]
    about = (
        f"{escaped(product.title)}, architecture {links.name(product.arch)}. "
        f"The plain name means {links.name(product.default_chip)}: "
        f"{escaped(product.because)}"
    )
    return SectionsView(
        page,
        f"Product {product.name}",
        "specs/products.yaml",
        about,
        (
            table(("Operator", "Rules", "Kernels"), operators, "Operators"),
            table(("Chip", "SoC", "Cube cores", "Vector cores", "MHz", "L2 MiB", "HBM GiB", "Source"), rows, "Chips"),
        ),
        (),
    )


def _form(form: ApiForm) -> str:
    way = " to ".join(part for part in (" or ".join(form.src), " or ".join(form.dst)) if part)
    parts = [
        f"pipe {code(form.pipe)}",
        escaped(way),
        code(form.params),
        f"operands {code(form.operands)}" if form.operands else "",
        escaped(form.doc.rstrip(".")),
    ]
    return ", ".join(part for part in parts if part)


def _api_call(call: ApiCall) -> Section:
    limits = [f"{escaped(one.of)} from {one.min} to {one.max} ({code(one.constant)})" for one in call.limits]
    return Section(
        call.name,
        call.name,
        f"The same as [{code(call.same_as)}](#{call.same_as})." if call.same_as else "",
        facts(
            ("Forms", "<br>".join(_form(form) for form in call.forms)),
            ("Dtypes", listed(code(d) for d in call.dtypes)),
            ("Limits", "<br>".join(limits)),
        ),
    )


def view_api(api: ApiSpec, page: str, spec_file: str, links: Links) -> SectionsView:
    """A family of AscendC calls with the limits the simulator enforces."""
    rows = [(code(a.memory), f"{a.bytes}", code(a.constant), escaped(a.source)) for a in api.alignments]
    about = (
        f"Calls on {links.name(api.arch)}. Source: {escaped(api.source)}. "
        "A call that is not here does not compile on the simulator."
    )
    tables = (table(("Memory", "Bytes", "Constant", "Source"), rows, "Alignments"),) if rows else ()
    return SectionsView(
        page, f"AscendC calls: {api.family}", spec_file, about, tables, tuple(_api_call(call) for call in api.calls)
    )


Row = tuple[str, str, str]


def _differing(plans: Sequence[KernelPlan], rows: Sequence[Mapping[str, Row]]) -> list[tuple[str, str, str, str]]:
    """(name, value, where, because): once where all plans agree, else for each value of the fewest axes that tell."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    found = []
    for name in names:
        values = [row.get(name) for row in rows]
        axes = _telling(plans, values)
        for value in dict.fromkeys(filter(None, values)):
            there = [plan.variant.values for plan, other in zip(plans, values, strict=True) if other == value]
            where = "; ".join(dict.fromkeys(", ".join(f"{axis} {v[axis]}" for axis in axes) for v in there))
            found.append((value[0], value[1], where or "all", value[2]))
    return found


def _telling(plans: Sequence[KernelPlan], values: Sequence[Row | None]) -> tuple[str, ...]:
    """The fewest axes that determine the value."""
    axes = [axis for axis in plans[0].variant.values if len({plan.variant.values[axis] for plan in plans}) > 1]
    for count in range(len(axes) + 1):
        for chosen in combinations(axes, count):
            known: dict[tuple[object, ...], Row | None] = {}
            if all(
                known.setdefault(tuple(plan.variant.values[a] for a in chosen), value) == value
                for plan, value in zip(plans, values, strict=True)
            ):
                return chosen
    return tuple(axes)


def plan_tables(plans: Sequence[KernelPlan]) -> tuple[Table, ...]:
    """Decisions, buffers and flags of all kernels of a set, each with its because."""
    kinds = (
        (
            "Decisions",
            [
                {d.name: (code(d.name), f"{d.value} {escaped(d.unit)}", escaped(d.because)) for d in plan.decisions}
                for plan in plans
            ],
        ),
        (
            "Buffers",
            [
                {
                    b.name: (code(b.name), f"{b.num_bytes} bytes of {b.memory} in {b.slots}", escaped(b.because))
                    for b in plan.buffers
                }
                for plan in plans
            ],
        ),
        (
            "Flags",
            [
                {
                    f.name: (
                        code(f.name),
                        f"{code(f.event)} {f.first_id} to {f.first_id + f.slots - 1}",
                        escaped(f.because),
                    )
                    for f in plan.flags
                }
                for plan in plans
            ],
        ),
    )
    return tuple(table(("Name", "Value", "Where", "Because"), _differing(plans, rows), title) for title, rows in kinds)


def view_variants(
    spec: VariantSet, variants: Sequence[Variant], plans: Sequence[KernelPlan], page: str, links: Links
) -> SectionsView:
    """A set of kernels: axes, every variant, and the plan with its reasons."""
    axes = [
        (code(name), code(value.value), code(value.short), listed(code(v) for v in value.serves), escaped(value.doc))
        for name, axis in spec.axes.items()
        for value in axis.values
    ]
    told = [name for name, axis in spec.axes.items() if len(axis.values) > 1]
    rows = [
        (f'<a id="{v.name}"></a>{code(v.name)}', *(escaped(str(v.values[name])) for name in told)) for v in variants
    ]
    missing = [(escaped(item.feature), code(item.when)) for item in spec.missing]
    about = (
        f"{len(variants)} kernels of {links.name(spec.op)} for {links.name(spec.arch)}. "
        "Kept are the combinations for which "
        f"{code(spec.select)} holds."
    )
    return SectionsView(
        page,
        f"Variants of {spec.op}",
        f"specs/variants/{spec.op}.yaml",
        about,
        (
            table(("Axis", "Value", "In the name", "Also serves", "What it is"), axes, "Axes"),
            table(("Feature", "When"), missing, "What no kernel serves yet"),
            table(("Variant", *told), rows, "Variants"),
            *plan_tables(plans),
        ),
        (),
    )


def view_codes(codes: Mapping[int, ErrorCode], page: str, counts: Mapping[int, int]) -> SectionsView:
    """Return codes of the C entry points, with the number of rules that return each."""
    sections = tuple(
        Section(
            f"{code_.code} {code_.name}",
            f"code-{code_.code}",
            escaped(code_.doc),
            facts(("Rules", f"{counts.get(code_.code, 0)} return it"), ("Source", escaped(code_.source))),
        )
        for code_ in codes.values()
    )
    return SectionsView(page, "Return codes", "specs/error_codes.yaml", "What the C entry points return.", (), sections)


def view_messages(messages: Mapping[str, Message], page: str) -> SectionsView:
    """What the tool itself may say."""
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for message in messages.values():
        row = (f'<a id="{message.id}"></a>{code(message.id)}', escaped(message.means), escaped(message.fix))
        kinds.setdefault(message.id.partition(".")[0], []).append(row)
    tables = tuple(table(("Message", "What was found", "Way out"), rows, kind) for kind, rows in kinds.items())
    return SectionsView(
        page,
        "Messages",
        "specs/messages.yaml",
        f"{len(messages)} messages of the tool itself, beside the operators' rules.",
        tables,
        (),
    )


def view_dtypes(dtypes: Mapping[str, DtypeSpec], page: str, source: str) -> SectionsView:
    """The one table of element types."""
    rows = [
        (
            f'<a id="{d.name}"></a>{code(d.name)}',
            f"{d.bits}",
            d.kind,
            code(d.numpy),
            code(d.cpp),
            code(d.acl),
            f"{d.acl_number}",
        )
        for d in dtypes.values()
    ]
    return SectionsView(
        page,
        "Dtypes",
        "specs/dtypes.yaml",
        f"Source: {escaped(source)}.",
        (table(("Dtype", "Bits", "Kind", "NumPy", "Kernel", "ACL", "Number"), rows, "Element types"),),
        (),
    )


def view_tolerances(specs: Sequence[OpSpec], page: str, links: Links) -> SectionsView:
    """How exact is exact enough, for every operator, with the reason."""
    tables = tuple(
        table(
            ("Dtype", "Relative", "Absolute", "Of the spread", "Because"),
            [
                (code(dtype), f"{t.rtol:g}", f"{t.atol:g}", f"{t.spread_factor:g}", escaped(t.because))
                for dtype, t in spec.tolerances.items()
            ],
            links.name(spec.name),
        )
        for spec in specs
    )
    about = (
        "A result passes when its distance from the oracle is at most absolute + relative · |expected| + "
        "of the spread · the "
        "spread of the expected value."
    )
    return SectionsView(page, "Tolerances", "specs/ops", about, tables, ())
