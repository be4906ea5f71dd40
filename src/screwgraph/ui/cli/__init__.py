"""The command line: `screwgraph info`, `solve`, `draw`, ..."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line (default: that of this process) and exit with its status.

    Ctrl-C is one line from the first moment on. While packages are imported it ends the process at once: C extensions
    make other errors of an exception, and nothing is written yet. So it does after the last output.
    """
    before = signal.getsignal(signal.SIGINT)
    is_obeyed = before is signal.default_int_handler  # jobs in the background ignore it
    if is_obeyed:
        signal.signal(signal.SIGINT, _end)
    from screwgraph.ui.cli import app

    app.find_command(arguments)
    signal.signal(signal.SIGINT, before)
    status = app.run(arguments)
    if is_obeyed:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _wait_for_fast_code()
    sys.exit(status)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status, as `screwgraph.ui.cli.app.run` does."""
    from screwgraph.ui.cli import app

    return app.run(arguments)


def _wait_for_fast_code() -> None:
    """Say for what a process waits at its end: fast code for later calls, which threads make."""
    compiler = sys.modules.get("screwgraph.compiler")
    if compiler is not None and compiler.is_tiering_up():
        from screwgraph.ui.cli.console import show_progress

        with show_progress("storing fast code for the next call"):
            compiler.wait_for_optimised()


def _end(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


__all__ = ["main", "run"]
