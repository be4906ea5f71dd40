"""Problems that are edited while they are solved: a Manhattan world beside GTSAM's iSAM2, and a plan of 5000 states."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

import numpy as np
from jaxtyping import Float

from benchmarks import manhattan
from benchmarks.bench import Entry, Tools
from benchmarks.tables import NOTHING, Sheet
from screwgraph.motion.planning.factors.priors import WhitenedTransition
from screwgraph.optimize import Incremental, Problem, Variables, Vector, each, soft, solve

COLUMNS = ("problem", "solver", "updates", "together, s", "median, ms", "99 %, ms", "worst, ms", "cost")
NOTES = (
    "One core, CPU time. Manhattan: a pose at a time, with its loop closures; both linearise anew beyond 0.1, in every "
    "update or in every tenth one, iSAM2's default; costs are those of GTSAM's graph. Plan: 7 joints, white noise on "
    "acceleration (GPMP2), one measured state and one goal changed in each update, ten states read; at the end it is "
    "compared with `solve`.",
)
POSES, SEEN = 10_000, 0.1
STATES, UPDATES = 5_000, 1_000


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Solve and time; the subjects play no part."""
    world = manhattan.manhattan(POSES, SEEN)
    name = f"Manhattan, {POSES} poses, {len(world.loops)} loops"
    rows, times = [], []
    for every, how in ((1, ""), (10, ", every tenth update")):
        tools.say(f"{name}{how}: GTSAM")
        theirs, poses, graph = manhattan.gtsams(world, every)
        rows.append([name, f"gtsam.ISAM2{how}", *_figures(theirs), f"{manhattan.cost_in_gtsam(graph, poses):.7g}"])
        tools.say(f"{name}{how}: screwgraph")
        mine, poses = manhattan.ours(world, every)
        rows.append([name, f"Incremental{how}", *_figures(mine), f"{manhattan.cost_in_gtsam(graph, poses):.7g}"])
        times.append(f"{theirs.sum() / mine.sum():.1f}")
    tools.say(f"plan of {STATES} states")
    updates, away = plan_updates(STATES, UPDATES)
    rows.append([f"plan, {STATES} states of 14", "Incremental", *_figures(updates), NOTHING])
    remarks = (
        f"iSAM2 takes {' and '.join(times)} times as long. The plan's states differ from `solve`'s by "
        f"{away:.1g} at most.",
    )
    return Sheet("Edited problems", COLUMNS, rows, (*NOTES, *remarks))


def plan_updates(states: int, updates: int) -> tuple[Float[np.ndarray, " U"], float]:
    """Return the CPU seconds of edits of a plan, and how far it ends from what `solve` finds."""
    joints = Vector(7)
    q, v = Variables("q", joints, count=states), Variables("v", joints, count=states)
    now, still = states // 4, np.zeros(7)
    postures = np.linspace(still, np.ones(7), len(range(0, states, 100)))
    factors = [
        soft(WhitenedTransition(joints, 2), q[:-1], v[:-1], q[1:], v[1:], h=0.02, name="prior"),
        soft(away_from, q[0], z=still, sigma=1e-3, name="start"),
        soft(away_from, v[[0, states - 1]], z=still, sigma=1e-3, name="rest"),
        soft(away_from, q[states - 1], z=np.ones(7), sigma=1e-3, name="goal"),
        soft(away_from, q[now], z=0.2 * np.ones(7), sigma=1e-2, name="seen"),
        soft(away_from, q[::100], z=each(postures), sigma=1.0, name="posture"),
    ]
    solver, seconds, soon = Incremental(Problem(factors)), [], q[now : now + 10]
    for k in range(updates):
        edits = {"goal": {"z": np.ones(7) + 1e-3 * k}, "seen": {"z": 0.2 * np.ones(7) + 1e-3 * k}}
        began = process_time()
        solver.update(changed=edits, wanted=soon)
        solver.value(soon)
        seconds.append(process_time() - began)
    whole = solve(solver.problem, solver.values)
    away = max(float(np.abs(whole.values[name] - solver.values[name]).max()) for name in "qv")
    return np.array(seconds), away


def away_from(x: np.ndarray, *, z: np.ndarray) -> np.ndarray:
    """Return what should be zero where x is z."""
    return x - z


def _figures(seconds: Float[np.ndarray, " U"]) -> list[str]:
    ms = 1e3 * seconds
    figures = (seconds.sum(), np.median(ms), np.quantile(ms, 0.99), ms.max())
    return [str(len(seconds)), *(f"{x:.3g}" for x in figures)]
