"""Tasks that are planned anew at every step, from states that are measured with noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.model.robot.kinematics import frame_pose
from screwgraph.motion.planning import Phase, Plan, Planner, Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Sphere
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.costs import Acceleration, Effort, Posture, Speed, Time
from screwgraph.motion.planning.goals import Direction, Point, Position, Velocity
from screwgraph.motion.planning.limits import AccelerationLimit, EffortLimit, PositionLimit, VelocityLimit
from screwgraph.motion.planning.obstacles import Avoid
from tests.motion.planning.collection.draws import on_its_feet

FOLDER = Path(__file__).parent
SUBSTEPS = 10
Q, GOAL = np.array([0.1, 0.2, 0.3]), np.array([0.8, -0.4, 0.5])
MOBILE = """
bodies:
  - {link: platform, joint: base, type: planar, axis: z, mass: 15, inertia: [1, 1, 1]}
  - {link: upper, parent: platform, joint: shoulder, axis: z, at: [0.2, 0, 0.3], mass: 2, com: [0.2, 0, 0],
     inertia: [0.01, 0.03, 0.03]}
  - {link: lower, parent: upper, joint: elbow, axis: z, at: [0.4, 0, 0], mass: 1, com: [0.2, 0, 0],
     inertia: [0.01, 0.03, 0.03]}
frames:
  - {frame: hand, link: lower, at: [0.4, 0, 0]}
"""
DOUBLE_POLE = """
bodies:
  - {link: cart, joint: x, type: prismatic, axis: x, mass: 1.0}
  - {link: one, parent: cart, joint: first, axis: y, mass: 0.2, com: [0, 0, 0.25], inertia: [0.004, 0.004, 0.0001]}
  - {link: two, parent: one, joint: second, axis: y, at: [0, 0, 0.5], mass: 0.1, com: [0, 0, 0.2],
     inertia: [0.0014, 0.0014, 0.0001]}
"""
DAMPED = """
bodies:
  - {link: upper, joint: shoulder, axis: z, mass: 2, com: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03], damping: 2}
  - {link: lower, parent: upper, joint: elbow, axis: z, at: [0.4, 0, 0], mass: 1, com: [0.2, 0, 0],
     inertia: [0.01, 0.03, 0.03], damping: 1}
"""
FLOATING = """
gravity: [0, 0, 0]
bodies:
  - {link: sat, joint: body, type: planar, axis: z, mass: 5, inertia: [1, 1, 0.5]}
  - {link: one, parent: sat, joint: j1, axis: z, at: [0.2, 0, 0], mass: 1, com: [0.2, 0, 0],
     inertia: [0.01, 0.02, 0.02]}
  - {link: two, parent: one, joint: j2, axis: z, at: [0.4, 0, 0], mass: 1, com: [0.2, 0, 0],
     inertia: [0.01, 0.02, 0.02]}
