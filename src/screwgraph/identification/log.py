"""Logs of robots: positions, torques or currents, and times, from files, arrays, motions and streams of these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.arguments import shown
from screwgraph.errors import InputError
from screwgraph.formats import read_long_arrays, read_long_table
from screwgraph.robot import Robot, independent_coordinates, unknown
from screwgraph.robot.joints import Floating
from screwgraph.simulation import Trajectory, coordinate_names

PIECE = 100_000
"""Times that are looked at together."""
KINDS = ("q", "qd", "qdd", "tau", "i")
"""Quantities of a log: positions, velocities, accelerations, torques (N m, N), currents (A)."""
EVEN = 1e-3
"""Part of a time step by which steps may differ where positions are filtered."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns side by side, or a number for all of one; rows become arrays when they are asked for."""

    parts: tuple[Any, ...]
    length: int
    ndim = 2

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, rows: slice) -> Float[np.ndarray, "n k"]:
        """Return some rows."""
        found = np.empty((len(range(*rows.indices(self.length))), len(self.parts)))
        for column, part in zip(found.T, self.parts, strict=True):
            column[:] = part if isinstance(part, float) else part[rows]
        return found

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.length, len(self.parts)


Rows = Float[np.ndarray, "N k"] | Columns


@dataclass(frozen=True, eq=False)
class Recording:
    """One run: N samples of positions (N, nq), torques or currents (N, nv); None is what was not recorded.

    `scale` (nv,) makes torques of `effort`: one, or motor constants.
    """

    where: str
    t: Float[np.ndarray, " N"] | None
    q: Rows
    qd: Rows | None
    qdd: Rows | None
    effort: Rows
    scale: Float[np.ndarray, " nv"]

    @property
    def dt(self) -> float:
        """The time step (s). Raises InputError where times are missing or uneven."""
        if self.t is None:
            raise InputError(
                f"{self.where} has no times",
                why="velocities and accelerations are found from positions",
                fix='give "t" (s), or both "qd" and "qdd"',
            )
        middle = float(np.median(np.diff(self.t[: PIECE + 1]))) if len(self.t) > 1 else 0.0
        for start in range(0, max(1, len(self.t) - 1), PIECE):
            steps = np.diff(self.t[start : start + PIECE + 1])
            off = np.abs(steps - middle)
            if not middle > 0.0 or not (off <= EVEN * middle).all():
                back = len(steps) > 0 and float(steps.min()) <= 0.0
                k = start + (int(np.argmin(steps) if back else np.argmax(off)) if len(steps) else 0)
                kind = "do not increase" if back else "are not evenly spaced"
                raise InputError(
                    f"the times of {self.where} {kind} after sample {k}",
                    why="positions are filtered and differentiated",
                    fix="resample it, or give each run without a gap as a log of its own, in a list",
                )
        return middle


def recordings(robot: Robot, log: Any, constants: Mapping[str, float]) -> Iterator[Recording]:
    """Yield the runs of a log: a file (.csv, .npz), a mapping, a motion, or several of these, one after the other.

    Raises:
        InputError: something else, quantities that are missing, or arrays of wrong shapes.
    """
    scale = _scale(robot, constants)
    runs = [log] if isinstance(log, str | os.PathLike | Mapping | Trajectory) else log
    if not isinstance(runs, Iterable) or isinstance(runs, np.ndarray):
        raise InputError(
            f"log: expected a file, a mapping, a motion, or a list of these, got {shown(log)}",
            fix='give {"t": t, "q": q, "tau": tau}',
        )
    for number, run in enumerate(runs, 1):
        where = "the log" if runs is not log else f"log {number}"
        yield _recording(robot, run, where, scale)


def _scale(robot: Robot, constants: Mapping[str, float]) -> Float[np.ndarray, " nv"]:
    scale = np.full(robot.nv, np.nan)
    for name, value in constants.items():
        if name not in robot.joint_names:
            raise unknown("joint", name, robot.joint_names)
        if not np.isfinite(value) or value == 0.0:
            raise InputError(f"the motor constant of {name!r} is {value:g}", fix="give a number (N m/A or N/A)")
        scale[robot.v_slices[name]] = value
    return scale


