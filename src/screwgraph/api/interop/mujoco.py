"""States of MuJoCo: quaternions with w first, free bodies that move in the world's axes, its own order of joints."""

from __future__ import annotations

from typing import Any

from screwgraph.api.interop.coordinate_conversions import LINEAR_IN_WORLD, SAME, SCALAR_FIRST
from screwgraph.api.interop.states import JointPlace, States, match_joints
from screwgraph.base.errors import InputError
from screwgraph.model.formats.mjcf.names import Names
from screwgraph.model.robot import Robot

KINDS = {0: (7, 6, LINEAR_IN_WORLD), 1: (4, 3, SCALAR_FIRST), 2: (1, 1, SAME), 3: (1, 1, SAME)}
"""Of mjtJoint's free, ball, slide, hinge: numbers of positions and of velocities, and how they change."""
FREE = 0


def mujoco_states(robot: Robot, model: Any) -> States:
    """Return the converter between states of a robot and those (qpos, qvel, qacc, qfrc) of a `mujoco.MjModel` of it.

    Joints are matched by name, those without one by the name that `sg.load` gives them (joint3); the only free joint,
    too, where it has another name or none.

    Raises:
        InputError: joints that only one side has, or of different kinds.
    """
    numbers = {name: i for i, name in enumerate(Names(model).joints)}
    free = [name for name, i in numbers.items() if int(model.jnt_type[i]) == FREE]
    names = match_joints(robot, tuple(numbers), free, "MuJoCo")
    places = []
    for joint in robot.joints:
        number = numbers[names[joint.name]]
        nq, nv, change = KINDS[int(model.jnt_type[number])]
        if (nq, nv) != (joint.type.nq, joint.type.nv):
            raise InputError(
                f"joint {joint.name!r} has {joint.type.nv} degrees of freedom here and {nv} in MuJoCo",
                why="its types are different",
            )
        q, v = int(model.jnt_qposadr[number]), int(model.jnt_dofadr[number])
        places.append(JointPlace(joint.name, slice(q, q + nq), slice(v, v + nv), change))
    return States(robot, tuple(places), int(model.nq), int(model.nv))
