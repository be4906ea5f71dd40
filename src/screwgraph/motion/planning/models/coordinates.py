"""Coordinates of a model, joint by joint or one by one: names, units, and values of positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial.manifolds.tangent_coordinates import from_tangent, to_tangent

UNITS = {
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s²", "m/s²"),
    "jerk": ("rad/s³", "m/s³"),
    "force": ("N m", "N"),
}
"""By quantity: of coordinates that turn, and of those that slide."""

WORDS = dict(zip(UNITS["force"], ("torque", "force"), strict=True))


def label_coordinates(robot: Any) -> tuple[str, ...]:
    """Return the names of the velocity coordinates: a joint's, with a number where it has several."""
    sizes = [(j.name, j.type.nv) for j in robot.joints]
    return tuple(name if n == 1 else f"{name}[{i}]" for name, n in sizes for i in range(n))


def find_coordinates(robot: Any, name: str, what: str = "joint") -> tuple[int, ...]:
    """Return which velocity coordinates a joint has; `joint[2]` is the third of a joint.

    Raises:
        InputError: there is none of that name.
    """
    if name in robot.v_slices:
        part = robot.v_slices[name]
        return tuple(range(part.start, part.stop))
    labels = label_coordinates(robot)
    if name in labels:
        return (labels.index(name),)
    joint = find_joint(robot, name)
    if joint != name and joint in robot.v_slices:
        own = [labels[c] for c in find_coordinates(robot, joint)]
        span = f"{own[0]} to {own[-1]}" if own[1:] else f"one, {joint!r}" if own else "none"
        raise InputError(f"there is no coordinate {name!r}", why=f"the coordinates of joint {joint!r} are {span}")
    raise make_unknown_name_error(what, name, robot.joint_names)


def find_joint(robot: Any, name: str) -> str:
    """Return the joint that a name means: the joint itself, or one of its coordinates, `joint[2]`."""
    return name if name in robot.v_slices else str(name).rpartition("[")[0] or name


def check_named_once(robot: Any, names: Iterable[str]) -> None:
    """See that no coordinate is named twice, alone and with its joint.

    Raises:
        InputError: one is, or there is none of a name.
    """
    owners: dict[int, str] = {}
    for name in names:
        for c in find_coordinates(robot, name):
            if c in owners:
                twice = f"{owners[c]!r} and {name!r}"
                raise InputError(f"{twice} name the same coordinate", fix="give each coordinate once")
            owners[c] = name


def set_coordinates(robot: Any, q: Float[np.ndarray, " nq"], values: Mapping[str, Any]) -> Float[np.ndarray, " nq"]:
    """Return a position with other values (rad, m) of joints, or of single coordinates, `joint[2]`.

    Coordinates of joints with quaternions are those of the rotation vector from the base's axes, `joint[0]` to
    `joint[2]`; of floating ones also the place of the origin in the base, `joint[3]` to `joint[5]`.

    Raises:
        InputError: there is no such joint or coordinate, one is named twice, or a value has another size.
    """
    check_named_once(robot, values)
    q, joints = q.copy(), {joint.name: joint.type.manifold for joint in robot.joints}
    for name, value in values.items():
        numbers = np.atleast_1d(validate_numbers(f"the position of {name!r}", value))
        if name in robot.q_slices:
            part = robot.q_slices[name]
            if numbers.shape != (part.stop - part.start,):
                raise InputError(f"joint {name!r} has {part.stop - part.start} coordinates, not {numbers.size}")
            q[part] = numbers
            continue
        (column,) = find_coordinates(robot, name)
        if numbers.shape != (1,):
            raise InputError(f"{name!r} is one coordinate, not {numbers.size}")
        joint = find_joint(robot, name)
        part, manifold = robot.q_slices[joint], joints[joint]
        own = np.array(to_tangent(manifold, manifold.identity(), q[part]), dtype=float)
        own[column - robot.v_slices[joint].start] = numbers[0]
        q[part] = from_tangent(manifold, manifold.identity(), own)
    return q


def copy_coordinates(
    robot: Any, q: Float[np.ndarray, " nq"], other: Float[np.ndarray, " nq"], names: Sequence[str]
) -> Float[np.ndarray, " nq"]:
    """Return a position with the values that joints or coordinates have in another one."""
    values = list_values(robot, other)
    wanted = {
        name: other[robot.q_slices[name]] if name in robot.q_slices else values[find_coordinates(robot, name)[0]]
        for name in names
    }
    return set_coordinates(robot, q, wanted)


def list_values(robot: Any, q: Any) -> Any:
    """Return the values (nv,) of all coordinates one by one; see `set_coordinates`."""
    return to_tangent(robot.manifold, robot.manifold.identity(), q)


def merge_names(robot: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return names of joints and coordinates, where all of a joint's coordinates are named, that of the joint."""
    labels, found = label_coordinates(robot), dict.fromkeys(names)
    for joint in robot.joint_names:
        own = [labels[c] for c in find_coordinates(robot, joint)]
        if own[1:] and found.keys() >= set(own):
            found = dict.fromkeys([name for name in found if name not in own] + [joint])
    return tuple(found)


def list_units(turns: Sequence[bool], quantity: str) -> tuple[str, ...]:
    """Return the unit of a quantity of each velocity coordinate."""
    turning, sliding = UNITS[quantity]
    return tuple(turning if t else sliding for t in turns)


def name_effort(unit: str) -> str:
    """Return what an effort of that unit is called."""
    return WORDS.get(unit, "effort")
