"""Pictures and graphs to files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from screwgraph import Dag, Mechanism, Robot
from screwgraph.base.errors import InputError
from screwgraph.graph import to_dot, to_json
from screwgraph.model.formats import write_atomically
from screwgraph.ui.cli.console import show_progress

if TYPE_CHECKING:
    from screwgraph.ui.view import Picture, Pictures, Text

_FORMS = {".tex": "latex", ".html": "html", ".txt": "text"}
"""Forms of a listing by suffix."""


def write_text(dag: Dag, what: str, output: str) -> None:
    """Write a graph as DOT or JSON, an algorithm as LaTeX, HTML or text, by the suffix.

    Raises:
        InputError: the file cannot be written.
    """
    suffix = Path(output).suffix.lower()
    if what == "algorithm":
        text = dag.algorithm(_FORMS[suffix])
        text = f'<!doctype html>\n<meta charset="utf-8">\n{text}' if suffix == ".html" else text
    else:
        text = to_dot(dag.graph) if suffix == ".dot" else to_json(dag.graph)
    write_atomically(Path(output), f"{text}\n".encode(), output)


def write_picture(dag: Dag, what: str, output: str, knowns: bool) -> None:
    """Draw one of `FIGURES` into a file. Raises InputError as `save` does."""
    from screwgraph.ui.draw import FIGURES, draw_graph, save

    with show_progress("drawing"):
        figure = draw_graph(dag.graph, known="square") if knowns else FIGURES[what](dag)
        save(figure, output)


def write_over_time(
    model: Robot | Mechanism, what: str, problem: str, coordinates: str, output: str, knowns: bool
) -> None:
    """Draw one of `OVER_TIME` into a file. Raises InputError as `save` and the figures do."""
    from screwgraph.ui.draw import OVER_TIME, save

    with show_progress("drawing"):
        save(OVER_TIME[what](model, problem, coordinates, knowns), output)


def draw_sections(title: str, draw: Callable[[], Iterable[Picture | Pictures]]) -> list[Picture | Pictures | Text]:
    """Return the pictures of a report; without matplotlib, one section that says so."""
    from screwgraph.ui.draw.matplotlib_import import check_installed
    from screwgraph.ui.view import Text

    try:
        check_installed()
    except InputError as error:
        return [Text(title, f"Not drawn: {error}.")]
    return list(draw())
