"""A graph of one instant at many instants, joined by an integration rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.graph import FactorGraph, Key, Role
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.robots.motion_graph import get_mechanics
from screwgraph.motion.integration_rules import RULES, StepDefect
from screwgraph.motion.integration_rules.graph_at_nodes import (
    SelectedEntries,
    VariableBinding,
    list_constants,
    replicate_factors,
    select_balances,
)
from screwgraph.motion.planning.factors.loop_closure import StabilisedClosure
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.optimize import Factors, Problem, Selection, Variables, Vector, each, equality

FAMILIES = {
    Role.POSITION: "q",
    Role.VELOCITY: "qd",
    Role.COORDINATE_ACCELERATION: "qdd",
    Role.COORDINATE_FORCE: "tau",
}
"""Coordinates of all joints are one family of unknowns each, in the order of the robot."""


@check_arguments
def over(graph: FactorGraph, steps: int, h: float, rule: str = "trapezoidal") -> Problem:
    """Return a graph over time as a problem whose factors are those of the graph, hard, at each instant.

    Families are "q", "qd", "qdd", "tau" of all joints, and one for every other variable, "wrench link2"; those of
    points inside the steps end in ".1", ... More factors, as what is known of tau or at the beginning, are added by
    `Problem([*sg.over(graph, 50, 0.02).factors, ...])`. Loops and couplings of closed chains hold by one law that also
    closes positions: closure errors g obey g'' + 2 a g' + a^2 g = 0.

    Args:
        graph: of a robot's dynamics, edited or not, nothing given.
        steps: number of steps; there is one instant more.
        h: length of a step (s).
        rule: a rule of `time.RULES` whose points are instants.

    Raises:
        InputError: a bad argument, a graph of no robot, or one of which something is given.
    """
    if graph.model is None or graph.known - {key for key, v in graph.variables.items() if v.dim == 0}:
        raise InputError(
            "the graph is not that of a robot with nothing given",
            why="over time its positions are unknown, too",
            fix="sg.over(sg.dynamics_graph(robot), steps, h); hold values by factors of your own",
        )
    known = {name: r for name, r in RULES.items() if len(set(r.nodes)) == len(r.nodes)}
    if rule not in known:
        raise make_unknown_name_error("rule of integration", rule, known)
    if steps < 1:
        raise InputError(f"steps = {steps!r} is not a positive whole number")
    if not 0.0 < h < np.inf:
        raise InputError(f"h = {h!r} is not a positive number of seconds")
    chosen, mechanics, found = known[rule], get_mechanics(graph.model.robot), []
    states: list[tuple[Variables, ...]] = []
    for node in range(len(chosen.nodes) - 1):
        factors, families = _instants(graph, mechanics, int(steps) + (node == 0), f".{node}" if node else "")
        found += factors
        states.append(families)
        if mechanics.robot.is_closed:
            lengths = each(np.full(families[0].count, h / (len(chosen.nodes) - 1)))
            found.append(equality(StabilisedClosure(mechanics), *families, h=lengths, name=f"loops{node or ''}"))
    ends: list[Selection] = [v[:-1] for v in states[0]]
    ends += [v[:] for inner in states[1:] for v in inner]
    ends += [v[1:] for v in states[0]]
    found.append(equality(StepDefect(chosen, mechanics.positions), *ends, h=float(h), name="integration"))
    return Problem(found)


def _instants(
    graph: FactorGraph, mechanics: Mechanics, count: int, end: str
) -> tuple[list[Factors], tuple[Variables, ...]]:
    """Return the graph's factors at so many instants, and q, qd, qdd there; names of unknowns have an end."""
    robot = mechanics.robot
    sizes: dict[Role, Any] = {Role.POSITION: mechanics.positions}
    joint = {role: Variables(name + end, sizes.get(role, Vector(robot.nv)), count) for role, name in FAMILIES.items()}
    bindings: dict[Key, VariableBinding] = {}
    for key, variable in graph.variables.items():
        if key.role in joint and key.name in robot.q_slices:
            part = (robot.q_slices if key.role is Role.POSITION else robot.v_slices)[key.name]
            bindings[key] = VariableBinding((joint[key.role][:],), SelectedEntries(tuple(range(part.start, part.stop))))
        elif variable.dim:
            family = Variables(f"{key.kind} {key.name}{end}", Vector(variable.dim), count)
            bindings[key] = VariableBinding((family[:],), SelectedEntries(tuple(range(variable.dim))))
        else:
            bindings[key] = VariableBinding((), SelectedEntries(()))
    factors = replicate_factors(select_balances(graph), bindings | list_constants(graph))
    return factors, (joint[Role.POSITION], joint[Role.VELOCITY], joint[Role.COORDINATE_ACCELERATION])
