"""Binding files of an operator for a machine with the toolkit: a PyTorch extension and a ctypes module.

In: an operator's name. Out: Emitted files. Must never emit a binding for an operator without a documented PyTorch interface.
"""

from __future__ import annotations

from functools import lru_cache

from fiagen import paths
from fiagen.check.choice import choosing
from fiagen.emit.host import output_views, spec_folder
from fiagen.emit.render import render
from fiagen.emit.writer import Emitted
from fiagen.load.catalogue import load_catalogue
from fiagen.load.hardware import load_dtypes
from fiagen.view.binding import view_binding, view_ctypes

STATIC = (("torch", "acl_torch.h"), ("python", "acl_ctypes.py"))


@lru_cache(maxsize=8)
def emit_bindings(op: str) -> tuple[Emitted, ...]:
    """All binding files of `op`, in `<op>/torch` and `<op>/python`; none without a documented PyTorch interface."""
    operator = load_catalogue().operators[op]
    if not all(parameter.torch_type for parameter in operator.spec.parameters):
        return ()
    names, spec = choosing(op), spec_folder(operator)
    shown = {output.name: names.expr(output.when).cpp() if output.when else "" for output in operator.spec.outputs}
    numbers = {name: dtype.acl_number for name, dtype in load_dtypes().items()}
    drawn = (
        (f"torch/{op}.cpp", "python/torch_binding.cpp.jinja", view_binding(operator, spec, output_views(names), shown)),
        (f"python/{op}.py", "python/ctypes_binding.py.jinja", view_ctypes(operator, spec, numbers)),
    )
    static = (
        Emitted(f"{op}/{room}/{name}", (paths.TEMPLATES / "python" / "static" / name).read_text(encoding="utf-8"), "",
                f"templates/python/static/{name}") for room, name in STATIC)
    return (*static, *(Emitted(f"{op}/{path}", render(template, view), spec, f"templates/{template}")
                       for path, template, view in drawn))
