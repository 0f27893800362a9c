"""Schemas of the operators in PyTorch's language.

In: an operator of the catalogue. Out: its name and schema strings. Must never hold a parameter or a default.
"""

from __future__ import annotations

import re

from fiagen.model.catalogue import Operator
from fiagen.model.op import Parameter

# Where a document gives no PyTorch type: what its kind of parameter is called there.
_TYPES = {
    "tensor": "Tensor",
    "tensors": "Tensor[]",
    "ints": "SymInt[]",
    "int": "int",
    "float": "float",
    "str": "str",
    "bool": "bool",
}


def torch_name(operator: Operator) -> str:
    """The name in torch.ops: the operator's own, or that of its C entry in PyTorch's manner.

    aclnnFusedInferAttentionScoreV5 -> npu_fused_infer_attention_score_v5.
    """
    if not operator.name.startswith("aclnn"):
        return operator.name
    return "npu" + re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", operator.name.removeprefix("aclnn"))


def _argument(parameter: Parameter) -> str:
    kind = parameter.torch_type or _TYPES[parameter.type]
    if parameter.required:
        return f"{kind} {parameter.name}"
    if parameter.default is None:
        return f"{kind.rstrip('?')}? {parameter.name}=None"
    text = f'"{parameter.default}"' if isinstance(parameter.default, str) else str(parameter.default)
    return f"{kind} {parameter.name}={text}"


def arguments(operator: Operator) -> str:
    """Every parameter in its documented place, the keyword-only ones behind the star.

    Where no PyTorch interface is documented, what is required may be given by position and the rest by name.
    """
    documented = any(parameter.torch_type for parameter in operator.spec.parameters)
    by_name = [p.keyword if documented else not p.required for p in operator.spec.parameters]
    texts = [_argument(p) for p in operator.spec.parameters]
    first = by_name.index(True) if True in by_name else len(texts)
    return ", ".join([*texts[:first], "*", *texts[first:]] if first < len(texts) else texts)


def results(operator: Operator) -> str:
    """One Tensor, or a tuple of them."""
    count = len(operator.spec.outputs)
    return "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"


def schema(operator: Operator) -> str:
    """The main entry."""
    return f"{torch_name(operator)}({arguments(operator)}) -> {results(operator)}"


def out_schema(operator: Operator) -> str:
    """The form that writes into the caller's tensors: `workspace`, then the outputs by name."""
    marks = [f"Tensor({chr(ord('a') + index)}!)" for index in range(len(operator.spec.outputs))]
    given = ", ".join(f"{mark} {output.name}" for mark, output in zip(marks, operator.spec.outputs, strict=True))
    star = "" if "*" in arguments(operator).split(", ") else "*, "
    returned = marks[0] if len(marks) == 1 else f"({', '.join(marks)})"
    return f"{torch_name(operator)}.out({arguments(operator)}, {star}Tensor? workspace=None, {given}) -> {returned}"


def workspace_name(operator: Operator) -> str:
    """The entry that allocates the workspace of a captured graph."""
    return f"_{torch_name(operator)}_get_max_workspace"


def workspace_schema(operator: Operator) -> str:
    return f"{workspace_name(operator)}({arguments(operator)}) -> Tensor"
