"""`fiagen verify`: every selected variant, many seeded calls each.

In: selectors, a number of cases, a seed. Out: a line or object per variant; status 1 when one failed. Must
never report a variant of which no case ran.
"""

from __future__ import annotations

import click

from fiagen.cli.output import emit, progress, table, warn
from fiagen.cli.select import checked, chosen_variants, selectors
from fiagen.diagnostics import fail
from fiagen.verify.runner import VariantResult, verify_variant
from fiagen.verify.workers import in_order


def _shard(text: str) -> tuple[int, int]:
    """"I/N" as numbers, 1 <= I <= N."""
    left, slash, right = text.partition("/")
    if slash and left.isdecimal() and right.isdecimal() and 1 <= int(left) <= int(right):
        return int(left), int(right)
    raise fail("cli.bad_shard", given=f"--shard {text}", allowed="I/N with 1 <= I <= N, for example 1/4",
               why="A shard is one of N equal shares of the variants.", fix="Write it as 1/4.")


@click.command("verify")
@selectors
@click.option("--cases", default=5, show_default=True, type=click.IntRange(min=1), help="Seeded calls for each variant.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Same seed, same calls.")
@click.option("-j", "jobs", default=1, show_default=True, type=click.IntRange(min=1), help="Processes.")
@click.option("--shard", default="1/1", show_default=True, metavar="I/N", help="Only the I-th of N shares of the variants.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(op: str, product: str, variant: str, where: str, cases: int, seed: int, jobs: int, shard: str,
            as_json: bool) -> int:
    """Run seeded calls of every selected variant on the simulator and compare them with the oracle."""
    index, count = _shard(shard)
    names = [v.name for v in chosen_variants(checked(op, product, variant, where))][index - 1 :: count]
    if not names:
        raise fail("cli.nothing_selected", given=f"--shard {shard}", allowed="a share with at least one variant",
                   why="There are fewer variants than shares.", fix="Use fewer shares.")
    results: list[VariantResult] = []
    for result in progress(in_order(verify_variant, [(name, cases, seed) for name in names], jobs), len(names), "variants"):
        results.append(result)
        if as_json:
            emit(result.json())
    if not as_json:
        table(["variant", "cases", "passed", "faults", "worst abs error", "worst rel error", "seconds"],
              [(r.variant, r.cases, r.passed, r.faults, f"{r.max_abs_err:.2e}", f"{r.max_rel_err:.2e}", f"{r.seconds:.2f}")
               for r in results], right=range(1, 7))
    for result in results:
        for failure in result.failures:
            warn(f"{result.variant}: {failure}\n  again: fiagen verify --variant {result.variant} --cases {cases} --seed {seed}")
    passed = sum(r.passed for r in results)
    warn(f"{len(results)} variants, {passed} of {sum(r.cases for r in results)} cases passed")
    return 0 if all(r.passed == r.cases for r in results) else 1
