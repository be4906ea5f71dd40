"""How frames move, for all targets about frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics.jacobians import compute_frame_jacobian
from screwgraph.mechanics.kinematics.link_poses import poses_in_world
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.mechanics.kinematics.targets.base import TargetValue
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array, concatenate, rotation, sqrt, translation
from screwgraph.tape import Number


def compute_frame_motion(robot: Robot, name: str, q: Array) -> TargetValue:
    """Return a frame's position (m), then its rotation row by row, and its Jacobian (angular part first).

    Both in the base's axes, about the frame's origin.
    """
    frame = robot.frame(name)
    T = poses_in_world(robot, q, [frame.link])[frame.link] @ frame.T_lf
    return TargetValue(
        concatenate(translation(T), rotation(T).ravel()), compute_frame_jacobian(robot, name, q, ALIGNED)
    )


def position_of(moving: TargetValue) -> Float[Array, "3"]:
    """Return a frame's origin (m)."""
    return moving.at[:3]


def rotation_of(moving: TargetValue) -> Float[Array, "3 3"]:
    """Return a frame's axes, as columns."""
    return moving.at[3:].reshape(3, 3)


def length_of(difference: Sequence[Number]) -> Number:
    """Return the length of a vector on numbers of any kind."""
    return sqrt(sum((x * x for x in np.asarray(difference, dtype=object)), start=0.0))
