"""Planar mechanisms: fixed-lag smoothing beside exudyn, and inverse dynamics of trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import screwgraph as sg
from benchmarks.bench import Entry, Tools, best_of
from benchmarks.peers import exudyn
from benchmarks.tables import NOTHING, Remarks, Sheet, verdict
from screwgraph.ui.bench import NotMeasuredError

COLUMNS = (
    "problem",
    "method",
    "error",
    "violation",
    "iterations",
    "together, ms",
    "a step, us",
    "paper, us",
    "asked, us",
    "reached",
)
NOTES = (
    "One core, CPU time of one call of `sg.simulate` or `sg.inverse_dynamics`, best of several; code is made before. "
    "Motions: four-bar of Blanco-Claraco et al. (2021), 5 s, 1 ms a step; error: RMSE (mm) of both points against the "
    "exact motion. "
    "exudyn: the same trapezoidal rule on rigid bodies, time of its solver alone. Inverse dynamics: the paper's four "
    "stages, and the iterations of each; error: of the torques, relative to the largest, against linear algebra on the "
    "same motion; the first call with a mechanism also looks at its graph. Paper: as published, on a Core i7-8700.",
)
TIME, DT, ROUNDS = 5.0, 1e-3, 4
ASKED = {"four_bar": 100.0, "four_bar_angle": 0.3e6 / 2000, "parallel_robot": 1e3}
"""Microseconds that a step may take: of the smoother with two dependent states, and of inverse dynamics."""
WINDOWS = (("spanning", 2, 1400.0), ("independent", 2, 2800.0), ("spanning", 10, 3200.0))
CORNER = 2.5


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Simulate, follow trajectories, and time; the subjects play no part."""
    remarks, rows = Remarks(), []
    tools.say("four-bar in motion")
    rows += _motions(remarks)
    for name, trajectory, published in (
        ("four_bar_angle", _crank(2000), 5.3 / 2000),
        ("parallel_robot", _corner(1000), 15.9 / 1000),
    ):
        tools.say(f"inverse dynamics of {name}")
        rows.append(_inverse(name, trajectory, published))
    return Sheet("Planar mechanisms", COLUMNS, rows, (*NOTES, *remarks.notes()))


def _motions(remarks: Remarks) -> list[list[str]]:
    bar = sg.load_mechanism("four_bar_angle")
    options: dict[str, Any] = {"time": TIME, "dt": DT}
    exact = sg.simulate(bar, method="dop853", rtol=1e-12, atol=1e-12, **options).q[:, :4]

    def row(how: str, run: Any, seconds: float, published: float | None, asked: float | None = None) -> list[str]:
        error = f"{1e3 * np.sqrt(np.mean((run.q[:, :4] - exact) ** 2)):.2g} mm"
        return _row("four-bar", how, error, run.violation.max(), NOTHING, seconds, len(exact) - 1, published, asked)

    rows = []
    for coordinates, window, published in WINDOWS:
        smoothing: dict[str, Any] = {"method": "smoother", "coordinates": coordinates, "window": window}
        run, seconds = best_of(lambda smoothing=smoothing: sg.simulate(bar, **options, **smoothing), ROUNDS)
        asked = None if rows else ASKED["four_bar"]
        rows.append(row(f"smoother, {coordinates}, N_w = {window}", run, seconds, published, asked))
    hermite: dict[str, Any] = {"method": "smoother", "integrator": "hermite_simpson"}
    rows.append(
        row("smoother, Hermite-Simpson", *best_of(lambda: sg.simulate(bar, **options, **hermite), ROUNDS), None)
    )
    rows.append(row("rk4", *best_of(lambda: sg.simulate(bar, method="rk4", **options), ROUNDS), None))
    try:
        motion = min((exudyn.four_bar(bar, TIME, DT) for _ in range(ROUNDS)), key=lambda m: m.seconds)
    except NotMeasuredError as reason:
        rows.append(["four-bar", remarks.cell("exudyn", "four-bar", str(reason)), *[NOTHING] * (len(COLUMNS) - 3)])
        return rows
    error = f"{1e3 * np.sqrt(np.mean((motion.points[-len(exact) :] - exact) ** 2)):.2g} mm"
    rows.append(_row("four-bar", exudyn.version(), error, None, NOTHING, motion.seconds, len(exact) - 1))
    return rows


def _inverse(name: str, trajectory: dict[str, np.ndarray], published: float) -> list[str]:
    mechanism = sg.load_mechanism(name)
    solution, seconds = best_of(lambda: sg.inverse_trajectory(mechanism, trajectory), ROUNDS)
    run = solution.run
    torques = sg.inverse_dynamics(mechanism)(run.q, run.qd, run.qdd)
    error = f"{np.abs(solution.tau - torques).max() / np.abs(torques).max():.1g}"
    points = len(run.t)
    how = f"{points} points x {mechanism.n} coordinates"
    steps = " + ".join(str(stage.iterations) for stage in solution.stages)
    worst = run.violation.max()
    return _row(f"inverse, {name}", how, error, worst, steps, seconds, points, 1e6 * published, ASKED[name])


def _row(
    problem: str,
    how: str,
    error: str,
    violation: float | None,
    iterations: str,
    seconds: float,
    steps: int,
    published: float | None = None,
    asked: float | None = None,
) -> list[str]:
    each = 1e6 * seconds / steps
    size = NOTHING if violation is None else f"{violation:.1g}"
    times = [f"{1e3 * seconds:.3g}", f"{each:.3g}", NOTHING if published is None else f"{published:g}"]
    goal = [NOTHING, NOTHING] if asked is None else [f"{asked:g}", verdict(each <= asked)]
    return [problem, how, error, size, iterations, *times, *goal]


def _crank(count: int) -> dict[str, np.ndarray]:
    t = 4.0 / count * np.arange(count)
    return {"t": t, "theta": 1.2 * (1.0 - np.cos(2.0 * t))}


def _corner(count: int) -> dict[str, np.ndarray]:
    t = 2.0 * CORNER / count * np.arange(count)
    up, right = (np.clip(t / CORNER - leg, 0.0, 1.0) for leg in (0, 1))
    return {"t": t, "x:6": -0.5 + right**2 * (3 - 2 * right), "y:6": -5.0 + up**2 * (3 - 2 * up)}
