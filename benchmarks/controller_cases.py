"""Controllers on the bench, and what they are given tick by tick along a motion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from benchmarks.subjects import FOLDER
from screwgraph.motion.control import (
    BallBarrier,
    CenterOfMassTask,
    ControlLimits,
    FrameTask,
    LinkCapsule,
    PlaneBarrier,
    PostureTask,
    Sole,
    stack_barriers,
    stack_contacts,
    stack_gains,
)
from screwgraph.motion.control.controller import WholeBody, hold_contacts
from screwgraph.ui.bench import NotMeasuredError

TICKS = 2000
FEET = tuple(f"{side}_foot" for side in ("FR", "FL", "RR", "RL"))
SOLES = ("left_ankle_roll_link", "right_ankle_roll_link")
PYRAMIDS = ControlLimits()
Tick = Mapping[str, Any]
"""Arguments by name; references without rates stand still."""


@dataclass(frozen=True, eq=False)
class Case:
    """A controller, and what it is given, tick by tick, but for the last solution."""

    body: WholeBody
    function: sg.Function
    given: Float[np.ndarray, "ticks n"]

    def name_arguments(self) -> dict[str, Any]:
        """Return arguments of all ticks by name."""
        ends = np.cumsum([len(a.names) for a in self.body.given])
        pieces = np.split(self.given, ends[:-1], axis=1)
        return {a.name: x.reshape(len(x), *a.shape) for a, x in zip(self.body.given, pieces, strict=True)}


def make_case(
    robot: sg.Robot,
    tasks: Any,
    ticks: Iterable[Tick],
    contacts: Any = (),
    limits: ControlLimits = PYRAMIDS,
    barriers: Sequence[Any] = (),
) -> Case:
    """Return the case of ticks; `on` of a tick says which contacts are."""
    function = sg.controller(robot, tasks, contacts=contacts, limits=limits, barriers=barriers)
    held, plane = hold_contacts(robot, contacts, None)
    own = WholeBody(robot, tasks, held, plane, limits, tuple(barriers))
    fixed = {"gains": stack_gains(tasks), "barriers": stack_barriers(barriers)}
    given = []
    for tick in ticks:
        named = {**fixed, **tick}
        if contacts:
            named["contacts"] = np.column_stack([tick["on"], stack_contacts(contacts)[:, 1]])
        given.append(np.concatenate([np.ravel(named.get(a.name, np.zeros(a.shape))) for a in own.given]))
    return Case(own, function, np.array(given))


def panda() -> Case:
    """Return the arm's."""
    robot, tasks = sg.load("panda"), (FrameTask("panda_hand_tcp", stiffness=400.0), PostureTask(weight=1e-3))
    pose, q0 = sg.forward_kinematics(robot, "panda_hand_tcp"), np.array([0.0, -0.4, 0.0, -2.2, 0.0, 1.9, 0.8])

    def tick(t: float) -> Tick:
        q = q0 + 0.3 * np.sin(7.0 * t + np.arange(7))
        goal = _move(pose(q), 0.1, t)
        return {"q": q, "qd": 0.5 * np.cos(7.0 * t + np.arange(7)), "panda_hand_tcp_pose": goal, "posture": q0}

    return make_case(robot, tasks, _list_ticks(tick))


def ur5() -> Case:
    """Return that of an arm whose wrist and forearm avoid a ball that swings through, and the table.

    Raises:
        NotMeasuredError: its file is not there.
    """
    robot, tasks = _load("benchmark/ur5.urdf"), (FrameTask("tool0", stiffness=400.0), PostureTask(weight=1e-3))
    pose, q0 = sg.forward_kinematics(robot, "tool0"), np.array([0.0, -1.2, 1.6, -2.0, -1.6, 0.0])
    wrist = LinkCapsule("tool0", 0.06, end=(0.0, 0.0, -0.1))
    forearm = LinkCapsule("forearm_link", 0.08, end=(0.0, 0.0, 0.39))
    barriers = (
        BallBarrier(wrist, 0.1, margin=0.01),
        BallBarrier(forearm, 0.1, margin=0.01),
        PlaneBarrier(wrist, sg.Plane(height=0.02)),
    )

    def tick(t: float) -> Tick:
        q = q0 + 0.3 * np.sin(7.0 * t + np.arange(6))
        goal = _move(pose(q), 0.1, t)
        ball = pose(q0)[:3, 3] + [0.0, 0.5 * np.sin(5.0 * t), -0.1]
        named = {"q": q, "qd": 0.5 * np.cos(7.0 * t + np.arange(6)), "tool0_pose": goal, "posture": q0}
        return named | {"ball": ball, "ball_rates": [[0.0, 2.5 * np.cos(5.0 * t), 0.0], [0.0] * 3]}

    return make_case(robot, tasks, _list_ticks(tick), barriers=barriers)


