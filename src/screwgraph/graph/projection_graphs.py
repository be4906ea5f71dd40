"""Graphs of a mechanism's kinematics: velocities and accelerations completed, states put back onto constraints."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.graph.factor import Argument, Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import constraint_acceleration, constraint_step, constraint_velocity, least_change
from screwgraph.graph.live_parameters import make_symbolic, with_live_mechanism
from screwgraph.graph.mechanism import MechanismParts
from screwgraph.graph.variable import Key, Variable
from screwgraph.model.mechanism import ConstraintRows, ForceBalance, Mechanism, live_mechanism


def projection_graph(mechanism: Mechanism, parameters: Sequence[str] = (), held: Sequence[str] = ()) -> FactorGraph:
    """Return the graph of the smallest `step` of q onto the constraints, and of the nearest allowed velocity `rate`.

    Steps and rates of coordinates that are `held` are meant to be given. Variables `parameter` are the numbers of its
    file that `parameters` names.

    Raises:
        InputError: some motion moves no mass, or a name means nothing.
        ModelError: the mechanism cannot be assembled.
    """
    if parameters:
        mechanism = make_symbolic(live_mechanism(mechanism, tuple(parameters)))
    parts = MechanismParts(mechanism)
    variables = [v for kind in ("q", "qd", "step", "rate") for v in parts.variables(kind)]
    factors: list[Factor] = []
    for kind, near in (("step", None), ("rate", "qd")):
        variables += parts.multiplier_variables(f"{kind} ")
        free = (balance for balance in parts.balances if mechanism.coordinates[balance.slot] not in held)
        factors += [_least_change(parts, balance, kind, f"{kind} ", near) for balance in free]
    for i, rows in enumerate(parts.constraints, 1):
        q, every = {"q": parts.keys("q", rows.coordinates)}, rows.coordinates
        step: dict[str, Argument] = {"step": parts.keys("step", every), **q}
        rate: dict[str, Argument] = {"qd": parts.keys("rate", every), **q}
        for template, arguments, prefix in ((constraint_step, step, "step "), (constraint_velocity, rate, "rate ")):
            key = Key("lambda", prefix + parts.multipliers[rows].name)
            factors.append(Factor(template, arguments, len(rows.kept), i, {"rows": rows}, key))
    graph = _graph(variables, factors)
    return with_live_mechanism(graph, mechanism) if parameters else graph


def completion_graph(
    mechanism: Mechanism, kind: str, given: Sequence[str], parameters: Sequence[str] = ()
) -> FactorGraph:
    """Return the graph of the smallest rates of the other coordinates.

    `kind` "qd" are velocities, "qdd" accelerations, "step" are Newton's steps onto the constraints. With as many given
    as there are degrees of freedom, constraints allow no other ones. `parameters`, and what is raised, are as of
    `projection_graph`.
    """
    if parameters:
        mechanism = make_symbolic(live_mechanism(mechanism, tuple(parameters)))
    parts, names = MechanismParts(mechanism), mechanism.coordinates
    kinds = ("q", "step") if kind == "step" else ("q", "qd", kind)
    variables = [v for name in dict.fromkeys(kinds) for v in parts.variables(name)]
    free = [balance for balance in parts.balances if names[balance.slot] not in given]
    factors = [_least_change(parts, balance, kind, "") for balance in free]
    for i, rows in enumerate(parts.constraints, 1):
        factors.append(_make_projected_constraint(parts, rows, kind, i))
    graph = _graph([*variables, *parts.multiplier_variables()], factors)
    return with_live_mechanism(graph, mechanism) if parameters else graph


def _make_projected_constraint(parts: MechanismParts, rows: ConstraintRows, kind: str, index: int) -> Factor:
    template = {"step": constraint_step, "qd": constraint_velocity, "qdd": constraint_acceleration}[kind]
    kinds = {"step": ("q", "step"), "qd": ("q", "qd"), "qdd": ("q", "qd", "qdd")}[kind]
    arguments: dict[str, Argument] = {name: parts.keys(name, rows.coordinates) for name in kinds}
    return Factor(template, arguments, len(rows.kept), index, {"rows": rows}, parts.multipliers[rows])


def _least_change(
    parts: MechanismParts, balance: ForceBalance, kind: str, prefix: str, near: str | None = None
) -> Factor:
    own = parts.keys(kind, [balance.slot])[0]
    arguments: dict[str, Argument] = {
        "x": own,
        "multipliers": parts.acting(balance, prefix),
        "q": parts.keys("q", balance.positions),
    }
    if near is not None:
        arguments["near"] = parts.keys(near, [balance.slot])[0]
    return Factor(least_change, arguments, 1, balance.slot + 1, {"balance": balance}, own)


def _graph(variables: list[Variable], factors: list[Factor]) -> FactorGraph:
    return FactorGraph({v.key: v for v in variables}, tuple(factors))
