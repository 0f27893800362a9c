"""Does the generated ctypes module, which knows nothing of fiagen, give the oracle's result through the shipped libraries?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from acl_programs import OP
from test_programs import PREFILL

from fiagen.emit.bindings import emit_bindings
from fiagen.load.catalogue import load_catalogue
from fiagen.oracle import run_oracle
from fiagen.verify.compare import compare

SCRIPT = """
import sys
sys.path[:] = [sys.argv[1], *(p for p in sys.path if p)]
import numpy as np
import acl_ctypes
import npu_fused_infer_attention_score_v2 as op
assert "fiagen" not in sys.modules
data = dict(np.load(sys.argv[2] + "/in.npz"))
outputs = {"attention_out": np.zeros((2, 4, 19, 64), np.float16), "softmax_lse": np.zeros((2, 4, 19, 1), np.float32)}
call = dict(input_layout="BNSD", num_query_heads=4, num_key_value_heads=2, softmax_scale=0.125, return_softmax_lse=True)
with acl_ctypes.Library(sys.argv[3] + "/lib/libascendcl.so", sys.argv[3] + "/lib/libcust_opapi.so") as library:
    try:
        op.npu_fused_infer_attention_score_v2(library, outputs, **data, **{**call, "num_query_heads": 3})
        print("not refused")
    except acl_ctypes.AclError as refused:
        assert "561002" in str(refused) and "V2-" in str(refused), refused
    op.npu_fused_infer_attention_score_v2(library, outputs, **data, **call)
np.savez(sys.argv[2] + "/out.npz", **outputs)
print("ran")
"""


def test_the_ctypes_module_runs_without_fiagen(library: Path, tmp_path: Path) -> None:
    for file in emit_bindings(OP):
        if "/python/" in file.path:
            (tmp_path / Path(file.path).name).write_text(file.text)
    tensors = {name: PREFILL[name] for name in ("query", "key", "value")}
    np.savez(tmp_path / "in.npz", **tensors)
    command = [sys.executable, "-I", "-c", SCRIPT, str(tmp_path), str(tmp_path), str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")
    expected = run_oracle(OP, **PREFILL, return_softmax_lse=True)
    tolerances = load_catalogue().operators[OP].spec.tolerances
    outputs = dict(np.load(tmp_path / "out.npz"))
    found = compare(outputs, expected, {"attention_out": tolerances["float16"], "softmax_lse": tolerances["float32"]})
    assert found.status == "pass", found.worst
