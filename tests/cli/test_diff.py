"""Does the comparison of two spec folders name what changed, and which way?

In: copies of the specs with one edit each. Out: verdicts on the changes. Must never need a golden of all changes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiagen.cli.diff import command
from fiagen.diagnostics import DiagnosticError
from fiagen.diff.calls import compare_calls, raw_calls, starting_calls
from fiagen.diff.change import Change
from fiagen.diff.facts import compare_facts
from fiagen.diff.generated import compare_generated
from fiagen.diff.operators import compare_operators, read_operators
from fiagen.diff.sides import specs_of
from fiagen.paths import SPECS

OP = "npu_fused_infer_attention_score_v2"
FOLDER = f"ops/attention/{OP}"


def copied(tmp_path: Path, name: str = "specs") -> Path:
    """The specs with this operator alone."""
    place = tmp_path / name
    shutil.copytree(SPECS, place, ignore=shutil.ignore_patterns("ops", "kernels"))
    shutil.copytree(SPECS / FOLDER, place / FOLDER)
    for file in (place / "calls").glob("rules_*.jsonl"):
        if OP not in file.name:
            file.unlink()
    return place


def edited(place: Path, file: str, before: str, after: str) -> None:
    text = (place / file).read_text(encoding="utf-8")
    assert text.count(before) == 1, f"{before!r} stands {text.count(before)} times in {file}"
    (place / file).write_text(text.replace(before, after), encoding="utf-8")


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    return copied(tmp_path, "old"), copied(tmp_path, "new")


def changes(old: Path, new: Path) -> list[Change]:
    """Changes of operators."""
    before, after = read_operators(old), read_operators(new)
    starts = starting_calls((new, old), [], (after.catalogue(), before.catalogue()))
    assert len(starts) > 100
    return list(compare_operators(before, after, starts))


def test_nothing_changed_is_no_change(sides: tuple[Path, Path]) -> None:
    assert changes(*sides) == [] and list(compare_facts(*sides)) == []


MASK = "rules_mask.yaml"
DTYPES = "must: atten_mask.dtype in ['bool', 'int8', 'uint8']"


@pytest.mark.parametrize(
    ("file", "rule", "before", "after", "change"),
    [
        (MASK, "V2-MASK-01", DTYPES, "must: atten_mask.dtype in ['bool', 'int8', 'uint8', 'float16']", "loosened"),
        (MASK, "V2-MASK-01", DTYPES, "must: atten_mask.dtype in ['bool', 'int8']", "tightened"),
        (MASK, "V2-MASK-01", DTYPES, "must: atten_mask.dtype in ['bool', 'int8', 'float16']", "changed"),
        (MASK, "V2-MASK-01", DTYPES, "must: not atten_mask.dtype not in ['bool', 'int8', 'uint8']", "changed"),
        (MASK, "V2-MASK-15", 'must: "-next_tokens <= pre_tokens"', 'must: "-next_tokens < pre_tokens"', "tightened"),
        (
            MASK,
            "V2-MASK-01",
            "    when: MASK\n    must: atten_mask.dtype",
            "    editions: [seed]\n    when: MASK\n    must: atten_mask.dtype",
            "loosened",
        ),
        (
            MASK,
            "V2-MASK-01",
            "because: The kernels read one byte per pair.",
            "because: One byte a pair is read.",
            "reworded",
        ),
        (
            "rules_form.yaml",
            "V2-GEN-08",
            "  - id: V2-GEN-08\n",
            "  - id: V2-GEN-08\n    severity: recommendation\n",
            "loosened",
        ),
    ],
)
def test_a_rule_changes(sides: tuple[Path, Path], file: str, rule: str, before: str, after: str, change: str) -> None:
    edited(sides[1], f"{FOLDER}/{file}", before, after)
    (found,) = changes(*sides)
    assert (found.kind, found.name, found.change, found.op) == ("rule", rule, change, OP)
    if change not in ("reworded",):
        assert found.old != found.new and "calls" in found.why


def test_the_other_way_round_is_the_opposite(sides: tuple[Path, Path]) -> None:
    edited(sides[1], f"{FOLDER}/{MASK}", DTYPES, "must: atten_mask.dtype in ['bool', 'int8']")
    assert [c.change for c in changes(sides[1], sides[0])] == ["loosened"]


def test_a_rule_comes_and_goes(sides: tuple[Path, Path]) -> None:
    lines = [
        "  - id: V2-MASK-98",
        "    when: MASK",
        "    must: atten_mask.rank <= 4",
        "    summary: Four axes at most.",
        "    because: Tests add it.",
        "    fix: Drop one.",
        "    source: a test",
    ]
    path = sides[1] / FOLDER / MASK
    path.write_text(path.read_text(encoding="utf-8").rstrip("\n") + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (found,) = changes(*sides)
    assert found == Change("rule", "added", "V2-MASK-98", OP, new="Four axes at most.")
    (found,) = changes(sides[1], sides[0])
    assert found == Change("rule", "removed", "V2-MASK-98", OP, old="Four axes at most.")


def test_a_quantity_moves_the_rules_that_read_it(sides: tuple[Path, Path]) -> None:
    edited(
        sides[1],
        f"{FOLDER}/derived.yaml",
        'expr: "MASK and sparse_mode in [2, 3, 4] and not MASK_BY_ZERO"',
        'expr: "MASK and sparse_mode in [2, 3] and not MASK_BY_ZERO"',
    )
    found = changes(*sides)
    assert (
        Change(
            "quantity",
            "changed",
            "PACKED_MASK",
            OP,
            {"expr": "MASK and sparse_mode in [2, 3, 4] and not MASK_BY_ZERO"},
            {"expr": "MASK and sparse_mode in [2, 3] and not MASK_BY_ZERO"},
        )
        in found
    )
    (rule,) = [c for c in found if c.name == "V2-MASK-11"]
    assert rule.change == "loosened" and "through PACKED_MASK" in rule.why


def test_parameters_and_their_defaults(sides: tuple[Path, Path]) -> None:
    edited(sides[1], f"{FOLDER}/op.yaml", "    dtypes: [bool, int8, uint8]\n", "    dtypes: [bool, int8]\n")
    (found,) = [c for c in changes(*sides) if c.kind == "parameter"]
    assert (found.change, found.name) == ("changed", "atten_mask")
    assert found.old == {"dtypes": ["bool", "int8", "uint8"]} and found.new == {"dtypes": ["bool", "int8"]}


def test_an_operator_that_cannot_be_read_is_named(sides: tuple[Path, Path]) -> None:
    edited(sides[1], f"{FOLDER}/op.yaml", "kind: op\n", "kind: op\nnonsense: 1\n")
    (found,) = changes(*sides)
    assert (found.change, found.name) == ("unreadable", OP) and found.why.startswith("new: spec.unknown_key")


def test_operators_come_and_go(sides: tuple[Path, Path]) -> None:
    shutil.copytree(
        SPECS / "ops/attention/npu_sparse_attn_sharedkv", sides[1] / "ops/attention/npu_sparse_attn_sharedkv"
    )
    (found,) = changes(*sides)
    assert (found.kind, found.change, found.name) == ("operator", "added", "npu_sparse_attn_sharedkv")


def test_hardware_numbers_variants_and_files(sides: tuple[Path, Path]) -> None:
    edited(sides[1], "hardware/910B3.yaml", "aic: 20\n", "aic: 22\n")
    (sides[1] / "hardware/9392.yaml").unlink()
    variants = f"variants/{OP}.yaml"
    edited(sides[1], variants, "head_dim:\n    of_call", "head_dim:\n    doc: Another text.\n    of_call")
    edited(sides[1], variants, "    doc: Head dim of query, key and value.\n", "")
    assert list(compare_facts(*sides)) == [
        Change("hardware", "changed", "910B3: aic", old=20, new=22),
        Change("hardware", "removed", "9392"),
        Change(
            "variants",
            "changed",
            f"{OP}: axes.head_dim.doc",
            old="Head dim of query, key and value.",
            new="Another text.",
        ),
    ]


def test_facts_that_cannot_be_read_are_named(sides: tuple[Path, Path]) -> None:
    (sides[1] / "hardware/910B3.yaml").write_text("a: 1\na: 2\n", encoding="utf-8")
    (found,) = compare_facts(*sides)
    assert (found.change, found.name) == ("unreadable", "910B3") and found.why.startswith("new: spec.duplicate_key")


def test_generated_files_that_change(sides: tuple[Path, Path]) -> None:
    edited(sides[1], f"{FOLDER}/{MASK}", "fix: Convert the mask, usually to bool.", "fix: Convert the mask.")
    names = {c.name for c in compare_generated(*sides)}
    assert names == {f"{OP}/host/call_rules.cpp", f"docs/ops/{OP}/rules/mask.md"}
    edited(sides[1], f"{FOLDER}/op.yaml", "kind: op\n", "kind: op\nnonsense: 1\n")
    (found,) = compare_generated(*sides)
    assert found.change == "unreadable" and "spec.unknown_key" in found.why


CALL = {
    "id": "masked",
    "op": OP,
    "product": "a2",
    "args": {
        "query": {"shape": [1, 8, 4, 64], "dtype": "float16"},
        "key": {"shape": [1, 8, 4, 64], "dtype": "float16"},
        "value": {"shape": [1, 8, 4, 64], "dtype": "float16"},
        "atten_mask": {"shape": [1, 1, 4, 4], "dtype": "uint8"},
        "num_query_heads": 8,
        "input_layout": "BNSD",
        "softmax_scale": 0.125,
    },
}


def test_calls_whose_verdict_changes(sides: tuple[Path, Path], tmp_path: Path) -> None:
    edited(sides[1], f"{FOLDER}/{MASK}", DTYPES, "must: atten_mask.dtype in ['bool', 'int8']")
    plain = {**CALL, "id": "plain", "args": {k: v for k, v in CALL["args"].items() if k != "atten_mask"}}
    nameless = {**CALL, "id": "nameless", "args": {**CALL["args"], "no_such_parameter": 1}}
    file = tmp_path / "calls.jsonl"
    file.write_text("".join(json.dumps(call) + "\n" for call in (CALL, plain, nameless)), encoding="utf-8")
    old, new = (read_operators(side).catalogue() for side in sides)
    (found,) = compare_calls(raw_calls(str(file), new), old, new)
    assert (found.kind, found.change, found.name) == ("call", "verdict", "masked")
    assert found.old == {"verdict": "accept", "rules": []} and found.new == {
        "verdict": "reject",
        "rules": ["V2-MASK-01"],
    }
    file.write_text("{\n", encoding="utf-8")
    with pytest.raises(DiagnosticError, match=r"call\.bad_json"):
        raw_calls(str(file), new)


def test_revisions_of_a_repository(sides: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "repository"
    place.mkdir()

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@t.example", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=place, check=True, capture_output=True)

    git("init", "-q")
    shutil.copytree(sides[0], place / "specs")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    edited(place / "specs", "hardware/910B3.yaml", "aic: 20\n", "aic: 22\n")
    git("commit", "-q", "-a", "-m", "two")
    monkeypatch.chdir(place)
    run = CliRunner().invoke(command, ["HEAD~1", "HEAD", "--no-generated", "--json"], standalone_mode=False)
    assert run.return_value == 1
    assert [json.loads(line) for line in run.stdout.splitlines()] == [
        {"kind": "hardware", "change": "changed", "name": "910B3: aic", "old": 20, "new": 22}
    ]
    run = CliRunner().invoke(command, ["HEAD", str(place), "--no-generated", "--json"], standalone_mode=False)
    assert run.return_value == 0 and run.stdout == ""
    for given in ("no-such-revision", "--help\0", "-x", str(tmp_path)):
        with pytest.raises(DiagnosticError, match=r"diff\.unknown_side"), specs_of(given):
            pass
