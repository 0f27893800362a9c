"""Does the generated PyTorch extension compile against PyTorch's headers and the published ones, without a warning?"""

from __future__ import annotations

import subprocess
from pathlib import Path

from torch.utils import cpp_extension
from torch_calls import OP

from fiagen import paths
from fiagen.emit.bindings import emit_bindings
from fiagen.emit.host import emit_host
from fiagen.sim.build import find_compiler


def test_the_extension_compiles_and_defines_the_registered_schema(tmp_path: Path) -> None:
    for file in (*emit_host(OP), *emit_bindings(OP)):
        target = tmp_path / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text)
    home = tmp_path / OP
    own = [f"-I{home / room}" for room in ("host", "aclnn", "torch")]
    system = [word for folder in cpp_extension.include_paths() for word in ("-isystem", folder)]
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    source = home / "torch" / f"{OP}.cpp"
    command = [*find_compiler(), *flags, *own, f"-I{paths.ACL_INCLUDE}", *system, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    text = "".join(line.strip().removesuffix(");")[1:-1] for line in source.read_text().splitlines()
                   if line.strip().startswith('"') and "impl" not in line)
    import torch

    registered = str(torch.ops.fiagen.npu_fused_infer_attention_score_v2.default._schema)
    assert text.replace('\\"', '"').replace("=1.0,", "=1.,") == registered.removeprefix("fiagen::")
