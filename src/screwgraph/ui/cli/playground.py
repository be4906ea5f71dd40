"""`screwgraph playground`: the page that eliminates graphs in the browser."""

from __future__ import annotations

import webbrowser
from importlib.resources import as_file, files
from pathlib import Path

import typer

from screwgraph.base.errors import InputError
from screwgraph.model.formats import write_atomically
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error
from screwgraph.ui.cli.options import Flag

FLAGS = {"output": Flag("Write the page there instead of opening it.", "FILE", "-o")}
HELP = """\
The page is one file and works offline: drop a URDF on it, and see its factor graph, its elimination
in any order, the number of operations, and the answers.

\b
Example:
  screwgraph playground
  screwgraph playground -o playground.html
"""


def playground(output: str | None = None) -> None:
    """Open the page, or write it."""
    page = files("screwgraph.ui") / "playground.html"
    if not page.is_file():
        raise InputError("this installation has no playground", fix="make playground, in a clone of the repository")
    if output is not None:
        from screwgraph.ui.view import check_page_path

        with as_usage_error():
            check_page_path(output)
        write_atomically(Path(output), page.read_bytes(), output)
        typer.echo(output)
        return
    with as_file(page) as path:
        address = path.resolve().as_uri()
        typer.echo(f"open {address} in a browser" if not webbrowser.open(address) else address)


COMMAND = Command(playground, HELP, FLAGS)
