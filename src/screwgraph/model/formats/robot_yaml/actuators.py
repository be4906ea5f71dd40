"""Actuators of the robot YAML format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.diagnostics import Place
from screwgraph.model.formats.equations import parse_position_expression
from screwgraph.model.formats.robot_yaml.body import Names
from screwgraph.model.formats.robot_yaml.closed_chain import read_name, read_position_function, write_coupling
from screwgraph.model.formats.robot_yaml.keys import ACTUATOR
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Actuator, Constant, Coupling, Operation, Robot
from screwgraph.model.robot.actuators import ACTUATORS, WORDS, FormulaLaw


@dataclass(frozen=True, eq=False)
class ActuatorValues:
    """Values of actuators in a file: `names` are its parameters, `joints` those of the robot."""

    names: Names
    joints: tuple[str, ...]

    def numbers(self, value: Value, count: int) -> Sequence[float]:
        """Return so many numbers; see `ActuatorReading`."""
        return [value.number(self.names)] if count == 1 else value.numbers(self.names, count)

    def displacement(self, name: str, entries: Mapping[str, Value]) -> Coupling:
        """Return a function of positions; see `ActuatorReading`."""
        if "=" in (entries["displacement"].text() if "displacement" in entries else ""):
            raise entries["displacement"].complaint("it is no equation: write the displacement alone")
        return read_position_function(f"actuator {name!r}", name, entries, self.names, self.joints, "displacement")

    def bounds(self, value: Value) -> tuple[float, float]:
        """Return the least and the largest input; `inf` and `-inf` are none. Raises ModelError."""
        items = value.items()
        if len(items) != 2:
            raise value.complaint("it must be two numbers, the lower one first; inf is none")
        lower, upper = (
            float(str(item.content)) if str(item.content) in ("inf", "-inf") else item.number(self.names)
            for item in items
        )
        return lower, upper

    def law(self, value: Value) -> FormulaLaw:
        """Return a law of force. Raises ModelError."""
        for word in WORDS.keys() & self.names.keys():
            raise value.complaint(f"{word!r} is a parameter, and means the input u or the displacement l here")
        return FormulaLaw(parse_position_expression(value.text(), self.names, WORDS, value.what, value.at))


@dataclass(frozen=True)
class ActuatorEntries:
    """Entries of actuators in a file in which some words are names of joints."""

    taken: frozenset[str]

    def displacement(self, coupling: Coupling) -> dict[str, Any]:
        """Return the entries of a function of positions; see `ActuatorWriting`."""
        if coupling.offset:  # equations have a right side, displacements do not
            rest = Constant(-coupling.offset)
            whole = rest if coupling.expression is None else Operation("+", (coupling.expression, rest))
            coupling = replace(coupling, offset=0.0, expression=whole)
        return write_coupling(coupling, set(self.taken), "displacement")


def read_actuators(
    value: Value | None, names: Names, joints: Iterable[str], places: dict[object, Place]
) -> list[Actuator]:
    """Read the actuators of a robot, each of one of the kinds `ACTUATORS`. Raises ModelError."""
    actuators: list[Actuator] = []
    reading = ActuatorValues(names, tuple(joints))
    for item in value.items() if value else ():
        name = read_name(item, "actuator")
        entries = item.section(ACTUATOR, f"actuator {name!r}")
        given = [key for key in ACTUATORS if key in entries]
        if len(given) != 1:
            raise ModelError(
                f"actuator {name!r} has {' and '.join(given) or 'none of ' + ', '.join(ACTUATORS)}",
                at=item.at,
                fix=f"write one of {', '.join(ACTUATORS)}, as terms: {{joint: coefficient, ...}}",
            )
        kind = ACTUATORS[given[0]]
        foreign = next((key for key in _OWN if key in entries and key not in kind.keys), None)
        if foreign:
            raise entries[foreign].complaint(f"an actuator with {given[0]!r} has no such key")
        actuator = replace(kind.read(name, entries, reading), **_read_common(entries, reading))
        actuators.append(actuator)
        places[actuator] = item.at
    return actuators


def write_actuators(robot: Robot) -> list[dict[str, Any]]:
    """Return the entries of a robot's actuators. Raises InputError where a law of force is no formula."""
    writing = ActuatorEntries(frozenset(robot.joint_names))
    return [{"actuator": a.name, **a.entries(writing), **_write_common(a)} for a in robot.actuators]


_OWN = tuple(dict.fromkeys(key for kind in ACTUATORS.values() for key in kind.keys))


def _read_common(entries: Mapping[str, Value], reading: ActuatorValues) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "bounds" in entries:
        found["bounds"] = reading.bounds(entries["bounds"])
    if "force" in entries:
        found["force"] = reading.law(entries["force"])
    if "unit" in entries:
        found["unit"] = entries["unit"].text()
    return found


def _write_common(actuator: Actuator) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if actuator.bounds != type(actuator).bounds:
        found["bounds"] = [float(b) if np.isfinite(b) else str(b) for b in actuator.bounds]
    if actuator.force is not None:
        if not isinstance(actuator.force, FormulaLaw):
            raise InputError(
                f"the law of force of {actuator.who} cannot be written",
                why="it is a function of Python",
                fix="state it as a formula of u and l",
            )
        found["force"] = actuator.force.text
    if actuator.unit:
        found["unit"] = actuator.unit
    return found
