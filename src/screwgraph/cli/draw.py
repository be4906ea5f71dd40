"""`screwgraph draw`: the factor graph and what elimination makes of it, as pictures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from screwgraph.cli import options
from screwgraph.cli.failures import wrong_use
from screwgraph.cli.options import BaseKind, Problem
from screwgraph.cli.simulate import CoordinateKind


class Figure(StrEnum):
    """What is drawn; a key of `screwgraph.draw.FIGURES`."""

    graph = "graph"
    matrix = "matrix"
    dag = "dag"
    steps = "steps"
    cliques = "cliques"
    network = "network"


PICTURES = (".svg", ".png")
TEXTS = (".dot", ".json")

What = Annotated[Figure, typer.Option("--what", help="What to draw.")]
Output = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Output file: .svg or .png; for the graph also .dot or .json."),
]
Knowns = Annotated[bool, typer.Option("--knowns", help="Draw known variables of the graph as squares.")]

Coordinates = Annotated[
    CoordinateKind | None, typer.Option("--coordinates", help="Coordinates of the graph (planar mechanisms only).")
]

HELP = """Draw the factor graph and its elimination.

\b
graph:   the factor graph, what follows from known variables left out;
matrix:  its equations (rows) and unknowns (columns) as blocks;
dag:     the elimination DAG, each variable expressed by later ones;
steps:   what is left after each variable;
cliques: the clique (Bayes) tree;
network: of a planar mechanism, the Bayes network behind its factor graph.

The default order is rnea for inverse problems, aba for the others. Of planar mechanisms, the picture of the graph is
that of three time steps; with --ordering it is that of one instant, which is what all other kinds show.

\b
Example:
  screwgraph draw puma560 --problem forward --ordering crba --what dag -o crba.svg
  screwgraph draw four_bar_angle --problem forward --what graph --coordinates independent -o four_bar.svg
  screwgraph draw slider_crank --problem forward --what dag -o dag.svg
  screwgraph draw a1 --base floating --problem inverse --what graph --knowns -o a1.png
"""


def draw(
    context: typer.Context,
    robot: options.RobotName,
    problem: options.ProblemKind,
    what: What,
    output: Output,
    ordering: options.OrderingName = None,
    accelerations: options.Accelerations = None,
    knowns: Knowns = False,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    coordinates: Coordinates = None,
) -> None:
    """Write a picture, or the graph as text, and say where it is."""
    from screwgraph.cli.draw_mechanism import draw_elimination, draw_mechanism
    from screwgraph.cli.mechanisms import is_mechanism
    from screwgraph.cli.pictures import write_graph, write_picture
    from screwgraph.cli.problem import check_accelerations, compiled

    if is_mechanism(robot):
        over_time = what in (Figure.graph, Figure.network) and Path(output).suffix.lower() in PICTURES
        if not over_time or ordering or accelerations:
            _check_output(context, what, Path(output), knowns)
            named = options.names(accelerations)
            check_accelerations(context, problem, named)
            if what is Figure.network or coordinates is not None:
                raise wrong_use(
                    context, "networks and --coordinates go with graphs over time", fix="leave out --ordering"
                )
            return draw_elimination(robot, what.value, problem, named, ordering or "auto", output, knowns)
        kind = "spanning" if coordinates is None else coordinates.value
        return draw_mechanism(context, robot, what.value, problem.value, kind, output, knowns)
    if what is Figure.network or coordinates is not None:
        raise wrong_use(context, "networks and --coordinates are for mechanisms", why=f"{robot!r} is a robot")
    _check_output(context, what, Path(output), knowns)
    named = options.names(accelerations)
    check_accelerations(context, problem, named)
    model = options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name)
    order = ordering or ("rnea" if problem is Problem.inverse else "aba")
    function = compiled(model, problem, named, order)
    if Path(output).suffix.lower() in TEXTS:
        write_graph(function.dag.graph, output)
    else:
        write_picture(function.dag, what.value, output, knowns)
    options.note_warnings(model)
    typer.echo(f"{output}: {what.value} of {model.name}, {problem.value} dynamics, ordering {function.ordering}")
    return None


def _check_output(context: typer.Context, what: Figure, output: Path, knowns: bool) -> None:
    allowed = (*PICTURES, *TEXTS) if what is Figure.graph else PICTURES
    suffix = output.suffix.lower()
    if suffix not in allowed:
        raise wrong_use(
            context,
            f"--output {str(output)!r} does not have one of the suffixes {', '.join(allowed)}",
            fix=f"-o {output.stem or what.value}.svg",
        )
    if knowns and (what is not Figure.graph or suffix in TEXTS):
        raise wrong_use(context, "--knowns is for drawings of the graph only", fix="--what graph -o graph.svg")
