"""States from a JSON file.

`{"q": [...], "qd": {"joint1": 0.1}, "qdd" | "tau" | "effort" | "given": ..., "external_wrenches": {"link": [...]}}`:
each entry a list in the order of the coordinates or a mapping from joints, lists of lists for several states. What is
missing is zero, positions are neutral.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from screwgraph import InputError, Robot
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.ui.cli.problem_functions import EFFORT
from screwgraph.ui.cli.state import State
from screwgraph.ui.cli.state_values import check_quaternions, parse_coordinates, parse_efforts, parse_numbers

_OTHERS = ("qdd", "tau", "given", EFFORT)


def read_state(file: str, robot: Robot, given: str | None, frames: tuple[str, ...]) -> State:
    """Read the states in a JSON file.

    Args:
        file: path of the file.
        robot: the robot that they are states of.
        given: which of "qdd", "tau", "effort", "given" the problem takes; None: none of them.
        frames: links or frames with a wrench, whether or not the file gives it.

    Raises:
        InputError: the file is unreadable, no JSON, or does not fit the robot or the problem; names file and line.
    """
    entries = read_entries(file)
    try:
        return _state(entries, robot, given, frames, file)
    except InputError as error:
        raise InputError(error.what, at=file, why=error.why, fix=error.fix) from error


def read_start(file: str, robot: Robot, given: str | None) -> tuple[np.ndarray, ...]:
    """Read the state in a JSON file that a motion begins at: q, qd, and what else is given.

    Raises:
        InputError: as `read_state` does, or there are several states, or wrenches.
    """
    state = read_state(file, robot, given, ())
    if state.frames:
        raise InputError("'external_wrenches' do not belong to where a motion begins", at=file, fix="remove them")
    if state.q[..., 0].size != 1:
        raise InputError(f"{state.q[..., 0].size} states are given", at=file, why="a motion begins at one state")
    return tuple(array.reshape(-1) for array in (state.q, state.qd, state.given))


def read_entries(file: str) -> Mapping[str, Any]:
    """Return what a JSON file holds, an object. Raises InputError, which names file and line."""
    try:
        text = Path(file).read_bytes().decode("utf-8-sig")
        value = json.loads(text, parse_int=float, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg}", at=f"{file}:{error.lineno}", fix=_EXAMPLE) from error
    except UnicodeDecodeError as error:
        raise InputError("this is not JSON: it is not UTF-8 text", at=file, fix=_EXAMPLE) from error
    except RecursionError as error:
        raise InputError("lists are nested too deeply", at=file, fix=_EXAMPLE) from error
    except InputError as error:
        raise InputError(error.what, at=file, fix=error.fix) from error
    except OSError as error:
        raise InputError("the file cannot be read", at=file, why=error.strerror or str(error)) from error
    if not isinstance(value, dict):
        raise InputError("a state is a JSON object", at=file, fix=_EXAMPLE)
    return value


_EXAMPLE = 'write {"q": [0.1, 0.2], "qd": {"joint1": 0.3}}, for instance'


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{twice!r} is given twice", fix="keep one of them")
    return entries


def _state(entries: Mapping[str, Any], robot: Robot, given: str | None, frames: tuple[str, ...], file: str) -> State:
    _check_keys(entries, given)
    q = parse_coordinates("q", entries.get("q", {}), robot)
    qd = parse_coordinates("qd", entries.get("qd", {}), robot)
    value = entries.get(given, {}) if given else {}
    rest = parse_efforts(value, robot) if given == EFFORT else parse_coordinates(given or "", value, robot)
    wrenches = _wrenches(entries.get("external_wrenches", {}), robot, frames)
    arrays = {"q": q, "qd": qd, given or "": rest} | {f"external_wrenches of {name}": w for name, w in wrenches.items()}
    batch = _batch(arrays)
    check_quaternions(robot, q)
    stacked = [np.broadcast_to(wrench, (*batch, 6)) for wrench in wrenches.values()]
    return State(
        q=np.broadcast_to(q, (*batch, robot.nq)),
        qd=np.broadcast_to(qd, (*batch, robot.nv)),
        given=np.broadcast_to(rest, (*batch, rest.shape[-1])),
        wrenches=np.stack(stacked, axis=-2) if stacked else np.zeros((*batch, 0, 6)),
        frames=tuple(wrenches),
        origin=file,
    )


def _check_keys(entries: Mapping[str, Any], given: str | None) -> None:
    known = ("q", "qd", *([given] if given else []), "external_wrenches")
    for key in entries:
        if key in _OTHERS and key != given:
            fix = f"give {given!r} instead" if given else "remove it"
            raise InputError(f"{key!r} does not belong to this problem", fix=fix)
        if key not in known:
            raise make_unknown_name_error("entry of a state", key, known)


def _wrenches(value: Any, robot: Robot, frames: tuple[str, ...]) -> dict[str, np.ndarray]:
    if not isinstance(value, Mapping):
        raise InputError(
            "'external_wrenches' is not a mapping", fix='write "external_wrenches": {"link": [0, 0, 0, 0, 0, 9.81]}'
        )
    wrenches = {name: np.zeros(6) for name in frames}
    for name, entry in value.items():
        robot.frame(name)
        wrench = parse_numbers(entry, f"wrench {name!r}")
        if wrench.ndim == 0 or wrench.shape[-1] != 6:
            raise InputError(f"wrench {name!r} has the shape {wrench.shape}", why="it is (moment, force), 6 numbers")
        wrenches[name] = wrench
    return wrenches


def _batch(arrays: Mapping[str, np.ndarray]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        counts = ", ".join(f"{name} {array.shape[:-1]}" for name, array in arrays.items() if array.ndim > 1)
        raise InputError(
            f"the entries hold different numbers of states: {counts}", fix="give each the same number of states, or one"
        ) from None
