"""Forces in the pins of mechanisms as variables of their graphs."""

from __future__ import annotations

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.graph.factor import Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import force_balance, pin_force
from screwgraph.graph.mechanism import MechanismParts
from screwgraph.graph.variable import Key, vector_variable
from screwgraph.model.mechanism import ForceBalance, Mechanism, PinForce, make_pin_forces
from screwgraph.model.robot import make_unknown_name_error


@check_arguments
def with_pin_forces(graph: FactorGraph, *names: str) -> FactorGraph:
    """Return a mechanism's graph with the forces (d,), in N along the axes of the ground, on bodies at their points.

    Variables `wrench:BODY.POINT`, as robots have a `wrench` for each joint; by default all. See `PinForce`.

    Args:
        graph: `sg.dynamics_graph` of a mechanism, before or after `given`.
        names: "crank.P1" is the force that body crank gets at point P1.

    Raises:
        InputError: the graph is no mechanism's, or has parameters as inputs; an unknown name; constraints that
            follow from others, so that the forces of these are not determined.
    """
    mechanism = _find_mechanism(graph)
    parts = MechanismParts(mechanism)
    if len(mechanism.freedom.kept) < sum(c.rows for c in mechanism.constraints):
        loose = next(
            c.part for c, kept in zip(mechanism.constraints, mechanism.kept_rows, strict=True) if len(kept) < c.rows
        )
        raise InputError(
            f"forces in the pins of mechanism {mechanism.name!r} are not determined",
            why=f"constraints follow from others, those of {loose} among them",
            fix="leave out the bodies that are one too many",
        )
    known = make_pin_forces(mechanism, parts.constraints)
    for name in names:
        if name not in known:
            raise make_unknown_name_error("point of a body", name, known)
    chosen = {name: known[name] for name in dict.fromkeys(names or known)}
    variables = [vector_variable("wrench", name, mechanism.dimension, i, None) for i, name in enumerate(chosen, 1)]
    graph = graph.with_variables(*variables)
    return graph.with_factors(*(_factor(parts, name, pin, i) for i, (name, pin) in enumerate(chosen.items(), 1)))


def _find_mechanism(graph: FactorGraph) -> Mechanism:
    for factor in graph.factors:
        balance = factor.parameters["balance"] if factor.template is force_balance else None
        if isinstance(balance, ForceBalance):
            return balance.mechanism
    raise InputError(
        "pin forces are those of a mechanism with the numbers of its file",
        fix="sg.with_pin_forces(sg.dynamics_graph(mechanism)); robots have variables wrench:LINK",
    )


def _factor(parts: MechanismParts, name: str, pin: PinForce, index: int) -> Factor:
    arguments = {
        "wrench": Key("wrench", name),
        "qdd": parts.keys("qdd", tuple(dict.fromkeys(pin.accelerations))),
        "multipliers": tuple(Key("lambda", parts.multipliers[held.rows].name) for held in pin.held),
        "q": parts.keys("q", pin.positions),
    }
    return Factor(pin_force, arguments, pin.mechanism.dimension, index, {"pin": pin})