"""


def to(robot: Any, start: Any, goal: Any, seconds: float = 1.0, steps: int = 10, **fields: Any) -> Task:
    """From rest at a position to rest at another one, near which the robot is kept."""
    goals, costs = (Position(goal), Velocity()), (Effort(1e-3), Speed(1.0))
    if goal is not None:
        weight = dict.fromkeys(goal, 10.0) if isinstance(goal, dict) else 10.0
        costs = (*costs, Posture(weight, goal))
    fields = {"goals": goals, "costs": costs, **fields}
    return Task(robot, horizon(steps, duration=seconds), start, **fields)


def arm(**fields: Any) -> Task:
    return to(sg.load("rrr"), Q, GOAL, **fields)


def beside_a_ball(margin: float) -> Task:
    """The tip of an arm starts 5 mm from a ball, less the margin, and has to move past it."""
    robot = sg.load("rrr")
    tip = robot.frame(robot.links[-1].name)
    here, there = (frame_pose(robot, tip, x)[:3, 3] for x in (Q, GOAL))
    ahead = (there - here) / np.linalg.norm(there - here)
    aside = np.cross(robot.joints[0].type.axis, ahead)  # pyright: ignore[reportAttributeAccessIssue]
    centre = here + (0.5 * ahead + np.sqrt(0.75) * aside) * (0.06 + margin + 0.005)
    ball = Avoid((Sphere(tuple(centre.tolist()), 0.05),), (BodySphere(tip.name, radius=0.01),), margin=margin)
    return arm(obstacles=(ball,))


def floating(goal: Any, **fields: Any) -> Task:
    """Noise adds momenta, which nothing takes away: only joints are brought to rest."""
    goals, weights = (Position(goal), Velocity({"j1": 0.0, "j2": 0.0})), {"j1": 1.0, "j2": 1.0}
    fields = {"goals": goals, "costs": (Effort(1e-3), Speed(weights), Posture(weights, goal)), **fields}
    return to(sg.load(FLOATING), {"j1": 0.4}, goal, actuated=("j1", "j2"), **fields)


def upright_cart_pole() -> Task:
    limits = (EffortLimit(20.0), PositionLimit({"x": 0.3}))
    return to(sg.load("cart_pole"), {"x": 0.28, "theta": 3.1}, [0.0, np.pi], actuated=("x",), limits=limits)


def hop() -> Task:
    phases = tuple(Phase(6, d, name) for name, d in {"push": 0.2, "flight": 0.32, "land": 0.2}.items())
    robot = sg.load(str(FOLDER / "hopper.yaml"))
    q = np.array([0.0, 0.5, -1.0])
    q[0] = -frame_pose(robot, robot.frame("foot"), q)[2, 3]
    goals = (Position(q), Velocity())
    costs, contacts = (Effort(1e-3), Speed(1.0), Posture(10.0, q)), (PointContact("foot", phases=["push", "land"]),)
    return Task(robot, phases, q, goals=goals, costs=costs, contacts=contacts, actuated=("hip", "knee"))


def five_bar(**fields: Any) -> Task:
    robot = sg.load("five_bar")
    middle = robot.neutral()[[0, 1]]
    start, goal = (
        robot.complete(middle),
        dict(zip(robot.independent_joints, middle + np.array([0.2, -0.1]), strict=True)),
    )
    return to(robot, start, goal, actuated=robot.independent_joints, **fields)


def upright_double_pole() -> Task:
    limits = (EffortLimit(30.0), PositionLimit({"x": 0.5}))
    return to(sg.load(DOUBLE_POLE), [0.1, 0.05, -0.05], np.zeros(3), 1.0, 20, actuated=("x",), limits=limits)


def upright_tool() -> Task:
    """A Panda's hand points down all the way."""
    robot, q = sg.load("panda"), np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
    goal = {"panda_joint1": 0.5}
    direction = Direction("panda_hand", (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), "always")
    return to(robot, q, goal, goals=(Position(goal), direction, Velocity()), limits=(EffortLimit(), VelocityLimit()))


