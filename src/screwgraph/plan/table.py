"""Plans in files."""

from __future__ import annotations

import os
from pathlib import Path

from screwgraph.formats import described
from screwgraph.models.mechanism import to_texts
from screwgraph.plan.coordinates import MechanismCoordinates
from screwgraph.plan.plan import Plan
from screwgraph.simulation import check_path, robot_columns, save_table

ARRAYS = ("t", "q", "qd", "qdd", "tau")
FACTS = ("status", "cost", "violation", "iterations", "seconds")


def save_plan(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write a plan as a table (.csv) or as arrays with status, cost, violation, all unknowns and the robot (.npz).

    What is not feasible is told apart by its name: `plan.npz` becomes `plan.not_feasible.npz`. Returns the path.

    Raises:
        InputError: another suffix, no such folder, or a path that cannot be written.
    """
    check_path(path)
    target, robot = Path(path), plan.task.robot
    if not plan.feasible:
        target = target.with_suffix(f".not_feasible{target.suffix}")
    facts = {name: getattr(plan, name) for name in FACTS}
    unknowns = {f"unknowns/{name}": value for name, value in plan.values.items()}
    arrays = {name: getattr(plan, name) for name in ARRAYS}
    if isinstance(robot, MechanismCoordinates):
        names = [f"{kind}:{name}" for kind in ARRAYS[1:] for name in robot.joint_names]
        model = to_texts(robot.mechanism)
    else:
        names, model = robot_columns(robot), {"robot": described(robot)}
    save_table(target, ("t", *names), arrays, **facts, **unknowns, **model)
    return target
