"""What long work is doing: said where it is done, heard where somebody asked (`sg.progress`, the command line)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

QUIET_SECONDS = 1.0
"""What takes less says nothing, and lines are so far apart, where no listener is given."""
PIPED_SECONDS = 5.0
"""Seconds between lines of commands whose stderr is no terminal."""


@dataclass(frozen=True)
class ProgressReport:
    """Progress report: what is being done, and the share of it that is done, 0 to 1, where it is known."""

    what: str
    done: float | None = None

    def __str__(self) -> str:
        return self.what if self.done is None else f"{self.what} ({100.0 * min(max(self.done, 0.0), 1.0):.0f} %)"


Listener = Callable[[ProgressReport], Any]
_LISTENERS: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())


@contextmanager
def progress(listener: Listener | None = None) -> Iterator[None]:
    """Hear what functions called inside are doing: orders that are tried, code that is made, iterations of solvers.

    Args:
        listener: called with a `ProgressReport` (`.what`, `.done`; `str` is one line), in this thread and often; it
            should be quick. By default lines on stderr, at most one a second, the first after a second.
    """
    token = _LISTENERS.set((*_LISTENERS.get(), print_lines(QUIET_SECONDS) if listener is None else listener))
    try:
        yield
    finally:
        _LISTENERS.reset(token)


def report_progress(what: str, done: float | None = None) -> None:
    """Tell those who listen what is being done."""
    for listener in _LISTENERS.get():
        listener(ProgressReport(what, done))


def has_listener() -> bool:
    """Whether anybody listens, where what is said takes time to find out."""
    return bool(_LISTENERS.get())


def print_lines(seconds: float) -> Listener:
    """Return a listener that prints lines on stderr, at least so many seconds apart, the first after as many."""
    began = last = time.monotonic()

    def line(doing: ProgressReport) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= seconds:
            last = now
            print(f"[{now - began:4.0f} s] {doing}", file=sys.stderr, flush=True)

    return line
