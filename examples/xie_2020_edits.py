"""Plans with dynamics, limits and contacts that are edited: times, costs, violations, and what `solve` finds instead.

Xie et al. (2020), VIII, leave incremental solutions to future work; STEAP (Mukadam et al., 2019) has them without
dynamics. Run: python examples/xie_2020_edits.py [--few].
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np

import screwgraph as sg
from screwgraph.motion.planning import Phase, Replanner, horizon, read_task
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.costs import Acceleration, Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, PositionLimit, VelocityLimit
from screwgraph.optimize import Tolerances, each, solve
from screwgraph.optimize.incremental.edited_problem import SOLVED

MANY, FEW = 60, 8
TIGHT = Tolerances(violation=1e-11, dual=1e-13, step=1e-15)
"""A barrier that ends at 1e-14: its solutions are the optimum to that, divided by multipliers, which may be 1e-5."""
WARM = 10
"""Edits before the first that is measured: code that is quickly made answers them, while fast code is made."""
CHECKED = 10
"""Of so many edits, one is compared with a search."""
ARMS = {
    "iiwa14": ([0.0, 0.923, 0.0, -1.651, 0.0, 0.567, 0.0], [0.4, 0.3, 0.2, -1.0, 0.1, 0.3, 0.2], 1.0),
    "panda": ([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785], [0.6, 0.1, 0.3, -1.9, 0.2, 2.0, 1.2], 0.7),
}
"""Start, goal (rad) and duration (s)."""
LIMITS = (PositionLimit(), VelocityLimit(), EffortLimit())


@dataclass(frozen=True)
class Case:
    """A task, and edits of it: what is called with the replanner and a generator of random numbers."""

    name: str
    task: sg.Task
    edit: Callable[[Replanner, np.random.Generator], Any]


def cases() -> Iterator[Case]:
    """Yield arms with and without limits, one that presses on a table, and a quadruped whose foothold is moved."""
    for name, limits in (("iiwa14", ()), ("panda", ()), ("panda", LIMITS)):
        start, goal, duration = ARMS[name]
        task = sg.Task(
            sg.load(name),
            horizon(20, duration=duration if limits else 1.0),
            start=np.array(start),
            goals=(Position(np.array(goal)), Velocity(0.0)),
            costs=(Effort(0.5),),
            limits=limits,
        )
        what = "with limits" if limits else "without limits"
        yield Case(f"{name}, 20 steps, {what}: goal", task, move_goal(np.array(goal)))
        yield Case(f"{name}, 20 steps, {what}: measured", task, measure_state)
    task = press_table()
    yield Case("panda presses, 20 steps, limits: place", task, move_place(np.array(task.contacts[0].at)))  # pyright: ignore[reportAttributeAccessIssue]
    yield Case("panda presses, 20 steps, limits: measured", task, measure_state)
    yield Case("a1 trots, 55 steps, contacts: foothold", read_task("a1_trot"), move_foothold)


def press_table() -> sg.Task:
    """Return a task: a Panda's tool of 0.2 m comes down onto a table within 0.5 s, and presses there for as long.

    The force (N) is an unknown within its friction cone: the arm rests on the table as far as that spares torque.
    """
    robot, start = sg.load("panda"), np.array(ARMS["panda"][0])
    hand, tool = robot.links[-1].name, (0.0, 0.0, 0.2)
    pose = np.asarray(sg.forward_kinematics(robot, hand)(start))
    place = pose[:3, 3] + pose[:3, :3] @ np.array(tool) + [0.05, 0.1, -0.1]
    contact = PointContact(hand, ["press"], friction=0.5, points=[tool], ground=place[2], at=place)
    return sg.Task(
        robot,
        (Phase(10, 0.5, "reach"), Phase(10, 0.5, "press")),
        start=start,
        goals=(Velocity(0.0),),
        costs=(Effort(0.5), Acceleration(0.1)),
        contacts=(contact,),
        limits=LIMITS,
    )


def move_place(place: np.ndarray) -> Callable[[Replanner, np.random.Generator], Any]:
    """Return an edit: the place on the table moves by 5 mm."""
    return lambda plan, rng: plan.set("contact 1", at=place + 0.005 * rng.standard_normal(3) * [1.0, 1.0, 0.0])


def move_goal(goal: np.ndarray) -> Callable[[Replanner, np.random.Generator], Any]:
    """Return an edit: the goal moves by 0.02 rad a joint."""
    return lambda plan, rng: plan.set("goal 1: position", at=goal + 0.02 * rng.standard_normal(len(goal)))


def measure_state(plan: Replanner, rng: np.random.Generator) -> Any:
    """Measure a state beside the plan: by some mrad, at one of the first points."""
    point = int(rng.integers(2, 20))
    q, qd = plan.state(point)
    return plan.measure(point, q + 0.002 * rng.standard_normal(len(q)), qd)


def move_foothold(plan: Replanner, rng: np.random.Generator) -> Any:
    """Move the place where a foot is set down, by 5 mm."""
    name = "contact 2: foothold"
    at = plan.transcription.problem[name].each["at"]
    return plan.set(name, at=each(at + 0.005 * rng.standard_normal(3) * [1.0, 1.0, 0.0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", action="store_true", help=f"{FEW} edits of each kind")
    many = FEW if parser.parse_args().few else MANY
    print(f"{many} edits of each kind, CPU time; q: largest difference from a search with a barrier of 1e-14 (rad, m)")
    titles = (
        "plan, edit",
        "median, ms",
        "worst, ms",
        "steps",
        "searches",
        "cost",
        "violation",
        "of q",
        "of cost",
        "search, ms",
    )
    print(("{:42}" + "{:>11}" * 9).format(*titles))
    for case in cases():
        print(f"{case.name:42}" + "".join(f"{text:>11}" for text in measure(case, many)), flush=True)


def measure(case: Case, many: int) -> Iterator[str]:
    """Yield the figures of a case."""
    plan, rng = Replanner(case.task), np.random.default_rng(0)
    for _ in range(WARM):  # code is made
        case.edit(plan, rng)
    seconds, steps, searches, away, costs, searching = [], [], 0, [0.0], [0.0], []
    for k in range(many):
        before = plan.plan.result
        began = thread_time()
        done = case.edit(plan, rng)
        seconds.append(thread_time() - began)
        steps.append(done.iterations)
        searches += done.reason != SOLVED
        if k % CHECKED == 0:
            found = plan.plan.result
            began = thread_time()
            whole = solve(found.problem, before, tolerances=TIGHT)
            searching.append(thread_time() - began)
            away.append(float(np.abs(whole.values["q"] - found.values["q"]).max()))
            costs.append(abs(whole.cost - found.cost) / found.cost)
    yield f"{1e3 * np.median(seconds):.2f}"
    yield f"{1e3 * max(seconds):.2f}"
    yield f"{np.mean(steps):.1f}"
    yield str(searches)
    yield f"{plan.plan.cost:.6g}"
    yield f"{plan.plan.violation:.1e}"
    yield f"{max(away):.1e}"
    yield f"{max(costs):.1e}"
    yield f"{1e3 * np.median(searching):.1f}"


if __name__ == "__main__":
    main()
