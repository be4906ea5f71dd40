"""Potential energy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.graph import no_payload
from screwgraph.kinematics import mechanism
from screwgraph.kinematics.moments import total
from screwgraph.kinematics.poses import world_of
from screwgraph.kinematics.query import compiled
from screwgraph.models.mechanism import Mechanism
from screwgraph.robot import Robot
from screwgraph.robot.parameters import WEIGHTS, checked_parameters
from screwgraph.spatial import rotation


@checked
def potential_energy(
    robot: Robot | Mechanism, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return the potential energy (J) of gravity of all links that move: (..., nq) -> (...).

    It is zero where the centre of mass is at the height of the base's origin. Of planar mechanisms it includes springs,
    and q is (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: what is given is no model.
    """
    if isinstance(robot, Mechanism):
        no_payload(payload)
        return mechanism.energy(robot, "potential_energy", parameters).astype(dtype)
    live = checked_parameters("potential_energy does not depend on", WEIGHTS, robot, parameters, payload)

    is_live = any(parameter.kind == "gravity" for parameter in live)

    def expression(changed: Robot, q: np.ndarray) -> list:
        # Passes may turn the base's frame, and gravity with it.
        g = rotation(world_of(changed)) @ np.array(changed.gravity) if is_live else np.array(robot.gravity)
        return [-g @ total(changed, q).first]

    return compiled("potential_energy", robot, ("q",), expression, (), live=live).astype(dtype)
