"""Do the loaders read what a stranger would read, with places, and nothing else?"""

from __future__ import annotations

import json

import numpy as np
import pytest

from fiagen import paths
from fiagen.diagnostics import Diagnostic, DiagnosticError, report, suggestion
from fiagen.load.calls import load_calls
from fiagen.load.catalogue import load_catalogue, load_operator
from fiagen.load.hardware import (
    chip_names,
    load_chip,
    load_dtypes,
    load_error_codes,
    load_product,
    numpy_dtype,
    resolve_product,
)
from fiagen.load.specs import json_schemas, load_spec
from fiagen.load.yaml_loader import parse_yaml
from fiagen.model.call import TensorArg

OP = "npu_fused_infer_attention_score_v2"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("yes", "yes"),
        ("on", "on"),
        ("True", "True"),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("010", "010"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1e-6", 1e-6),
        ("1.0e-6", 1e-6),
        (".5", 0.5),
        ("2.", 2.0),
        (".inf", ".inf"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("2024-01-01", "2024-01-01"),
    ],
)
def test_scalars(text, value):
    read = parse_yaml(f"x: {text}\n", "f.yaml").root.plain()["x"]
    assert (read, type(read)) == (value, type(value))


def test_places_are_those_of_the_text():
    tree = parse_yaml("a:\n  - x: 1\n    long_key: [p, q]\n", "f.yaml")
    assert tree.place(("a", 0, "long_key", 1)) == "f.yaml:3:19"
    assert tree.place(("a", 0, "long_key"), key=True) == "f.yaml:3:5"
    assert tree.place(("a", 7, "gone")) == "f.yaml:2:3"


def test_every_spec_file_has_a_model():
    files = sorted(paths.SPECS.rglob("*.yaml"))
    kinds = set()
    for file in files:
        if file.parent.name == "calls" or "api" in file.parts or "kernels" in file.parts:
            continue  # read by loaders of their own
        kinds.add(load_spec(file).kind)
    assert {
        "op",
        "layouts",
        "derived",
        "rules",
        "chip",
        "arch",
        "products",
        "dtypes",
        "error_codes",
        "variants",
    } <= kinds


