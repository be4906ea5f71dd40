"""Plans in files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.simulation import check_path, save_motion

FACTS = ("status", "cost", "violation", "error", "iterations", "seconds")


def save_plan(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write a plan as a table (.csv), or as arrays with status, cost, error, all unknowns and the robot (.npz).

    What is not feasible has another name: `plan.npz` becomes `plan.not_feasible.npz`. Of the two, only the one
    that was written last stays. Returns the path.

    Raises:
        InputError: another suffix, no such folder, or a path that cannot be written.
    """
    check_path(path)
    target = Path(path)
    replaced = target.with_suffix(f".not_feasible{target.suffix}")
    if not plan.feasible:
        target, replaced = replaced, target
    facts = {name: np.nan if (fact := getattr(plan, name)) is None else fact for name in FACTS}
    unknowns = {f"unknowns/{name}": value for name, value in plan.values.items()}
    save_motion(target, plan.trajectory, {}, (), **facts, **unknowns)
    replaced.unlink(missing_ok=True)
    return target
