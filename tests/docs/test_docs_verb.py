"""Does `fiagen docs` write only where it may, and say what it did?

In: folders. Out: verdicts on files and exit statuses. Must never leave the site half replaced.
"""

from __future__ import annotations

import json
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from fiagen.cli.main import main
from fiagen.diagnostics import DiagnosticError
from fiagen.emit import site as builder
from fiagen.emit.writer import Emitted

SMALL = ["docs", "--op", "npu_sparse_attn_sharedkv"]


def test_a_site_is_replaced_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "site"
    assert main([*SMALL, "--out", str(out), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert set(counts) == {"pages", "files", "seconds"} and counts["files"] > counts["pages"] > 20
    assert not (out / "ops" / "npu_fused_infer_attention_score_v2").exists()
    (out / "stale.html").write_text("old")
    assert main([*SMALL, "--out", str(out), "--json"]) == 0
    assert not (out / "stale.html").exists() and (out / "index.html").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    assert main([*SMALL, "--out", str(tmp_path)]) == 2
    assert "docs.not_ours" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_failed_build_keeps_the_old_site(tmp_path: Path) -> None:
    out = tmp_path / "site"
    out.mkdir()
    (out / builder.MARK).write_text("")
    (out / "index.html").write_text("old")
    config = "site_name: x\ndocs_dir: docs\ntheme: {name: material, font: false}\n"
    files = [Emitted("mkdocs.yml", config, "", ""), Emitted("docs/index.md", "[nowhere](no.md)\n", "", "")]
    with pytest.raises(DiagnosticError, match=r"docs\.failed") as caught:
        builder.build_site(files, out)
    assert "no.md" in caught.value.diagnostics[0].given
    assert (out / "index.html").read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["site"]


def test_without_the_extra_the_way_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(builder, "find_spec", nothing)
    with pytest.raises(DiagnosticError, match=r"docs\.no_mkdocs") as caught:
        builder.build_site([], tmp_path / "site")
    assert "fiagen[docs]" in caught.value.diagnostics[0].fix
