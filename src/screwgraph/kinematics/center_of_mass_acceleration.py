"""The acceleration of the centre of mass."""

from __future__ import annotations

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.moments import moving_mass, total
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot


@checked
def center_of_mass_acceleration(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return d2c/dt2(q, qd, qdd) of `center_of_mass`, in the base's axes (m/s^2), dJ/dt qd included.

    Arrays are (..., nq), (..., nv), (..., nv) -> (..., 3). Gravity is not in it.

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    mass = moving_mass(robot)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list:
        return list(total(changed, q, qd, qdd).rates[1] * (1.0 / mass))

    made = compiled("center_of_mass_acceleration", robot, ("q", "qd", "qdd"), expression, (3,))
    return made.astype(dtype)
