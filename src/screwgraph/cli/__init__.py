"""The command line: `screwgraph info`, `solve`, `draw`, ..."""

from __future__ import annotations

import sys
from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line (default: that of this process) and exit with its status."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status, as `screwgraph.cli.app.run` does.

    Ctrl-C is one line from the first moment on: the packages are imported here.
    """
    try:
        from screwgraph.cli import app

        return app.run(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


__all__ = ["main", "run"]