def a1(limits: ControlLimits = PYRAMIDS) -> Case:
    """Return the quadruped's, whose feet switch as in a trot."""
    robot, tasks = sg.load("a1", base="floating"), (FrameTask("trunk", stiffness=200.0), PostureTask(weight=1e-4))
    contacts = tuple(sg.Contact(foot, radius=0.02, friction=0.7) for foot in FEET)
    pose, q0 = sg.forward_kinematics(robot, "trunk"), sg.neutral(robot)
    q0[2], q0[7:] = 0.27, np.tile([0.0, 0.9, -1.8], 4)

    def tick(t: float) -> Tick:
        q = q0.copy()
        q[2], q[7:] = q0[2] + 0.02 * np.sin(7.0 * t), q0[7:] + 0.1 * np.sin(7.0 * t + np.arange(12))
        first = np.sin(20.0 * t)
        on = np.array([first < 0.5, first > -0.5, first > -0.5, first < 0.5], dtype=float)
        qd = 0.3 * np.cos(7.0 * t + np.arange(18))
        return {"q": q, "qd": qd, "trunk_pose": _move(pose(q), 0.05, t), "posture": q0[7:], "on": on}

    return make_case(robot, tasks, _list_ticks(tick), contacts, limits)


def g1() -> Case:
    """Return the humanoid's on soles, which switch as in a walk: centre of mass, torso, feet and posture.

    Raises:
        NotMeasuredError: its file is not there.
    """
    robot = _load("urdf/g1_29dof_rev_1_0.urdf", base="floating")
    soles = tuple(Sole(frame, 0.17, 0.05, at=(0.035, 0.0, -0.035), friction=0.7) for frame in SOLES)
    tasks = (
        CenterOfMassTask(stiffness=100.0),
        FrameTask("torso_link", of="orientation", stiffness=200.0),
        *(FrameTask(frame, stiffness=400.0) for frame in SOLES),
        PostureTask(stiffness=50.0, weight=1e-3),
    )
    places, center, q0 = sg.forward_kinematics(robot, list(SOLES)), sg.center_of_mass(robot), sg.neutral(robot)
    bent = {"hip_pitch": -0.3, "knee": 0.6, "ankle_pitch": -0.3, "shoulder_pitch": 0.2, "elbow": 0.6}
    for name, angle in bent.items():
        for side in ("left", "right"):
            q0[robot.q_slices[f"{side}_{name}_joint"]] = angle
    feet = places(q0)

    def tick(t: float) -> Tick:
        q, first = q0.copy(), np.sin(20.0 * t)
        q[7:] = q0[7:] + 0.05 * np.sin(7.0 * t + np.arange(29))
        named = {"q": q, "qd": 0.1 * np.cos(7.0 * t + np.arange(35)), "on": [first < 0.5, first > -0.5]}
        named |= {"center_of_mass": center(q) + 0.02 * np.sin(11.0 * t + np.arange(3)), "posture": q0[7:]}
        named |= {f"{frame}_pose": feet[i] for i, frame in enumerate(SOLES)}
        return named | {"torso_link_orientation": np.eye(3)}

    return make_case(robot, tasks, _list_ticks(tick), soles)


def _load(name: str, **options: Any) -> sg.Robot:
    path = FOLDER.parent / name
    if not path.exists():
        raise NotMeasuredError(f"{path.name} is not there")
    return sg.load(path, **options)


def _list_ticks(tick: Callable[[float], Tick]) -> Iterable[Tick]:
    return map(tick, np.linspace(0.0, 2.0 * np.pi, TICKS))


def _move(pose: Any, by: float, t: float) -> Any:
    """Return a pose whose place goes around another's."""
    goal = np.array(pose)
    goal[:3, 3] += by * np.sin(11.0 * t + np.arange(3))
    return goal
