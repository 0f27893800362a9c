"""Registers the operators of the catalogue in PyTorch.

In: a namespace. Out: torch.ops.<namespace>.<operator>, its .out form and its workspace entry, for CPU tensors and for tensors
without data. Must never let a call run that the checker refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

import torch

from fiagen.check import check_call, output_specs
from fiagen.check.api import make_call
from fiagen.diagnostics import DiagnosticError, fail
from fiagen.load.catalogue import load_catalogue
from fiagen.model.call import Call, TensorSpec
from fiagen.model.catalogue import Operator
from fiagen.torch.errors import as_operator_errors
from fiagen.torch.settings import current
from fiagen.torch.values import array_of, empty_like_spec, plain_value, spec_of, tensor_of
from fiagen.verify.api import run
from fiagen.verify.engine import session
from fiagen.view import torch_schema as schema


def _named(operator: Operator, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are passed, by name."""
    given = dict(zip((p.name for p in operator.spec.parameters), args, strict=False)) | dict(kwargs)
    return {name: value for name, value in given.items() if value is not None}


def _stated(operator: Operator, named: Mapping[str, Any]) -> dict[str, Any]:
    """Without what only repeats the default: PyTorch fills every place, a caller does not."""
    kept = {}
    for name, value in named.items():
        default = operator.parameters[name].default
        if default is None or isinstance(value, (torch.Tensor, list, tuple)) or value != default:
            kept[name] = value
    return kept


def _product(operator: Operator) -> str:
    return current().product or operator.spec.products[0]


def _call(operator: Operator, named: Mapping[str, Any]) -> Call:
    plain = {name: plain_value(value) for name, value in _stated(operator, named).items()}
    now = current()
    return make_call(operator.name, _product(operator), plain, edition=now.edition, authority=now.authority)


def _require_legal(operator: Operator, call: Call) -> None:
    verdict = check_call(call, load_catalogue(), opinions=False)
    if not verdict.accepted:
        raise DiagnosticError(verdict.violations)


def _one_or_all(tensors: list[torch.Tensor]) -> Any:
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def _near(named: Mapping[str, Any]) -> torch.Tensor | None:
    return next((value for value in named.values() if isinstance(value, torch.Tensor)), None)


def _computed(operator: Operator, named: Mapping[str, Any]) -> list[torch.Tensor]:
    stated = _stated(operator, named)
    values: dict[str, Any] = {}
    for name, value in stated.items():
        if isinstance(value, torch.Tensor):
            values[name] = array_of(value)
        elif isinstance(value, (list, tuple)):
            values[name] = [array_of(item) if isinstance(item, torch.Tensor) else int(item) for item in value]
        else:
            values[name] = value
    now = current()
    outputs = run(
        operator.name,
        _product(operator),
        edition=now.edition,
        authority=now.authority,
        seed=now.seed,
        policy=now.policy,
        **values,
    )
    return [tensor_of(outputs[output.name]) for output in operator.spec.outputs]


def real_of(operator: Operator) -> Callable[..., Any]:
    """The operator on CPU tensors."""

    def real(*args: Any, **kwargs: Any) -> Any:
        with as_operator_errors():
            return _one_or_all(_computed(operator, _named(operator, args, kwargs)))

    return real


def fake_of(operator: Operator) -> Callable[..., Any]:
    """The operator on tensors without data: shapes and dtypes of its outputs as the specs derive them."""

    def fake(*args: Any, **kwargs: Any) -> Any:
        named = _named(operator, args, kwargs)
        with as_operator_errors():
            specs = output_specs(_call(operator, named), operator)
            near = _near(named)
            return _one_or_all([empty_like_spec(specs[output.name], near) for output in operator.spec.outputs])

    return fake


def _split_out(operator: Operator, named: dict[str, Any]) -> tuple[dict[str, torch.Tensor], torch.Tensor | None]:
    outputs = {output.name: named.pop(output.name) for output in operator.spec.outputs}
    return outputs, named.pop("workspace", None)


