"""Where commands write to: checks before the work begins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from screwgraph.errors import InputError

Report = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Also an .html page: figures, curves with units, an animation."),
]


def check_outputs(output: str, report: str | None) -> None:
    """Check where a table and a page go. Raises InputError."""
    from screwgraph.simulation import check_path

    check_path(output)
    if report is not None:
        from screwgraph.view import check_page_path

        check_page_path(report)


def made(folder: str) -> Path:
    """Make a folder, if there is none. Raises InputError where that cannot be."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("the folder cannot be made", at=folder, why=error.strerror or str(error)) from error
    return path
