"""A plan of a robot with ball feet, looked at between its knots by MuJoCo's inverse dynamics and kinematics."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from quadruped_simulation import robot_model
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from screwgraph.motion.planning import Plan
from screwgraph.motion.planning.contacts import PointContact

PUSHES = 1e-3  # N


@dataclass
class Worst:
    """The largest of each at all times looked at; limits are kept where it is not positive."""

    at_knots: float = 0.0
    between: float = 0.0
    friction: float = -np.inf
    pulling: float = -np.inf
    penetration: float = -np.inf
    slip: float = 0.0
    angle: float = -np.inf
    effort: float = -np.inf

    def __str__(self) -> str:
        meant = {
            "at_knots": "missing in the equations of motion at knots / N, N m",
            "between": "missing in the equations of motion between knots / N, N m",
            "friction": "sideways force beyond the friction cone / N",
            "pulling": "pull of the ground / N",
            "penetration": "feet below the ground / m",
            "slip": "speed at which standing feet slip / (m/s)",
            "angle": "joint angles beyond their limits / rad",
            "effort": "torques beyond their limits / N m",
        }
        return "\n".join(f"{meant[f.name]:62s} {getattr(self, f.name):10.2g}" for f in fields(self))


def checked(plan: Plan, radius: float, friction: float, per: int = 10) -> Worst:
    """Return the worst of a plan of Euler's collocation at `per` times in each step.

    Within a step accelerations, forces and torques stay; angles go straight, and the trunk along its twist.
    """
    import mujoco

    robot, contacts = plan.transcription.task.robot, plan.transcription.task.contacts
    feet = [c.frame for c in contacts if isinstance(c, PointContact)]
    model = robot_model(robot, feet, radius, friction)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data, found = mujoco.MjData(model), Worst()
    places = [int(model.jnt_qposadr[model.joint(n).id]) for n in robot.joint_names[1:]]
    rates = [int(model.jnt_dofadr[model.joint(n).id]) for n in robot.joint_names[1:]]
    bodies = [model.body(robot.frame(foot).link).id for foot in feet]
    spheres = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE)
    balls = [next(int(g) for g in spheres if model.geom_bodyid[g] == body) for body in bodies]
    forces = _forces(plan)
    lower, upper, most = (
        np.array([getattr(robot.joint(n).limits, k) for n in robot.joint_names[1:]])
        for k in ("lower", "upper", "effort")
    )
    for k, h in enumerate(np.diff(plan.t)):
        qdd = (plan.qd[k + 1] - plan.qd[k]) / h
        normal, sideways = forces[k, :, 2], np.linalg.norm(forces[k, :, :2], axis=1)
        found.friction = max(found.friction, float((sideways - friction * normal).max()))
        found.pulling = max(found.pulling, float((0.0 - normal).max()))
        found.effort = max(found.effort, float((np.abs(plan.tau[k, 6:]) - most).max()))
        for i in range(per):
            R = _place(data, places, plan.q[k], i / per * h * plan.qd[k + 1])
            data.qvel[:6], data.qacc[:6] = _free(R, plan.qd[k, :6] + i / per * h * qdd[:6], qdd[:6])
            data.qvel[rates], data.qacc[rates] = plan.qd[k, 6:] + i / per * h * qdd[6:], qdd[6:]
            mujoco.mj_inverse(model, data)
            missing = data.qfrc_inverse.copy()
            missing[rates] -= plan.tau[k, 6:]
            motion = np.zeros(model.nv)
            motion[:6], motion[rates] = _free(R, plan.qd[k + 1, :6], qdd[:6])[0], plan.qd[k + 1, 6:]
            for foot, ball in enumerate(balls):
                J, centre = np.zeros((3, model.nv)), data.geom_xpos[ball]
                mujoco.mj_jac(model, data, J, None, centre - [0.0, 0.0, radius], model.geom_bodyid[ball])
                missing -= J.T @ forces[k, foot]
                found.penetration = max(found.penetration, radius - float(centre[2]))
                if normal[foot] > PUSHES:
                    found.slip = max(found.slip, float(np.abs(J @ motion)[:2].max()))
            off = float(np.abs(missing).max())
            found.at_knots = max(found.at_knots, off) if i == 0 else found.at_knots
            found.between = max(found.between, off)
            angles = data.qpos[places]
            found.angle = max(found.angle, float(np.maximum(angles - upper, lower - angles).max()))
    return found


def _place(data: Any, places: list[int], q: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Put the robot where a change along the trunk's twist and the joints leads from q; return the trunk's rotation."""
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0.0, -change[2], change[1]], [change[2], 0.0, -change[0]], [-change[1], change[0], 0.0]]
    twist[:3, 3] = change[3:6]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_quat(q[3:7]).as_matrix(), q[:3]
    T = T @ expm(twist)
    x, y, z, w = Rotation.from_matrix(T[:3, :3]).as_quat()
    data.qpos[:7] = [*T[:3, 3], w, x, y, z]
    data.qpos[places] = q[7:] + change[6:]
    return T[:3, :3]


def _free(R: np.ndarray, V: np.ndarray, V_rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return velocity and acceleration of a free joint, linear parts in the base first, of a twist and its rate."""
    linear = V_rate[3:] + np.cross(V[:3], V[3:])
    return np.concatenate([R @ V[3:], V[:3]]), np.concatenate([R @ linear, V_rate[:3]])


def _forces(plan: Plan) -> np.ndarray:
    """Return the feet's forces in the base (steps, feet, 3), zero where one swings."""
    contacts, steps = plan.transcription.task.contacts, plan.transcription.steps
    found = np.zeros((len(plan.t) - 1, len(contacts), 3))
    for i, contact in enumerate(contacts):
        (wrench,) = contact.wrenches(steps, f"contact {i + 1}")
        found[wrench.samples, i] = plan.values[wrench.unknowns.name]
    return found
