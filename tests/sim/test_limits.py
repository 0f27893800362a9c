"""The argument checks of the simulator use the numbers of specs/api, and specs/api lists every call there is.

In: specs/api/*.yaml and the simulator's headers. Out: verdicts. Must never pass because nothing was found.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from fiagen.load.yaml_loader import load_yaml
from fiagen.paths import SIM_INCLUDE, SPECS

HEADERS = SIM_INCLUDE / "fiagen_sim"
CONSTANT = re.compile(r"^constexpr uint64_t (\w+) = (\d+);$", re.MULTILINE)
FUNCTION = re.compile(r"^(?:inline |template <[^;{}]*?> ?)?(?:void|int64_t) ([A-Z]\w*)\(", re.MULTILINE)
MACRO = re.compile(r"^FIAGEN_(?:VEC|WHOLE|BLOCK)_\w+\((\w+),", re.MULTILINE)
REGISTER_FUNCTION = re.compile(
    r"^(?:inline |template <[^;{}]*?> ?)?(?:void|MaskReg|AddrReg|MutexID) ([A-Z]\w*)\(", re.MULTILINE
)
REGISTER_MACRO = re.compile(r"^FIAGEN_REG_\w+\((\w+),", re.MULTILINE)


@pytest.fixture(scope="module")
def families() -> list[dict[str, Any]]:
    files = sorted((SPECS / "api").glob("*.yaml"))
    assert len(files) >= 4
    return [load_yaml(path).root.plain() for path in files]


def test_every_limit_is_the_one_of_the_specification(families: list[dict[str, Any]]) -> None:
    text = (HEADERS / "limits.h").read_text() + (HEADERS / "arch3510" / "limits.h").read_text()
    checked = {name: int(value) for name, value in CONSTANT.findall(text)}
    listed: dict[str, int] = {}
    for family in families:
        entries = [*family["alignments"], *(limit for call in family["calls"] for limit in call.get("limits", []))]
        for entry in entries:
            assert entry["constant"] not in listed, f"{entry['constant']} is listed twice"
            listed[entry["constant"]] = int(entry.get("bytes", entry.get("max")))
    assert checked and checked == listed


def test_every_simulated_call_is_listed(families: list[dict[str, Any]]) -> None:
    listed = [call["name"] for family in families if family["arch"] == "c220" for call in family["calls"]]
    assert len(listed) == len(set(listed))
    simulated = {"InitBuffer"}
    for name in ("sync", "copy", "cube", "vector", "reduce", "rearrange"):
        text = (HEADERS / f"{name}.h").read_text()
        text = re.sub(r"namespace sim \{.*?\n\} // namespace sim\n", "", text, flags=re.DOTALL)
        simulated |= {found for found in FUNCTION.findall(text) if found != "NAME"}
        simulated |= {found for found in MACRO.findall(text) if found != "NAME"}
    assert len(simulated) > 60
    assert simulated == set(listed)


def test_every_call_of_3510_is_listed(families: list[dict[str, Any]]) -> None:
    listed = [call["name"] for family in families if family["arch"] == "3510" for call in family["calls"]]
    assert len(listed) == len(set(listed))
    simulated = {"CrossCoreSetFlag", "CrossCoreWaitFlag", "asc_vf_call", "Lock", "Unlock"}
    for path in (HEADERS / "arch3510").glob("*.h"):
        if path.name == "runtime.h":
            continue
        text = re.sub(r"namespace sim \{.*?\n\} // namespace sim\n", "", path.read_text(), flags=re.DOTALL)
        simulated |= {found for found in REGISTER_FUNCTION.findall(text) if found != "NAME"}
        simulated |= {found for found in REGISTER_MACRO.findall(text) if found not in ("NAME", "MODE")}
    assert len(simulated) > 70
    assert simulated == set(listed)


def test_every_call_says_its_pipe(families: list[dict[str, Any]]) -> None:
    for family in families:
        for call in family["calls"]:
            assert "same_as" in call or all(form["pipe"] for form in call["forms"]), call["name"]
