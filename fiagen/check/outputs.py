"""Shapes and dtypes of a call's outputs.

In: a legal call. Out: TensorSpec by output name. Must never be asked of a call whose form is wrong.
"""

from __future__ import annotations

from fiagen.check.facts import Facts
from fiagen.diagnostics import fail
from fiagen.expr import EvalError
from fiagen.model.call import Call, TensorSpec
from fiagen.model.catalogue import Operator


def output_specs(call: Call, operator: Operator) -> dict[str, TensorSpec]:
    """The outputs of `call` as the adapter would allocate them; DiagnosticError when its shapes don't say."""
    facts = Facts(call, operator)
    outputs: dict[str, TensorSpec] = {}
    try:
        layout = operator.layouts_by_name[facts[operator.layouts.named_by]]
        for output in operator.spec.outputs:
            if output.when is not None and not facts.value(output.when):
                shape = output.otherwise
            else:
                axes = getattr(layout, output.shape)
                shape = tuple(axis if isinstance(axis, int) else facts.value(axis) for axis in axes)
            outputs[output.name] = TensorSpec(shape, facts.value(output.dtype))
    except (EvalError, KeyError) as error:
        raise fail(
            "call.no_outputs",
            given=str(error),
            allowed="a call whose form is legal",
            why="The shapes of the outputs follow from those of the inputs.",
            fix="See what `fiagen check` says of it.",
            place=call.place,
        ) from None
    return outputs
