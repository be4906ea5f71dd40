"""Parameters of a robot that may be unknown: each enters inverse dynamics linearly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.dynamics import inverse_dynamics
from screwgraph.errors import InputError
from screwgraph.robot import Robot, unknown, without_loops
from screwgraph.spatial import SpatialInertia

ZERO = 1e-12


@dataclass(frozen=True, eq=False)
class Parameters:
    """Unknown parameters, "mass:link" or "damping:joint", their nominal values and scales (SI units).

    `slopes` are the derivatives (nv,) of inverse dynamics by each, CasADi functions of q, qd, qdd.
    """

    names: tuple[str, ...]
    values: Float[np.ndarray, " k"]
    scale: Float[np.ndarray, " k"]
    slopes: tuple[Callable[[Any, Any, Any], Any], ...]

    def change(self, q: Any, qd: Any, qdd: Any, scaled: Any) -> Any:
        """Return what inverse dynamics differs by from the nominal robot's (nv,); `scaled` are values over scales."""
        total: Any = 0.0
        for i, slope in enumerate(self.slopes):
            total = total + slope(q, qd, qdd) * (self.scale[i] * scaled[i] - self.values[i])
        return total

    def at(self, robot: Robot, values: Float[np.ndarray, " k"]) -> Robot:
        """Return the robot with these values."""
        for name, value in zip(self.names, values, strict=True):
            key, _, part = name.partition(":")
            robot = KINDS[key].changed(robot, part, float(value))
        return robot


@dataclass(frozen=True)
class Kind:
    """A kind of parameter: its value in a robot's link or joint, and the robot with another value."""

    value: Callable[[Robot, str], float]
    changed: Callable[[Robot, str, float], Robot]


def _mass(robot: Robot, name: str) -> float:
    return robot.link(name).inertia.mass


def _with_mass(robot: Robot, name: str, mass: float) -> Robot:
    """Change a mass; the centre of mass and the rotational inertia about it stay."""
    of = robot.link(name).inertia
    return _with_inertia(robot, name, SpatialInertia.of_body(mass, of.com, of.about_com))


def _with_inertia(robot: Robot, name: str, inertia: SpatialInertia) -> Robot:
    links = tuple(replace(link, inertia=inertia) if link.name == name else link for link in robot.links)
    return replace(robot, links=links)


def _of_joint(entry: str) -> Kind:
    def changed(robot: Robot, name: str, value: float) -> Robot:
        return replace(robot, joints=tuple(replace(j, **{entry: value}) if j.name == name else j for j in robot.joints))

    return Kind(lambda robot, name: getattr(robot.joint(name), entry), changed)


KINDS: Mapping[str, Kind] = {
    "mass": Kind(_mass, _with_mass),
    "damping": _of_joint("damping"),
    "armature": _of_joint("armature"),
}
"""Kinds of parameters: masses of links (kg), damping and rotor inertia of joints (SI units)."""


def parameters_of(robot: Robot, names: Sequence[str]) -> Parameters:
    """Return parameters by name.

    Raises:
        InputError: no such parameter, one named twice, or the mass of a link that moves nowhere.
    """
    for name in names:
        key, _, part = name.partition(":")
        if key not in KINDS or not part:
            raise unknown("parameter", name, [f"{key}:NAME" for key in KINDS])
        if names.count(name) > 1:
            raise InputError(f"parameter {name!r} is named twice")
        KINDS[key].value(robot, part)
        if key == "mass" and part == robot.links[0].name:
            raise InputError(f"the mass of {part!r} cannot be estimated", why="it is the base, which does not move")
    values = np.array([KINDS[n.partition(":")[0]].value(robot, n.partition(":")[2]) for n in names])
    scale = np.where(np.abs(values) > ZERO, np.abs(values), 1.0)
    return Parameters(tuple(names), values, scale, tuple(_slope(robot, name) for name in names))


def _slope(robot: Robot, name: str) -> Callable[[Any, Any, Any], Any]:
    """Return the derivative of inverse dynamics: that of a robot in which nothing else has inertia or damping."""
    key, _, part = name.partition(":")
    links = tuple(replace(link, inertia=SpatialInertia()) for link in robot.links)
    joints = tuple(replace(joint, damping=0.0, armature=0.0) for joint in robot.joints)
    empty = replace(without_loops(robot), links=links, joints=joints)
    if key == "mass":
        unit = _with_inertia(empty, part, SpatialInertia.of_body(1.0, robot.link(part).inertia.com, np.zeros((3, 3))))
    else:
        unit = KINDS[key].changed(empty, part, 1.0)
    return inverse_dynamics(unit)
