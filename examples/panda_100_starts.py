"""How often an arm finds a way: 100 random starts and goals of a Panda among obstacles, with times and reasons.

Starts and goals are drawn within the joint limits, clear of obstacles, floor and the arm itself. A way counts as found
if it is clear at 10x finer time and within the joint limits. The first try begins at the straight path in joint space;
where that fails, further tries begin at a way by a random position. Run `python examples/panda_100_starts.py [count]`.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from arm_among_obstacles import METHOD, finer
from rich.console import Console

from screwgraph.motion.planning import Plan, Planner, Task
from screwgraph.motion.planning.collision import Box, Capsule, HalfSpace, Sphere
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import PositionLimit
from screwgraph.motion.planning.obstacles import Avoid, AvoidItself
from screwgraph.motion.planning.task_files import read_task

TRIES = 8
SEED = 0
SLACK = 0.01
"""Overstepping of joint limits (rad) that a soft limit is allowed."""
SHAPES = (
    Sphere((0.6, 0.0, 0.35), 0.125),
    Sphere((0.35, -0.4, 0.8), 0.12),
    Box((-0.45, 0.45, 0.3), (0.2, 0.2, 0.6)),
    Capsule((0.3, 0.5, 0.0), (0.3, 0.5, 0.5), 0.06),
)

console = Console(highlight=False, markup=False)


def main(count: int) -> None:
    rng = np.random.default_rng(SEED)
    task, obstacles = read_task("plan7"), among(read_task("plan7"))
    robot = task.robot
    low, high = (np.array([getattr(j.limits, side) for j in robot.joints]) for side in ("lower", "upper"))
    planner = Planner(replace(task, goals=(), obstacles=(), limits=(PositionLimit(sigma=0.01, threshold=0.05),)))
    blocked = 0
    tries, seconds, failures = [], [], Counter[str]()
    for number in range(count):
        a, b = (drawn(rng, planner, obstacles, low, high) for _ in range(2))
        spent, reason = 0.0, ""
        blocked += any(
            min(o.clearances(planner.mechanics, q, 0.0))[0] < 0.0 for q in way(a, b, None)["q"] for o in obstacles
        )
        for attempt in range(TRIES):
            via = None if attempt == 0 else rng.uniform(low, high)
            planner.change(goals=ends(a, b), obstacles=obstacles, guess=way(a, b, via))
            if number == attempt == 0:
                planner.solve(**METHOD)  # code is made here
            began = perf_counter()
            plan = planner.solve(**METHOD)
            spent += perf_counter() - began
            reason = why_not(planner, plan, obstacles, low, high)
            if not reason:
                tries.append(attempt + 1)
                seconds.append(spent)
                break
        else:
            failures[reason] += 1
    console.print(f"straight paths that collide: {blocked} of {count}")
    report(count, np.array(tries), 1e3 * np.array(seconds), failures)


def among(task: Task) -> tuple[Avoid, Avoid, AvoidItself]:
    """Return obstacles: shapes for all spheres, a floor for all but the fixed shoulder, the arm itself."""
    spheres = next(o for o in task.obstacles if isinstance(o, Avoid)).spheres
    how: dict[str, Any] = {"sigma": 0.01, "threshold": 0.03, "between": 1}
    floor = Avoid((HalfSpace(),), spheres[1:], **how)
    return Avoid(SHAPES, spheres, **how), floor, AvoidItself(spheres, allowed=(("panda_link5", "panda_link7"),), **how)


def ends(a: np.ndarray, b: np.ndarray) -> tuple[Any, ...]:
    """Return goals: at rest at either end."""
    near = {"sigma": 1e-3}
    return Position(a, "start", **near), Velocity(0.0, "start", **near), Position(b, **near), Velocity(0.0, **near)


def drawn(rng: np.random.Generator, planner: Planner, obstacles: Any, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Draw a position that is clear by 2 cm."""
    while True:
        q = rng.uniform(low + 0.06, high - 0.06)
        if min(min(o.clearances(planner.mechanics, q, 0.0))[0] for o in obstacles) > 0.02:
            return q


def way(a: np.ndarray, b: np.ndarray, via: np.ndarray | None) -> dict[str, np.ndarray]:
    """Return positions and velocities, straight from a to b or smoothly by another position."""
    s = np.linspace(0.0, 1.0, 51)[:, None]
    q = (1.0 - s) * a + s * b
    if via is not None:
        q = q + np.sin(np.pi * s) ** 2 * (via - 0.5 * (a + b))
    return {"q": q, "qd": np.gradient(q, 2.0 / 50, axis=0)}


def why_not(planner: Planner, plan: Plan, obstacles: Any, low: np.ndarray, high: np.ndarray) -> str:
    """Return what is wrong with a way, nothing if it is clear and within limits."""
    path = finer(planner, plan)
    depth, link, what = min(min(o.clearances(planner.mechanics, q, 0.0)) for q in path for o in obstacles)
    if depth < 0.0:
        return f"{link} touches {what}"
    beyond = np.maximum(low - path, path - high).max(axis=0)
    if beyond.max() > SLACK:
        return f"{planner.task.robot.joint_names[int(beyond.argmax())]} beyond its limit"
    return ""


def report(count: int, tries: np.ndarray, times: np.ndarray, failures: Counter[str]) -> None:
    """Print shares, times and reasons."""
    for n in (1, 2, 4, TRIES):
        console.print(f"found within {n} tries: {int((tries <= n).sum())} of {count}")
    first = times[tries == 1]
    for label, t in (("found at once", first), ("all found", times)):
        if len(t):
            parts = " ".join(
                f"{name} {value:.1f}"
                for name, value in zip(("min", "median", "p90", "max"), np.percentile(t, (0, 50, 90, 100)), strict=True)
            )
            console.print(f"time (ms), {label}: {parts}")
    for reason, n in failures.most_common():
        console.print(f"not found, last try: {reason}: {n}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
