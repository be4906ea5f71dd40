"""States from a JSON file.

`{"q": [...], "qd": {"joint1": 0.1}, "qdd" | "tau" | "effort" | "given": ..., "external_wrenches": {"link": [...]}}`:
each entry a list in the order of the coordinates or a mapping from joints, lists of lists for several states. What is
missing is zero, positions are neutral.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from screwgraph import InputError, Robot
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial.quaternions import ROUNDED
from screwgraph.ui.cli.problem_functions import EFFORT
from screwgraph.ui.cli.state import State

_LONGEST_SHOWN = 60
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
    with errors_in(file):
        return _state(entries, robot, given, frames, file)


@contextmanager
def errors_in(file: str) -> Iterator[None]:
    """Name a file in errors. Raises InputError with the file where what is done within raises one."""
    try:
        yield
    except InputError as error:
        raise InputError(error.what, at=file, why=error.why, fix=error.fix) from error


def read_start(file: str, robot: Robot, given: str | None) -> tuple[np.ndarray, ...]:
    """Read the state in a JSON file that a motion begins at: q, qd, and what else is given.

    Raises:
        InputError: as `read_state` does, or there are several states, or wrenches.
    """
    state = read_pushed_start(file, robot, given)
    if state.frames:
        raise InputError("'external_wrenches' do not belong to where a motion begins", at=file, fix="remove them")
    return state.q, state.qd, state.given


def read_pushed_start(file: str, robot: Robot, given: str | None) -> State:
    """Read the state in a JSON file that a motion begins at, and the wrenches that act on it all the time.

    Raises:
        InputError: as `read_state` does, or there are several states.
    """
    state = read_state(file, robot, given, ())
    if state.q[..., 0].size != 1:
        raise InputError(f"{state.q[..., 0].size} states are given", at=file, why="a motion begins at one state")
    q, qd, rest = (array.reshape(-1) for array in (state.q, state.qd, state.given))
    return replace(state, q=q, qd=qd, given=rest, wrenches=state.wrenches.reshape(-1, 6))


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


def parse_coordinates(name: str, value: Any, robot: Robot) -> np.ndarray:
    """Return an entry of a state as an array (..., nq) for "q", (..., nv) for any other name.

    Raises:
        InputError: wrong shape, an unknown joint, something that is no number.
    """
    if isinstance(value, Mapping):
        return _by_joint(name, value, robot)
    size = robot.nq if name == "q" else robot.nv
    array = parse_numbers(value, name)
    if array.ndim == 0 or array.shape[-1] != size:
        has = f"has the shape {array.shape}" if array.ndim != 1 else f"has {len(array)} number{'s' * (len(array) != 1)}"
        raise InputError(
            f"{name} {has}, the robot has {size}",
            why=f"its joints are {_some(robot.joint_names)}",
            fix=f"give {size} numbers, or a mapping from joints to numbers",
        )
    return array


def parse_efforts(value: Any, robot: Robot) -> np.ndarray:
    """Return efforts of all actuators (..., n), from lists or from a mapping of actuators to numbers.

    Raises:
        InputError: wrong shape, an unknown actuator, something that is no number.
    """
    names = [actuator.name for actuator in robot.actuators]
    if not isinstance(value, Mapping):
        array = parse_numbers(value, "effort")
        if array.ndim == 0 or array.shape[-1] != len(names):
            raise InputError(
                f"effort does not have one number for each actuator, {len(names)} in all",
                why=f"they are {_some(tuple(names))}",
            )
        return array
    for name in value:
        if name not in names:
            raise make_unknown_name_error("actuator", name, names)
    parts = {name: parse_numbers(item, f"effort of {name!r}") for name, item in value.items()}
    try:
        batch = np.broadcast_shapes(*(part.shape for part in parts.values()))
    except ValueError:
        raise InputError(
            "the actuators of effort have different numbers of states", fix="give each the same number"
        ) from None
    result = np.zeros((*batch, len(names)))
    for name, part in parts.items():
        result[..., names.index(name)] = part
    return result


def parse_numbers(value: Any, what: str) -> np.ndarray:
    """Return a finite number, a list or lists of them as an array. Raises InputError for anything else."""
    pending = [(what, value)]
    while pending:
        where, item = pending.pop()
        if isinstance(item, list):
            pending += [(f"{where}[{i}]", part) for i, part in reversed(list(enumerate(item)))]
        elif not isinstance(item, float):
            raise InputError(f"{where} is {_format_value(item)}", why="it must be a number")
        elif not math.isfinite(item):
            raise InputError(f"{where} is {'not a number' if math.isnan(item) else 'infinite, or beyond 1e308'}")
    try:
        return np.array(value, dtype=float)
    except ValueError:
        raise InputError(f"the lists in {what} differ in length, or are nested too deeply") from None


def check_quaternions(robot: Robot, q: np.ndarray) -> None:
    """Check that quaternions have the length 1; raise InputError. NaN passes."""
    for joint in robot.joints:
        manifold = joint.type.manifold
        positions = q[..., robot.q_slices[joint.name]].reshape(-1, joint.type.nq)
        for position in positions[manifold.is_off(positions, ROUNDED)][:1]:
            raise InputError(
                f"q of joint {joint.name!r} is {_format_values(position)}",
                why=f"it is not {manifold.kind}",
                fix=f"{_format_values(manifold.identity())} is the zero position",
            )


def _by_joint(name: str, value: Mapping[str, Any], robot: Robot) -> np.ndarray:
    """Put values of single joints at their places; a joint of one coordinate takes numbers, others lists of them."""
    is_position = name == "q"
    parts = {joint: _of_joint(name, joint, item, robot) for joint, item in value.items()}
    try:
        batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts.values()))
    except ValueError:
        raise InputError(
            f"the joints of {name} have different numbers of states", fix="give each the same number"
        ) from None
    start = robot.neutral() if is_position else np.zeros(robot.nv)
    result = np.tile(start, (*batch, 1))
    slices = robot.q_slices if is_position else robot.v_slices
    for joint, part in parts.items():
        result[..., slices[joint]] = part
    return result


def _of_joint(name: str, joint: str, value: Any, robot: Robot) -> np.ndarray:
    kind = robot.joint(joint).type
    size = kind.nq if name == "q" else kind.nv
    array = parse_numbers(value, f"{name} of {joint!r}")
    if size == 1:
        return array[..., np.newaxis]
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(f"{name} of joint {joint!r} has the shape {array.shape}", why=f"it takes {size} numbers")
    return array


def _format_value(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def _format_values(values: np.ndarray) -> str:
    return f"[{', '.join(f'{value:g}' for value in values)}]"


def _some(items: tuple[str, ...]) -> str:
    return ", ".join(items if len(items) <= 6 else (*items[:5], "...", items[-1]))
