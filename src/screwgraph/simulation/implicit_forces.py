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
from screwgraph.simulation.joint_forces import Forces, JointForce, KinkedForce
from screwgraph.simulation.step_law import StepLaw
from screwgraph.tape import Number

SOLVES = 4
"""Accelerations a step where forces of joints have kinks: Newton's steps, of which two or three are enough mostly."""


def implicit_forces(robot: Robot, forces: Forces) -> StepLaw:
    """Return (v' - v) / dt, with v' the velocity at the end of a step at which all forces are; damping is one of them.

    A force c - D v' is part of the equations of motion: (M + dt D) (v' - v) / dt = force - h + c - D v. So dt D is an
    armature. Linearly implicit Euler's method: Hairer & Wanner (1996), section IV.7; Newton's method for forces with
    kinks: Alart & Curnier (1991). The last solution is by dampers, so that where three steps have not ended, no force
    brings energy.

    Raises:
        EliminationError: a joint moves nothing that has inertia.
    """
    code = _with_armatures(robot, forces)
    acting = [i for i, own in enumerate(forces) if own]
    rotors = np.concatenate([np.full(joint.type.nv, joint.armature) for joint in robot.joints])
    solves = SOLVES if any(isinstance(law, KinkedForce) for own in forces for law in own) else 1

    def accelerations(q: Any, qd: Any, force: Any, dt: Number) -> Any:
        positions, velocity, found = _positions(robot, q), qd, qd
        at = {i: [qd[i]] * len(forces[i]) for i in acting}
        for k in range(solves):
            total, armature = force.copy(), []
            for i in acting:
                here = (positions[i], qd[i])
                if k and k == solves - 1:
                    parts = [_safe(law, *here, v, velocity[i], dt) for law, v in zip(forces[i], at[i], strict=True)]
                else:
                    at[i] = [_onward(law, v, velocity[i]) for law, v in zip(forces[i], at[i], strict=True)]
                    parts = [law.tangent(*here, v, dt) for law, v in zip(forces[i], at[i], strict=True)]
                c, D = (sum(all_of[1:], start=all_of[0]) for all_of in zip(*parts, strict=True))
                total[i] = total[i] + c - D * qd[i]
                armature.append(rotors[i] + dt * D)
            found = code(q, qd, total, np.array(armature, dtype=object))
            velocity = qd + dt * found
        return found

    return StepLaw((pack_program(code.program), forces), accelerations)


def _onward(law: JointForce, v: Number, found: Number) -> Number:
    return law.onward(v, found) if isinstance(law, KinkedForce) else found


def _safe(law: JointForce, q: Number, qd: Number, v: Number, found: Number, dt: Number) -> tuple[Number, Number]:
    return law.safe(q, qd, v, found, dt) if isinstance(law, KinkedForce) else law.tangent(q, qd, found, dt)


def _with_armatures(robot: Robot, forces: Forces) -> Function:
    """Return forward dynamics without damping: q, qd, tau, and armatures of the joints along which forces act."""
    joints = tuple(replace(joint, damping=0.0) for joint in robot.joints)
    undamped = replace(robot, joints=joints)
    names = [f"{joint.name}.armature" for joint in joints if any(forces[robot.v_slices[joint.name]])]
    with naming_idle_joints(undamped, undamped.joint_names):
        graph = dynamics_graph(undamped, parameters=names)
        return compile_graph(graph.given("q", "qd", "tau", "parameter"), "qdd")


def _positions(robot: Robot, q: np.ndarray) -> list[Number]:
    """Return the position along each velocity coordinate; zero where a joint has several, along which it has none."""
    return [
        q[robot.q_slices[joint.name].start] if joint.type.nq == 1 else 0.0
        for joint in robot.joints
        for _ in range(joint.type.nv)
    ]
