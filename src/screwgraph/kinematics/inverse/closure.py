"""Loops and couplings as what must be met."""

from __future__ import annotations

import numpy as np

from screwgraph.kinematics.targets import Rows
from screwgraph.robot import Robot, constraint_residual, constraint_rows
from screwgraph.spatial import Array
from screwgraph.tape import jacobian


def closure_rows(robot: Robot, q: Array) -> Rows:
    """Return the closure errors of loops and couplings on a tape: of the rows that are independent.

    Their derivatives are exact where loops are open, too.
    """
    kept, names = list(robot.mobility.kept), constraint_rows(robot)
    values = list(constraint_residual(robot, q)[kept])
    rates = np.array([robot.manifold.rate(q, v) for v in np.eye(robot.nv)], dtype=object).T
    seeds = [{j: x for j, x in enumerate(row) if not isinstance(x, (int, float)) or x} for row in rates.tolist()]
    J = np.zeros((len(kept), robot.nv), dtype=object)
    for i, row in enumerate(jacobian(values, list(q), seeds)):
        for j, slope in row.items():
            J[i, j] = slope
    return Rows(values, J, [names[k].component.startswith("translation") for k in kept])
