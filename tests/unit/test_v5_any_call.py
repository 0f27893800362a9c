"""Does the checker answer every call of aclnnFusedInferAttentionScoreV5, without looking into absent arguments?

A legal call gets one or two arguments of another legal call, or wild ones; a rule that looks into what is not there
would show as `spec.unguarded_absent`.
"""

from __future__ import annotations

from random import Random

import pytest
from test_v5_rules import OP, OUTPUTS, operator
from v5_bases import BASES, arguments

from fiagen.check import check_call
from fiagen.load.catalogue import load_catalogue
from fiagen.model.call import Call, TensorArg

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

LAYOUTS = ["BSH", "BSND", "BNSD", "BNSD_BSND", "BSND_BNSD", "BSH_BNSD", "BNSD_NBSD", "BSND_NBSD", "BSH_NBSD", "TND",
           "NTD", "NTD_TND", "TND_NTD", "nonsense"]
SIZES = [0, 1, 2, 3, 4, 8, 16, 17, 64, 128, 192, 256, 512, 2048, 2**40]
NUMBERS = [0, 1, 2, 3, 4, 6, 7, 8, 9, 16, 128, 512, -1, 2**63 - 1, -(2**63)]


def _tensor(random, dtypes):
    shape = tuple(random.choice(SIZES[:14]) for _ in range(random.randint(0, 6)))
    return TensorArg(shape, random.choice(dtypes or ("float32",)), random.choice(["ND"] * 9 + ["FRACTAL_NZ"]))


def _wild(random, parameter):
    if parameter.type == "tensor":
        return _tensor(random, parameter.dtypes)
    if parameter.type == "tensors":
        return tuple(_tensor(random, parameter.dtypes) for _ in range(random.choice([0, 1, 1, 2, 3])))
    if parameter.type == "ints":
        return tuple(random.choice(NUMBERS) for _ in range(random.randint(0, 5)))
    choices = {"str": LAYOUTS, "bool": [False, True], "float": [0.0, float("nan"), float("inf")], "int": NUMBERS}
    return random.choice(choices[parameter.type])


def _call(random):
    args = arguments(random.choice(list(BASES.values())))
    donor = arguments(random.choice(list(BASES.values())))
    for _ in range(random.choice([1, 1, 2, 40])):
        parameter = random.choice(operator().spec.parameters)
        if random.random() < 0.5:
            args[parameter.name] = _wild(random, parameter)
        elif parameter.name in donor or not parameter.required:
            args[parameter.name] = donor.get(parameter.name)
    outputs = {name: args.pop(given) for given, name in OUTPUTS.items() if given in args}
    if random.random() < 0.2:
        outputs["attention_out"] = _tensor(random, ("float16", "bfloat16", "int8"))
    return Call("x", OP, "ascend950", args, random.choice(["seed", "current"]), random.choice(["document", "host"]),
                outputs or None)


@pytest.mark.parametrize("seed", range(8))
def test_every_call_gets_an_answer(seed):
    random = Random(seed)
    verdicts = []
    for _ in range(150):
        verdict = check_call(_call(random), load_catalogue())
        assert [d.rule for d in verdict.violations if not d.rule.startswith("V5")] == []
        verdicts.append(verdict.verdict)
    assert len(set(verdicts)) == 2
