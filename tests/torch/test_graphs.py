"""Do the operators stand in graphs: opcheck, torch.compile without breaks, torch.export, and scripts written for torch_npu?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from torch_calls import VARIANTS, as_tensors, served_call

import fiagen.torch

V2 = torch.ops.fiagen.npu_fused_infer_attention_score_v2


class Attention(torch.nn.Module):
    """A small module around the operator: projections in, attention, projection out."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.project = torch.nn.Linear(128, 128 * 3, dtype=torch.float32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.project(x).half().unflatten(-1, (3, 2, 64)).permute(2, 0, 3, 1, 4).contiguous()
        out, lse = V2(q, k, v, num_query_heads=2, input_layout="BNSD", softmax_scale=0.125, return_softmax_lse=True)
        return out.float().transpose(1, 2).flatten(2) + lse.mean()


def example() -> torch.Tensor:
    return torch.randn(2, 9, 128, generator=torch.Generator().manual_seed(1))


def test_opcheck_of_every_entry() -> None:
    call = served_call(VARIANTS[0], 1)
    args: dict[str, Any] = {**as_tensors(call), "return_softmax_lse": True}
    tensors = [args.pop(name) for name in ("query", "key", "value")]
    with fiagen.torch.settings(product=call.product, edition=call.edition):
        outputs = V2(*tensors, **args)
        found = torch.library.opcheck(V2.default, tensors, args)
        assert set(found.values()) == {"SUCCESS"} and len(found) >= 4
        workspace = torch.ops.fiagen._npu_fused_infer_attention_score_v2_get_max_workspace.default
        assert set(
            torch.library.opcheck(workspace, tensors, args, test_utils=("test_schema", "test_faketensor")).values()
        ) == {"SUCCESS"}
        # PyTorch does not functionalise operators of others that return their arguments, as the documented .out form does.
        tests = ("test_schema", "test_autograd_registration", "test_faketensor")
        given = {"attention_out": torch.empty_like(outputs[0]), "softmax_lse": torch.empty_like(outputs[1])}
        assert set(torch.library.opcheck(V2.out, tensors, {**args, **given}, test_utils=tests).values()) == {"SUCCESS"}


def test_compile_in_one_graph_gives_the_eager_result() -> None:
    module, x = Attention().eval(), example()
    with torch.no_grad():
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        assert torch.equal(compiled(x), module(x))
        assert torch.equal(compiled(x[:1]), module(x[:1])), "another batch"


def test_export_gives_the_eager_result() -> None:
    module, x = Attention().eval(), example()
    exported = torch.export.export(module, (x,))
    assert "fiagen.npu_fused_infer_attention_score_v2" in str(exported.graph)
    with torch.no_grad():
        assert torch.equal(exported.module()(x), module(x))


SCRIPT = """
import torch
import fiagen.torch
fiagen.torch.as_torch_npu()
import torch_npu

assert torch.npu.is_available() and torch.npu.device_count() == 1
torch.npu.set_device(0)
q = torch.ones(1, 2, 5, 64, dtype=torch.float16).npu()
k = torch.randn(1, 2, 7, 64, dtype=torch.float16).npu()
v = torch.arange(7.0).half().reshape(1, 1, 7, 1).expand(1, 2, 7, 64).contiguous().npu()
out, lse = torch_npu.npu_fused_infer_attention_score_v2(
    q, k * 0, v, num_query_heads=2, input_layout="BNSD", softmax_scale=0.125, return_softmax_lse=True)
torch.npu.synchronize()
assert (out.cpu() == 3).all(), out
assert torch.allclose(lse, torch.tensor(7.0).log())
workspace = torch_npu._npu_fused_infer_attention_score_v2_get_max_workspace(q, k, v, num_query_heads=2, input_layout="BNSD")
assert workspace.numel() > 0
again = torch.empty_like(out), torch.empty(0)
torch.ops.npu.npu_fused_infer_attention_score_v2.out(
    q, k * 0, v, num_query_heads=2, input_layout="BNSD", softmax_scale=0.125, attention_out=again[0], softmax_lse=again[1])
assert torch.equal(again[0], out)
assert torch.nn.Linear(2, 2).npu() is not None and fiagen.torch.as_torch_npu() is torch_npu
print("ran")
"""


def python(code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    root = Path(fiagen.torch.__file__).parents[2]
    start = f"import sys; sys.path[:0] = {[str(p) for p in (*path, root)]!r}\n"
    return subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True, check=False)


def test_a_script_for_torch_npu_runs_on_the_cpu() -> None:
    done = python(SCRIPT)
    assert done.returncode == 0 and done.stdout == "ran\n", done.stderr


def test_a_real_torch_npu_is_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "torch_npu.py").write_text("")
    done = python("import fiagen.torch; fiagen.torch.as_torch_npu()", tmp_path)
    assert done.returncode == 1 and "torch.real_torch_npu" in done.stderr


def test_without_pytorch_the_import_says_what_to_install() -> None:
    done = python("import sys; sys.modules['torch'] = None; import fiagen.torch")
    assert done.returncode == 1 and "torch.not_installed" in done.stderr and "pip install fiagen[torch]" in done.stderr
