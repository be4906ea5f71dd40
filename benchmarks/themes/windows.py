"""Fixed-lag smoothing: time of an update by the size of the window, the first update, and three hours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.bench import Entry, Tools
from benchmarks.tables import NOTHING, Sheet
from benchmarks.windows import PENDULUMS, STEP, first_updates, hours, smoother, updates

COLUMNS = ("model", "unknowns a step", "steps", "update, us", "us a step", "first windows, s", "from the cache, s")
SUBJECTS = (PENDULUMS, "four_bar_angle", "panda")
WINDOWS = (5, 10, 20, 40, 60, 100)
WARM, COUNT, FIRST = 30, 200, 20
HOURS = 3.0
NOTES = (
    "One core. An update moves the window on by one step, with its prior, and solves it: CPU time, median of 200. Tied "
    "pendulums have measured angles; four_bar_angle (rows of loops, natural coordinates) and panda move by their laws, "
    "positions, velocities and accelerations unknown at each step, trapezoidal. First windows: wall time from the "
    "problem to the second solved window in a new process, with an empty cache and with what the first process left.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Smooth and time; the subjects of other tables play no part."""
    rows = []
    for name in SUBJECTS:
        for window in WINDOWS:
            tools.say(f"windows of {window} steps: {name}")
            rows.append(row(name, window))
    tools.say(f"{HOURS:g} hours of {PENDULUMS}")
    steps = int(3600 * HOURS / STEP)
    early, late = (1e6 * x for x in hours(20, steps))
    remark = (
        f"{HOURS:g} hours, {steps} updates of windows of 20: {early:.1f} us at the beginning, {late:.1f} us at the end."
    )
    return Sheet("Windows", COLUMNS, rows, (*NOTES, remark))


def row(name: str, window: int) -> list[str]:
    """Return the cells of one size."""
    lag = smoother(name, window)
    lag.solve()
    updates(name, lag, window, WARM)
    us = 1e6 * float(np.median(updates(name, lag, window + WARM, COUNT)))
    size = sum(v.manifold.dim for v in lag.problem.families if v.count > 1)
    cold, kept = (f"{x:.2f}" for x in first_updates(name, window)) if window == FIRST else (NOTHING, NOTHING)
    return [name, str(size), str(window), f"{us:.0f}", f"{us / window:.1f}", cold, kept]
