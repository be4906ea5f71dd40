"""Logs of models: positions, torques or currents, and times, from files, arrays, motions and streams of these."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.model.formats import read_long_arrays, read_long_table
from screwgraph.motion.identification.applied_torques import Contact
from screwgraph.motion.identification.models import IdentifiedModel, Motors
from screwgraph.motion.identification.recording import Columns, Recording, Rows
from screwgraph.motion.simulation import Trajectory, coordinate_names
from screwgraph.motion.simulation.motion_files import WRENCH

EFFORTS = ("tau", "u", "i")
"""What motors do, the first that a log has: torques of joints (N m, N), efforts of actuators, currents (A)."""


def read_recordings(
    model: IdentifiedModel, log: Any, constants: Mapping[str, float], contacts: tuple[Contact, ...] = ()
) -> Iterator[Recording]:
    """Yield the runs of a log: a file (.csv, .npz), a mapping, a motion, or several of these, one after the other.

    Raises:
        InputError: something else, quantities that are missing, or arrays of wrong shapes; at the end, motor constants
            of no currents.
    """
    for name, value in constants.items():
        if not np.isfinite(value) or value == 0.0:
            raise InputError(f"the motor constant of {name!r} is {value:g}", fix="give a number (N m/A or N/A)")
    motors = model.motors(constants)
    _ = motors.scale
    runs = [log] if isinstance(log, str | os.PathLike | Mapping | Trajectory) else log
    if not isinstance(runs, Iterable) or isinstance(runs, np.ndarray):
        raise InputError(
            f"log: expected a file, a mapping, a motion, or a list of these, got {describe_value(log)}",
            fix='give {"t": t, "q": q, "tau": tau}',
        )
    has_currents, read = False, None
    for number, run in enumerate(runs, 1):
        where = "the log" if runs is not log else f"log {number}"
        read = _recording(model, run, where, motors, contacts)
        has_currents |= read.effort_name == "i"
        yield read
    if constants and read is not None and not has_currents:
        name, given = next(iter(constants)), read.effort_name
        raise InputError(
            f"the motor constant of {name!r} multiplies no current of {read.where}",
            why=f"its {given} is taken, as {'torques' if given == 'tau' else 'efforts of actuators'}",
            fix=f"give currents (A) as i:{name}, and no {given}:{name}, or leave motor_constants out",
        )


def _recording(
    model: IdentifiedModel, run: Any, where: str, motors: Motors, contacts: tuple[Contact, ...]
) -> Recording:
    columns = _columns(run, where)
    where = str(os.fspath(run)) if isinstance(run, str | os.PathLike) else where
    of_kind = coordinate_names(model.subject) | dict(motors.names)
    found = {kind: _array(model, columns, kind, own, where, motors) for kind, own in of_kind.items() if own}
    wrenches = _wrenches(model, columns, where)
    t = None if "t" not in columns else _numbers(columns["t"], "t", where)
    q, given = found.get("q"), [kind for kind in EFFORTS if found.get(kind) is not None]
    if q is None or not given:
        what = "positions" if q is None else "torques or currents"
        raise InputError(
            f"{where} has no {what}",
            fix='give "q" (N, nq) and "tau" (N, nv), or columns q:JOINT and tau:JOINT; currents are "i" or i:JOINT, '
            'efforts of actuators "u" or u:ACTUATOR',
        )
    effort, is_current = found[given[0]], given[0] == "i"
    assert effort is not None, "it was looked for"
    by_actuators = given[0] == "u" or (is_current and motors.are_actuators)
    if is_current and np.isnan(motors.scale[motors.needed]).any():
        raise InputError(
            f"{where} has currents, but not all motor constants are known", fix="give motor_constants={joint: N m/A}"
        )
    for kind, array in (("t", t), *found.items(), *wrenches.items()):
        if array is not None and (len(array) != len(q) or array.ndim != (1 if kind == "t" else 2)):
            raise InputError(
                f"{kind} of {where} has the shape {array.shape}, and q {q.shape}",
                fix="give a row of numbers for each sample, as many for all quantities",
            )
    scale = np.nan_to_num(motors.scale, nan=1.0) if is_current else np.ones(effort.shape[1])
    acting = motors.acting(by_actuators, wrenches)
    of_kind |= {f"{WRENCH}{frame}": list(model.wrench_axes) for frame in wrenches}
    return Recording(
        where, of_kind, t, q, found.get("qd"), found.get("qdd"), effort, given[0], scale, wrenches, contacts, acting
    )


def _wrenches(model: IdentifiedModel, columns: Mapping[str, Any], where: str) -> dict[str, Rows]:
    """Return wrenches (moment, force) by frame: arrays `wrench:FRAME`, or columns `wrench:FRAME.mx`, ..."""
    found, axes = dict[str, Rows](), model.wrench_axes
    for name in columns:
        if not isinstance(name, str) or not name.startswith(WRENCH):
            continue
        frame, _, axis = name.removeprefix(WRENCH).rpartition(".")
        if axis not in axes or not frame:
            frame = name.removeprefix(WRENCH)
            array = _numbers(columns[name], name, where)
            if array.ndim != 2 or array.shape[1] != len(axes):
                raise InputError(
                    f"{name} of {where} has the shape {array.shape}", fix=f"give (N, {len(axes)}): {', '.join(axes)}"
                )
            found[model.find_place(frame)] = array
        elif frame not in found:
            given = [columns.get(f"{WRENCH}{frame}.{axis}") for axis in axes]
            parts = [0.0 if x is None else _numbers(x, name, where) for x in given]
            found[model.find_place(frame)] = Columns(tuple(parts), len(columns[name]))
    return found


def _columns(run: Any, where: str) -> Mapping[str, Any]:
    if isinstance(run, Trajectory):
        own = {name: getattr(run, name) for name in ("t", "q", "qd", "qdd", "tau")}
        return own | {f"{WRENCH}{frame}": F for frame, F in run.external_wrenches.items()}
    if isinstance(run, Mapping):
        return run
    if not isinstance(run, str | os.PathLike):
        raise InputError(f"{where}: expected a file, a mapping or a motion, got {describe_value(run)}")
    file = os.fspath(run)
    if str(file).endswith(".npz"):
        return read_long_arrays(file)
    names, rows = read_long_table(file)
    return {name: rows[:, i] for i, name in enumerate(names)}


def _array(
    model: IdentifiedModel,
    columns: Mapping[str, Any],
    kind: str,
    names: Sequence[str],
    where: str,
    motors: Motors,
) -> Rows | None:
    """Return the array of a quantity, from the array itself or its columns; None where there is neither."""
    if kind in columns:
        array = _numbers(columns[kind], kind, where)
        if array.ndim != 2 or array.shape[1] == len(names):
            return array
        spread = motors.spread(array) if kind in ("tau", "i") else None
        if spread is None:
            raise InputError(
                f"{kind} of {where} has {array.shape[1]} columns",
                why=f"{model.subject.name!r} has {len(names)}: {', '.join(names[:3])}, ...",
            )
        return spread
    short = {
        name: name.removesuffix("[0]") if f"{name.removesuffix('[0]')}[1]" not in names else name for name in names
    }
    given = {name: c for name in names for c in (f"{kind}:{name}", f"{kind}:{short[name]}") if c in columns}
    if not given:
        return None
    missing = [name for name in names if name not in given]
    if missing and kind not in EFFORTS:
        found = model.complete(kind, {name: _numbers(columns[c], c, where) for name, c in given.items()})
        if found is None:
            raise InputError(f"{where} has no column {kind}:{short[missing[0]]}", fix=model.needed_columns)
        return found
    length = len(columns[next(iter(given.values()))])
    unmeasured = {name: 0.0 if motors.is_idle(name) else np.nan for name in missing}
    parts = [_numbers(columns[given[n]], n, where) if n in given else unmeasured[n] for n in names]
    return Columns(tuple(parts), length)


def _numbers(value: Any, name: str, where: str) -> np.ndarray:
    try:
        array = np.asarray(value)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        return array if array.dtype.kind == "f" else array.astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} of {where} does not hold real numbers") from error
