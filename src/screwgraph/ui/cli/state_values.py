"""Values in a state file: numbers, lists of them, mappings from joints."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from screwgraph import InputError, Robot
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial.quaternions import ROUNDED

_LONGEST_SHOWN = 60


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
        has = f"has the shape {array.shape}" if array.ndim != 1 else f"has {len(array)} numbers"
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
