"""What people do first, in a fresh process: `python -m benchmarks.first_uses USE` prints what it takes as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module

HUMANOIDS = ("simple_humanoid", "talos_reduced")
ASKED = ("inverse", "forward", "mass_matrix", "inverse_mass_matrix", "inverse_derivatives", "forward_derivatives")
CHAINS = (50, 100, 200)
SMOOTHING = ("numpy", "screwgraph.motion.estimation.legged", "screwgraph.motion.simulate", "screwgraph.optimize")
PLANS = {"panda": 2.0, "panda100": 2.0, "cp2": 2.0, "cp2lim12": 2.0, "acro": 2.0, "plan7": 2.0, "a1_trot": 6.0}
"""Built-in tasks, with the CPU seconds that they may take."""


@dataclass(frozen=True)
class Use:
    """What is done, and the CPU seconds that it may take.

    `cold` is for an empty cache and the whole process; `cached` for what a first process left, after these `imports`.
    """

    do: Callable[[], object]
    cold: float | None
    cached: float | None = None
    imports: tuple[str, ...] = ()


def main(arguments: list[str]) -> None:
    """Print CPU seconds of the process, of what it does after imports, both of all threads, and those of the clock."""
    (name,) = arguments
    start = time.perf_counter()
    for module in USES[name].imports:
        import_module(module)
    imported = time.process_time()
    USES[name].do()
    cpu = time.process_time()
    print(json.dumps({"cpu": cpu, "own": cpu - imported, "clock": time.perf_counter() - start}))


def imported() -> None:
    """Import the package, and NumPy."""
    import screwgraph as sg

    _ = sg.Robot


def dynamics(robot: str, question: str) -> None:
    """Load a robot, make functions, call them once."""
    from benchmarks.subjects import chosen

    _asked(chosen([robot])[0][1], question)


def chain(count: int, question: str) -> None:
    """Do so with a serial chain; kinematics are the pose of its tip."""
    from benchmarks.chains import serial

    _asked(serial(count), question)


def _asked(robot: object, question: str) -> None:
    import screwgraph as sg
    from screwgraph.ui.bench import QUESTIONS, random_states

    assert isinstance(robot, sg.Robot)
    states = random_states(robot, 1)
    kinematics = {"pose": sg.forward_kinematics, "frame_jacobian": sg.frame_jacobian}
    if question in kinematics:
        functions = (kinematics[question](robot, robot.links[-1].name),)
    else:
        functions = next(q for q in QUESTIONS if q.name == question).functions(robot)
    for f in functions:
        f(*(a[0] for a in states.arguments(f)))


def plan(task: str) -> None:
    """Plan a built-in task."""
    import screwgraph as sg

    sg.plan(task)


def smoother(kind: str) -> None:
    """Begin a smoother, and update it once."""
    import numpy as np

    import screwgraph as sg

    if kind == "legged":
        from screwgraph.motion.estimation.legged import LeggedNoise, LeggedSmoother

        lag = LeggedSmoother(["left", "right"], noise=LeggedNoise(slip=6.0), covariance=1e-6, lag=1.0)
        for _ in range(10):
            lag.predict([0.0, 0.0, 0.0], [0.0, 0.0, 9.81], dt=0.01)
        lag.update({"left": np.array([0.0, 0.1, -0.5]), "right": np.array([0.0, -0.1, -0.5])})
    elif kind == "iiwa14":
        sg.simulate(sg.load(kind), time=0.011, dt=1e-3, method="smoother")
    else:
        sg.simulate(sg.load_mechanism(kind), time=0.011, dt=1e-3, method="smoother")


USES: Mapping[str, Use] = {
    "import": Use(imported, 0.3),
    **{
        f"{robot} {question}": Use(partial(dynamics, robot, question), 3.0 if "derivatives" in question else 2.0)
        for question in ASKED
        for robot in HUMANOIDS
    },
    **{f"plan {task}": Use(partial(plan, task), seconds) for task, seconds in PLANS.items()},
    **{
        f"smoother {kind}": Use(partial(smoother, kind), 3.0, 0.2, SMOOTHING)
        for kind in ("legged", "iiwa14", "four_bar", "slider_crank")
    },
    **{
        f"chain {count} {question}": Use(partial(chain, count, question), 10.0 if count == CHAINS[-1] else None)
        for question in (*ASKED, "pose", "frame_jacobian")
        for count in CHAINS
    },
}


if __name__ == "__main__":
    main(sys.argv[1:])
