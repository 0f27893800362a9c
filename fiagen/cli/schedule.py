"""`fiagen schedule`: the task table of a sparse attention call, drawn and checked.

In: a call file, perhaps a table as numbers. Out: text, JSON, SVG; status 1 when the call or the table is at fault. Must
never trust a table that was given.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import numpy as np

from fiagen.check import check_call
from fiagen.cli.calls import call_options, selected_calls
from fiagen.cli.output import emit, warn
from fiagen.cli.select import checked, selectors
from fiagen.diagnostics import DiagnosticError, fail, report
from fiagen.load.catalogue import load_catalogue
from fiagen.load.yaml_loader import read_text
from fiagen.model.call import Call
from fiagen.schedule.draw import loads_of, summary, svg, text
from fiagen.schedule.judge import judge
from fiagen.schedule.subject import Subject, subject_of
from fiagen.schedule.table import decode

_NUMBERS = re.compile(r"[-+]?[0-9]+")


def _unreadable(path: str, given: str) -> DiagnosticError:
    return fail("schedule.unreadable", given=f"{path}: {given}", why="The words of the table are integers.",
                allowed="an .npz or .npy file with the table, or its numbers as text",
                fix="Save the int32 array, or paste its numbers into a text file.")


def read_table(path: str) -> list[int]:
    """The words in an .npz (array `metadata`, or its only one) or .npy file, or written as text in any punctuation."""
    if Path(path).suffix not in (".npz", ".npy"):
        words = read_text(path, "schedule.unreadable")
        if re.search(r"[0-9]\.[0-9]|[A-DF-Za-df-z]", words):
            raise _unreadable(path, "text that is not a list of integers")
        return [int(word) for word in _NUMBERS.findall(words)]
    try:
        loaded = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise _unreadable(path, str(error)) from None
    if isinstance(loaded, np.ndarray):
        array = loaded
    else:
        names = loaded.files
        if "metadata" not in names and len(names) != 1:
            raise _unreadable(path, f"arrays {', '.join(names) or 'none'}")
        array = loaded["metadata" if "metadata" in names else names[0]]
    if array.dtype.kind not in "iu":
        raise _unreadable(path, f"an array of {array.dtype}")
    return [int(word) for word in array.ravel()]


def _refused(call: Call) -> bool:
    verdict = check_call(call, load_catalogue(), opinions=False)
    if not verdict.accepted:
        warn(f"{call.id}: refused\n{report(verdict.violations)}")
    return not verdict.accepted


def _object(call: Call, subject: Subject, findings: tuple[Any, ...]) -> dict[str, Any]:
    table = decode(subject.words)
    loads = loads_of(table, subject.work)
    cores = [{"core": load.core, "start": list(load.start), "end": list(load.end), "rows": load.rows,
              "cost": load.cost} for load in loads]
    return {"id": call.id, "rows": subject.work.rows, "cores": cores, **summary(loads, subject.work),
            "findings": [finding.json() for finding in findings]}


@click.command("schedule")
@call_options
@selectors
@click.option("--table", metavar="FILE", help="Judge this table, numbers or an array, not the operator's own.")
@click.option("--cores", type=click.IntRange(1, 36), default=None, help="Cube cores, instead of all that the chip has.")
@click.option("--svg", "picture", metavar="OUT.svg", help="Also draw it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(files: tuple[str, ...], edition: str | None, authority: str | None, op: str, product: str, variant: str,
            where: str, table: str | None, cores: int | None, picture: str | None, as_json: bool) -> int:
    """Draw and check the task table of every call of FILE..."""
    calls = selected_calls(files, checked(op, product, variant, where), edition, authority)
    if (table or picture) and len(calls) > 1:
        raise fail("schedule.one_call", given=f"--table or --svg with {len(calls)} calls", allowed="one call",
                   why="A table and a picture belong to one call.", fix="Select one with --where 'id == \"...\"'.")
    words = read_table(table) if table else None
    faults = 0
    for call in calls:
        if _refused(call):
            faults += 1
            continue
        subject = subject_of(call, words, cores or 0)
        decoded = decode(subject.words)
        findings = judge(decoded, subject.work, call.place or call.id)
        faults += bool(findings)
        if as_json:
            emit(_object(call, subject, findings))
        else:
            click.echo(f"{subject.title}\n{text(decoded, subject.work)}")
            covered = "every row once" + (", by the table as given" if subject.given else "")
            click.echo(report(findings) if findings else covered)
        if picture:
            Path(picture).write_text(svg(decoded, subject.work, subject.title), encoding="utf-8")
    return 1 if faults else 0
