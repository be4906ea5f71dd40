"""Least torques of a motion that is given whole: no choice of independent joints, whose determinants may vanish."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from screwgraph.graph.constraints import Constraint, independent_constraints
from screwgraph.graph.factor import Argument, Factor
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.factors import augmented_multiplier, coupling, loop
from screwgraph.graph.redundant_actuation import ADJOINT_VELOCITY, adjoint_multiplier
from screwgraph.graph.variable import Key, vector_variable
from screwgraph.model.robot import Robot


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
