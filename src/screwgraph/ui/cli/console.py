"""Standard output and error: tables and JSON, progress, complaints about the command line, and streams that refuse."""

from __future__ import annotations

import io
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from screwgraph.base.errors import InputError, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses."""
# Typer brings its own copy of click or uses the real one, depending on its version; this base class is in both.
USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
"""What typer raises for a wrong command line."""
_UNLIMITED = 10_000


def make_usage_error(what: str, *, why: str = "", fix: str = "") -> Exception:
    """Make the error for options that do not go together (exit status 2)."""
    return USAGE_ERROR(one_line(what, why=why, fix=fix))


@contextmanager
def as_usage_error() -> Iterator[None]:
    """Make bad input that is found here a wrong command line."""
    try:
        yield
    except InputError as error:
        raise make_usage_error(error.what, why=error.why, fix=error.fix) from error


def format_usage_error(error: Any, command: str) -> str:
    """Return a usage error as one line: which command, what, how to get help."""
    at = error.ctx.command_path if error.ctx else command
    message = error.format_message().strip().removesuffix(".").replace("Value error, ", "")
    return one_line(message, at=at, fix="" if message.endswith(")") else f"{at} --help shows an example")


def make_output_console() -> Console:
    """Return a console on stdout: as wide as the terminal, and as wide as needed where there is none."""
    from rich.console import Console

    # Names come from files: they may look like markup or emoji codes, and mean neither.
    console = Console(markup=False, emoji=False, highlight=False)
    return console if console.is_terminal else Console(markup=False, emoji=False, highlight=False, width=_UNLIMITED)


def make_table(title: str, *columns: str) -> Table:
    """Return an empty table; cells that the terminal is too narrow for are folded, never cut off."""
    from rich import box
    from rich.table import Table

    looks: dict[str, Any] = {"title_justify": "left", "box": box.SIMPLE_HEAD, "show_edge": False, "pad_edge": False}
    table = Table(title=title, padding=(0, 1, 0, 0), **looks)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def print_json(value: Mapping[str, Any]) -> None:
    """Print JSON on stdout; numbers that JSON does not have (NaN, infinities) become null."""
    print(json.dumps(_plain(value), indent=1, allow_nan=False))


def print_note(text: str) -> None:
    """Say something beside the result, on stderr."""
    print(" ".join(text.split()), file=sys.stderr)


@contextmanager
def show_progress(what: str) -> Iterator[None]:
    """Show on stderr what is being done, what part of it, and for how long: in lines 5 s apart where it is no terminal.

    Inside of what somebody shows already, that is where it is said.
    """
    from screwgraph.base import progress_report
    from screwgraph.base.progress_report import ProgressReport, has_listener, print_lines, progress, report_progress

    if has_listener():
        report_progress(what)
        yield
        return
    if not sys.stderr.isatty():
        with progress(print_lines(progress_report.PIPED_SECONDS)):
            report_progress(what)
            yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True, markup=False, emoji=False)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(f"{what} ...")

        def show(doing: ProgressReport) -> None:
            bar.update(task, description=f"{what}: {doing}")

        with progress(show):
            yield


def escape_unencodable() -> None:
    """Print what the terminal's encoding lacks (Greek letters, odd bytes of file names) as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def abandon_output() -> None:
    """Send what is still to be written to stdout nowhere: its reader is gone, or the disk is full."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "tolist") and not isinstance(value, float):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
