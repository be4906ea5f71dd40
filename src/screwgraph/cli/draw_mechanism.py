"""`screwgraph draw` of planar mechanisms: the graphs of Blanco-Claraco et al. (2021)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from screwgraph.cli import options
from screwgraph.cli.failures import wrong_use
from screwgraph.cli.mechanisms import loaded

if TYPE_CHECKING:
    from screwgraph import Mechanism
    from screwgraph.optimize import Problem

STEPS = 3


def draw_mechanism(
    context: typer.Context, source: str, what: str, problem: str, coordinates: str, output: str, knowns: bool
) -> None:
    """Draw the factor graph of a mechanism over three steps, or the Bayes network behind it."""
    from screwgraph.cli.streams import working
    from screwgraph.draw import draw_network, draw_problem, save
    from screwgraph.mechanism import bayes_network

    if problem == "hybrid":
        raise wrong_use(context, "mechanisms have forward and inverse problems", fix="--problem forward")
    mechanism = loaded(source)
    known = {"forward": ("Q",), "inverse": ()}[problem] if knowns else ()
    title = f"{mechanism.name}: {problem} dynamics, {coordinates} coordinates"
    with working("drawing"):
        if what == "network":
            figure = draw_network(bayes_network(STEPS, coordinates), known, title)
        else:
            figure = draw_problem(_problem(mechanism, problem, coordinates), title)
        save(figure, output)
    typer.echo(f"{output}: {what} of {mechanism.name}, {problem} dynamics, {coordinates} coordinates, {STEPS} steps")


def draw_elimination(
    source: str,
    what: str,
    problem: options.Problem,
    accelerations: Sequence[str],
    ordering: str,
    output: str,
    knowns: bool,
) -> None:
    """Draw the graph of a mechanism at one instant, or what its elimination makes of it."""
    from screwgraph.cli.pictures import write_graph, write_picture
    from screwgraph.cli.problem import compiled

    mechanism = loaded(source)
    function = compiled(mechanism, problem, accelerations, ordering)
    if output.lower().endswith((".dot", ".json")):
        write_graph(function.dag.graph, output)
    else:
        write_picture(function.dag, what, output, knowns)
    typer.echo(f"{output}: {what} of {mechanism.name}, {problem.value} dynamics, order {function.ordering}")


def _problem(mechanism: Mechanism, problem: str, coordinates: str) -> Problem:
    import numpy as np

    from screwgraph.mechanism import forward_graph, inverse_graph
    from screwgraph.mechanism.trajectory import Reference

    zero = np.zeros(mechanism.n)
    if problem == "forward":
        return forward_graph(mechanism, STEPS, 1.0, coordinates, start=(zero, zero))
    chosen = tuple(mechanism.index(name) for name in mechanism.independent_coordinates)
    still = np.zeros((STEPS, len(chosen)))
    return inverse_graph(mechanism, Reference(np.arange(float(STEPS)), chosen, still, still, still), (zero, zero))
