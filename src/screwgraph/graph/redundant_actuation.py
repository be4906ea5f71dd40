"""Redundant actuation: a soft factor for each driven joint, and the virtual motion that makes it exact.

A motion that is given whole needs no choice of independent joints, whose determinants may vanish.

Mechanisms with more motors than degrees of freedom share the work in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from screwgraph.graph.clusters import Cluster, clusters
from screwgraph.graph.constraints import Constraint, independent_constraints
from screwgraph.graph.factor import Argument, Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import (
    augmented_multiplier,
    constraint_velocity,
    coupling,
    loop,
    minimum_torque,
    shared_balance,
    tied_velocities,
)
from screwgraph.graph.mechanism import MechanismParts, mechanism_graph
from screwgraph.graph.variable import Key, Variable, vector_variable
from screwgraph.model.mechanism import ConstraintRows, Mechanism, regular_weights
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


def with_given_motion(graph: FactorGraph, robot: Robot, weights: Mapping[str, float]) -> FactorGraph:
    """Leave the laws of loops and couplings on accelerations out, which are all known and obey them.

    The graph has a virtual motion of all joints that these tie (`virtual_motion`). Their multipliers lambda become
    mu + K delta / w, with w the geometric mean of `weights`: so W^-1 + K' K / w, the matrix of the virtual motion
    delta, is positive definite wherever the torques are determined. Raises InputError as `robot.mobility` does.
    """
    stiffness = float(np.exp(-np.mean(np.log(list(weights.values())))))
    constraints = independent_constraints(robot)
    kept = [f for f in graph.factors if f.template not in (loop, coupling)]
    shifted = [vector_variable(*adjoint_multiplier(c.multiplier), c.rows, c.index, None) for c in constraints]
    graph = replace(graph, factors=tuple(kept))
    return graph.with_variables(*shifted).with_factors(*(_augment_constraint(c, stiffness) for c in constraints))


def _augment_constraint(constraint: Constraint, stiffness: float) -> Factor:
    arguments: dict[str, Argument] = {
        "multiplier": constraint.multiplier,
        "shifted": adjoint_multiplier(constraint.multiplier),
        "adjoint_velocity": tuple(Key(ADJOINT_VELOCITY, joint.name) for joint in constraint.joints),
        "q": tuple(Key("q", joint.name) for joint in constraint.joints),
    }
    bound = {"joints": constraint.joints, "laws": (constraint.law,), "stiffness": stiffness}
    return Factor(augmented_multiplier, arguments, constraint.rows, constraint.index, bound)


def redundant_motors_graph(mechanism: Mechanism, weights: Mapping[str, float]) -> FactorGraph:
    """Return the graph in which motors share the work: of all torques, the sum of weight tau^2 is the least.

    All accelerations are meant to be given. The derivatives of the Lagrangian are linear laws: weighted torques are
    velocities (`minimum_torque`) that constraints allow (`constraint_velocity`); these and the multipliers are
    conjugate, as accelerations and multipliers are in forward dynamics. `weights` has a positive number for each
    motor, by the name of its angle; the motors together drive all motions.

    Raises:
        InputError: some motion moves no mass.
        ModelError: the mechanism cannot be assembled.
    """
    graph = mechanism_graph(mechanism)
    slots = dict(zip(mechanism.motors, mechanism.motor_slots, strict=True))
    yielding = np.zeros(mechanism.n)
    yielding[[slots[name] for name in weights]] = [1.0 / weight for weight in weights.values()]
    parts = MechanismParts(mechanism, regular_weights(mechanism, np.diag(yielding)))
    factors = [_share_balance(parts, f) for f in graph.factors if "balance" in f.parameters]
    for i, rows in enumerate(parts.constraints, 1):
        factors.append(_make_adjoint_constraint(parts, rows, i))
    for name, slot in slots.items():
        arguments: dict[str, Argument] = {
            "tau": Key("tau", name),
            "adjoint_velocity": parts.keys(ADJOINT_VELOCITY, [slot])[0],
        }
        factors.append(Factor(minimum_torque, arguments, 1, slot + 1, {"weight": float(weights[name])}))
    variables = {**graph.variables, **{v.key: v for v in parts.variables(ADJOINT_VELOCITY)}}
    return replace(graph, variables=variables, factors=tuple(factors))


def _share_balance(parts: MechanismParts, factor: Factor) -> Factor:
    slot = factor.parameters["balance"].slot
    weighted = tuple(rows for rows in parts.constraints if rows.weight and slot in rows.coordinates)
    touched = tuple(dict.fromkeys(i for rows in weighted for i in rows.coordinates))
    arguments = {**factor.arguments, "adjoint": parts.keys(ADJOINT_VELOCITY, touched)}
    bound = {**factor.parameters, "weighted": weighted}
    own = parts.keys(ADJOINT_VELOCITY, [slot])[0]
    return replace(factor, template=shared_balance, arguments=arguments, parameters=bound, multiplier=own)


def _make_adjoint_constraint(parts: MechanismParts, rows: ConstraintRows, index: int) -> Factor:
    others, defined = parts.find_defined(rows, ADJOINT_VELOCITY)
    arguments: dict[str, Argument] = {
        "qd": parts.keys(ADJOINT_VELOCITY, others),
        "q": parts.keys("q", rows.coordinates),
        **defined,
    }
    key = parts.multipliers[rows]
    return Factor(constraint_velocity, arguments, len(rows.kept), index, {"rows": rows}, key)
