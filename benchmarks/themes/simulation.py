"""Ten seconds of motion in steps of a millisecond: cost, violation and drift of energy together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.subjects import FOLDER
from benchmarks.tables import NOTHING, Sheet
from screwgraph.model.robot import Robot

NOTES = (
    "CPU time of 10 s at 1 kHz without input or damping, once code is made, the best of three; all states, energies, "
    "gaps and accelerations are kept. Of the Cassie leg the other leg is locked, and the heel's spring, which is not "
    "modelled.",
)
LENGTH, STEP = 10.0, 1e-3
METHODS = ("semi_implicit", "rk4")
GOAL = 1.0
"""Seconds that are asked for of a Cassie leg."""


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Simulate; `entries` are of no use here: these robots have loops of their own."""
    columns = ("robot (velocities, freedoms)", "method", "time, s", "a step, us", "drift, J", "energy, J", "gap")
    rows = []
    for robot in _robots():
        for method in METHODS:
            tools.say(f"simulation: {robot.name} by {method}")
            rows.append(_row(robot, method))
    return Sheet("Ten seconds at 1 kHz", (*columns, "asked", "reached"), rows, list(NOTES))


def _robots() -> list[Robot]:
    found = [sg.load(name, damping=False) for name in ("puma560", "five_bar", "stewart_gough", "belt_leg")]
    cassie = FOLDER.parent / "sdf" / "cassie_simple.sdf"
    return [*found, _cassie_leg(cassie)] if cassie.exists() else found


def _cassie_leg(path: Path) -> Robot:
    other = [name for name in sg.load(path).joint_names if name.startswith("right") or name == "static"]
    return sg.load(path, lock=[*other, "left-tarsus-spring-joint"], damping=False)


def _row(robot: Robot, method: str) -> list[str]:
    q, qd = _start(robot)
    sg.simulate(robot, q, qd, 10 * STEP, STEP, method)
    seconds, run = min((_timed(robot, q, qd, method) for _ in range(3)), key=lambda pair: pair[0])
    freedom = robot.mobility.freedom if robot.is_closed else robot.nv
    cells = [f"{robot.name} ({robot.nv}, {freedom})", method, f"{seconds:.2f}", f"{seconds / len(run.t) * 1e6:.1f}"]
    cells += [f"{run.energy_drift:.0e}", f"{np.abs(run.energy).max():.1f}", f"{run.violation.max():.0e}"]
    asked = robot.name.startswith("cassie")
    return [*cells, f"{GOAL:.1f} s" if asked else NOTHING, ("yes" if seconds <= GOAL else "no") if asked else NOTHING]


def _timed(robot: Robot, q: np.ndarray, qd: np.ndarray, method: str) -> tuple[float, Any]:
    begin = time.process_time()
    run = sg.simulate(robot, q, qd, LENGTH, STEP, method)
    return time.process_time() - begin, run


def _start(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    if not robot.is_closed:
        return robot.neutral(), 0.1 * rng.normal(size=robot.nv)
    q = robot.close_loops(robot.neutral())
    return q, robot.complete_velocity(q, 0.1 * rng.normal(size=robot.mobility.freedom))
