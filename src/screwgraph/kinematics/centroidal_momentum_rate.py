"""The time derivative of momentum about the centre of mass."""

from __future__ import annotations

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.momenta import about, momentum_rate
from screwgraph.kinematics.moments import moving_mass, total
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot


@checked
def centroidal_momentum_rate(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return dh/dt(q, qd, qdd) of `centroidal_momentum`: (..., nq), (..., nv), (..., nv) -> (..., 6).

    Angular part (N m) first, then linear (N): what gravity, contacts and the base's support add up to.

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    mass = moving_mass(robot)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        return list(about(total(changed, q).first * (1.0 / mass), momentum_rate(changed, q, qd, qdd)))

    return compiled("centroidal_momentum_rate", robot, ("q", "qd", "qdd"), expression, (6,)).astype(dtype)
