"""What scripts on Blanco-Claraco et al. (2021) share: the exact motion, errors, reference values, looks of pictures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from chignoli_2023_common import console, figure, save, table

import screwgraph as sg
from screwgraph import Trajectory
from screwgraph.mechanics.mechanism import Mechanism

__all__ = ["BLUE", "GREEN", "RED", "console", "exact", "figure", "millimetres", "reference", "rms", "save", "table"]

BLUE, RED, GREEN = "#0072B2", "#D55E00", "#009E73"
VALUES = Path(__file__).resolve().parents[1] / "tests" / "reference_values.json"
DT = 1e-3


def exact(mechanism: Mechanism, time: float, gravity: float = 9.81) -> Trajectory:
    """Return the motion under gravity alone to some 1e-10, by a method of order 8."""
    model = replace(mechanism, gravity=(0.0, -gravity))
    return sg.simulate(model, time=time, dt=DT, method="dop853", rtol=1e-12, atol=1e-12)


def rms(difference: np.ndarray) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(np.square(difference))))


def millimetres(a: Trajectory, b: Trajectory) -> float:
    """Return the RMSE of the points of two runs of the four-bar (mm): its coordinates but for the angle."""
    return 1e3 * rms(a.q[:, :4] - b.q[:, :4])


def reference(name: str) -> list[list[float]]:
    """Return independent reference values: rows of a table."""
    return json.loads(VALUES.read_text())[name]["rows"]
