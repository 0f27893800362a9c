"""Is every fault of a spec or call file named, placed and explained? Whole texts are compared.

`x.yaml` or `x.jsonl` with `x.errors`. To accept new texts after reading them: python tests/bad/test_bad.py
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from fiagen.check.consistency import check_operator
from fiagen.diagnostics import DiagnosticError, report
from fiagen.load.calls import load_calls
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_dtypes, load_error_codes
from fiagen.load.specs import spec_of
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.op import RulesSpec

HERE = Path(__file__).resolve().parent
SPECS = sorted((HERE / "specs").glob("*.yaml"))
CALLS = sorted([*(HERE / "calls").glob("*.jsonl"), *(HERE / "calls").glob("*.yaml")])
OP = "npu_fused_infer_attention_score_v2"


def spec_report(path):
    """What is said of a spec file: its own faults, and for rules what does not fit the operator they are added to."""
    try:
        tree = load_yaml(path)
        spec = spec_of(tree)
    except DiagnosticError as error:
        return report(error.diagnostics)
    if not isinstance(spec, RulesSpec):
        return "no findings"
    operator = load_catalogue().operators[OP]
    places = {**operator.places, **{rule.id: tree.place(("rules", i)) for i, rule in enumerate(spec.rules)}}
    extended = dataclasses.replace(operator, groups=(*operator.groups, spec), places=places)
    return report(check_operator(extended, load_dtypes(), load_error_codes()))


def call_report(path):
    """What is said of a call file."""
    try:
        load_calls(path, load_catalogue())
    except DiagnosticError as error:
        return report(error.diagnostics)
    return "no findings"


def expected(path):
    return path.with_suffix(".errors")


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_spec_fault_is_explained(path):
    said = spec_report(path)
    assert said == expected(path).read_text(encoding="utf-8").rstrip("\n")
    assert "error " in said
    assert f"tests/bad/specs/{path.name}" in said


@pytest.mark.parametrize("path", CALLS, ids=lambda p: p.stem)
def test_call_fault_is_explained(path):
    said = call_report(path)
    assert said == expected(path).read_text(encoding="utf-8").rstrip("\n")
    assert f"tests/bad/calls/{path.name}" in said


def test_every_expectation_has_its_file():
    wanted = {expected(path) for path in [*SPECS, *CALLS]}
    assert wanted == {*(HERE / "specs").glob("*.errors"), *(HERE / "calls").glob("*.errors")}
    assert len(SPECS) > 20
    assert len(CALLS) > 8


def test_a_rule_without_fault_has_no_findings(tmp_path):
    good = tmp_path / "good.yaml"
    text = (HERE / "specs" / "unknown_name.yaml").read_text(encoding="utf-8")
    good.write_text(text.replace("PREFIL ", "PREFILL ").replace("qery", "query"), encoding="utf-8")
    assert spec_report(good) == "no findings"


@pytest.mark.parametrize("name", ["missing.yaml", "", "nul\0byte.yaml"])
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path, name):
    with pytest.raises(DiagnosticError) as caught:
        load_yaml(tmp_path / name)
    assert [d.rule for d in caught.value.diagnostics] == ["spec.unreadable"]


if __name__ == "__main__":
    for file in SPECS:
        expected(file).write_text(spec_report(file) + "\n", encoding="utf-8")
    for file in CALLS:
        expected(file).write_text(call_report(file) + "\n", encoding="utf-8")
