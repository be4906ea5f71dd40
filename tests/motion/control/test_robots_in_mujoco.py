"""Robots of many files in MuJoCo at 1 kHz, by the recipes of docs/howto: they stand, squat, are pushed, step, walk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.api.interop import mujoco_model, mujoco_states
from screwgraph.motion.control import (
    CenterOfMassTask,
    ControlLimits,
    FrameTask,
    Gait,
    PostureTask,
    Sole,
    Walk,
    stack_contacts,
    stack_gains,
    stack_weights,
)
from tests.motion.control.predictive.test_walking_loops import mini_cheetah
from tests.robots import robot_file
from tests.suites import in_suites

G, DT = 9.81, 0.02
SQUAT, PUSH, BEGIN = (0.2, 1.2), (1.7, 1.8), 2.5
"""Times (s) of a squat, of a push, of the first step."""


def limits_of(robot: sg.Robot) -> ControlLimits:
    """Return limits without the ranges of rotors, which files give as if they were joints."""
    return ControlLimits(position=not robot.is_closed)


class Plant:
    """A robot in MuJoCo on its contacts, and the joints whose efforts are commands."""

    def __init__(self, robot: sg.Robot, contacts, q) -> None:
        self.robot, self.model = robot, mujoco_model(robot, contacts=contacts)
        self.data, self.states = mujoco.MjData(self.model), mujoco_states(robot, self.model)
        self.data.qpos[:] = self.states.q_out(q)
        driven = robot.independent_joints if robot.is_closed else robot.joint_names
        self.joints = [name for name in robot.joint_names[1:] if name in driven]
        self.places = [robot.v_slices[name].start for name in self.joints]

    @property
    def state(self):
        q = self.states.q_back(self.data.qpos)
        return q, self.states.qd_back(q, self.data.qvel)

    def step(self, tau, count: int = 1) -> None:
        for _ in range(count):
            full = np.zeros(self.robot.nv)
            full[self.places] = tau
            self.data.qfrc_applied[:] = self.states.tau_out(self.states.q_back(self.data.qpos), full)
            mujoco.mj_step(self.model, self.data)


@dataclass(frozen=True)
class Humanoid:
    """A robot on two soles, of a length and a width (m), those of the controller smaller by a margin."""

    file: str
    frames: tuple[str, str]
    size: tuple[float, float]
    at: tuple[float, float, float]
    margin: tuple[float, float]
    trunk: str
    push: float
    bent: Mapping[str, float]
    steps: bool = True

    @cached_property
    def robot(self) -> sg.Robot:
        return sg.load(robot_file(self.file), base="floating")

    def soles(self, margin=(0.0, 0.0)) -> list[Sole]:
        length, width = np.subtract(self.size, margin).tolist()
        return [Sole(frame, length, width, at=self.at, friction=0.7) for frame in self.frames]

    def corners(self, q) -> np.ndarray:
        """Return the corners of both feet (2, corners, 3)."""
        poses = sg.forward_kinematics(self.robot, list(self.frames))(q)
        return np.array(
            [[(T @ [*c.at, 1.0])[:3] for c in sole.corners] for T, sole in zip(poses, self.soles(), strict=True)]
        )

    def start(self) -> np.ndarray:
        robot, q = self.robot, self.robot.neutral()
        for name in robot.joint_names[1:]:
            for part, angle in self.bent.items():
                if part in name:
                    q[robot.q_slices[name].start] = angle
        if robot.is_closed:
            q = robot.close_loops(q, [name for name in robot.joint_names if name in robot.independent_joints])
        q[2] -= self.corners(q)[..., 2].min()
        return q


TALOS = Humanoid(
    "talos_reduced.urdf", ("left_sole_link", "right_sole_link"), (0.2, 0.12), (0.0, 0.0, 0.0), (0.02, 0.02),
    "torso_2_link", 150.0, {
        "leg_left_3": -0.4, "leg_right_3": -0.4, "leg_left_4": 0.8, "leg_right_4": 0.8, "leg_left_5": -0.4,
        "leg_right_5": -0.4, "arm_left_2": 0.3, "arm_right_2": -0.3, "arm_left_4": -0.6, "arm_right_4": -0.6,
    },
)  # fmt: skip
ALEXANDER = Humanoid(
    "alexander_v1.lowerBodyOnly.urdf", ("LEFT_FOOT", "RIGHT_FOOT"), (0.2, 0.09), (0.02, 0.0, -0.06),
    (0.02, 0.01), "PELVIS_LINK", 60.0, {"HIP_Y": -0.4, "KNEE_Y": 0.8, "ANKLE_Y": -0.4},
)  # fmt: skip
ROMEO = Humanoid(
    "romeo.urdf", ("l_sole", "r_sole"), (0.2, 0.09), (0.02, 0.0, 0.0), (0.02, 0.01), "torso", 60.0,
    {"HipPitch": -0.4, "KneePitch": 0.8, "AnklePitch": -0.4},
)  # fmt: skip
MIT = Humanoid(
    "mit_humanoid.urdf", ("left_ankle_link", "right_ankle_link"), (0.15, 0.0), (0.02, 0.0, -0.04),
    (0.02, 0.0), "Floating Base", 30.0, {"hipy": -0.4, "knee_link": 0.8, "to_ankle": -0.4}, False,
)  # fmt: skip


def lead_center(t, on, middles, height, depth):
    """Return the centre of mass that carries the weight over what stands (3, times, 3), with its two rates."""
    carrying = on @ middles / on.sum(1)[:, None]
    bell = np.hanning(81) / np.hanning(81).sum()
    carrying = np.stack([np.convolve(np.pad(x, 40, mode="edge"), bell, "valid") for x in carrying.T], axis=1)
    w = 2.0 * np.pi * np.fft.rfftfreq(len(t), 1e-3)[:, None]
    path, goal = np.fft.rfft(carrying, axis=0) / (1.0 + w**2 * height / G), np.zeros((3, len(t), 3))
    goal[..., :2] = [np.fft.irfft((1j * w) ** k * path, axis=0) for k in range(3)]
    squat, w = (t >= SQUAT[0]) & (t < SQUAT[1]), 2.0 * np.pi
    a = 0.5 * depth * squat
    s, c = np.sin(w * (t - SQUAT[0])), np.cos(w * (t - SQUAT[0]))
    goal[0, :, 2] = height - a * (1.0 - c)
    goal[1:, :, 2] = -a * w * s, -a * w * w * c
    return goal


@pytest.mark.suite
@pytest.mark.parametrize("own", [TALOS, ALEXANDER, ROMEO, MIT], ids=lambda own: own.file.removesuffix(".urdf"))
def test_humanoids_squat_are_pushed_and_step(own):
    robot, q0, soles = own.robot, own.start(), own.soles(own.margin)
    plant = Plant(robot, own.soles(), q0)
    tasks = [
        CenterOfMassTask(stiffness=100.0),
        FrameTask(own.trunk, of="orientation", stiffness=200.0),
        *(FrameTask(sole.frame, stiffness=400.0) for sole in soles),
        PostureTask(tuple(plant.joints), stiffness=50.0, weight=1e-3),
    ]
    control = sg.controller(robot, tasks, contacts=soles, limits=limits_of(robot))
    center, places = sg.center_of_mass(robot), sg.forward_kinematics(robot, list(own.frames))
    gait, lift_by = Gait(period=0.8, duty=0.6, offsets=(0.0, 0.5), lift=0.04), 0.04
    t = 1e-3 * np.arange(6600 if own.steps else 2500)
    stepping = (t >= BEGIN) & (t < BEGIN + 4.0 * gait.period)
    on = gait.stands(t - BEGIN) | ~stepping[:, None]
    swing = np.sin(np.pi * (gait.phase(t - BEGIN) - gait.duty) / (1.0 - gait.duty)) ** 2
    lift = [np.where(on, 0.0, lift_by * swing)]
    lift += [np.gradient(lift[0], 1e-3, axis=0)]
    lift = np.stack([*lift, np.gradient(lift[1], 1e-3, axis=0)])
    goal = lead_center(t, on, own.corners(q0).mean(axis=1)[:, :2], center(q0)[2], 0.05)
    upright, stand = sg.forward_kinematics(robot, own.trunk)(q0)[:3, :3], places(q0)
    posture = q0[[robot.q_slices[name].start for name in plant.joints]]
    active, log, body = np.zeros(control.arguments[-1].shape), [], plant.model.body(own.trunk).id
    for k in range(len(t)):
        (q, qd), wanted, rates = plant.state, stand.copy(), np.zeros((2, 2, 6))
        wanted[:, 2, 3] += lift[0, k]
        rates[:, :, 5] = lift[1:, k].T
        feet = [x for pose, rate in zip(wanted, rates, strict=True) for x in (pose, rate)]
        tau, _, _, _, active, solution = control(
            q, qd, goal[0, k], goal[1:, k], upright, np.zeros((2, 3)), *feet, posture,
            np.zeros((2, len(posture))), stack_gains(tasks),
            np.column_stack([on[k], stack_contacts(soles)[:, 1]]), active,
        )  # fmt: skip
        plant.data.xfrc_applied[body, 1] = own.push if PUSH[0] <= t[k] < PUSH[1] else 0.0
        plant.step(tau)
        log.append((center(q) - goal[0, k], solution[0], own.corners(q)[..., 2].min(axis=1) if k % 10 == 0 else None))
    errors = np.abs([row[0] for row in log])
    assert errors[1000:].max() < 0.012  # m; centres of mass begin up to 5 cm beside the middle of the feet
    assert errors[-1].max() < 2e-3
    assert np.mean([row[1] > 0.0 for row in log]) < 2e-3
    if own.steps:
        heights = np.array([row[2] for row in log[::10]])
        np.testing.assert_allclose(heights.max(axis=0), lift_by, atol=3e-3)
        moved = own.corners(plant.state[0]) - own.corners(q0)
        assert np.abs(moved[..., :2]).max() < 5e-3


def quadruped(name):
    """Return a robot that stands, its feet, and the places of its independent joints in q and qd."""
    if name == "mini cheetah":
        return mini_cheetah()
    file, feet, radius, bent = QUADRUPEDS[name]
    robot = sg.load(robot_file(file), base="floating")
    q = robot.neutral()
    for joint in robot.joint_names[1:]:
        for part, angle in bent.items():
            if all(word in joint for word in part.split()):
                q[robot.q_slices[joint].start] = angle
    q[2] = radius - sg.forward_kinematics(robot, feet)(q)[:, 2, 3].min()
    contacts = [sg.Contact(foot, radius=radius, friction=0.6) for foot in feet]
    return robot, q, contacts, np.arange(robot.nq), np.arange(robot.nv)


FEET = [f"{leg}_foot" for leg in ("FR", "FL", "RR", "RL")]
QUADRUPEDS = {
    "Go2": ("go2.urdf", FEET, 0.022, {"thigh": 0.8, "calf": -1.6}),
    "B1": ("b1.urdf", FEET, 0.03, {"thigh": 0.8, "calf": -1.6}),
    "Solo12": ("solo12.urdf", [f"{leg}_FOOT" for leg in ("FR", "FL", "HR", "HL")], 0.0175, {"HFE": 0.8, "KFE": -1.6}),
    "ANYmal": (
        "anymal.urdf", [f"{leg}_FOOT" for leg in ("RF", "LF", "RH", "LH")], 0.03,
        {"F_HFE": 0.7, "F_KFE": -1.3, "H_HFE": -0.7, "H_KFE": 1.3},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [in_suites(name) for name in (*QUADRUPEDS, "mini cheetah")])
def test_quadrupeds_squat_and_are_pushed(name):
    """Down by a fifth of their height twice a second; then by 60 N sideways, of an A1's weight, for 0.1 s."""
    robot, q0, feet, *_ = quadruped(name)
    plant, trunk = Plant(robot, [replace(foot, friction=0.8) for foot in feet], q0), robot.joints[0].child
    tasks = [FrameTask(trunk, stiffness=200.0), PostureTask(tuple(plant.joints), stiffness=25.0, weight=1e-4)]
    control = sg.controller(robot, tasks, contacts=feet, limits=limits_of(robot))
    home, depth, w = sg.forward_kinematics(robot, trunk)(q0), 0.1 * q0[2], 2.0 * np.pi
    posture = q0[[robot.q_slices[joint].start for joint in plant.joints]]
    active, log, body = np.zeros(control.arguments[-1].shape), [], plant.model.body(trunk).id
    for k in range(2000):
        (q, qd), goal, rates, t = plant.state, home.copy(), np.zeros((2, 6)), 1e-3 * k
        goal[2, 3] -= depth * (1.0 - np.cos(w * t))
        rates[:, 5] = -depth * w * np.sin(w * t), -depth * w * w * np.cos(w * t)
        tau, _, _, active, solution = control(
            q, qd, goal, rates, posture, np.zeros((2, len(posture))), stack_gains(tasks), stack_contacts(feet), active
        )
        plant.data.xfrc_applied[body, 1] = 60.0 / 13.74 * robot.mass if 1000 <= k < 1100 else 0.0
        plant.step(tau)
        log.append((q[2] - q0[2] - goal[2, 3] + home[2, 3], q[1] - q0[1], solution[0]))
    height, side, status = np.abs(np.array(log)).T
    assert height[200:].max() < 0.006
    assert side.max() < 0.025
    assert side[-1] < 0.005
    assert not status[200:].any()


