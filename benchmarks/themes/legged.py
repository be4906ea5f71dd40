"""A quadruped on stairs: the fixed-lag smoother beside GTSAM's estimators, on GTSAM's data with the same factors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import quadruped, staircase, staircase_factors
from benchmarks.bench import Entry, Tools
from benchmarks.staircase import Walk
from benchmarks.tables import NOTHING, Sheet
from screwgraph.motion.estimation.legged import LeggedNoise

COLUMNS = (
    "estimator", "lag, s", "update, us", "99 %, us", "readings between, us", "end: x, y, z, m", "path, m",
    "from GTSAM's, mm", "from its factors solved, mm", "from all factors solved, mm",
)  # fmt: skip
THEIRS = {
    "fixed_lag_single_bias": "gtsam.LeggedFixedLagSmoother",
    "fixed_lag_combined_bias": "gtsam.LeggedCombinedFixedLagSmoother",
    "invariant_ekf": "gtsam.LeggedInvariantEKF",
}
WALKING = LeggedNoise(bias_walk=[1e-4] * 3 + [5e-3] * 3)
"""Those of GTSAM's example."""
WINDOWS, UPDATES = (2, 4, 8), 200
NOTES = (
    "One core, CPU time; medians of updates at contact events, each with some nine inertial measurements before it. "
    "Positions are those after contact events. All begin where GTSAM's estimators do. Distances are the largest along "
    "the way: from GTSAM's smoother; from its factors with Gauss-Newton steps until estimates stay, what is tied to "
    "what left the lag linearised at first estimates; and from all factors up to each event, by "
    "Levenberg-Marquardt of GTSAM's with a tolerance of 1e-13.",
)


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Walk and time; the subjects play no part."""
    tools.say("staircase: GTSAM's factors, solved")
    solved = staircase_factors.positions(staircase_factors.FirstEstimates(1.0))
    whole = staircase_factors.batch_fixed_lag(1e9, staircase_factors.levenberg_marquardt())
    everything = staircase_factors.positions(whole)
    staircase.ours()
    walks: list[tuple[str, str, Walk]] = []
    for kind, name in THEIRS.items():
        tools.say(f"staircase: {name}")
        walks.append((name, NOTHING if kind == "invariant_ekf" else "1", staircase.theirs(kind)))
    for threshold in (1e-3, 0.0):
        tools.say(f"staircase: LeggedSmoother, threshold {threshold:g}")
        walks.append((f"LeggedSmoother, threshold {threshold:g}", "1", staircase.ours(threshold=threshold)))
    tools.say("staircase: LeggedSmoother, walking biases")
    staircase.ours(noise=WALKING)
    walks.append(("LeggedSmoother, walking biases", "1", staircase.ours(noise=WALKING)))
    first = walks[0][2].positions
    rows = [[name, lag, *_figures(w, [first, solved, everything])] for name, lag, w in walks]
    quicker = np.median(walks[0][2].updates) / np.median(walks[3][2].updates)
    remark = f"An update of gtsam.LeggedFixedLagSmoother takes {quicker:.1f} times as long as one of LeggedSmoother."
    combined = np.median(walks[1][2].updates) / np.median(walks[-1][2].updates)
    remark += f" With walking biases, gtsam.LeggedCombinedFixedLagSmoother takes {combined:.1f} times as long."
    tools.say("A1, all joints")
    whole_robot = [f"{1e3 * np.median(quadruped.updates(w, UPDATES)):.2f} ms in windows of {w}" for w in WINDOWS]
    joints = f"A1 with all joints, dynamics, forces on four feet, biases: an update takes {', '.join(whole_robot)}."
    return Sheet("Legged robot on stairs", COLUMNS, rows, (*NOTES, remark, joints))


def _figures(walk: Walk, others: Sequence[np.ndarray]) -> list[str]:
    us = 1e6 * walk.updates
    end = ", ".join(f"{x:.3f}" for x in walk.positions[-1])
    away = [f"{1e3 * np.linalg.norm(walk.positions - other, axis=1).max():.2f}" for other in others]
    between = f"{1e6 * np.median(walk.predictions):.0f}"
    return [f"{np.median(us):.0f}", f"{np.quantile(us, 0.99):.0f}", between, end, f"{walk.length:.2f}", *away]
