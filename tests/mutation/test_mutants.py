"""Does verify notice when a template or a decision of the planner is wrong in one line?"""

from __future__ import annotations

from pathlib import Path

import pytest
from mutant_tree import Mutant, copy_tree, load_mutants, mutate, verdict

MUTANTS = load_mutants()
CAUGHT = ("mismatch", "fault", "wrong_kernel", "timeout")
# The kinds of mistake a person makes here; the table must have each of them.
FAULTS = {
    "barrier dropped", "buffer over size", "buffer too small in the plan", "cross-core barrier dropped",
    "cross-core flag dropped", "cross-core flag from the wrong pipe", "cross-core flag of the wrong mode",
    "cut row not recognised", "cut row slot wrong", "double-buffer slot wrong", "empty batch not skipped",
    "empty part weighs", "empty rows not filled", "EQ and NE swapped", "event id clash", "event id out of range",
    "flag dropped", "flag not set at the start", "GM offset wrong", "broadcast stride wrong", "lse wrong",
    "mask offset by a step", "mask offset by one", "mask pitch", "mask tile cut short", "missing rescale",
    "off-by-one in the core split", "off-by-one in the walk", "P tail not zero", "part weight wrong",
    "row maximum incomplete", "row sum incomplete", "running maximum lost", "running maximum starts wrong",
    "scale forgotten", "set flag dropped", "split between the vector cores", "sum not rescaled", "tail not masked",
    "tile too large", "tile too small", "tiling data too small", "tiling field swapped", "V tail not zeroed",
    "wait flag dropped", "window anchor wrong", "window cut short", "workspace too small", "wrong accumulate flag",
    "wrong batch pitch", "wrong head mapping", "wrong KV row", "wrong length list entry", "wrong row pitch",
    "wrong transposition", "wrong variant",
}  # fmt: skip


@pytest.fixture(scope="session")
def clean_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without a fault."""
    return copy_tree(tmp_path_factory.mktemp("clean"))


@pytest.mark.parametrize("variant", sorted({name for mutant in MUTANTS for name in mutant.variants}))
def test_the_tree_without_a_fault_passes_the_same_cases(clean_tree: Path, variant: str) -> None:
    found = verdict(clean_tree, variant)
    assert found["how"] == "passed", found


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_fault_is_caught(tmp_path: Path, mutant: Mutant) -> None:
    tree = copy_tree(tmp_path)
    mutate(tree, mutant)
    said = []
    for variant in mutant.variants:
        found = verdict(tree, variant)
        said.append(found)
        if found["how"] in CAUGHT:
            break
    if mutant.refused_by:
        assert (said[-1]["how"], said[-1]["words"]) == ("not_built", mutant.refused_by), said
    else:
        assert said[-1]["how"] in CAUGHT, said


def test_the_table_is_broad() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 48
    assert {mutant.fault for mutant in MUTANTS} == FAULTS
    assert {mutant.file.split("/")[0] for mutant in MUTANTS} == {"templates", "fiagen"}
    assert all(mutant.file.startswith(("templates/kernel/", "templates/host/", "fiagen/plan/")) for mutant in MUTANTS)
    assert sum(mutant.file.startswith("fiagen/plan/") for mutant in MUTANTS) >= 12
    assert sum(mutant.file.startswith("templates/host/") for mutant in MUTANTS) >= 12
    assert sum(bool(mutant.refused_by) for mutant in MUTANTS) <= 3
    exercised = {word for mutant in MUTANTS for name in mutant.variants for word in name.split("_")}
    assert exercised >= {"f16", "bf16", "bsnd", "bnsd", "tnd", "nomask", "full", "causal", "band", "prefill", "decode"}


def test_every_fault_is_one_line() -> None:
    changes = {mutant.name: mutant.changed_lines for mutant in MUTANTS}
    assert [name for name, (gone, came) in changes.items() if len(gone) > 1 or len(came) > 1 or gone == came] == []


def test_a_text_that_is_gone_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jinja").write_text("one two two")
    with pytest.raises(ValueError, match=r"'three' stands 0 times in a\.jinja"):
        mutate(tmp_path, Mutant("m", "f", "a.jinja", "three", "four", ("v",)))
    with pytest.raises(ValueError, match=r"'two' stands 2 times"):
        mutate(tmp_path, Mutant("m", "f", "a.jinja", "two", "four", ("v",)))
