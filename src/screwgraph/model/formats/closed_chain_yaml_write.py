"""Joint types, poses, loops and couplings in our own YAML format; what has its default value is left out."""

from __future__ import annotations

from collections.abc import Iterable
from keyword import iskeyword
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats import joint_types
from screwgraph.model.formats.body_yaml import AXES
from screwgraph.model.formats.expressions import CONSTANTS, FUNCTIONS
from screwgraph.model.robot import Coupling, JointType, Loop, Robot
from screwgraph.spatial import rotation, so3, translation


def write_closed_chains(robot: Robot) -> dict[str, Any]:
    """Return the entries `loops`, `couplings` and `independent`, those that the robot has."""
    entries: dict[str, Any] = {}
    if robot.loops:
        entries["loops"] = [_loop(loop) for loop in robot.loops]
    if robot.couplings:
        entries["couplings"] = [
            {"coupling": c.name, **write_coupling(c, set(robot.joint_names), "equation")} for c in robot.couplings
        ]
    if robot.independent is not None:
        entries["independent"] = list(robot.independent)
    return entries


def write_joint_type(joint_type: JointType) -> dict[str, Any]:
    """Return type and settings of a joint. Raises ModelError for an unregistered type."""
    kind, settings = joint_types.describe_joint_type(joint_type)
    defaults = joint_types.settings_of(kind)
    named = {} if kind == "revolute" else {"type": kind}
    return named | {key: _setting(value) for key, value in settings.items() if value != defaults[key]}


def write_pose(T: Float[np.ndarray, "4 4"]) -> dict[str, Any]:
    """Return `at` and `rpy` of a pose."""
    pose = {"at": to_floats(translation(T)), "rpy": to_floats(so3.to_rpy(rotation(T)))}
    return {key: value for key, value in pose.items() if any(value)}


def to_floats(values: Iterable[Any]) -> list[float]:
    """Return plain floats."""
    return [float(value) for value in values]


def _loop(loop: Loop) -> dict[str, Any]:
    ends = {
        "predecessor": {"link": loop.predecessor, **write_pose(loop.T_pf)},
        "successor": {"link": loop.successor, **write_pose(loop.T_sf)},
    }
    return {"loop": loop.name, **write_joint_type(loop.type), **ends}


def write_coupling(coupling: Coupling, taken: set[str], key: str) -> dict[str, Any]:
    """Return terms, or under `key` the equation; of a displacement, the left side of `= 0`."""
    if coupling.is_linear:
        offset = {"offset": float(coupling.offset)} if coupling.offset else {}
        return {"terms": dict(coupling.terms), **offset}
    names = {joint: _word(joint, number, taken) for number, joint in enumerate(coupling.joints)}
    words = {word: joint for joint, word in names.items() if word != joint}
    text = coupling.text(names)
    equation = {key: text if key == "equation" else text.rpartition(" = ")[0]}
    return equation | ({"joints": words} if words else {})


def _word(joint: str, number: int, taken: set[str]) -> str:
    """Return a word for a joint in an equation: its name where that is a word that means nothing else."""
    if joint.isidentifier() and joint.isascii() and not iskeyword(joint) and joint not in {*CONSTANTS, *FUNCTIONS}:
        return joint
    word = f"q{number}"
    while word in taken:
        word += "_"
    return word


def _setting(value: Any) -> Any:
    if not isinstance(value, tuple):
        return float(value)
    return next((name for name, axis in AXES.items() if axis == value), to_floats(value))