@pytest.mark.parametrize("name", [in_suites(name) for name in (*QUADRUPEDS, "mini cheetah")])
def test_quadrupeds_walk_and_turn(name):
    """With weights of an A1: 0.3 m/s forwards from 0.5 s on, and turning by 0.6 rad/s from 2.5 s on."""
    robot, q0, feet, at, along = quadruped(name)
    control, plant = sg.mpc(robot, dt=DT, horizon=20, contacts=feet), Plant(robot, feet, q0)
    weights = stack_weights(
        robot,
        position=[40.0] * 3 + [50.0, 50.0, 2000.0] + [20.0] * 12,
        velocity=[0.4] * 6 + [0.05] * 12,
        force=1e-4,
        acceleration=1e-6,
    )
    walk = Walk(robot, feet, Gait(period=0.5, duty=0.6, lift=0.05), q0[at])
    previous, log = np.zeros(control.arguments[-1].shape), []
    for k in range(225):
        (q, qd), t = plant.state, DT * k
        wish = (0.3 * min(1.0, max(0.0, t - 0.5)), 0.0, 0.6 if t > 2.5 else 0.0)
        plan = walk.references(control, DT, t, q[at], qd[along], velocity=wish)
        tau, *_, previous, _ = control(
            q[at], qd[along], plan.references, weights, plan.contacts, float(k > 0), previous
        )
        plant.step(tau, 20)
        log.append((*q[:7], walk.feet.find_places(q[at])[:, 2].max() - float(feet[0].radius)))
    found = np.array(log)
    assert np.abs(found[:, 2] - q0[2]).max() < 5e-3
    assert abs(found[125, 0] - 0.45) < 0.06
    assert 2.0 * np.arctan2(found[-1, 5], found[-1, 6]) == pytest.approx(1.2, abs=0.1)
    assert found[:, 7].max() > 0.04
