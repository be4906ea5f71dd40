"""Points and balls on legs of two joints, which move in a plane of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model.formats.yaml_keys import NUMBER, VECTOR, Entry, Keys
from screwgraph.model.model import Model
from screwgraph.motion.control.contacts.base import Held, Rows, hold_point, make_pyramid
from screwgraph.motion.control.contacts.gliding import GlidingPoint
from screwgraph.spatial import cross, finite_vector, rotation, sqrt
from screwgraph.tape import Number, dot

LITTLE = 1e-12
"""Square of the part of `across` that is along the ground, at least."""


@dataclass(frozen=True)
class PlanarPoint(GlidingPoint):
    """A point or a ball on a leg of two joints; its force (2,) is along the normal and along the ground in their plane.

    Velocities in the leg's plane are held at zero. Across it, where no joint of the leg moves it, the force is none and
    the point glides: friction that holds it there helps the robot, and is not in the model.

    Args:
        frame: the link or frame that carries it.
        radius: of the ball about the point (m).
        at: the point in the frame (m).
        friction: Coulomb's coefficient.
        across: the axis of the leg's joints, in the frame.
    """

    across: tuple[float, float, float] = (0.0, 1.0, 0.0)

    NOUN = "a point on a leg of two joints"
    ABOUT = "points and balls on legs of two joints"
    KEYS: ClassVar[Keys] = {
        **GlidingPoint.KEYS,
        "friction": Entry("coefficient of friction", NUMBER, default="0.8"),
        "across": Entry("axis of the leg's joints, in the frame", VECTOR, default="[0, 1, 0]"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not finite_vector(self.across, 3, f"across at {self.frame!r}", "it is in the frame's axes").any():
            raise InputError(f"across at {self.frame!r} is {self.across!r}", why="it must be an axis")

    @property
    def size(self) -> int:
        """Its force is in a plane."""
        return 2

    @property
    def structure(self) -> tuple[object, ...]:
        """The place of the ball, and the axis."""
        return "planar", self.frame, self.radius, self.at, self.across

    def hold(self, model: Model, ground: Float[np.ndarray, "3 3"], q: Any, qd: Any = None) -> Held:
        """Return the velocity of the lowest point along the normal, and along the ground in the leg's plane."""
        J, drift = hold_point(model, self.frame, self.at, q, qd, -self.radius * ground[0])
        axis = np.asarray(self.across) / np.linalg.norm(self.across)
        axis = list(rotation(np.asarray(forward_kinematics(model, self.frame)(q))) @ axis)
        way = cross(axis, list(ground[0]))
        share = 1.0 / sqrt(dot(way, way) + LITTLE)
        along = [x * share for x in way]
        rows = np.array([list(ground[0]), along])
        axes = np.concatenate([np.zeros((3, 2)), rows.T])
        if qd is None:
            return Held(rows @ J[3:], None, axes)
        turning = _turn_unit(along, share, cross(cross(list(J[:3] @ qd), axis), list(ground[0])))
        held = list(rows @ drift[3:])
        return Held(rows @ J[3:], np.array([held[0], held[1] + dot(turning, list(J[3:] @ qd))]), axes)

    def cone(self, friction: Number) -> tuple[Rows, list[Number]]:
        """Return the rows of friction in the plane, and the normal force."""
        return make_pyramid([1.0, 0.0], [[0.0, 1.0]], friction), [1.0, 0.0]


def _turn_unit(unit: Sequence[Number], share: Number, rate: Sequence[Number]) -> list[Number]:
    """Return the rate of a unit vector, of that of a vector along it of the length 1 / share."""
    along = dot(unit, rate)
    return [share * (r - u * along) for u, r in zip(unit, rate, strict=True)]
