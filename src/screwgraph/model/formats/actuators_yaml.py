"""Actuators of the robot YAML format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.body_yaml import Names
from screwgraph.model.formats.closed_chain_yaml import read_name, read_position_function
from screwgraph.model.formats.closed_chain_yaml_write import write_coupling
from screwgraph.model.formats.diagnostics import Place
from screwgraph.model.formats.robot_keys import ACTUATOR
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Actuator, LoopMotor, Robot, Thruster, Transmission


def read_actuators(
    value: Value | None, names: Names, joints: Iterable[str], places: dict[object, Place]
) -> list[Actuator]:
    """Read the actuators of a robot: coefficients of joints, a displacement, or a loop. Raises ModelError."""
    actuators: list[Actuator] = []
    for item in value.items() if value else ():
        name = read_name(item, "actuator")
        entries = item.section(ACTUATOR, f"actuator {name!r}")
        given = [key for key in ("terms", "displacement", "loop") if key in entries]
        if len(given) != 1:
            raise ModelError(
                f"actuator {name!r} has {' and '.join(given) or 'neither terms nor a displacement nor a loop'}",
                at=item.at,
                fix="write terms: {joint: coefficient, ...}, displacement: a - 2*b, or loop: and its name",
            )
        actuators.append(_actuator(name, entries, names, joints))
        places[actuators[-1]] = item.at
    return actuators


def write_actuators(robot: Robot) -> list[dict[str, Any]]:
    """Return the entries of a robot's actuators."""
    taken = set(robot.joint_names)
    return [{"actuator": a.name, **_entries(a, taken)} for a in robot.actuators]


def _entries(actuator: Actuator, taken: set[str]) -> dict[str, Any]:
    if isinstance(actuator, LoopMotor):
        return {"loop": actuator.loop}
    if isinstance(actuator, Thruster):
        return {"terms": dict(actuator.terms)}
    return write_coupling(actuator.displacement, taken, "displacement")


def _actuator(name: str, entries: Mapping[str, Value], names: Names, joints: Iterable[str]) -> Actuator:
    if "loop" in entries:
        return LoopMotor(name, entries["loop"].text())
    terms = entries["terms"].mapping() if "terms" in entries else {}
    if any("[" in coordinate for coordinate in terms):
        arms = {key: value.called(f"actuator {name!r}: {key}").number(names) for key, value in terms.items()}
        return Thruster(name, arms)
    if "=" in (entries["displacement"].text() if "displacement" in entries else ""):
        raise entries["displacement"].complaint("it is no equation: write the displacement alone")
    displacement = read_position_function(f"actuator {name!r}", name, entries, names, joints, "displacement")
    return Transmission(replace(displacement, offset=0.0))
