"""A plan of a robot with ball feet, executed in MuJoCo in open loop."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.motion.planning import Plan

STEP = 5e-4  # s
STIFFNESS, DAMPING = 60.0, 1.5  # N m / rad, N m s / rad, of the joints' servos


@dataclass(frozen=True, eq=False)
class Motion:
    """What MuJoCo did at times `t`: positions in the order of the robot's, those planned, torques."""

    t: np.ndarray
    q: np.ndarray
    planned: np.ndarray
    tau: np.ndarray


def executed(plan: Plan, feet: tuple[str, ...], radius: float, friction: float) -> Motion:
    """Return the motion when joint servos follow the plan's angles, with its torques; the trunk is not measured."""
    import mujoco

    robot = plan.transcription.task.robot
    model = robot_model(robot, feet, radius, friction)
    data = mujoco.MjData(model)
    places = [int(model.jnt_qposadr[model.joint(n).id]) for n in robot.joint_names[1:]]
    rates = [int(model.jnt_dofadr[model.joint(n).id]) for n in robot.joint_names[1:]]
    data.qpos[:7] = plan.q[0, [0, 1, 2, 6, 3, 4, 5]]
    data.qpos[places] = plan.q[0, 7:]
    count = round(plan.t[-1] / STEP)
    q, wanted, tau = (np.zeros((count, n)) for n in (robot.nq, robot.nq, robot.nv - 6))
    for i in range(count):
        t = i * STEP
        wanted[i] = [np.interp(t, plan.t, column) for column in plan.q.T]
        k = min(int(np.searchsorted(plan.t, t, side="right")) - 1, len(plan.t) - 2)
        rate = (plan.q[k + 1, 7:] - plan.q[k, 7:]) / (plan.t[k + 1] - plan.t[k])
        tau[i] = plan.tau[k, 6:] + STIFFNESS * (wanted[i, 7:] - data.qpos[places]) + DAMPING * (rate - data.qvel[rates])
        data.qfrc_applied[rates] = tau[i]
        q[i] = [*data.qpos[:3], *data.qpos[[4, 5, 6, 3]], *data.qpos[places]]
        mujoco.mj_step(model, data)
    return Motion(STEP * np.arange(count), q, wanted, tau)


def robot_model(robot: sg.Robot, feet: Sequence[str], radius: float, friction: float) -> Any:
    """Return MuJoCo's model of the robot's URDF, with a free joint, balls at its feet, and a floor."""
    import mujoco

    with TemporaryDirectory() as folder:
        file = Path(folder) / "robot.urdf"
        sg.save(robot, file)
        spec = mujoco.MjSpec.from_file(str(file))
    spec.option.timestep = STEP
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    spec.compiler.balanceinertia = False
    slide = [friction, 0.0, 0.0]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1], friction=slide, condim=3)
    for foot in feet:
        frame = robot.frame(foot)
        ball = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [radius, 0.0, 0.0], "friction": slide, "condim": 3}
        spec.body(frame.link).add_geom(pos=frame.T_lf[:3, 3], mass=0.0, **ball)
    return spec.compile()
