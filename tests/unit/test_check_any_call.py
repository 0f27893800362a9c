"""Does the checker answer every call that can be written down, without looking into absent arguments?"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fiagen.check import check_call
from fiagen.load.catalogue import load_catalogue
from fiagen.model.call import Call, TensorArg

pytestmark = pytest.mark.slow  # compiles or runs much: `make test`, not `make check`

OP = "npu_fused_infer_attention_score_v2"
LAYOUTS = ["BSH", "BSND", "BNSD", "BNSD_BSND", "BSH_NBSD", "BSND_NBSD", "BNSD_NBSD", "TND", "TND_NTD", "NTD_TND", "NTD",
           "BSH_BNSD", "BSND_BNSD", "NSD", "nonsense"]
SIZES = [0, 1, 2, 3, 4, 8, 16, 17, 64, 128, 192, 256, 512, 2048, 2**40]


def _tensor(random, dtypes, ranks=(0, 1, 2, 3, 4, 5)):
    shape = tuple(random.choice(SIZES[:14]) for _ in range(random.choice(ranks)))
    return TensorArg(shape, random.choice(dtypes), random.choice(["ND"] * 9 + ["FRACTAL_NZ"]))


def _wild(random):
    """Arguments that need not fit one another at all."""
    operator = load_catalogue().operators[OP]
    args = {}
    for parameter in operator.spec.parameters:
        if not parameter.required and random.random() < 0.6:
            continue
        if parameter.type == "tensor":
            args[parameter.name] = _tensor(random, parameter.dtypes or ("float32",))
        elif parameter.type == "ints":
            args[parameter.name] = tuple(
                random.choice([0, 1, 5, 128, -1, 2**63 - 1, -(2**63)]) for _ in range(random.randint(0, 5))
            )
        elif parameter.type == "str":
            args[parameter.name] = random.choice(LAYOUTS)
        elif parameter.type == "bool":
            args[parameter.name] = random.random() < 0.5
        elif parameter.type == "float":
            args[parameter.name] = random.choice([0.0, 1.0, -1.0, float("nan"), float("inf")])
        else:
            args[parameter.name] = random.choice([0, 1, 2, 3, 4, 8, 9, 16, 128, -1, 2**63 - 1, -(2**63)])
    return args


def _nearly_legal(random):
    """Arguments that fit one another, with one or two of them replaced by wild ones."""
    layout = random.choice(LAYOUTS[:14])
    b, s, kv, n, g, d = (
        random.choice(v) for v in ([1, 2, 3], [1, 2, 5, 17], [1, 128, 300], [1, 2, 8], [1, 4], [64, 128, 192, 512])
    )
    form = layout.split("_")[0]

    def shape(length, heads, dim):
        return {"BSH": (b, length, heads * dim), "BSND": (b, length, heads, dim), "BNSD": (b, heads, length, dim),
                "TND": (b * length, heads, dim), "NTD": (heads, b * length, dim), "NSD": (heads, length, dim)}[form]

    dtype = random.choice(["float16", "bfloat16", "int8"])
    kv_dtype = random.choice([dtype, dtype, "int8", "int32"])
    args = {"query": TensorArg(shape(s, n * g, d), dtype), "input_layout": layout, "num_query_heads": n * g,
            "num_key_value_heads": n, "sparse_mode": random.choice([0, 0, 1, 2, 3, 4, 9])}
    if random.random() < 0.4:
        bs = random.choice([16, 128, 512])
        cache = random.choice([(9, bs, n * d), (9, n, bs, d), (9, n, d // 16, bs, 16)])
        args.update(key=TensorArg(cache, kv_dtype), value=TensorArg(cache, kv_dtype), block_size=bs,
                    block_table=TensorArg((b, 3), "int32"), actual_seq_kvlen=(kv,) * b)
    else:
        args.update(key=TensorArg(shape(kv, n, d), kv_dtype), value=TensorArg(shape(kv, n, d), kv_dtype))
    if form in ("TND", "NTD"):
        args["actual_seq_qlen"] = tuple(s * (i + 1) for i in range(b))
        args.setdefault("actual_seq_kvlen", tuple(kv * (i + 1) for i in range(b)))
    if args["sparse_mode"]:
        args["atten_mask"] = TensorArg(random.choice([(2048, 2048), (b, s, kv), (1, 1, s, kv), (b, kv)]), "bool")
    if random.random() < 0.4:
        args.update(query_rope=TensorArg(shape(s, n * g, 64), dtype), key_rope=TensorArg(shape(kv, n, 64), dtype))
    if kv_dtype != dtype:
        factor = TensorArg(random.choice([(1, n, d), (n,), (b, kv), (1,)]), random.choice([dtype, "float32"]))
        args.update(
            dequant_scale_key=factor, dequant_scale_value=factor, key_quant_mode=random.choice([0, 1, 2, 3, 4, 5])
        )
        args["value_quant_mode"] = args["key_quant_mode"]
    wild = _wild(random)
    for name in random.sample(sorted(wild), random.randint(0, 2)):
        args[name] = wild[name]
    for name in random.sample(sorted(set(args) - {"query", "key", "value"}), random.choice([0, 0, 1])):
        del args[name]
    return args


@settings(max_examples=10, deadline=None, derandomize=True, database=None, phases=(Phase.generate,))
@given(st.integers(0, 2**32))
def test_no_rule_looks_into_nothing(seed):
    random = Random(seed)
    catalogue = load_catalogue()
    decided = set()
    for number in range(150):
        args = (_wild if number % 3 == 0 else _nearly_legal)(random)
        call = Call(f"{seed}-{number}", OP, random.choice(["a2", "a3:9362"]), args, random.choice(["seed", "current"]),
                    random.choice(["document", "host"]))
        verdict = check_call(call, catalogue)
        decided.add(verdict.verdict)
        for finding in (*verdict.violations, *verdict.advice):
            assert finding.rule != "spec.unguarded_absent", (finding.given, args)
            assert finding.given and finding.allowed and finding.why and finding.fix
        assert verdict.accepted == (not verdict.violations)
    assert "reject" in decided


def test_the_generator_reaches_both_verdicts_and_most_rules():
    random = Random(7)
    catalogue = load_catalogue()
    seen, verdicts = set(), []
    for number in range(1500):
        for authority in ("document", "host"):
            edition = "seed" if number % 2 else "current"
            verdict = check_call(
                Call(str(number), OP, "a2", _nearly_legal(random), edition, authority), catalogue, opinions=False
            )
            verdicts.append(verdict.verdict)
            seen.update(d.rule for d in (*verdict.violations, *verdict.advice))
    assert verdicts.count("accept") > 20
    assert verdicts.count("reject") > 20
    assert len(seen) > 120
