"""Plans in files."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.formats import described, write_atomically
from screwgraph.mechanism import to_texts
from screwgraph.plan.coordinates import MechanismCoordinates
from screwgraph.plan.plan import Plan

SUFFIXES = (".csv", ".npz")
ARRAYS = ("t", "q", "qd", "qdd", "tau")


def columns(plan: Plan) -> tuple[str, ...]:
    """Return names of a table's columns: t, q:joint[i], ..., tau:joint[i]; of mechanisms q:coordinate, ..."""
    robot = plan.task.robot
    if isinstance(robot, MechanismCoordinates):
        return ("t", *(f"{kind}:{name}" for kind in ARRAYS[1:] for name in robot.joint_names))
    return (
        "t",
        *(
            f"{kind}:{joint.name}[{i}]"
            for kind in ARRAYS[1:]
            for joint in robot.joints
            for i in range(joint.type.nq if kind == "q" else joint.type.nv)
        ),
    )


def save_plan(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write a plan as a table (.csv) or as arrays with status, cost, violation, all unknowns and the robot (.npz).

    What is not feasible is told apart by its name: `plan.npz` becomes `plan.not_feasible.npz`. Returns the path.

    Raises:
        InputError: another suffix, no such folder, or a path that cannot be written.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        fix = f"save as one of {', '.join(SUFFIXES)}"
        raise InputError(f"no plan has the suffix {target.suffix!r}", at=str(path), fix=fix)
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r}", at=str(path), fix="make the folder first")
    if not plan.feasible:
        target = target.with_suffix(f".not_feasible{target.suffix}")
    data = _csv(plan) if target.suffix.lower() == ".csv" else _npz(plan)
    write_atomically(target, data, str(target))
    return target


def _csv(plan: Plan) -> bytes:
    head, body = io.StringIO(), io.BytesIO()
    csv.writer(head, lineterminator="\n").writerow(columns(plan))
    table: Float[np.ndarray, "K n"] = np.column_stack([getattr(plan, name) for name in ARRAYS])
    np.savetxt(body, table, fmt="%.17g", delimiter=",")
    return head.getvalue().encode("utf-8") + body.getvalue()


def _npz(plan: Plan) -> bytes:
    data, arrays = io.BytesIO(), {name: getattr(plan, name) for name in ARRAYS}
    arrays |= {f"unknowns/{name}": value for name, value in plan.values.items()}
    facts = {name: np.array(getattr(plan, name)) for name in ("status", "cost", "violation", "iterations", "seconds")}
    facts |= {"columns": np.array(columns(plan))} | {name: np.array(text) for name, text in _model(plan).items()}
    np.savez_compressed(data, **arrays, **facts)  # pyright: ignore[reportArgumentType]
    return data.getvalue()


def _model(plan: Plan) -> dict[str, str]:
    robot = plan.task.robot
    return to_texts(robot.mechanism) if isinstance(robot, MechanismCoordinates) else {"robot": described(robot)}
