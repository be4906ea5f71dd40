"""More motors than degrees of freedom: the smallest torques that cause a motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from screwgraph.graph.factor import Argument, Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import constraint_velocity, minimum_torque, shared_balance
from screwgraph.graph.mechanism import MechanismParts, mechanism_graph
from screwgraph.graph.redundant_actuation import ADJOINT_VELOCITY
from screwgraph.graph.variable import Key
from screwgraph.model.mechanism import ConstraintRows, Mechanism, regular_weights


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
