"""A motion over time, its energy and loop-closure errors; tables in files."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.formats import described, write_atomically
from screwgraph.models.mechanism import Mechanism, to_texts
from screwgraph.robot import Robot, unknown

SUFFIXES = (".csv", ".npz")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The motion of a robot or a mechanism: N states at times t (s); SI units.

    `tau` are the torques and forces of all joints, or those of a mechanism's motors. `energy` is kinetic plus potential
    (J), springs of mechanisms included; `work` what torques and forces did since the beginning, less what dampers took
    (J); `violation` the largest closure error (rad, m) of loops, couplings or constraints at each time, zero for trees.
    """

    model: Robot | Mechanism
    method: str
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    qdd: Float[np.ndarray, "N nv"]
    tau: Float[np.ndarray, "N m"]
    energy: Float[np.ndarray, " N"]
    work: Float[np.ndarray, " N"]
    violation: Float[np.ndarray, " N"]

    def __repr__(self) -> str:
        return (
            f"<motion of {self.model.name!r} by {self.method}: {len(self.t)} states, t = {self.t[0]:g} to "
            f"{self.t[-1]:g} s, energy drift {self.energy_drift:.2g} J, violation {self.violation.max():.2g}>"
        )

    @property
    def energy_drift(self) -> float:
        """The largest change of energy (J) that no work explains: an error of the integration."""
        return float(np.abs(self.energy - self.energy[0] - self.work).max())

    def coordinate(self, name: str) -> Float[np.ndarray, " N"]:
        """Return a coordinate over time (m, rad), by its name in `columns`. Raises InputError where there is none."""
        names = coordinate_names(self.model)["q"]
        if name not in names:
            raise unknown("coordinate", name, names)
        return self.q[:, names.index(name)]

    def point(self, reference: int | str) -> Float[np.ndarray, "N 2"]:
        """Return the path (m) of a mechanism's point, given by number or name. Raises InputError: there is none."""
        if isinstance(self.model, Robot):
            raise InputError(
                f"robot {self.model.name!r} has no points",
                fix="screwgraph.robot.link_poses(robot, q) gives poses of its links",
            )
        return self.model.position(self.q, reference)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a saved table: t, q:joint[i] or q:theta, ..., energy, work, violation."""
        return ("t", *state_columns(self.model), "energy", "work", "violation")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a line of names (.csv), or arrays by their names here, and `columns` (.npz).

        An .npz file holds the model, too, as the text of a YAML file; `screwgraph view` shows it. Numbers keep all
        their digits; the file is written as a whole or not at all.

        Raises:
            InputError: another suffix, no such folder, or a path that cannot be written.
        """
        arrays = {name: getattr(self, name) for name in ("t", *STATES, "energy", "work", "violation")}
        save_table(path, self.columns, arrays, method=self.method, **model_texts(self.model))


STATES = ("q", "qd", "qdd", "tau")


def coordinate_names(model: Robot | Mechanism) -> dict[str, list[str]]:
    """Return the names of all entries of q, qd, qdd and tau."""
    if isinstance(model, Mechanism):
        every, motors = list(model.coordinates), [model.angles[i].name for i in model.motors]
        return {"q": every, "qd": every, "qdd": every, "tau": motors}
    sizes = [(joint.name, joint.type.nq, joint.type.nv) for joint in model.joints]
    positions = [f"{name}[{i}]" for name, nq, _ in sizes for i in range(nq)]
    velocities = [f"{name}[{i}]" for name, _, nv in sizes for i in range(nv)]
    return {"q": positions, "qd": velocities, "qdd": velocities, "tau": velocities}


def state_columns(model: Robot | Mechanism) -> list[str]:
    """Return names of the columns of q, qd, qdd and tau: q:joint[i], ..., or q:theta, ..."""
    return [f"{kind}:{name}" for kind, names in coordinate_names(model).items() for name in names]


def model_texts(model: Robot | Mechanism) -> dict[str, str]:
    """Return what an .npz file says of a model: texts of YAML files by name."""
    return dict(to_texts(model)) if isinstance(model, Mechanism) else {"robot": described(model)}


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
