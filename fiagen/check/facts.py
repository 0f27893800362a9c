"""What can be known of a call before it runs: its arguments and the quantities derived from them.

In: a Call and its Operator. Out: Facts, an environment for expressions that computes derived quantities when asked.
Must never look at tensor values, but for the lengths and the like that a parameter marks `listed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiagen.check.compiled import CompiledOperator, compiled
from fiagen.expr import EvalError, ListedFact, ListFact, TensorFact
from fiagen.model.call import Call, TensorArg, TensorSpec
from fiagen.model.catalogue import Operator
from fiagen.model.op import Parameter

_ABSENT = TensorFact(given=False)


def tensor_fact(value: Any) -> TensorFact:
    """The facts of a tensor or of a tuple of tensors; anything else is an absent tensor."""
    if isinstance(value, TensorSpec):
        if value.strides is None:
            return TensorFact(True, value.shape, value.dtype, value.format)
        return ListFact(
            True, value.shape, value.dtype, value.format, value.contiguous, (value.shape,), value.dense_from
        )
    if not isinstance(value, tuple) or not all(isinstance(item, TensorSpec) for item in value):
        return _ABSENT
    if not value:
        return ListFact(True)
    first = value[0]
    dense = max(item.dense_from for item in value)
    return ListFact(
        True, first.shape, first.dtype, first.format, dense == 0, tuple(item.shape for item in value), dense
    )


def _entries(value: Any) -> tuple[int, ...] | None:
    """The integers of a list whose values the call states; None when it does not, or they are no such list."""
    values = value.values if isinstance(value, TensorArg) and value.rank == 1 else None
    if values is None:
        return None
    entries = tuple(values.tolist() if hasattr(values, "tolist") else values)
    return entries if all(type(entry) is int for entry in entries) else None


def argument_value(parameter: Parameter, value: Any) -> Any:
    """An argument as expressions see it: TensorFact, tuple of int, or scalar; None when absent without default."""
    if parameter.type in ("tensor", "tensors"):
        entries = _entries(value) if parameter.listed else None
        return tensor_fact(value) if entries is None else ListedFact(
            True, value.shape, value.dtype, value.format, value.contiguous, entries)
    if value is None:
        return parameter.default
    if parameter.type == "float":
        return float(value)
    return tuple(value) if parameter.type == "ints" else value


class Facts(Mapping[str, Any]):
    """Arguments and derived quantities of a call by name; a derived one is computed at first use. EvalError when it
    cannot."""

    def __init__(
        self, call: Call, operator: Operator, edition: str | None = None, authority: str | None = None
    ) -> None:
        self.compiled: CompiledOperator = compiled(operator)
        self._values: dict[str, Any] = {"edition": edition or call.edition, "authority": authority or call.authority,
                                        "outputs_listed": call.outputs is not None}
        self._failed: dict[str, str] = {}
        for parameter in operator.spec.parameters:
            self._values[parameter.name] = argument_value(parameter, call.args.get(parameter.name))
        for output in operator.spec.outputs:
            if output.fact:
                self._values[output.fact] = tensor_fact((call.outputs or {}).get(output.name))

    def under(self, edition: str, authority: str) -> Facts:
        """The same call under another edition or authority; keeps what does not depend on them."""
        other = object.__new__(Facts)
        other.compiled = self.compiled
        changing = self.compiled.opinionated
        other._values = {k: v for k, v in self._values.items() if k not in changing}
        other._values.update(edition=edition, authority=authority)
        other._failed = {k: v for k, v in self._failed.items() if k not in changing}
        return other

    def __getitem__(self, name: str) -> Any:
        values = self._values
        if name in values:
            return values[name]
        if name in self._failed:
            raise EvalError(self._failed[name])
        expr = self.compiled.derived(name)
        if expr is None:
            raise KeyError(name)
        try:
            value = values[name] = expr.value(self)
        except EvalError as error:
            self._failed[name] = str(error)
            raise
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.compiled.scope)

    def __len__(self) -> int:
        return len(self.compiled.scope)

    def value(self, text: str) -> Any:
        """The value of an expression over this call; EvalError or DiagnosticError."""
        return self.compiled.expr(text).value(self)
