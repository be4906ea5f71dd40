"""What a kind of parameter is: which numbers of a robot's part it is, and the robot with other ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parts import Joint, Link
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array

SPREAD = 0.5
"""Part of a parameter's value by which it differs where equal values of code are looked for."""
ROUNDING = 1e-12
"""Values (SI units) below this are zero but for rounding, as angles of frames that a file turns and turns back."""


class Kind(Protocol):
    """A kind of parameter, of links, joints or frames."""

    @property
    def of(self) -> str:
        """Owner of the parameter: "link", "joint", "frame" or "joint or frame"."""
        ...

    @property
    def why(self) -> str:
        """Why some parts have none."""
        ...

    def parts(self, robot: Robot) -> Iterable[str]:
        """Return the names of the parts that have it."""
        ...

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        """Return a name for each of its numbers."""
        ...

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, " k"]:
        """Return the values of the robot's file (SI units)."""
        ...

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, " k"]:
        """Return random values that a robot may have there."""
        ...

    def assign_values(self, robot: Robot, part: str, values: Float[Array, " k"]) -> Robot:
        """Return the robot with these values, numbers of any kind."""
        ...


def perturb_numbers(nominal: Float[np.ndarray, " k"], rng: np.random.Generator) -> Float[np.ndarray, " k"]:
    """Return numbers that differ from some by up to a half, from zeros by up to 0.5."""
    return nominal + SPREAD * np.where(np.abs(nominal) < ROUNDING, 1.0, nominal) * rng.uniform(-1.0, 1.0, len(nominal))


def with_link(robot: Robot, link: Link) -> Robot:
    """Return a robot with another link in the place of that of the same name."""
    return replace(robot, links=tuple(link if old.name == link.name else old for old in robot.links))


def with_joint(robot: Robot, joint: Joint) -> Robot:
    """Return a robot with another joint in the place of that of the same name."""
    return replace(robot, joints=tuple(joint if old.name == joint.name else old for old in robot.joints))


def list_moving_joints(robot: Robot) -> list[str]:
    """Return the names of the joints that have coordinates."""
    return [joint.name for joint in robot.joints if joint.type.nv]


def label_coordinates(name: str, count: int) -> tuple[str, ...]:
    """Return a label for each coordinate of a joint; none of several needs no number."""
    return (name,) if count == 1 else tuple(f"{name}[{i}]" for i in range(count))


def unwrap_scalar(values: Float[Array, " k"]) -> Any:
    """Return the one number of a vector, else the vector."""
    return values[0] if len(values) == 1 else values
