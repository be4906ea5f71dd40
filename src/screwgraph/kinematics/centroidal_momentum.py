"""Momentum about the centre of mass."""

from __future__ import annotations

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.momenta import about, momentum
from screwgraph.kinematics.moments import moving_mass, total
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot


@checked
def centroidal_momentum(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return h(q, qd), momentum about the centre of mass in the base's axes: (..., nq), (..., nv) -> (..., 6).

    Angular part (kg m^2/s) first, then linear (kg m/s); rotors are left out.
    Orin, Goswami & Lee (2013), (20).

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    mass = moving_mass(robot)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        return list(about(total(changed, q).first * (1.0 / mass), momentum(changed, q, qd)))

    return compiled("centroidal_momentum", robot, ("q", "qd"), expression, (6,)).astype(dtype)
