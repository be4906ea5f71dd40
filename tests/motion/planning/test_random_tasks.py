"""Random tasks of strangers' robots: solved, accurate once refined, and without accelerations that ring."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Plan, Planner, Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity
from tests.robots import robot_file

FAST = ("xarm7", "z1", "allegro_left_hand")
SLOW = (
    "TwoDofs", "a1", "b1-z1", "baxter", "double_pendulum", "finger_edu", "go1", "go2", "hyq_no_sensors", "kinova",
    "laikago", "panda", "romeo", "simple_humanoid", "so101", "solo12", "talos_left_arm", "ur10_robot", "ur5_robot",
)  # fmt: skip
ROBOTS = [*FAST, *(pytest.param(name, marks=pytest.mark.suite) for name in SLOW)]
SMALL = 0.02
"""Part of the largest acceleration of a joint below which its sign is noise."""


def task(name: str, seed: int = 0, steps: int = 40) -> Task:
    """From rest to rest in 2 s, between random positions within 0.4 rad of the neutral one, with little effort."""
    robot, rng = sg.load(robot_file(f"{name}.urdf")), np.random.default_rng(seed)
    ends = [robot.neutral() + rng.uniform(-0.4, 0.4, robot.nq) for _ in range(2)]
    start, goal = map(robot.close_loops, ends) if robot.is_closed else ends
    goals, costs = (Position(goal), Velocity(0.0)), (Effort(1.0),)
    return Task(robot, horizon(steps, duration=2.0), start=start, goals=goals, costs=costs)


def sign_changes(plan: Plan) -> np.ndarray:
    """Number of times that the acceleration of each joint changes its sign at ends of steps, small ones left out."""
    steps = plan.transcription.steps
    qdd = plan.values["qdd"][steps.sample_at(steps.per_step)]
    found = []
    for a in qdd.T:
        large = a[np.abs(a) > SMALL * np.abs(a).max()]
        found.append(int((np.diff(np.sign(large)) != 0).sum()))
    return np.array(found)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.sampled(3)
def test_random_tasks_are_solved_to_their_accuracy(name):
    plan = Planner(task(name)).solve(refine=True, iterations=1000, seconds=120.0)
    assert plan.solved, plan
    assert plan.error is not None
    assert plan.error <= plan.task.accuracy


@pytest.mark.parametrize("name", ["xarm7", "z1"])
@pytest.mark.sampled(2)
def test_accelerations_do_not_ring(name):
    """Beside ten times finer steps; the trapezoidal rule, which rings, shows that ringing would be seen."""
    coarse, fine, ringing = (
        Planner(replace(task(name, steps=n), collocation=rule, regularisation=np.inf)).solve()
        for n, rule in ((40, "radau"), (400, "radau"), (40, "trapezoidal"))
    )
    assert coarse.converged
    assert fine.converged
    count, expected = sign_changes(coarse).sum(), sign_changes(fine).sum()
    assert count <= expected + 2
    assert sign_changes(ringing).sum() > 4 * expected