def _recording(robot: Robot, run: Any, where: str, scale: Float[np.ndarray, " nv"]) -> Recording:
    columns = _columns(run, where)
    where = str(os.fspath(run)) if isinstance(run, str | os.PathLike) else where
    names = coordinate_names(robot)
    found = {kind: _array(robot, columns, kind, names["tau" if kind == "i" else kind], where) for kind in KINDS}
    t = None if "t" not in columns else _numbers(columns["t"], "t", where)
    q, tau, current = found["q"], found["tau"], found["i"]
    if q is None or (tau is None and current is None):
        what = "positions" if q is None else "torques or currents"
        raise InputError(
            f"{where} has no {what}",
            fix='give "q" (N, nq) and "tau" (N, nv), or columns q:JOINT and tau:JOINT; currents are "i" or i:JOINT',
        )
    if tau is None and np.isnan(scale[_motors(robot)]).any():
        raise InputError(
            f"{where} has currents, but not all motor constants are known", fix="give motor_constants={joint: N m/A}"
        )
    for kind, array in (("t", t), *found.items()):
        if array is not None and (len(array) != len(q) or array.ndim != (1 if kind == "t" else 2)):
            raise InputError(
                f"{kind} of {where} has the shape {array.shape}, and q {q.shape}", fix="give equal lengths"
            )
    effort, factor = (tau, np.ones(robot.nv)) if tau is not None else (current, np.nan_to_num(scale, nan=1.0))
    assert effort is not None, "checked above"
    return Recording(where, t, q, found["qd"], found["qdd"], effort, factor)


def _columns(run: Any, where: str) -> Mapping[str, Any]:
    if isinstance(run, Trajectory):
        return {name: getattr(run, name) for name in ("t", "q", "qd", "qdd", "tau")}
    if isinstance(run, Mapping):
        return run
    if not isinstance(run, str | os.PathLike):
        raise InputError(f"{where}: expected a file, a mapping or a motion, got {shown(run)}")
    file = os.fspath(run)
    if str(file).endswith(".npz"):
        return read_long_arrays(file)
    names, rows = read_long_table(file)
    return {name: rows[:, i] for i, name in enumerate(names)}


def _array(robot: Robot, columns: Mapping[str, Any], kind: str, names: Sequence[str], where: str) -> Rows | None:
    """Return the array of a quantity, from the array itself or its columns; None where there is neither."""
    if kind in columns:
        array = _numbers(columns[kind], kind, where)
        sizes = {len(names)}
        if kind in ("tau", "i") and robot.is_closed:
            sizes.add(len(independent_coordinates(robot)))
        if array.ndim == 2 and array.shape[1] not in sizes:
            raise InputError(
                f"{kind} of {where} has {array.shape[1]} columns",
                why=f"{robot.name!r} has {len(names)}: {', '.join(names[:3])}, ...",
            )
        return array if array.ndim != 2 or array.shape[1] == len(names) else _spread(robot, array)
    short = {
        name: name.removesuffix("[0]") if f"{name.removesuffix('[0]')}[1]" not in names else name for name in names
    }
    given = {name: c for name in names for c in (f"{kind}:{name}", f"{kind}:{short[name]}") if c in columns}
    if not given:
        return None
    missing = [name for name in names if name not in given]
    if missing and kind not in ("tau", "i"):
        raise InputError(f"{where} has no column {kind}:{missing[0]}", fix="give it for all joints, or for none")
    length = len(columns[next(iter(given.values()))])
    unmeasured = dict.fromkeys(missing, np.nan) | {name: 0.0 for name in missing if _is_idle(robot, name)}
    parts = [_numbers(columns[given[n]], n, where) if n in given else unmeasured[n] for n in names]
    return Columns(tuple(parts), length)


def _is_idle(robot: Robot, name: str) -> bool:
    """Whether a coordinate without a column has no motor: a floating base's, and all in closed chains."""
    joint = robot.joint(name.rpartition("[")[0])
    return robot.is_closed or isinstance(joint.type, Floating)


def _motors(robot: Robot) -> list[int]:
    if robot.is_closed:
        return []
    of = [(joint, robot.v_slices[joint.name]) for joint in robot.joints if not isinstance(joint.type, Floating)]
    return [i for _, where in of for i in range(where.start, where.stop)]


def _spread(robot: Robot, array: Float[np.ndarray, "N n"]) -> Rows:
    """Return torques of all joints where those of the independent ones alone are given."""
    parts: list[Any] = [0.0] * robot.nv
    for place, column in zip(independent_coordinates(robot), array.T, strict=True):
        parts[place] = column
    return Columns(tuple(parts), len(array))


def _numbers(value: Any, name: str, where: str) -> np.ndarray:
    try:
        array = np.asarray(value)
        return array if array.dtype.kind == "f" else array.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} of {where} does not hold real numbers") from error