def test_a_stray_file_in_an_operator_folder_is_a_finding(tmp_path):
    source, folder = paths.SPECS / "ops" / "attention" / OP, tmp_path / OP
    folder.mkdir()
    for file in source.iterdir():
        (folder / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    assert load_operator(folder).name == OP
    (folder / "rules_forgotten.yaml").write_text("kind: rules\n", encoding="utf-8")
    with pytest.raises(DiagnosticError, match=r"spec\.stray_file"):
        load_operator(folder)


def test_an_operator_in_a_folder_of_another_name_is_a_finding(tmp_path):
    for file in (paths.SPECS / "ops" / "attention" / OP).iterdir():
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(DiagnosticError, match=r"spec\.folder_name"):
        load_operator(tmp_path)


def test_no_operator_at_all_is_a_finding(tmp_path):
    with pytest.raises(DiagnosticError, match=r"spec\.nothing"):
        load_catalogue(tmp_path)


def test_products():
    assert resolve_product("a2") == ("a2", "910B1")
    assert resolve_product("a3") == ("a3", "9391")
    assert resolve_product("a2:910B4") == ("a2", "910B4")
    for wrong in ("a9", "a2:9391", "a2:", ":910B1", "", "A2", "a2:../910B1"):
        with pytest.raises(DiagnosticError, match=r"call\.unknown_product"):
            resolve_product(wrong)


def test_chips_have_two_vector_cores_to_a_cube_core():
    names = [name for name in chip_names() if load_chip(name).chip.arch == "c220"]
    assert len(names) == 12
    for name in names:
        hardware = load_chip(name)
        assert hardware.chip.aiv == hardware.chip.aic * hardware.arch.aiv_per_aic.value
        assert hardware.chip.name == name
    assert load_product("a2").chip.clock_mhz == 1850
    assert load_product("a2").memory_bytes("ub") == 192 * 1024
    # 8192 operations a cycle and cube core: the published 364 TFLOPS.
    peak = load_product("a2").chip.aic * load_product("a2").rate("cube_mac_b16") * 2 * 1850e6
    assert peak == pytest.approx(364e12, rel=0.01)


def test_dtypes_agree_with_numpy():
    names = load_dtypes()
    assert set(names) == {
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "int8",
        "uint8",
        "int32",
        "int64",
        "uint64",
        "bool",
        "int4",
        "hifloat8",
        "float8_e4m3fn",
        "float8_e8m0",
        "float4_e2m1",
    }
    assert {name: np.dtype(numpy_dtype(name)).itemsize for name in names} == {n: d.bytes for n, d in names.items()}
    assert len({d.acl_number for d in names.values()}) == len(names)
    assert 561002 in load_error_codes()


def test_call_files(tmp_path):
    call = {
        "id": 7,
        "op": OP,
        "product": "a3:9362",
        "edition": "current",
        "authority": "host",
        "expect": "accept",
        "colour": "red",
        "args": {
            "query": {"shape": [2, 3], "dtype": "float16", "strides": [3, 1], "values": [[1, 2, 3], [4, 5, 6]]},
            "key": [{"shape": [1], "dtype": "int8", "init": {"dist": "uniform", "low": -1, "high": 2, "seed": 5}}],
            "value": {"shape": [0], "dtype": "bool", "format": "FRACTAL_NZ"},
            "actualSeqLengthsKvOptional": [3, 4],
            "pse_shift": None,
            "softmax_scale": 1,
            "return_softmax_lse": True,
        },
        "outputs": {"attention_out": {"shape": [2], "dtype": "float16"}},
    }
    file = tmp_path / "calls.jsonl"
    file.write_text("\n" + json.dumps(call) + "\n\n" + json.dumps({**call, "id": "8"}) + "\n", encoding="utf-8")
    first, second = load_calls(file, load_catalogue())
    assert (first.id, first.product, first.edition, first.authority, first.expect) == (
        "7",
        "a3:9362",
        "current",
        "host",
        "accept",
    )
    assert dict(first.extra) == {"colour": "red"}
    assert first.place.endswith("calls.jsonl:2")
    assert second.place.endswith("calls.jsonl:4")
    assert set(first.args) == {"query", "key", "value", "actual_seq_kvlen", "softmax_scale", "return_softmax_lse"}
    query = first.args["query"]
    assert query == TensorArg((2, 3), "float16", strides=(3, 1))
    assert query.values == ((1, 2, 3), (4, 5, 6))
    assert first.args["key"].init.high == 2.0
    assert first.args["actual_seq_kvlen"] == (3, 4)
    assert (first.args["softmax_scale"], type(first.args["softmax_scale"])) == (1.0, float)
    assert first.outputs["attention_out"].shape == (2,)
    as_yaml = tmp_path / "calls.yaml"
    as_yaml.write_text(json.dumps([call]), encoding="utf-8")
    assert load_calls(as_yaml, load_catalogue())[0].args == first.args
    with pytest.raises(DiagnosticError, match=r"call\.unreadable"):
        load_calls(tmp_path / "calls.txt", load_catalogue())


def test_hostile_lines_are_findings(tmp_path):
    file = tmp_path / "hostile.jsonl"
    file.write_text(
        "[" * 100000 + "\n" + '{"a": ' * 5000 + "\n" + "1" * 5000 + "\n" + '"\\ud800"\nnull\nNaN\n', encoding="utf-8"
    )
    with pytest.raises(DiagnosticError) as caught:
        load_calls(file, load_catalogue())
    assert [d.place.rpartition("hostile.jsonl:")[2].split(":")[0] for d in caught.value.diagnostics] == list("123456")


@pytest.mark.parametrize(
    ("shape", "strides", "whole"),
    [
        ((2, 3), None, True),
        ((2, 3), (3, 1), True),
        ((2, 3), (4, 1), False),
        ((1, 3), (99, 1), True),
        ((3, 1), (1, 7), True),
        ((2, 3), (1, 2), False),
        ((0, 3), (9, 9), True),
        ((2, 3), (0, 1), False),
        ((), (), True),
    ],
)
def test_contiguity(shape, strides, whole):
    assert TensorArg(shape, "int8", strides=strides).contiguous is whole


def test_schemas_are_the_same_every_time_and_name_every_kind():
    first, second = json_schemas(), json_schemas()
    assert first == second
    assert json.loads(first["op.schema.json"])["additionalProperties"] is False
    assert "rules.schema.json" in first


def test_reports_are_sorted_and_counted():
    found = [Diagnostic("b.c", kind, "g", "a", "w", "f", "s", place) for kind, place in
             [("error", "x.yaml:10:1"), ("warning", "x.yaml:9:2"), ("error", "a.yaml:1:1")]]
    text = report(found)
    assert text.index("a.yaml:1:1") < text.index("x.yaml:9:2") < text.index("x.yaml:10:1")
    assert text.endswith("2 errors, 1 warning")
    assert text.startswith(
        "a.yaml:1:1  error b.c\n  given    g\n  allowed  a\n  why      w\n  fix      f\n  docs     fiagen"
    )


def test_suggestions():
    assert suggestion("sparse_mod", ["sparse_mode", "x"]) == "Did you mean 'sparse_mode'? Known: sparse_mode, x."
    assert suggestion("zzz", ["b", "a"]) == "Known: a, b."
    many = [f"name_{n}" for n in range(50)]
    assert suggestion("name_7x", many).startswith("Did you mean 'name_7'? 50 are known, like it: name_7, ")


def test_cache_dir(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert paths.cache_dir() == tmp_path / "fiagen"
    paths.set_cache_dir(tmp_path / "elsewhere")
    try:
        assert paths.cache_dir() == tmp_path / "elsewhere"
    finally:
        paths.set_cache_dir(None)
    assert paths.shown(paths.SPECS / "dtypes.yaml") == "specs/dtypes.yaml"
