"""Redundant actuation: a soft factor for each driven joint, and the virtual motion that makes it exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from screwgraph.graph.clusters import Cluster, clusters
from screwgraph.graph.constraints import Constraint, independent_constraints
from screwgraph.graph.factor import Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import minimum_torque, tied_velocities
from screwgraph.graph.variable import Key, Variable, vector_variable
from screwgraph.model.robot import Chain, Joint, Robot

ADJOINT_VELOCITY = "adjoint_velocity"
"""Kind of the variables that hold a virtual velocity: one vector a joint."""


def with_redundant_actuation(
    graph: FactorGraph, robot: Robot, weights: Mapping[str, float], *, everywhere: bool = False
) -> FactorGraph:
    """Make the torques of driven joints the smallest that cause a motion: of all, sum weight tau^2 is the least.

    `weights` has a positive number for each joint that is driven. The Lagrangian's derivatives are added to the graph:
    by an torque, that its weighted value is a virtual velocity (`minimum_torque`); by the multipliers of loops and
    couplings, that these allow the virtual motion (`tied_velocities`). Clusters that are driven by just their
    independent joints have no choice, and stay as they are, unless `everywhere` is true.

    Raises:
        InputError: no joints determine the others.
    """
    chosen = [joint for c in clusters(graph) if _has_choice(graph, c, weights, everywhere) for joint in c.joints]
    variables, factors = virtual_motion(robot, chosen)
    for joint in chosen:
        if joint.name in weights:
            arguments = {"tau": Key("tau", joint.name), "adjoint_velocity": Key(ADJOINT_VELOCITY, joint.name)}
            bound = {"weight": float(weights[joint.name])}
            factors.append(Factor(minimum_torque, arguments, joint.type.nv, robot.link_index(joint.child), bound))
    model = graph.model and replace(graph.model, weights=dict(weights))
    return replace(graph.with_variables(*variables).with_factors(*factors), model=model)


def virtual_motion(robot: Robot, joints: Sequence[Joint]) -> tuple[list[Variable], list[Factor]]:
    """Return virtual velocities of whole clusters of joints, and the laws of the loops and couplings that tie them."""
    names = {joint.name for joint in joints}
    variables = [
        vector_variable(ADJOINT_VELOCITY, j.name, j.type.nv, robot.link_index(j.child), robot.link_index(j.parent))
        for j in joints
    ]
    ties = [c for c in independent_constraints(robot) if any(j.name in names for j in c.joints)]
    return variables, [_virtually_tied(constraint) for constraint in ties]


def adjoint_multiplier(multiplier: Key) -> Key:
    """Name what would enforce the law of a loop or coupling on the virtual motion."""
    return Key("adjoint_multiplier", multiplier.name)


def _virtually_tied(constraint: Constraint) -> Factor:
    law = constraint.law
    arguments = {kind: _keys(of, constraint) for kind, of in (("qd", ADJOINT_VELOCITY), ("q", "q"))}
    bound = {"joints": law.joints, "laws": (law,)}
    rows = len(law.kept) if isinstance(law, Chain) else 1
    return Factor(tied_velocities, arguments, rows, constraint.index, bound, adjoint_multiplier(constraint.multiplier))


def _keys(kind: str, constraint: Constraint) -> tuple[Key, ...]:
    return tuple(Key(kind, joint.name) for joint in constraint.joints)


def _has_choice(graph: FactorGraph, cluster: Cluster[Joint], driven: Iterable[str], everywhere: bool) -> bool:
    """Tell whether other joints than the independent ones are driven in a cluster."""
    if graph.dependence is None or not cluster.multipliers:
        return False
    if everywhere:
        return True
    follows = {key.name for key, _ in graph.dependence.rates}
    return {j.name for j in cluster.joints if j.name not in follows} != {j.name for j in cluster.joints} & set(driven)
