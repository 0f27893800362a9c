"""Any spec file by its `kind`, and the JSON Schemas of all kinds.

In: a path. Out: the model value of its kind, or a DiagnosticError. Must never accept a kind that no model describes.
"""

from __future__ import annotations

import json
from pathlib import Path

from fiagen.diagnostics import fail, suggestion
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import Tree, load_yaml
from fiagen.model.base import Spec
from fiagen.model.hardware import ArchSpec, ChipSpec, DtypesSpec, ErrorCodesSpec, ProductsSpec
from fiagen.model.messages import MessagesSpec
from fiagen.model.op import ConflictsSpec, DerivedSpec, LayoutsSpec, OpSpec, RulesSpec
from fiagen.model.reference import ApiSpec, MasksSpec
from fiagen.model.variant import VariantSet

KINDS: dict[str, type[Spec]] = {
    "api": ApiSpec,
    "arch": ArchSpec,
    "chip": ChipSpec,
    "conflicts": ConflictsSpec,
    "derived": DerivedSpec,
    "dtypes": DtypesSpec,
    "error_codes": ErrorCodesSpec,
    "layouts": LayoutsSpec,
    "masks": MasksSpec,
    "messages": MessagesSpec,
    "op": OpSpec,
    "products": ProductsSpec,
    "rules": RulesSpec,
    "variants": VariantSet,
}


def spec_of(tree: Tree) -> Spec:
    """The model value of a document; DiagnosticError with all findings, `spec.unknown_kind` for a kind without model.
    """
    value = tree.root.value
    kind = value["kind"].value if isinstance(value, dict) and "kind" in value else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise fail("spec.unknown_kind", given=f"kind {kind!r}" if kind is not None else "no kind",
                   allowed=", ".join(sorted(KINDS)), why="The kind tells what the keys mean.",
                   fix=suggestion(str(kind), KINDS), source="the spec file format", place=tree.place(("kind",)))
    return validate(tree, KINDS[kind])


def load_spec(path: str | Path) -> Spec:
    """The model value of a spec file."""
    return spec_of(load_yaml(path))


def json_schemas() -> dict[str, str]:
    """File name -> JSON Schema text, one per kind, for editors; the same bytes every time."""
    return {
        f"{kind}.schema.json": json.dumps(model.model_json_schema(), indent=2, sort_keys=True, ensure_ascii=True) + "\n"
        for kind, model in sorted(KINDS.items())
    }
