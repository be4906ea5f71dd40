"""The Jacobian of the centre of mass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.arguments import checked
from screwgraph.compiler import Function
from screwgraph.kinematics.moments import check_mass, moments, moving_mass
from screwgraph.kinematics.poses import poses_in_world
from screwgraph.kinematics.query import compiled
from screwgraph.robot import Robot
from screwgraph.robot.parameters import MASSES, checked_parameters
from screwgraph.spatial import rotation, skew


@checked
def center_of_mass_jacobian(
    robot: Robot, *, parameters: Sequence[str] = (), payload: str | None = None, dtype: str = "float64"
) -> Function:
    """Return J(q), dc/dt = J qd of `center_of_mass`, in the base's axes: (..., nq) -> (..., 3, nv).

    A joint moves all that it carries as one body: its column is R (m v + a x h) / M, with mass and first moment of what
    it carries, in the child's frame, and the joint's screw axis (a, v).

    With `parameters` and `payload`, numbers of the robot are inputs, the last argument: see `inverse_dynamics`.

    Raises:
        InputError: no link that moves has a mass; a planar mechanism.
    """
    check_mass(robot)

    live = checked_parameters("center_of_mass_jacobian does not depend on", MASSES, robot, parameters, payload)

    def expression(changed: Robot, q: np.ndarray) -> list:
        mass = moving_mass(changed)
        poses, carried = poses_in_world(changed, q), moments(changed, q)
        J = np.zeros((3, changed.nv), dtype=object)
        for joint in changed.joints:
            A, own = joint.type.screw_axes(q[changed.q_slices[joint.name]]), carried[joint.child]
            h, m = own.first * (1.0 / mass), own.mass / mass
            J[:, changed.v_slices[joint.name]] = rotation(poses[joint.child]) @ (m * A[3:] - skew(h) @ A[:3])
        return J.ravel().tolist()

    return compiled("center_of_mass_jacobian", robot, ("q",), expression, (3, robot.nv), live=live).astype(dtype)
