"""Fixed-lag smoothing in windows of several sizes: tied pendulums whose angles are measured, a linkage, an arm."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from screwgraph.motion.estimation.mechanism_noise import Noise
from screwgraph.motion.estimation.smoothing_simulation import WINDOWS
from screwgraph.motion.simulation import accelerations_under, dynamics_of, validate_torques
from screwgraph.optimize import FixedLag, Problem, Variables, Vector, each, soft
from screwgraph.spatial import concatenate, cos, sin

PENDULUMS = "tied pendulums"
STEP, NOISE = 0.01, 1e-2
"""Time between states (s), and the standard deviation of measured angles (rad)."""
DRIVEN = 1e-3
"""Standard deviation of a step's end from where the law leads (rad, rad/s)."""


def moved(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return a step's end less where two pendulums, tied by a spring, go from its beginning: midpoint rule."""
    middle = 0.5 * (x + y)
    a, b, w, v = middle
    pull = 4.0 * sin(a - b) * cos(a - b)
    return y - x - STEP * concatenate([w, v, -9.81 * sin(a) - pull, -9.81 * sin(b) + pull])


def seen(x: np.ndarray, *, z: np.ndarray) -> np.ndarray:
    """Return angles less what was measured."""
    return x[:2] - z


def pendulums(window: int) -> FixedLag:
    """Return a smoother of so many states of pendulums."""
    x, z = Variables("x", Vector(4), window), angles(np.arange(window))
    factors = [soft(moved, x[:-1], x[1:], sigma=DRIVEN), soft(seen, x, z=each(z), sigma=NOISE)]
    start = np.hstack([z, np.zeros((window, 2))])
    return FixedLag(Problem(factors), {"x": start}, prior={"x": 1.0}, tolerance=1e-6)


def model(name: str, window: int, dt: float = 1e-3) -> FixedLag:
    """Return a smoother of so many states of a robot or mechanism, by its laws alone, beginning as its file says."""
    dynamics = dynamics_of(sg.load(name))
    none, noise = validate_torques(dynamics, None), Noise(integration=1e-3)
    q, qd = dynamics.start(None, None)
    own = window, dt, "spanning", "trapezoidal", noise, True, none
    windows = WINDOWS[dynamics.model.kind](dynamics, *own, q)
    return windows.begun((q, qd, accelerations_under(dynamics, none)(0.0, q, qd)), dt * np.arange(window))[1]


def smoother(name: str, window: int) -> FixedLag:
    """Return the smoother of a subject."""
    return pendulums(window) if name == PENDULUMS else model(name, window)


def angles(k: np.ndarray) -> Float[np.ndarray, "k 2"]:
    """Return measured angles at steps."""
    t = STEP * np.asarray(k)
    noise = NOISE * np.sin(12.9898 * t[:, None] * [1e4, 1.7e4])
    return 0.4 * np.sin(np.outer(t, [2.9, 3.3])) + noise


def updates(name: str, lag: FixedLag, first: int, count: int) -> Float[np.ndarray, " count"]:
    """Return CPU seconds of updates: a window moves on by one step, and is solved."""
    found = np.empty(count)
    for i, z in enumerate(angles(np.arange(first, first + count))):
        began = process_time()
        lag.advance(parameters={"seen": {"z": z}} if name == PENDULUMS else None)
        lag.solve()
        found[i] = process_time() - began
    return found


def first_updates(name: str, window: int) -> tuple[float, float]:
    """Return seconds until a new process has solved its first two windows: with an empty cache, and with its own."""
    with tempfile.TemporaryDirectory() as folder:
        code = f"from benchmarks.windows import first; first({name!r}, {window})"
        given = os.environ | {"XDG_CACHE_HOME": folder}
        options: Any = {"cwd": Path(__file__).parent.parent, "capture_output": True, "text": True, "check": True}
        cold, kept = (
            float(subprocess.run([sys.executable, "-c", code], env=given, **options).stdout) for _ in range(2)
        )
    return cold, kept


def first(name: str, window: int) -> None:
    """Print the seconds that a first window and its first update take here."""
    began = perf_counter()
    lag = smoother(name, window)
    lag.solve()
    updates(name, lag, window, 1)
    print(perf_counter() - began)


def hours(window: int, steps: int) -> tuple[float, float]:
    """Return the median seconds of the first and the last thousand of so many updates of the pendulums."""
    lag, done = pendulums(window), window + 1050
    lag.solve()
    updates(PENDULUMS, lag, window, 50)
    early = updates(PENDULUMS, lag, window + 50, 1000)
    while done < steps - 1000:
        count = min(10_000, steps - 1000 - done)
        updates(PENDULUMS, lag, done, count)
        done += count
    return float(np.median(early)), float(np.median(updates(PENDULUMS, lag, done, 1000)))
