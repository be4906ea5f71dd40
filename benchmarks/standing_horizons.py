"""Horizons of robots that stand and are pushed, by one call: a humanoid on soles, and legs with closed loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

import screwgraph as sg
from benchmarks.subjects import FOLDER
from screwgraph.compiler import Function
from screwgraph.motion.control import Sole, stack_references, stack_schedule, stack_weights

PLACE, FILES = FOLDER.parents[1], FOLDER.parent
BENT = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3, "shoulder_pitch": 0.2, "elbow": 0.6}
BLOW = 0.1
"""Velocity (m/s) of the base forwards and sideways, with which all begins."""
STEADY = [40.0] * 3 + [500.0, 500.0, 400.0], [10.0] * 3 + [100.0, 100.0, 10.0]
"""Weights of the base's position and velocity."""


@dataclass(frozen=True, eq=False)
class StandingHorizon:
    """A robot at a position q of all joints, on feet; `knots` stages of `h` (s), one linearisation a call."""

    name: str
    robot: sg.Robot
    q: np.ndarray
    feet: list[sg.Contact] | list[Sole]
    urdf: Path | None = None
    knots: int = 32
    h: float = 0.02
    barrier_steps: int = 1

    @cached_property
    def controller(self) -> Function:
        """Our predictive controller."""
        near, steps = self.q if self.robot.is_closed else None, self.barrier_steps
        return sg.mpc(self.robot, self.h, self.knots, contacts=self.feet, near=near, barrier_steps=steps)

    @cached_property
    def arguments(self) -> list[np.ndarray]:
        """What it is given but for the last solution."""
        robot, own = self.robot, set(self.robot.independent_joints)
        joints = [name for name in robot.joint_names if name in own]
        at = [i for name in joints for i in range(robot.nq)[robot.q_slices[name]]]
        n = sum(len(range(robot.nv)[robot.v_slices[name]]) for name in joints)
        goal, qd = self.q[at], np.zeros(n)
        qd[3:5] = BLOW
        place, speed = ([*base, *[w] * (n - 6)] for base, w in zip(STEADY, (2.0, 0.4), strict=True))
        weights = stack_weights(robot, position=place, velocity=speed, force=1e-4, acceleration=1e-6)
        given = (goal, qd, stack_references(self.controller, goal), weights, stack_schedule(self.controller, self.feet))
        return [np.asarray(x, dtype=float) for x in (*given, 0.0)]


def list_standing() -> Iterator[StandingHorizon]:
    """Yield the robots whose files are known."""
    path = FILES / "urdf" / "g1_29dof_rev_1_0.urdf"
    if path.exists():
        robot = sg.load(path, base="floating")
        names = [f"{side}_ankle_roll_link" for side in ("left", "right")]
        q = robot.neutral()
        for joint, angle in BENT.items():
            for side in ("left", "right"):
                q[robot.q_slices[f"{side}_{joint}_joint"]] = angle
        q[2] -= sg.forward_kinematics(robot, names[0])(q)[2, 3] - 0.035
        yield StandingHorizon(
            "g1", robot, q, [Sole(x, 0.17, 0.05, at=(0.035, 0.0, -0.035), friction=0.7) for x in names], path
        )
    path = FILES / "closed_chain" / "mini_cheetah.urdf"
    if path.exists():
        robot, legs = sg.load(path, base="floating"), ("FR", "FL", "HR", "HL")
        q = robot.neutral()
        for leg in legs:
            q[robot.q_slices[f"{leg}_abad_to_hip_j"]], q[robot.q_slices[f"{leg}_hip_to_knee_j"]] = -0.8, 1.6
        q = robot.close_loops(q, robot.independent_joints)
        ends = [(np.asarray(sg.forward_kinematics(robot, f"{x}_knee_link")(q)) @ [0, 0, -0.18, 1])[2] for x in legs]
        q[2] -= min(ends) - 0.02
        feet = [sg.Contact(f"{x}_knee_link", 0.02, friction=0.6, at=(0.0, 0.0, -0.18)) for x in legs]
        yield StandingHorizon("mini cheetah, 12 rotors", robot, q, feet, path)
    path, posture = FILES / "sdf" / "cassie_v2.sdf", PLACE / "reference" / "contact" / "cassie_q0.npy"
    if path.exists() and posture.exists():
        robot = sg.load(path, base="floating")
        q, feet, heights = robot.close_loops(np.load(posture)), list[Sole](), list[float]()
        for frame in ("left-foot", "right-foot"):
            T = np.asarray(sg.forward_kinematics(robot, frame)(q))
            x, z, low = (_to_vector(way) for way in (T[0, :3], T[2, :3], -0.03 * T[2, :3]))
            feet.append(Sole(frame, 0.16, 0.0, low, x, z, friction=0.8))
            heights.append(T[2, 3] - 0.03)
        q[2] -= min(heights)
        yield StandingHorizon("cassie, closed loops", robot, q, feet)


def _to_vector(numbers: np.ndarray) -> tuple[float, float, float]:
    x, y, z = numbers.tolist()
    return x, y, z
