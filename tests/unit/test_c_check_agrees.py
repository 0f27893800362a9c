"""Do the generated C entry point and the Python checker give the same verdict, the same first rule, its status?

Legal and illegal calls: generated cases and mutations of them, arguments that hardly fit one another, hostile sizes.
The first phase alone is asked, with tensors that have no memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from test_check_any_call import _nearly_legal, _wild

from fiagen.acl.session import Session
from fiagen.check import check_call, output_specs
from fiagen.check.choice import choose_variant
from fiagen.load.catalogue import load_catalogue
from fiagen.load.variants import load_variants
from fiagen.model.call import Call, TensorArg, TensorSpec
from fiagen.verify.cases import generate_case
from fiagen.verify.engine import session

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

OP = "npu_fused_infer_attention_score_v2"
CALLS = 2000
HOSTILE_SIZES = (
    0, 1, 2, 3, 7, 63, 64, 65, 128, 2048, 65535, 65536, 65537, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1
)
HOSTILE_INTS = (-(2**63), -(2**31) - 1, -1, 0, 1, 2, 3, 4, 5, 9, 64, 65, 256, 257, 2**31 - 1, 2**31, 2**63 - 1)
HOSTILE_FLOATS = (0.0, -1.0, 1.0, 1e-45, 1e300, float("inf"), float("nan"))
DTYPES = ("float16", "bfloat16", "float32", "int8", "uint8", "bool", "int32", "int64", "int4", "float8_e4m3fn")
TEXTS = ("", "BSH", "BNSD", "BSND", "TND", "NTD", "bsh", "BNSD ", "BNSD_BSND", "ü", "x" * 300)
DUMMY = {"attention_out": TensorSpec((1,), "float16"), "softmax_lse": TensorSpec((0,), "float32")}


def mutated_tensor(random: Random, value: TensorArg) -> TensorArg:
    shape = list(value.shape)
    kind = random.randrange(6)
    if kind == 0 and shape:
        shape[random.randrange(len(shape))] = random.choice(HOSTILE_SIZES)
    elif kind == 1:
        shape = [random.choice(HOSTILE_SIZES) for _ in range(random.randrange(0, 9))]
    elif kind == 2:
        return replace(value, values=None, dtype=random.choice(DTYPES))
    elif kind == 3:
        return replace(value, values=None, format=random.choice(("ND", "FRACTAL_NZ", "NCHW")))
    elif kind == 4 and shape:
        strides = [random.choice((0, 1, 2, 2**40)) for _ in shape]
        return replace(value, values=None, strides=tuple(strides))
    else:
        shape = shape[:-1] if random.random() < 0.5 else [*shape, 1]
    return TensorArg(tuple(shape), value.dtype, value.format)


def mutated(random: Random, args: dict[str, Any]) -> dict[str, Any]:
    """`args` with one or two of them spoiled, or one of another kind of call added."""
    result = dict(args)
    parameters = load_catalogue().operators[OP].parameters
    for name in random.sample(sorted(result), min(len(result), random.choice((1, 1, 2)))):
        value = result[name]
        if isinstance(value, TensorArg):
            result[name] = mutated_tensor(random, value)
        elif isinstance(value, tuple):
            entries = list(value)
            for _ in range(random.choice((1, 1, 3))):
                if entries and random.random() < 0.7:
                    entries[random.randrange(len(entries))] = random.choice(HOSTILE_INTS)
            result[name] = tuple(entries * random.choice((0, 1, 1, 1, 2, 40000 // max(1, len(entries)), 70000)))[:70000]
        elif isinstance(value, bool):
            result[name] = not value
        elif isinstance(value, int):
            result[name] = random.choice(HOSTILE_INTS)
        elif isinstance(value, float):
            result[name] = random.choice(HOSTILE_FLOATS)
        else:
            result[name] = random.choice(TEXTS)
        if not parameters[name].required and random.random() < 0.1:
            del result[name]
    if random.random() < 0.2:
        wild = _wild(random)
        name = random.choice(sorted(wild))
        result[name] = wild[name]
    return result


def drawn_args(random: Random, number: int) -> dict[str, Any]:
    variants = list(load_variants().values())
    kind = number % 4
    if kind == 3:
        return _nearly_legal(random) if random.random() < 0.8 else _wild(random)
    case = dict(generate_case(random.choice(variants)[1], 11, number).args)
    return case if kind == 0 else mutated(random, case)


def passable(call: Call) -> bool:
    """Whether the C interface has a place for everything that is passed: reserved parameters have none."""
    parameters = load_catalogue().operators[OP].parameters
    return all(parameters[name].c_name for name in call.args)


def compare_one(call: Call) -> tuple[str, str]:
    """(verdict of both, first rule of both); an AssertionError tells where they differ."""
    catalogue = load_catalogue()
    operator = catalogue.operators[OP]
    verdict = check_call(call, catalogue, opinions=False)
    outputs = output_specs(call, operator) if verdict.accepted else DUMMY
    result = session(OP, "a2").plan(dict(call.args), outputs, edition=call.edition, authority=call.authority)
    told = f"{call}\nC: {result}\nPython: {[(d.rule, d.given) for d in verdict.violations]}"
    if verdict.accepted:
        unserved = result.status == 561002 and "fiagen.unsupported" in result.message
        assert (result.status == 0) != unserved and unserved == bool(choose_variant(call)[1]), told
        return "accept", ""
    first = verdict.violations[0].rule
    assert result.status != 0 and result.rule == first, told
    assert result.status == operator.rules_by_id[first].status, told
    return "reject", first


@pytest.mark.parametrize("part", range(4))
def test_c_and_python_decide_alike(part: int) -> None:
    random = Random(1000 + part)
    verdicts: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    for number in range(part, CALLS, 4):
        args = drawn_args(random, number // 4)
        edition, authority = random.choice(("seed", "current")), random.choice(("document", "host"))
        call = Call(f"{part}-{number}", OP, "a2", args, edition, authority)
        if not passable(call):
            call = Call(call.id, OP, "a2", {k: v for k, v in args.items() if passable(Call("", OP, "a2", {k: v}))},
                        call.edition, call.authority)
        verdict, rule = compare_one(call)
        verdicts[verdict] += 1
        rules[rule] += 1
    assert sum(verdicts.values()) == CALLS // 4
    assert verdicts["accept"] > 50 and verdicts["reject"] > 150 and len(rules) > 40, (verdicts, len(rules))


def test_a_negative_size_is_refused_by_both() -> None:
    args = {"query": TensorArg((1, -2, 3, 64), "float16"), "key": TensorArg((1, 2, 3, 64), "float16"),
            "value": TensorArg((1, 2, 3, 64), "float16"), "input_layout": "BNSD", "num_query_heads": 2}
    assert not check_call(Call("n", OP, "a2", args), load_catalogue(), opinions=False).accepted
    with pytest.raises(Exception, match=r"call\.not_a_device_tensor"):
        session(OP, "a2").plan(args, DUMMY)


def test_the_comparison_notices_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first phase that is asked something else must not compare equal."""
    mask = TensorArg((1, 4, 4), "bool")
    argument = {"sparse_mode": 9, "atten_mask": mask, "input_layout": "BNSD", "num_query_heads": 2}
    tensors = {name: TensorArg((1, 2, 4, 128), "float16") for name in ("query", "key", "value")}
    call = Call("x", OP, "a2", {**tensors, **argument}, "seed", "document")
    assert compare_one(call)[0] == "reject"
    whole = Session.plan
    spoiled = {"num_query_heads": 0}
    monkeypatch.setattr(Session, "plan", lambda self, args, outputs, **_: whole(self, {**args, **spoiled}, outputs))
    with pytest.raises(AssertionError):
        compare_one(call)
