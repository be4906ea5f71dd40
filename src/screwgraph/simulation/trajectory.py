"""A motion over time, its energy and loop-closure errors; as a table in a file."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.formats import described, write_atomically
from screwgraph.robot import Robot

SUFFIXES = (".csv", ".npz")


class Motion(Protocol):
    """What a motion of a robot or a mechanism tells of itself."""

    @property
    def method(self) -> str: ...
    @property
    def t(self) -> np.ndarray: ...
    @property
    def violation(self) -> np.ndarray: ...
    @property
    def energy_drift(self) -> float: ...


def in_short(name: str, motion: Motion) -> str:
    """Describe a motion in one line."""
    return (
        f"<motion of {name!r} by {motion.method}: {len(motion.t)} states, t = 0 to {motion.t[-1]:g} s, "
        f"energy drift {motion.energy_drift:.2g} J, violation {motion.violation.max():.2g}>"
    )


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The motion of a robot: N states at equal distances in time, t[0] = 0 (s); SI units.

    `energy` is kinetic plus potential energy (J); `work` what torques did since the beginning, less what dampers took
    (J); `violation` the largest loop-closure error (rad, m) of loops and couplings at each time, zero for trees.
    """

    robot: Robot
    method: str
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    qdd: Float[np.ndarray, "N nv"]
    tau: Float[np.ndarray, "N nv"]
    energy: Float[np.ndarray, " N"]
    work: Float[np.ndarray, " N"]
    violation: Float[np.ndarray, " N"]

    def __repr__(self) -> str:
        return in_short(self.robot.name, self)

    @property
    def energy_drift(self) -> float:
        """The largest change of energy (J) that no work explains: an error of the integration."""
        return float(np.abs(self.energy - self.energy[0] - self.work).max())

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a saved table: t, q:joint[i], ..., energy, work, violation."""
        return ("t", *robot_columns(self.robot), "energy", "work", "violation")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a line of names (.csv), or arrays by their names here, and `columns` (.npz).

        An .npz file holds the robot, too, as the text of a YAML file; `screwgraph view` shows it. Numbers keep all
        their digits; the file is written as a whole or not at all.

        Raises:
            InputError: another suffix, no such folder, or a path that cannot be written.
        """
        numbers = {name: getattr(self, name) for name in ("t", "q", "qd", "qdd", "tau", "energy", "work", "violation")}
        save_table(path, self.columns, numbers, method=self.method, robot=described(self.robot))


def robot_columns(robot: Robot) -> list[str]:
    """Return names of the columns of q, qd, qdd and tau: q:joint[i], ..."""
    return [
        f"{kind}:{joint.name}[{i}]"
        for kind in ("q", "qd", "qdd", "tau")
        for joint in robot.joints
        for i in range(joint.type.nq if kind == "q" else joint.type.nv)
    ]


def save_table(
    path: str | os.PathLike[str], columns: Sequence[str], arrays: Mapping[str, np.ndarray], **more: Any
) -> None:
    """Write arrays (N,) or (N, k) as a table whose columns have these names (.csv), or as they are, and more (.npz).

    Raises:
        InputError: as `Trajectory.save` does.
    """
    check_path(path)
    if Path(path).suffix.lower() == ".csv":
        head, body = io.StringIO(), io.BytesIO()
        csv.writer(head, lineterminator="\n").writerow(columns)
        np.savetxt(body, np.column_stack(list(arrays.values())), fmt="%.17g", delimiter=",")
        data = head.getvalue().encode("utf-8") + body.getvalue()
    else:
        packed = io.BytesIO()
        others = {name: np.asarray(value) for name, value in more.items()}
        named: dict[str, Any] = {**arrays, "columns": np.array(columns), **others}
        np.savez_compressed(packed, **named)
        data = packed.getvalue()
    write_atomically(Path(path), data, str(path))


def check_path(path: str | os.PathLike[str]) -> None:
    """Check that a trajectory could be saved there. Raises InputError as `Trajectory.save` does."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"{path!r} is not a path", fix='trajectory.save("run.csv")')
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"no table has the suffix {target.suffix!r}", at=str(path), fix=f"save as one of {', '.join(SUFFIXES)}"
        )
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r}", at=str(path), fix="make the folder first")
    if target.is_dir():
        raise InputError("the file cannot be written", at=str(path), why="it is a folder")
    try:
        TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise InputError("the file cannot be written", at=str(path), why=error.strerror or str(error)) from error
