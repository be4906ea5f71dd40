"""Quaternions among positions: what is computed with others than unit ones is wrong, so they are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.spatial.quaternions import ROUNDED

if TYPE_CHECKING:
    from screwgraph.model.robot.parts import Joint
    from screwgraph.model.robot.robot import Robot


def check_unit(robot: Robot, q: Any) -> None:
    """Check the quaternions of positions (..., nq) of numbers; others than floats, and other shapes, pass.

    Raises:
        InputError: one is not unit.
    """
    with_quaternions = [joint for joint in robot.joints if joint.type.nq != joint.type.nv]
    if with_quaternions and np.shape(q)[-1:] == (robot.nq,):
        check_joint_positions(
            with_quaternions, [np.asarray(q)[..., robot.q_slices[joint.name]] for joint in with_quaternions]
        )


def check_joint_positions(joints: Sequence[Joint], positions: Sequence[Any]) -> None:
    """The same of joints, and the position (..., nq) of each."""
    for joint, q in zip(joints, positions, strict=True):
        if joint.type.nq == joint.type.nv:
            continue
        values, manifold = np.asarray(q), joint.type.manifold
        if (
            values.dtype.kind in "iuf"
            and manifold.is_off(values.reshape(-1, joint.type.nq).astype(float), ROUNDED).any()
        ):
            raise InputError(
                f"the position of joint {joint.name!r} is not {manifold.kind}",
                why="what is computed with other quaternions would be wrong",
                fix="robot.manifold.normalise(q) is unit, for one position",
            )
