"""Exit statuses, and complaints about the command line itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from screwgraph.base.errors import InputError, one_line

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

# Typer brings its own copy of click or uses the real one, depending on its version; this base class is in both.
USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
"""What typer raises for a wrong command line."""


def make_usage_error(context: typer.Context, what: str, *, why: str = "", fix: str = "") -> Exception:
    """Make the error for options that do not go together (exit status 2)."""
    return USAGE_ERROR(one_line(what, why=why, fix=fix), context)


@contextmanager
def as_usage_error(context: typer.Context) -> Iterator[None]:
    """Make bad input that is found here a wrong command line."""
    try:
        yield
    except InputError as error:
        raise make_usage_error(context, error.what, why=error.why, fix=error.fix) from error


def format_usage_error(error: Any) -> str:
    """Return a usage error as one line: which command, what, how to get help."""
    command = error.ctx.command_path if error.ctx else "screwgraph"
    message = error.format_message().strip().removesuffix(".").replace("Value error, ", "")
    return one_line(message, at=command, fix="" if message.endswith(")") else f"{command} --help shows an example")
