"""Kinetic energy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.compiler import Function
from screwgraph.mechanics.kinematics.kinematic_function import BODIES, compile_kinematics
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Robot, link_twists
from screwgraph.model.robot.parameters import ROTORS, checked_parameters
from screwgraph.tape import is_zero


@check_arguments
@answered_by(ANSWERS)
def kinetic_energy(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return the kinetic energy (J), rotors included: (..., nq), (..., nv) -> (...).

    Of planar mechanisms, arrays are (..., n), (..., n).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: what is given is no model.
    """
    live = checked_parameters("kinetic_energy does not depend on", ROTORS, robot, parameters, payload)

    def expression(changed: Robot, q: np.ndarray, qd: np.ndarray) -> list:
        V, energy = link_twists(changed, q, qd), _rotors(changed, qd)
        for link in changed.links[1:]:
            own = V[link.name]
            energy = energy + own @ (0.5 * link.inertia.matrix() @ own)
        return [energy]

    return compile_kinematics("kinetic_energy", robot, ("q", "qd"), expression, (), passes=BODIES, live=live).astype(
        dtype
    )


def _rotors(robot: Robot, qd: np.ndarray) -> Any:
    energy: Any = 0.0
    for joint in (j for j in robot.joints if not all(map(is_zero, np.atleast_1d(j.armature)))):
        own = qd[robot.v_slices[joint.name]]
        energy = energy + 0.5 * (own @ (joint.armature * own))
    return energy
