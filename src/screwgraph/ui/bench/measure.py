"""CPU time of a call: the thread's own, the best of several rounds, so that other programs disturb it least."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from screwgraph.compiler import DRAFT_VARIABLE


@dataclass(frozen=True)
class Budget:
    """How much CPU time (s) one figure may take, over how many rounds; and how many states or samples are stored."""

    seconds: float = 0.2
    rounds: int = 10
    states: int = 1024
    batch: int = 4096


def measure_nanoseconds(effort: Budget, function: Callable[..., Any], *arguments: Any) -> float:
    """Return the CPU time (ns) of `function(*arguments)`, the best round's average; called once before, unmeasured."""
    function(*arguments)
    collecting = gc.isenabled()
    gc.disable()
    try:
        repeats, time_taken = 1, _round(1, function, arguments)
        best = time_taken
        while time_taken < effort.seconds * 1e9 / effort.rounds:
            best = min(best, time_taken / repeats)
            repeats *= 2
            time_taken = _round(repeats, function, arguments)
        rounds = max(1, effort.rounds - 2)  # finding the number of repeats took about two
        return min(time_taken / repeats, best, *(_round(repeats, function, arguments) / repeats for _ in range(rounds)))
    finally:
        if collecting:
            gc.enable()


def time_call(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time (s) that one call takes the process, and its result."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def _round(repeats: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    start = time.thread_time_ns()
    for _ in repeat(None, repeats):
        function(*arguments)
    return time.thread_time_ns() - start


@contextmanager
def fast_code() -> Iterator[None]:
    """Let LLVM make fast code at once for a while, also in processes that are started then."""
    before = os.environ.get(DRAFT_VARIABLE)
    os.environ[DRAFT_VARIABLE] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[DRAFT_VARIABLE]
        else:
            os.environ[DRAFT_VARIABLE] = before
