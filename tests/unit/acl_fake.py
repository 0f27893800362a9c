"""A pretended operator for the tests of the runtime: its spec, its library, its kernels.

In: the sources in acl_programs. Out: a spec and compiled files. Must never be imported by fiagen.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from fiagen import paths
from fiagen.model.op import CParameter, OpSpec, Parameter
from fiagen.sim.abi import FiagenSimChip
from fiagen.sim.build import find_compiler

PROGRAMS = Path(__file__).parent / "acl_programs"
_C_PARAMETERS = (
    ("x", "const aclTensor*", "x"),
    ("others", "aclTensorList*", "other"),
    ("lengths", "aclIntArray*", "lengths"),
    ("count", "int64_t", "count"),
    ("scale", "double", "scale"),
    ("mode", "char*", "mode"),
    ("flag", "bool", "flag"),
    ("fakeOut", "aclTensor*", ""),
)


def fake_spec() -> OpSpec:
    """What a session needs to know of the pretended operator."""
    c_parameters = tuple(CParameter(name=name, type=kind, parameter=known) for name, kind, known in _C_PARAMETERS)
    scale = Parameter(name="scale", type="float", default=2.0, torch_type="float", doc="factor", source="test")
    return OpSpec.model_construct(name="fake", c_api="aclnnFake", parameters=(scale,), c_parameters=c_parameters)


def compiled(target: Path, *arguments: str | Path) -> Path:
    """`target`, compiled with the include folders of the shim."""
    includes = [f"-I{folder}" for folder in (paths.ACL_INCLUDE, paths.SIM_INCLUDE)]
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", *includes]
    command = [*find_compiler(), *flags, *map(str, arguments), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def fake_chip() -> FiagenSimChip:
    """A chip that is recognised by its clock."""
    return FiagenSimChip(clock_mhz=1850.0)
