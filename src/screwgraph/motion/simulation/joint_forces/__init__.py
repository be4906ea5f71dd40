"""Forces along coordinates that time steps treat implicitly: one law a file; a new one is a line in `JOINT_FORCES`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Joint, Robot, make_unknown_name_error
from screwgraph.motion.simulation.joint_forces.base import JointForce, KinkedForce
from screwgraph.motion.simulation.joint_forces.damping import Damping
from screwgraph.motion.simulation.joint_forces.friction import Friction
from screwgraph.motion.simulation.joint_forces.spring import Spring
from screwgraph.motion.simulation.joint_forces.stop import Stop
from screwgraph.tape import Number, is_zero

FORCES = ("damping", "friction", "stiffness")
"""Kinds of parameters that are forces along joints: implicit steps take these at their end, other laws beside them."""
IMMOVABLE = 1e6
"""Inertia of joint stops, relative to the robot's mass (kg), in kg m^2 to a mass on a lever of 1 m."""


def _damping(robot: Robot, joint: Joint) -> JointForce | None:
    return None if is_zero(joint.damping) else Damping(joint.damping)


def _friction(robot: Robot, joint: Joint) -> JointForce | None:
    return None if is_zero(joint.friction) else Friction(joint.friction)


def _stop(robot: Robot, joint: Joint) -> JointForce | None:
    limits = joint.limits
    if joint.type.nq != 1 or (limits.lower is None and limits.upper is None):
        return None
    lower = -np.inf if limits.lower is None else limits.lower
    upper = np.inf if limits.upper is None else limits.upper
    return Stop(lower, upper, IMMOVABLE * robot.mass)


JOINT_FORCES: Mapping[str, Callable[[Robot, Joint], JointForce | None]] = {
    "damping": _damping,
    "friction": _friction,
    "stops": _stop,
}
"""What makes a force of a joint's values in the file; None where the joint has none."""

Forces = tuple[tuple[JointForce, ...], ...]
"""The forces along each velocity coordinate."""


def joint_forces(
    robot: Robot,
    kinds: Iterable[str],
    springs: Mapping[str, tuple[Number, Number]],
    inertias: Float[np.ndarray, " nv"],
) -> Forces:
    """Return the forces of some kinds, and of springs: by joint stiffness and rest position; numbers of any kind.

    `inertias` are those of all velocity coordinates where the robot is neutral; only springs need them.
    """
    found = []
    for joint in robot.joints:
        made = [JOINT_FORCES[kind](robot, joint) for kind in kinds]
        if joint.name in springs:
            made.append(Spring(*springs[joint.name], float(inertias[robot.v_slices[joint.name].start])))
        found += [tuple(force for force in made if force is not None)] * joint.type.nv
    return tuple(found)


def checked_springs(robot: Robot, springs: Mapping[str, float | Sequence[float]]) -> Mapping[str, tuple[float, float]]:
    """Return stiffness and rest position of springs by joint; a number alone is the stiffness.

    Raises:
        InputError: no joint of one coordinate has the name of a spring, or its numbers make no spring.
    """
    for name in springs:
        if name not in robot.joint_names:
            error = make_unknown_name_error("joint", name, robot.joint_names)
            raise InputError(f"springs: {error.what}", fix=error.fix)
    return {name: _spring(robot.joint(name), value) for name, value in springs.items()}


def _spring(joint: Joint, value: float | Sequence[float]) -> tuple[float, float]:
    try:
        numbers = np.atleast_1d(convert_numbers(value))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if joint.type.nq != 1 or numbers.shape not in ((1,), (2,)) or not np.isfinite(numbers).all() or numbers[0] < 0.0:
        raise InputError(
            f"{value!r} makes no spring of joint {joint.name!r}",
            why="a spring is its stiffness (N m/rad, N/m), not negative, and its rest position (rad, m), 0 by default; "
            "the joint has one coordinate",
            fix=f"springs={{{joint.name!r}: (100.0, 0.0)}}, or --springs {joint.name}:100:0",
        )
    stiffness, rest = (*numbers.tolist(), 0.0)[:2]
    return stiffness, rest


__all__ = [
    "JOINT_FORCES",
    "Damping",
    "Forces",
    "Friction",
    "JointForce",
    "KinkedForce",
    "Spring",
    "Stop",
    "checked_springs",
    "joint_forces",
]
