"""`fiagen build --library` from the command line: what it needs, what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fiagen.cli.main import main

VARIANT = "fia_v2_c220_f16_bnsd_nomask_d64_prefill"


def test_the_folder_holds_headers_libraries_and_the_chosen_kernels(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    arguments = ["build", "--library", "--product", "a3", "--variant", VARIANT, "--out", str(tmp_path), "--json"]
    assert main(arguments) == 0
    counts = json.loads(capsys.readouterr().out)
    files = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert files == [
        "include/acl/acl.h",
        "include/acl/acl_base.h",
        "include/acl/acl_rt.h",
        "include/aclnn/acl_meta.h",
        "include/aclnn/aclnn_base.h",
        "include/aclnnop/aclnn_fused_infer_attention_score_v4.h",
        "lib/fiagen/chip.bin",
        f"lib/fiagen/kernels/{VARIANT}.so",
        "lib/fiagen/maker.txt",
        "lib/fiagen/soc.txt",
        "lib/libascendcl.so",
        "lib/libcust_opapi.so",
        "lib/libnnopbase.so",
        "lib/libopapi.so",
    ]
    assert counts["kernels"] == 1 and counts["files"] == len(files) - 1
    assert (tmp_path / "lib" / "fiagen" / "soc.txt").read_text() == "Ascend910_9391\n"


@pytest.mark.parametrize("extra", [[], ["--check", "--out", "x"]])
def test_misuse_is_told(extra: list[str], capsys: pytest.CaptureFixture) -> None:
    assert main(["build", "--library", *extra]) == 2
    assert "--library wants --out DIR" in capsys.readouterr().err
