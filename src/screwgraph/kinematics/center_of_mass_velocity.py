"""The velocity of the centre of mass."""

from __future__ import annotations

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.moments import moving_mass, total
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot


@checked
def center_of_mass_velocity(robot: Robot, *, dtype: str = "float64") -> Function:
    """Return dc/dt(q, qd) of `center_of_mass`, in the base's axes (m/s): (..., nq), (..., nv) -> (..., 3).

    It is the rate of the first moment of mass, over the mass.

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    mass = moving_mass(robot)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        return list(total(changed, q, qd).rates[0] * (1.0 / mass))

    return compiled("center_of_mass_velocity", robot, ("q", "qd"), expression, (3,)).astype(dtype)
