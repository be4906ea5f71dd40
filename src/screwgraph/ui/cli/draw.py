"""`screwgraph draw`: the factor graph and what elimination makes of it, as pictures."""

from __future__ import annotations

from pathlib import Path

import typer

from screwgraph import Dag, Mechanism, Robot
from screwgraph.graph import to_dot, to_json
from screwgraph.model.formats import write_atomically
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import make_usage_error, show_progress
from screwgraph.ui.cli.model_source import ROBOT, ModelSource, print_warnings
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.problem_functions import check_accelerations, compile_problem_function
from screwgraph.ui.draw import FIGURES, OVER_TIME, draw_graph, save
from screwgraph.ui.draw.matplotlib_import import check_installed

PICTURES = (".svg", ".pdf", ".png")
TEXTS = {"graph": (".dot", ".json"), "algorithm": (".tex", ".html", ".txt")}
"""Suffixes of what can also be written as text."""
_FORMS = {".tex": "latex", ".html": "html", ".txt": "text"}
"""Forms of a listing by suffix."""
FLAGS = {
    "what": Flag("What to draw.", choices=(*FIGURES, *OVER_TIME)),
    "output": Flag(
        "Output file: .svg, .pdf or .png; of the graph also .dot or .json, of the algorithm .tex, .html or .txt.",
        "FILE",
        "-o",
    ),
    "knowns": Flag("Draw known variables of the graph as squares."),
    "coordinates": Flag("Coordinates of figures over time.", choices=("spanning", "independent")),
}

HELP = """\b
graph:   the factor graph, without the factors and variables that follow from known variables;
matrix:  its equations (rows) and unknowns (columns) as blocks;
dag:     the elimination DAG, each variable expressed by later ones;
bayes_net: the Bayes net of the elimination, each variable given all that share a factor with it;
steps:   what is left after each variable;
cliques: the clique (Bayes) tree;
clusters: the cluster tree, links (of mechanisms bodies) grouped by loops and couplings;
algorithm: the elimination as numbered assignments, articulated inertias and bias forces written out;
network: the factor graph of a motion over three instants;
bayes:   the Bayes network behind that graph over time.

The default order of a robot is rnea for inverse problems, aba for the others.

\b
Example:
  screwgraph draw puma560 --problem forward --ordering crba --what dag -o crba.svg
  screwgraph draw four_bar_angle --problem forward --what network --coordinates independent -o net.svg
  screwgraph draw slider_crank --problem forward --what dag -o dag.svg
  screwgraph draw rrr --problem forward --what algorithm -o aba.pdf
  screwgraph draw a1 --base floating --problem inverse --what graph --knowns -o a1.png
"""


def draw(
    source: ModelSource,
    problem: str,
    what: str,
    output: str,
    ordering: str | None = None,
    accelerations: tuple[str, ...] = (),
    knowns: bool = False,
    coordinates: str | None = None,
) -> None:
    """Write a picture, or the graph or the algorithm as text, and say where it is."""
    _check_output(what, Path(output), knowns)
    if Path(output).suffix.lower() in PICTURES:
        check_installed()
    if what in OVER_TIME and (ordering or accelerations or problem == "hybrid"):
        raise make_usage_error(
            f"--what {what} has no order of elimination and no hybrid problem",
            fix="leave out --ordering and --accelerations, take --problem forward or inverse",
        )
    if what not in OVER_TIME and coordinates is not None:
        raise make_usage_error("--coordinates goes with figures over time", fix="--what network")
    check_accelerations(problem, accelerations)
    model = source.load()
    if what in OVER_TIME:
        kind = coordinates or "spanning"
        write_over_time(model, what, problem, kind, output, knowns)
        shown = f"{problem} dynamics, {kind} coordinates, three instants"
    else:
        order = ordering or ("auto" if source.is_mechanism else "rnea" if problem == "inverse" else "aba")
        function = compile_problem_function(model, problem, accelerations, order)
        with show_progress(f"eliminating {model.name} as it is drawn"):
            dag = function.dag
        if Path(output).suffix.lower() in TEXTS.get(what, ()):
            write_text(dag, what, output)
        else:
            write_picture(dag, what, output, knowns)
        shown = f"{problem} dynamics, ordering {function.ordering}"
    print_warnings(model)
    typer.echo(f"{output}: {what} of {model.name}, {shown}")


COMMAND = Command(draw, HELP, FLAGS, model=ROBOT)


def _check_output(what: str, output: Path, knowns: bool) -> None:
    texts = TEXTS.get(what, ())
    allowed = (*PICTURES, *texts)
    suffix = output.suffix.lower()
    if suffix not in allowed:
        raise make_usage_error(
            f"--output {str(output)!r} does not have one of the suffixes {', '.join(allowed)}",
            fix=f"-o {output.stem or what}.svg",
        )
    if knowns and (what not in ("graph", "bayes") or suffix in texts):
        raise make_usage_error("--knowns is for drawings of the graph or the Bayes network", fix="--what graph")


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
    with show_progress("drawing"):
        figure = draw_graph(dag.graph, known="square") if knowns else FIGURES[what](dag)
        save(figure, output)


def write_over_time(
    model: Robot | Mechanism, what: str, problem: str, coordinates: str, output: str, knowns: bool
) -> None:
    """Draw one of `OVER_TIME` into a file. Raises InputError as `save` and the figures do."""
    with show_progress("drawing"):
        save(OVER_TIME[what](model, problem, coordinates, knowns), output)
