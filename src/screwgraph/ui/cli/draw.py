"""`screwgraph draw`: the factor graph and what elimination makes of it, as pictures."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from screwgraph import Robot
from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind, Problem
from screwgraph.ui.cli.simulate import CoordinateKind
from screwgraph.ui.cli.usage_errors import make_usage_error


class Figure(StrEnum):
    """Figure to draw; a key of `screwgraph.ui.draw.FIGURES` or `OVER_TIME`."""

    graph = "graph"
    matrix = "matrix"
    dag = "dag"
    steps = "steps"
    cliques = "cliques"
    clusters = "clusters"
    algorithm = "algorithm"
    network = "network"
    bayes = "bayes"


OVER_TIME = (Figure.network, Figure.bayes)

PICTURES = (".svg", ".pdf", ".png")
TEXTS = {Figure.graph: (".dot", ".json"), Figure.algorithm: (".tex", ".html", ".txt")}
"""Suffixes of what can also be written as text."""

What = Annotated[Figure, typer.Option("--what", help="What to draw.")]
Output = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Output file: .svg, .pdf or .png; of the graph also .dot or .json, of the algorithm .tex, .html or .txt.",
    ),
]
Knowns = Annotated[bool, typer.Option("--knowns", help="Draw known variables of the graph as squares.")]

Coordinates = Annotated[CoordinateKind | None, typer.Option("--coordinates", help="Coordinates of figures over time.")]

HELP = """Draw the factor graph and its elimination.

\b
graph:   the factor graph, without the factors and variables that follow from known variables;
matrix:  its equations (rows) and unknowns (columns) as blocks;
dag:     the elimination DAG, each variable expressed by later ones;
steps:   what is left after each variable;
cliques: the clique (Bayes) tree;
clusters: the cluster tree, links (of mechanisms bodies) grouped by loops and couplings;
algorithm: the elimination as numbered assignments, articulated inertias and bias forces written out;
network: the factor graph of a motion over three instants;
bayes:   the Bayes network behind that graph.

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
    independent: options.Independent = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
    coordinates: Coordinates = None,
) -> None:
    """Write a picture, or the graph or the algorithm as text, and say where it is."""
    from screwgraph.model.load import is_mechanism
    from screwgraph.ui.cli.console import show_progress
    from screwgraph.ui.cli.mechanism_options import load_mechanism_with_values, refuse_robot_options
    from screwgraph.ui.cli.pictures import write_over_time, write_picture, write_text
    from screwgraph.ui.cli.problem_functions import check_accelerations, compile_problem_function
    from screwgraph.ui.draw.matplotlib_import import check_installed

    _check_output(context, what, Path(output), knowns)
    if Path(output).suffix.lower() in PICTURES:
        check_installed()
    is_planar, named = is_mechanism(robot), options.split_names(accelerations)
    if what in OVER_TIME and (ordering or accelerations or problem is Problem.hybrid):
        raise make_usage_error(
            context,
            f"--what {what.value} has no order of elimination and no hybrid problem",
            fix="leave out --ordering and --accelerations, take --problem forward or inverse",
        )
    if what not in OVER_TIME and coordinates is not None:
        raise make_usage_error(context, "--coordinates goes with figures over time", fix="--what network")
    check_accelerations(context, problem, named)
    if is_planar:
        refuse_robot_options(
            context, lock, independent, gravity, no_damping, strict, snap, model_name, xacro, base is not BaseKind.fixed
        )
    model = (
        load_mechanism_with_values(robot)
        if is_planar
        else options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name, xacro, independent)
    )
    if what in OVER_TIME:
        kind = "spanning" if coordinates is None else coordinates.value
        write_over_time(model, what.value, problem.value, kind, output, knowns)
        shown = f"{problem.value} dynamics, {kind} coordinates, three instants"
    else:
        order = ordering or ("auto" if is_planar else "rnea" if problem is Problem.inverse else "aba")
        function = compile_problem_function(model, problem, named, order)
        with show_progress(f"eliminating {model.name} as it is drawn"):
            dag = function.dag
        if Path(output).suffix.lower() in TEXTS.get(what, ()):
            write_text(dag, what.value, output)
        else:
            write_picture(dag, what.value, output, knowns)
        shown = f"{problem.value} dynamics, ordering {function.ordering}"
    if isinstance(model, Robot):
        options.print_warnings(model)
    typer.echo(f"{output}: {what.value} of {model.name}, {shown}")


def _check_output(context: typer.Context, what: Figure, output: Path, knowns: bool) -> None:
    texts = TEXTS.get(what, ())
    allowed = (*PICTURES, *texts)
    suffix = output.suffix.lower()
    if suffix not in allowed:
        raise make_usage_error(
            context,
            f"--output {str(output)!r} does not have one of the suffixes {', '.join(allowed)}",
            fix=f"-o {output.stem or what.value}.svg",
        )
    if knowns and (what not in (Figure.graph, Figure.bayes) or suffix in texts):
        raise make_usage_error(
            context, "--knowns is for drawings of the graph or the Bayes network", fix="--what graph"
        )
