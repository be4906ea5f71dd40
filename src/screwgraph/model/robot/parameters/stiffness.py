"""A spring along a joint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import perturb_numbers, with_joint
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array
from screwgraph.tape import Number


@dataclass(frozen=True)
class LinearSpring:
    """The torque k (q - rest) that holds a spring of `stiffness` k (N m/rad, N/m), `rest` in rad or m."""

    stiffness: Number
    rest: Number

    def torque(self, q: Float[Array, "1"], qd: Float[Array, "1"]) -> Float[Array, "1"]:
        """Return the torque that a joint must supply."""
        return self.stiffness * (q - self.rest)


class Stiffness:
    """A spring that is not in the file: stiffness (N m/rad, N/m) and rest position (rad, m), zero by default."""

    of = "joint"
    why = "only joints of one coordinate have one"

    def parts(self, robot: Robot) -> Iterable[str]:
        """Return the joints of one coordinate."""
        return [joint.name for joint in robot.joints if joint.type.nq == joint.type.nv == 1]

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return ("k", "rest")

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "2"]:
        return np.zeros(2)

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "2"]:
        return perturb_numbers(self.nominal(robot, part), rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "2"]) -> Robot:
        joint = robot.joint(part)
        return with_joint(robot, replace(joint, forces=(*joint.forces, LinearSpring(values[0], values[1]))))
