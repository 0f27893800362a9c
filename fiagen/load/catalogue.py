"""Loads the operator specs.

In: specs/ops/<family>/<op>/. Out: a Catalogue, cached for the process. Must never skip a file silently: every problem
of every file is in the one DiagnosticError.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from fiagen import paths
from fiagen.diagnostics import Diagnostic, DiagnosticError, fail, in_order
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.base import Spec
from fiagen.model.catalogue import Catalogue, Operator
from fiagen.model.op import ConflictsSpec, DerivedSpec, LayoutsSpec, OpSpec, RulesSpec

Model = TypeVar("Model", bound=Spec)
CONFLICTS = "conflicts.yaml"


class _Folder:
    """Reads the files of one operator, collecting findings and the places of named entries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found: list[Diagnostic] = []
        self.places: dict[str, str] = {}

    def read(self, name: str, model: type[Model], entries: str = "", key: str = "") -> Model | None:
        try:
            tree = load_yaml(self.folder / name)
            spec = validate(tree, model)
        except DiagnosticError as error:
            self.found.extend(error.diagnostics)
            return None
        for index, entry in enumerate(getattr(spec, entries, ()) if entries else ()):
            self.places[getattr(entry, key)] = tree.place((entries, index))
        return spec


def _with_shared_condition(group: RulesSpec) -> RulesSpec:
    """The group with its own `when` put before that of each rule that is asked."""
    if group.when is None:
        return group
    shared = f"({group.when})" if " " in group.when else group.when
    rules = tuple(
        rule.model_copy(update={"when": f"{shared} and ({rule.when})" if rule.when else group.when})
        if rule.must or rule.ignores else rule for rule in group.rules)
    return group.model_copy(update={"rules": rules})


def load_operator(folder: Path) -> Operator:
    """The operator described in `folder`; DiagnosticError with the findings of all of its files."""
    reader = _Folder(folder)
    spec = reader.read("op.yaml", OpSpec, "parameters", "name")
    layouts = reader.read("layouts.yaml", LayoutsSpec)
    derived = reader.read("derived.yaml", DerivedSpec, "derived", "name")
    files = [f"rules_{name}.yaml" for name in spec.rule_files] if spec else []
    groups = [reader.read(name, RulesSpec, "rules", "id") for name in files]
    if (folder / CONFLICTS).exists():
        files.append(CONFLICTS)
        conflicts = reader.read(CONFLICTS, ConflictsSpec, "conflicts", "id")
        if spec and conflicts:
            spec = spec.model_copy(update={"conflicts": (*spec.conflicts, *conflicts.conflicts)})
    for stray in sorted({path.name for path in folder.iterdir()} - {"op.yaml", "layouts.yaml", "derived.yaml", *files}):
        if spec:
            reader.found.append(
                Diagnostic(
                    "spec.stray_file",
                    "error",
                    stray,
                    ", ".join(files),
                    "A file that nobody reads holds facts that don't count.",
                    "Name it in rule_files of op.yaml, or delete it.",
                    "the spec file format",
                    paths.shown(folder / stray),
                )
            )
    if spec and spec.name != folder.name:
        reader.found.append(Diagnostic(
            "spec.folder_name", "error", f"name {spec.name} in the folder {folder.name}", "one name for both",
            "An operator is found by its folder.", "Rename one of them.", "the spec file format",
            paths.shown(folder / "op.yaml")))
    if reader.found or spec is None or layouts is None or derived is None:
        raise DiagnosticError(in_order(reader.found))
    return Operator(
        spec, layouts, derived, tuple(_with_shared_condition(group) for group in groups if group), reader.places
    )


class _Operators(Mapping[str, Operator]):
    """Operators by name, each read when it is first asked for; going through all of them collects all findings."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self._folders = folders
        self._read: dict[str, Operator] = {}

    def __getitem__(self, name: str) -> Operator:
        if name not in self._read:
            self._read[name] = load_operator(self._folders[name])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        self._read_all()
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)

    def __contains__(self, name: object) -> bool:
        return name in self._folders

    def _read_all(self) -> None:
        found: list[Diagnostic] = []
        for name in self._folders:
            try:
                self[name]
            except DiagnosticError as error:
                found.extend(error.diagnostics)
        if found:
            raise DiagnosticError(in_order(found))


@lru_cache(maxsize=8)
def load_catalogue(specs: Path = paths.SPECS) -> Catalogue:
    """All operators under `specs`, by the names of their folders; DiagnosticError `spec.nothing` when there are none.

    An operator is read when it is first asked for, and then DiagnosticError tells the findings of all of its files; going
    through all operators tells those of all files."""
    folders = {path.parent.name: path.parent for path in sorted((specs / "ops").glob("*/*/op.yaml"))}
    if not folders:
        raise fail("spec.nothing", given=f"no op.yaml under {paths.shown(specs)}/ops", allowed="at least one operator",
                   why="Without specs there is nothing to do.", fix="Install the package with its specs.")
    return Catalogue(_Operators(folders))
