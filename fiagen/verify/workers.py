"""Runs independent work in several processes, results in order.

In: a function of a module and its argument tuples. Out: results, one by one, in the order of the arguments. Must never lose
an item: a worker that dies is a DiagnosticError.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

from fiagen import paths
from fiagen.diagnostics import fail

Result = TypeVar("Result")


def _start(cache: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; a worker would only add its traceback
    paths.set_cache_dir(cache)


def in_order(function: Callable[..., Result], items: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[Result]:
    """`function(*item)` for every item; with `jobs` > 1 in that many processes."""
    if jobs <= 1 or len(items) <= 1:
        for item in items:
            yield function(*item)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(items)), context, _start, (paths.cache_dir(),)) as pool:
        waiting = [pool.submit(function, *item) for item in items]
        try:
            for item, future in zip(items, waiting, strict=True):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    raise fail(
                        "system.worker_died", given=f"a worker process ended while {item[0]} was running",
                        allowed="a worker that ends with a result", why="The system killed it, or it crashed; this is our bug "
                        "unless the machine ran out of memory.", fix="Try with fewer processes: -j 1.") from None
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()  # what is running now would keep the user waiting
            raise
