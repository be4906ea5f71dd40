"""What stands in the columns of a motion: names and units of all coordinates of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Joint, Robot, units
from screwgraph.model.robot.joints import Floating

STATES = ("q", "qd", "qdd", "tau")
"""Arrays of a motion that have a column a coordinate."""
QUANTITIES = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "effort"}
"""What they are called."""
RATES = {"q": "", "qd": "/s", "qdd": "/s²"}
POSE, TWIST = ("x", "y", "z", "qx", "qy", "qz", "qw"), ("wx", "wy", "wz", "vx", "vy", "vz")
"""Coordinates of a floating base in pictures; torques and forces are those of the twist."""


@dataclass(frozen=True)
class Column:
    """A coordinate: its `name` in tables and its shorter `label` in pictures, its unit, "" for parts of quaternions."""

    name: str
    label: str
    unit: str


def columns(model: Robot | Mechanism) -> Mapping[str, tuple[Column, ...]]:
    """Return the columns of q, qd, qdd and tau."""
    return _of_mechanism(model) if isinstance(model, Mechanism) else _of_robot(model)


def coordinate_names(model: Robot | Mechanism) -> dict[str, list[str]]:
    """Return the names of all entries of q, qd, qdd and tau."""
    return {kind: [column.name for column in found] for kind, found in columns(model).items()}


def list_state_columns(model: Robot | Mechanism) -> list[str]:
    """Return names of the columns of q, qd, qdd and tau: q:joint[i], ..., or q:theta, ..."""
    return [f"{kind}:{name}" for kind, names in coordinate_names(model).items() for name in names]


def _label(joint: Joint, kind: str, i: int, count: int) -> str:
    if isinstance(joint.type, Floating):
        return f"base {(POSE if kind == 'q' else TWIST)[i]}"
    return joint.name if count == 1 else f"{joint.name}[{i}]"


def _of_mechanism(mechanism: Mechanism) -> dict[str, tuple[Column, ...]]:
    angles = set(mechanism.angle_slots)
    named = [(name, "rad" if i in angles else "m") for i, name in enumerate(mechanism.coordinates)]
    found = {kind: tuple(Column(name, name, unit + rate) for name, unit in named) for kind, rate in RATES.items()}
    return {**found, "tau": tuple(Column(name, name, "N m") for name in mechanism.motor_names)}


def _of_robot(robot: Robot) -> dict[str, tuple[Column, ...]]:
    found: dict[str, list[Column]] = {kind: [] for kind in STATES}
    for joint in robot.joints:
        of = units(joint.type)
        for kind, quantity in QUANTITIES.items():
            own = getattr(of, quantity)
            for i, unit in enumerate(own):
                name = f"{joint.name}[{i}]"
                found[kind].append(Column(name, _label(joint, kind, i, len(own)), unit))
    return {kind: tuple(own) for kind, own in found.items()}
