"""Kinds of variables: symbol, role in mechanics, and the kind that is dual to each; a new one is a line in `KINDS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType


class Role(Enum):
    """Role of a variable in mechanics, in the order in which functions take their arguments."""

    POSITION = "positions of coordinates"
    VELOCITY = "velocities of coordinates"
    COORDINATE_ACCELERATION = "accelerations of coordinates"
    COORDINATE_FORCE = "torques and forces along coordinates"
    EFFORT = "efforts of actuators"
    EXTERNAL_WRENCH = "wrenches from outside"
    PARAMETER = "parameters of the model"
    POSE = "poses of bodies"
    TWIST = "twists of bodies"
    ACCELERATION = "accelerations of bodies"
    WRENCH = "wrenches between bodies"
    FIELD = "directions that bodies see"
    MULTIPLIER = "multipliers of constraints"
    ADJOINT_VELOCITY = "velocities that constraints allow"
    INTERNAL = "what passes make"
    CHOICE = "what contacts leave to be chosen"
    OTHER = "anything else"


@dataclass(frozen=True)
class Kind:
    """A kind of variables: how the papers write it, its role, and the kind with which its product is power.

    `argument` is what functions call the argument that holds such variables, where that is not the kind's name.
    """

    symbol: str
    role: Role
    dual: str = ""
    argument: str = ""


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "q": Kind("θ", Role.POSITION),
        "qd": Kind("θ̇", Role.VELOCITY, "tau"),
        "qdd": Kind("θ̈", Role.COORDINATE_ACCELERATION, "tau"),
        "tau": Kind("τ", Role.COORDINATE_FORCE, "qdd"),
        "force": Kind("f", Role.COORDINATE_FORCE, "qdd"),
        "effort": Kind("u", Role.EFFORT),
        "external_wrenches": Kind("W", Role.EXTERNAL_WRENCH),
        "parameter": Kind("p", Role.PARAMETER, argument="parameters"),
        "drift": Kind("γ", Role.PARAMETER),
        "pose": Kind("T", Role.POSE),
        "twist": Kind("V", Role.TWIST, "wrench"),
        "acceleration": Kind("V̇", Role.ACCELERATION, "wrench"),
        "wrench": Kind("F", Role.WRENCH, "acceleration"),
        "gravity": Kind("g", Role.FIELD),
        "propagated_acceleration": Kind("C", Role.INTERNAL),
        "bias_acceleration": Kind("V̇⁰", Role.INTERNAL),
        "velocity": Kind("v", Role.INTERNAL),
        "choice": Kind("s", Role.CHOICE),
        "lambda": Kind("λ", Role.MULTIPLIER),
        "adjoint_multiplier": Kind("μ", Role.INTERNAL),
        "adjoint_velocity": Kind("δθ", Role.ADJOINT_VELOCITY, "tau"),
    }
)
"""Other kinds are people's own: their name is their symbol."""
COORDINATES = ("q", "qd", "qdd", "tau")
"""Kinds that every robot has, one without joints none of each."""
