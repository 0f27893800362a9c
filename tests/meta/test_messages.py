"""Can everything the tool says be explained, and is everything explained said?

In: the sources and specs/messages.yaml. Out: verdicts. Must never list an id by hand.
"""

import re
from pathlib import Path

from fiagen.load.messages import load_messages

ROOT = Path(__file__).resolve().parents[2]
OWNERS = "|".join(("spec", "call", "cli", "sim", "build", "drift", "render", "plan", "expr", "system", "edition", "authority",
                   "oracle", "fiagen", "schedule", "docs", "diff", "profile", "check", "torch"))
ID = re.compile(rf"[\"'`]((?:{OWNERS})\.[a-z][a-z_0-9]*)\b")
COMPOSED = re.compile(rf"f\"((?:{OWNERS})\.[a-z_]*)\{{")
NOT_MESSAGES = re.compile(r"^(?:torch\.(?:dtype|npu|ops)|(?:fiagen|spec|call|check|docs|build)\.(?:api|acl|check|cli|diagnostics|"
                          r"emit|expr|load|model|oracle|paths|plan|schedule|sim|torch|verify|view|name|op|id|py|yaml|json|css|"
                          r"run|build|compile_kernel))$")


def said() -> dict[str, set[str]]:
    """Ids in string literals of the sources, with the files they stand in; a composed one stands for all it begins."""
    found: dict[str, set[str]] = {}
    known = load_messages()
    for pattern in ("*.py", "*.h", "*.cpp"):
        for file in (ROOT / "fiagen").rglob(pattern):
            text = file.read_text(encoding="utf-8")
            prefixes = set(COMPOSED.findall(text))
            begun = {name for name in known for prefix in prefixes if name.startswith(prefix)}
            for name in {*ID.findall(text), *begun} - prefixes:
                if not NOT_MESSAGES.match(name):
                    found.setdefault(name, set()).add(file.relative_to(ROOT).as_posix())
    return found


def test_everything_said_is_explained() -> None:
    known = load_messages()
    missing = {name: sorted(files) for name, files in said().items() if name not in known}
    assert len(known) > 80 and not missing, missing


def test_everything_explained_is_said() -> None:
    unsaid = set(load_messages()) - set(said())
    assert not unsaid, sorted(unsaid)
