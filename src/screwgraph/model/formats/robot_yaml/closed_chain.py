"""Loops, couplings and independent joints of the robot YAML format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from keyword import iskeyword
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import joint_types
from screwgraph.model.formats.diagnostics import Place
from screwgraph.model.formats.equations import parse_coupling
from screwgraph.model.formats.expressions import CONSTANTS, FUNCTIONS
from screwgraph.model.formats.robot_yaml.body import AXES, Names, read_pose, read_type
from screwgraph.model.formats.robot_yaml.keys import COUPLING, END, LOOP
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Coupling, JointType, Loop, Robot
from screwgraph.spatial import rotation, so3, translation


def read_loops(value: Value | None, names: Names, places: dict[object, Place]) -> list[Loop]:
    """Read the loops of a robot. Raises ModelError."""
    loops = []
    for item in value.items() if value else ():
        name = read_name(item, "loop")
        kind, entries = read_type(item, LOOP, f"loop {name!r}", names)
        (predecessor, T_pf), (successor, T_sf) = (
            _end(item, entries, role, name, names) for role in ("predecessor", "successor")
        )
        loops.append(Loop(name, kind, predecessor, successor, T_pf, T_sf))
        places[loops[-1]] = item.at
    return loops


def read_couplings(
    value: Value | None, names: Names, joints: Iterable[str], places: dict[object, Place]
) -> list[Coupling]:
    """Read the couplings of a robot, as coefficients or as equations. Raises ModelError."""
    couplings = []
    for item in value.items() if value else ():
        name = read_name(item, "coupling")
        entries = item.section(COUPLING, f"coupling {name!r}")
        if ("terms" in entries) == ("equation" in entries):
            raise ModelError(
                f"coupling {name!r} has {'both' if 'terms' in entries else 'neither'} terms and an equation",
                at=item.at,
                fix="write terms: {joint: coefficient, ...} or equation: a - 2*b",
            )
        couplings.append(read_position_function(f"coupling {name!r}", name, entries, names, joints, "equation"))
        places[couplings[-1]] = item.at
    return couplings


def read_independent(value: Value | None) -> list[str] | None:
    """Read the names of the independent joints. Raises ModelError."""
    return None if value is None else [item.text() for item in value.items()]


def read_position_function(
    who: str, name: str, entries: Mapping[str, Value], names: Names, joints: Iterable[str], key: str
) -> Coupling:
    """Read a function of joint positions, from `terms` or from the expression under `key`. Raises ModelError."""
    if "terms" in entries:
        return _from_terms(who, name, entries, names)
    return _from_equation(who, name, entries, names, joints, entries[key])


def _from_terms(who: str, name: str, entries: Mapping[str, Value], names: Names) -> Coupling:
    if "joints" in entries:
        raise entries["joints"].complaint("it gives words for an equation, and there is none")
    terms = {
        joint: coefficient.called(f"{who}: {joint}").number(names)
        for joint, coefficient in entries["terms"].mapping().items()
    }
    return Coupling(name, terms, entries["offset"].number(names) if "offset" in entries else 0.0)


def _from_equation(
    who: str, name: str, entries: Mapping[str, Value], names: Names, joints: Iterable[str], equation: Value
) -> Coupling:
    if "offset" in entries:
        raise entries["offset"].complaint("an equation contains its offset")
    words = {joint: joint for joint in joints}
    for word, joint in (entries["joints"].mapping() if "joints" in entries else {}).items():
        if not word.isidentifier() or word in names or word in FUNCTIONS:
            raise joint.complaint(f"{word!r} cannot stand for a joint: it must be a word that means nothing else")
        words[word] = joint.called(f"{who}: {word}").text()
    return parse_coupling(name, equation.text(), names, words, equation.what, equation.at)


def _end(
    item: Value, entries: Mapping[str, Value], role: str, loop: str, names: Names
) -> tuple[str, Float[np.ndarray, "4 4"]]:
    if role not in entries:
        raise ModelError(f"loop {loop!r} has no {role}", at=item.at, fix=f"add {role}: {{link: ..., at: [...]}}")
    end = entries[role]
    if isinstance(end.content, str):
        return end.text(), np.eye(4)
    inner = end.section(END)
    if "link" not in inner:
        raise ModelError(f"{end.what} has no link", at=end.at, fix="add link: and its name")
    return inner["link"].text(), read_pose(inner, names)


def read_name(item: Value, what: str) -> str:
    """Read the name of a loop, coupling or actuator. Raises ModelError."""
    one = f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
    entries = item.called(one).mapping()
    if what not in entries:
        raise ModelError(f"{one} has no name", at=item.at, fix=f"add {what}: and its name")
    return entries[what].called(f"{what}").text()


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
