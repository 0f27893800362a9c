"""The view of an example: a legal call and its illegal neighbour as lines of code.

In: two calls and what the checker said of the second. Out: an Example. Must never show calls that were not judged.
"""

from __future__ import annotations

from fiagen.diagnostics import Diagnostic
from fiagen.model.call import Arg, Call, TensorSpec
from fiagen.view.docs.rules import Example

_LONG = 6


def _tensor(tensor: TensorSpec) -> str:
    more = "" if tensor.format == "ND" else f", {tensor.format}"
    if tensor.strides is not None:
        more += f", strides {list(tensor.strides)}"
    return f"{tensor.dtype}{list(tensor.shape)}{more}"


def argument_text(value: Arg) -> str:
    """An argument in one short line."""
    if isinstance(value, TensorSpec):
        return _tensor(value)
    if isinstance(value, tuple):
        items = [_tensor(item) if isinstance(item, TensorSpec) else str(item) for item in value[:_LONG]]
        return "[" + ", ".join(items) + (f", ... {len(value)} entries]" if len(value) > _LONG else "]")
    return repr(value)


def _lines(call: Call, order: tuple[str, ...]) -> dict[str, str]:
    lines = {name: f"{name} = {argument_text(call.args[name])}" for name in order if name in call.args}
    for name, output in (call.outputs or {}).items():
        lines[f"output {name}"] = f"output {name} = {_tensor(output)}"
    return lines


def view_example(legal: Call, illegal: Call, said: Diagnostic, order: tuple[str, ...]) -> Example:
    """The pair; arguments that both calls share come first, in the order of the document."""
    one, two = _lines(legal, order), _lines(illegal, order)
    kept = tuple(text for name, text in one.items() if two.get(name) == text)
    return Example(
        legal.product,
        legal.edition,
        legal.authority,
        kept,
        tuple(t for n, t in one.items() if two.get(n) != t),
        tuple(t for n, t in two.items() if one.get(n) != t),
        f"{said.given}; allowed: {said.allowed}",
    )
