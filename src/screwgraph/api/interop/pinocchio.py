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

FREE, PLANAR = "JointModelFreeFlyer", "JointModelPlanar"


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
    return JointPlace(joint.name, q, v, _change(joint, theirs.shortname(), theirs.nq))


def _change(joint: Joint, their_kind: str, their_nq: int) -> CoordinateConversion:
    if their_kind == FREE and joint.has_pose:
        return LINEAR_FIRST
    if their_kind == PLANAR and _slides_before_it_turns(joint):
        return SLIDING_IN_BODY
    if their_kind not in (FREE, PLANAR):
        if their_nq == joint.type.nq:
            return SAME
        if joint.type.nq == joint.type.nv == 1:
            return COSINE_SINE
    raise InputError(
        f"joint {joint.name!r} has other coordinates here than Pinocchio's {their_kind}", why="its types are different"
    )


def _slides_before_it_turns(joint: Joint) -> bool:
    """Whether a joint's coordinates are two slides, then a turn."""
    groups = joint.motion_groups or ()
    return [(len(axes), bool(axes[:, :3].any())) for axes in groups] == [(1, False), (1, False), (1, True)]
