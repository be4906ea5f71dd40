"""Coulomb friction of a joint, with a smooth sign."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parameters.base import list_moving_joints, perturb_numbers, with_joint
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Array, tanh
from screwgraph.tape import Number

SLOW = 0.01
"""Velocity (rad/s, m/s) at which the smooth sign tanh(qd / SLOW) of friction is 0.76."""


@dataclass(frozen=True)
class SmoothFriction:
    """The torque F tanh(qd / 0.01) that overcomes Coulomb friction of `level` F (N m, N)."""

    level: Number

    def torque(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Float[Array, " nv"]:
        """Return the torque that a joint must supply."""
        return self.level * tanh((1.0 / SLOW) * qd)


class Friction:
    """The level of Coulomb friction of a joint (N m, N), on each of its coordinates: one number."""

    of = "joint"
    why = "only joints that move have one"

    def parts(self, robot: Robot) -> Iterable[str]:
        return list_moving_joints(robot)

    def labels(self, robot: Robot, part: str) -> tuple[str, ...]:
        return ("friction",)

    def nominal(self, robot: Robot, part: str) -> Float[np.ndarray, "1"]:
        return np.array([robot.joint(part).friction])

    def near(self, robot: Robot, part: str, rng: np.random.Generator) -> Float[np.ndarray, "1"]:
        return perturb_numbers(self.nominal(robot, part), rng)

    def assign_values(self, robot: Robot, part: str, values: Float[Array, "1"]) -> Robot:
        joint = robot.joint(part)
        return with_joint(robot, replace(joint, forces=(*joint.forces, SmoothFriction(values[0]))))
