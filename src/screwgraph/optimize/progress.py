"""Progress on a terminal, for what takes longer than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from screwgraph.optimize.result import Progress

QUIET_SECONDS = 1.0


@contextmanager
def show_iterations(what: str = "solving") -> Iterator[Callable[[Progress], None]]:
    """Give a callback that shows iterations on stderr, where that is a terminal, once a second has passed."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console

    status = Console(stderr=True, markup=False, emoji=False).status(f"{what} ...")

    def show(progress: Progress) -> None:
        if progress.seconds >= QUIET_SECONDS:
            status.start()
            status.update(
                f"{what}: iteration {progress.iteration}, cost {progress.cost:.6g}, violation {progress.violation:.2g}"
            )

    try:
        yield show
    finally:
        status.stop()
