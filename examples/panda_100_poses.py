"""How often a plan with dynamics is found: 100 random starts and pose goals of a Panda, with times and reasons.

Starts, and positions whose poses are the goals, are drawn within the joint limits. The hand goes from rest to rest with
little torque, within the limits of positions, velocities and torques. Most of a second's failures are truly too far:
the reason tells the time that the slowest joint takes. Run `python examples/panda_100_poses.py [count] [seconds]`.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from time import perf_counter

import numpy as np
from rich.console import Console

from screwgraph.motion.planning import Phase, Planner, read_task
from screwgraph.motion.planning.goals import Pose, Velocity

SEED, MARGIN = 0, 0.06
FRAME = "panda_hand_tcp"
TOO_FAR = "takes joint"

console = Console(highlight=False, markup=False)


def main(count: int, duration: float) -> None:
    task = replace(read_task("panda"), guess="linear", phases=(Phase(50, duration),))
    low, high = (np.array([getattr(j.limits, side) for j in task.robot.joints]) for side in ("lower", "upper"))
    rng, planner = np.random.default_rng(SEED), Planner(task)
    planner.solve()  # code is made here
    seconds, failures = [], Counter[str]()
    for _ in range(count):
        start, there = (rng.uniform(low + MARGIN, high - MARGIN) for _ in range(2))
        planner.change(start=start, goals=(Pose(FRAME, of=there), Velocity()))
        began = perf_counter()
        plan = planner.solve()
        if plan.converged:
            seconds.append(perf_counter() - began)
        else:
            failures["too far for the time" if TOO_FAR in plan.reason else f"{plan.status}: {plan.reason}"] += 1
    console.print(f"solved: {len(seconds)} of {count} in {duration:g} s of motion")
    if seconds:
        parts = zip(("min", "median", "p90", "max"), np.percentile(seconds, (0, 50, 90, 100)), strict=True)
        console.print("time (ms): " + " ".join(f"{name} {1e3 * value:.0f}" for name, value in parts))
    for reason, n in failures.most_common():
        console.print(f"not solved: {reason}: {n}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, float(sys.argv[2]) if len(sys.argv) > 2 else 2.0)
