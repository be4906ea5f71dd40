"""Forces along a robot's coordinates that act with the velocity at the end of a step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.compiler import Function, compile_graph
from screwgraph.compiler.cache import pack_program
from screwgraph.dynamics.singular import naming_idle_joints
from screwgraph.graph import dynamics_graph
from screwgraph.robot import Robot
from screwgraph.simulation.joint_forces import Forces
from screwgraph.simulation.step_law import StepLaw
from screwgraph.tape import Number

SOLVES = 4
"""Accelerations a step where forces of joints have kinks: Newton's steps, of which two or three are enough mostly."""


def implicit_forces(robot: Robot, forces: Forces) -> StepLaw:
    """Return (v' - v) / dt, with v' the velocity at the end of a step at which all forces are; damping is one of them.

    A force c - D v' is part of the equations of motion: (M + dt D) (v' - v) / dt = force - h + c - D v. So dt D is an
    armature. Linearly implicit Euler's method: Hairer & Wanner (1996), section IV.7; Newton's method for forces with
    kinks: Alart & Curnier (1991).

    Raises:
        EliminationError: a joint moves nothing that has inertia.
    """
    code = _with_armatures(robot, forces)
    acting = [i for i, own in enumerate(forces) if own]
    solves = 1 if all(law.is_linear for own in forces for law in own) else SOLVES

    def accelerations(q: Any, qd: Any, force: Any, dt: Number) -> Any:
        positions, velocity, found = _positions(robot, q), qd, qd
        for _ in range(solves):
            total, armature = force.copy(), []
            for i in acting:
                tangents = [law.tangent(positions[i], qd[i], velocity[i], dt) for law in forces[i]]
                c, D = (sum(parts[1:], start=parts[0]) for parts in zip(*tangents, strict=True))
                total[i] = total[i] + c - D * qd[i]
                armature.append(dt * D)
            found = code(q, qd, total, np.array(armature, dtype=object))
            velocity = qd + dt * found
        return found

    return StepLaw((pack_program(code.program), forces), accelerations)


def _with_armatures(robot: Robot, forces: Forces) -> Function:
    """Return forward dynamics without damping: q, qd, tau, and armatures of the joints along which forces act."""
    joints = tuple(replace(joint, damping=0.0) for joint in robot.joints)
    undamped = replace(robot, joints=joints)
    names = [f"armature:{joint.name}" for joint in joints if any(forces[robot.v_slices[joint.name]])]
    with naming_idle_joints(undamped, undamped.joint_names):
        graph = dynamics_graph(undamped, parameters=names)
        return compile_graph(graph.given("q", "qd", "tau", "armature"), "qdd")


def _positions(robot: Robot, q: np.ndarray) -> list[Number]:
    """Return the position along each velocity coordinate; zero where a joint has several, along which it has none."""
    return [
        q[robot.q_slices[joint.name].start] if joint.type.nq == 1 else 0.0
        for joint in robot.joints
        for _ in range(joint.type.nv)
    ]