OWN: dict[str, Callable[[], Task]] = {
    "arm": arm,
    "arm at a position limit": lambda: arm(limits=(PositionLimit({"joint1": (0.1, 0.9)}), EffortLimit(60.0))),
    "arm at a velocity limit": lambda: arm(limits=(VelocityLimit(0.9), EffortLimit(60.0)), collocation="trapezoidal"),
    "arm at an acceleration limit": lambda: arm(limits=(AccelerationLimit(5.0),), collocation="linear_acceleration"),
    "arm beside a ball": lambda: beside_a_ball(0.0),
    "arm at the margin of a ball": lambda: beside_a_ball(0.02),
    "arm, condensed": lambda: arm(dynamics="condensed", collocation="euler", limits=(EffortLimit(60.0),)),
    "arm, all links": lambda: arm(dynamics="graph", limits=(PositionLimit(0.81),)),
    "arm in free time": lambda: replace(
        arm(limits=(EffortLimit(60.0), PositionLimit({"joint2": (-0.45, 0.25)}))),
        phases=(Phase(10, 1.0, shortest=0.3, longest=2.0),), costs=(Effort(1e-2), Time(10.0)),
    ),
    "arm that keeps an angle": lambda: arm(goals=(Position({"joint3": 0.3}, "always"), Velocity())),
    "puma560 within its limits": lambda: to(sg.load("puma560"), np.full(6, 0.1), np.full(6, 0.6),
        limits=(PositionLimit(), EffortLimit(), VelocityLimit(1.0))),
    "iiwa14, kinematic, to a point": lambda: to(sg.load("iiwa14"), np.full(7, 0.3), None, dynamics=False,
        goals=(Point("iiwa_link_7", (0.5, 0.2, 0.6)), Velocity()), costs=(Acceleration(),), limits=(VelocityLimit(),)),
    "cart-pole at the end of its rail": upright_cart_pole,
    "acrobot, upright": lambda: to(sg.load("acrobot"), [np.pi - 0.1, 0.1], [np.pi, 0.0], actuated=("elbow",),
        limits=(EffortLimit(20.0),)),
    "mobile arm": lambda: to(sg.load(MOBILE), np.zeros(5), [0.3, 0.5, 0.2, 0.4, -0.3],
        limits=(VelocityLimit(1.2), EffortLimit(200.0))),
    "mobile base, kinematic": lambda: to(sg.load(MOBILE), np.zeros(5), None, dynamics=False, costs=(Acceleration(),),
        goals=(Point("hand", (1.2, 0.5, 0.3)), Velocity()), limits=(VelocityLimit(0.9),)),
    "floating arm": lambda: floating({"j1": 1.0, "j2": 0.3}),
    "floating arm within limits": lambda: floating({"j1": 1.0, "j2": 0.3},
        limits=(PositionLimit({"j1": (0.4, 1.1)}), EffortLimit(5.0))),
    "a1 on its feet": lambda: on_its_feet(sg.load("a1", base="floating"), np.random.default_rng(1)),
    "hopper": hop,
    "five-bar linkage": lambda: five_bar(limits=(EffortLimit(),)),
    "double pole, upright": upright_double_pole,
    "panda, its tool downwards": upright_tool,
    "damped arm of 3 N m": lambda: to(sg.load(DAMPED), [0.0, 0.0], [0.6, -0.4], 2.0, 20, limits=(EffortLimit(3.0),)),
    "belt leg": lambda: to(sg.load("belt_leg"), sg.load("belt_leg").neutral(), {"hip": 0.4, "knee": 0.3, "ankle": 0.2},
        actuated=("hip_motor", "knee_motor", "ankle_motor"), limits=(PositionLimit(),)),
    "slider-crank mechanism": lambda: to(sg.load_mechanism("slider_crank"), {"theta": 0.5}, {"theta": 1.0}),
}  # fmt: skip


def carried_out(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    """Return the state after the first step of a plan: by forward dynamics, loops closed; planned where feet stand."""
    by, robot = plan.transcription.steps.per_step, plan.task.robot
    if not plan.task.dynamics or plan.task.contacts or not isinstance(robot, sg.Robot):
        return plan.q[by], plan.qd[by]
    h, move = plan.t[by] / SUBSTEPS, robot.manifold.retract
    accelerations = sg.forward_dynamics(robot)
    q, qd = plan.q[0], plan.qd[0]
    for i in range(SUBSTEPS):  # the midpoint rule
        tau = plan.at(h * (i + 0.5)).tau
        middle = move(q, 0.5 * h * qd), qd + 0.5 * h * accelerations(q, qd, tau)
        q, qd = move(q, h * middle[1]), qd + h * accelerations(*middle, tau)
    return (robot.close_loops(q) if robot.is_closed else q), qd


def controlled(task: Task, steps: int, noise: float, seed: int = 0) -> tuple[Planner, list[Plan]]:
    """Return the plans of a controller that measures positions with `noise`, and velocities with five times that."""
    planner, rng = Planner(task), np.random.default_rng(seed)
    plan = planner.solve()
    robot, plans = task.robot, []
    for _ in range(steps):
        q, qd = carried_out(plan)
        q = robot.manifold.retract(q, noise * rng.standard_normal(robot.nv))
        plan = planner.step(q=q, qd=qd + 5.0 * noise * rng.standard_normal(robot.nv))
        plans.append(plan)
    return planner, plans
