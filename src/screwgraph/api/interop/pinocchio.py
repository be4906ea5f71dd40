"""States of Pinocchio: linear halves first, angles without limits as (cos, sin), branches sorted in its own way."""

from __future__ import annotations

from typing import Any

from screwgraph.api.interop.coordinate_conversions import (
    COSINE_SINE,
    LINEAR_FIRST,
    SAME,
    SLIDING_IN_BODY,
    CoordinateConversion,
)
from screwgraph.api.interop.states import JointPlace, States, match_joints
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Joint, Robot
from screwgraph.model.robot.joints import Floating, Planar

FREE = "JointModelFreeFlyer"


def pinocchio_states(robot: Robot, model: Any) -> States:
    """Return the converter between states of a robot and those of a `pinocchio.Model` of the same robot.

    Joints are matched by name; a base that floats there under another name ("root_joint") is found, too.

    Raises:
        InputError: joints that only one side has, or of different kinds.
    """
    numbers = {str(name): i for i, name in enumerate(model.names) if i > 0}
    free = [name for name, i in numbers.items() if model.joints[i].shortname() == FREE]
    names = match_joints(robot, tuple(numbers), free, "Pinocchio")
    places = tuple(_place(joint, model.joints[numbers[names[joint.name]]]) for joint in robot.joints)
    return States(robot, places, int(model.nq), int(model.nv))


def _place(joint: Joint, theirs: Any) -> JointPlace:
    if theirs.nv != joint.type.nv:
        raise InputError(
            f"joint {joint.name!r} has {joint.type.nv} degrees of freedom here and {theirs.nv} in Pinocchio",
            why="its types are different",
        )
    q, v = slice(theirs.idx_q, theirs.idx_q + theirs.nq), slice(theirs.idx_v, theirs.idx_v + theirs.nv)
    return JointPlace(joint.name, q, v, _change(joint, theirs.nq))


def _change(joint: Joint, their_nq: int) -> CoordinateConversion:
    if isinstance(joint.type, Floating):
        return LINEAR_FIRST
    if isinstance(joint.type, Planar):
        return SLIDING_IN_BODY
    return COSINE_SINE if their_nq > joint.type.nq else SAME
