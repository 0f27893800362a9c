"""Loads AscendC calls and mask pictures.

In: specs/api, specs/masks.yaml. Out: model values, cached for the process. Must never skip a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from fiagen import paths
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.reference import ApiSpec, MaskGroup, MaskPicture, MasksSpec


@lru_cache(maxsize=8)
def load_apis(specs: Path = paths.SPECS) -> tuple[ApiSpec, ...]:
    """Every family of AscendC calls, sorted by file name."""
    return tuple(validate(load_yaml(file), ApiSpec) for file in sorted((specs / "api").glob("*.yaml")))


@lru_cache(maxsize=8)
def load_masks(specs: Path = paths.SPECS) -> MasksSpec:
    """All mask pictures."""
    return validate(load_yaml(specs / "masks.yaml"), MasksSpec)


def masks_of(
    op: str, parameters: Iterable[str], specs: Path = paths.SPECS
) -> list[tuple[str, MaskGroup, tuple[MaskPicture, ...]]]:
    """(parameter, group, pictures) for every parameter of `op` whose modes are drawn."""
    found = []
    for group in load_masks(specs).groups:
        for parameter in parameters:
            if parameter in group.parameters:
                found.append((parameter, group, tuple(p for p in group.pictures if op in (p.ops or (op,)))))
    return found