def _require_fitting(operator: Operator, call: Call, outputs: Mapping[str, torch.Tensor]) -> None:
    """The supplied outputs have the derived shapes and dtypes; the checker says by which rule they must."""
    given = {name: replace(spec_of(tensor), strides=None) for name, tensor in outputs.items()}
    off = {
        output.name for output in operator.spec.outputs if output.when is not None and not call.args.get(output.when)
    }
    _require_legal(operator, replace(call, outputs={name: spec for name, spec in given.items() if name not in off}))


def out_of(operator: Operator) -> Callable[..., Any]:
    """The form that writes into the caller's tensors."""

    def out(*args: Any, **kwargs: Any) -> Any:
        named = _named(operator, args, kwargs)
        outputs, workspace = _split_out(operator, named)
        with as_operator_errors():
            call = _call(operator, named)
            _require_fitting(operator, call, outputs)
            needed = 0 if workspace is None else _workspace_bytes(operator, call)
            if workspace is not None and workspace.numel() * workspace.element_size() < needed:
                raise fail(
                    "torch.workspace",
                    given=f"workspace of {workspace.numel() * workspace.element_size()} bytes",
                    allowed=f"at least {needed} bytes",
                    why="The kernel keeps its intermediate results there.",
                    fix=f"Let {schema.workspace_name(operator)} allocate it.",
                )
            for output, made in zip(operator.spec.outputs, _computed(operator, named), strict=True):
                if outputs[output.name].shape == made.shape:
                    outputs[output.name].copy_(made)
        return _one_or_all(list(outputs.values()))

    return out


def fake_out_of(operator: Operator) -> Callable[..., Any]:
    """The .out form on tensors without data."""

    def fake_out(*args: Any, **kwargs: Any) -> Any:
        outputs, _ = _split_out(operator, _named(operator, args, kwargs))
        return _one_or_all(list(outputs.values()))

    return fake_out


def _planned(operator: Operator, call: Call) -> int:
    specs: Mapping[str, TensorSpec] = output_specs(call, operator)
    result = session(operator.name, call.product).plan(
        cast(dict[str, Any], dict(call.args)), specs, edition=call.edition, authority=call.authority
    )
    if result.status:
        raise fail(
            "fiagen.unsupported",
            given=result.message,
            allowed="what `fiagen list variants` shows",
            why="The call is legal, but no kernel of this build serves it.",
            fix="Leave the feature out, or add a variant.",
        )
    return result.workspace_bytes


def _workspace_bytes(operator: Operator, call: Call) -> int:
    """What the call needs, and what it would need with its sequences as long as their axes."""
    _require_legal(operator, call)
    lists = {p.name for p in operator.spec.parameters if p.type == "ints"}
    whole = replace(call, args={name: value for name, value in call.args.items() if name not in lists})
    longest = check_call(whole, load_catalogue(), opinions=False).accepted
    return max(_planned(operator, call), _planned(operator, whole) if longest else 0)


def workspace_of(operator: Operator) -> Callable[..., Any]:
    """The entry that allocates the workspace; the same for tensors with and without data."""

    def workspace(*args: Any, **kwargs: Any) -> Any:
        named = _named(operator, args, kwargs)
        with as_operator_errors():
            needed = _workspace_bytes(operator, _call(operator, named))
            return empty_like_spec(TensorSpec((needed,), "uint8"), _near(named))

    return workspace


@lru_cache(maxsize=4)
def register_all(namespace: str) -> torch.library.Library:
    """Defines every operator of the catalogue in `namespace`, once."""
    library = torch.library.Library(namespace, "FRAGMENT")
    for operator in load_catalogue().operators.values():
        name = schema.torch_name(operator)
        entries = [
            (schema.schema(operator), name, real_of(operator), fake_of(operator)),
            (schema.out_schema(operator), f"{name}.out", out_of(operator), fake_out_of(operator)),
            (
                schema.workspace_schema(operator),
                schema.workspace_name(operator),
                workspace_of(operator),
                workspace_of(operator),
            ),
        ]
        for text, entry, real, fake in entries:
            library.define(text, tags=(torch.Tag.pt2_compliant_tag,))
            library.impl(entry, real, "CompositeExplicitAutograd")
            library.impl(entry, fake, "Meta")
    return library
