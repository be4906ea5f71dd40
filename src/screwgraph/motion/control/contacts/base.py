"""What a contact of a controller is: velocities that are held at zero, and the forces that hold them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics import forward_kinematics, frame_acceleration, frame_jacobian
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED
from screwgraph.model.formats.yaml_keys import Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.file_entries import read_values
from screwgraph.motion.simulation.contacts import Contact
from screwgraph.spatial import cross, rotation
from screwgraph.tape import Number

Rows = list[list[Number]]
ROUND = 1.0 / np.sqrt(2.0)
"""Friction along each tangent, of Coulomb's: a pyramid in the round cone."""


@dataclass(frozen=True, eq=False)
class Held:
    """A contact of n components at a state: J qd (n,) is held at zero, J'f are the efforts of its forces f (n,).

    `drift` (n,) is the rate of J qd without qdd; `axes` (6, n) give the moment about the contact's point and the force,
    in the base's axes.
    """

    J: Any
    drift: Any
    axes: Any

    def slow_down(self, qd: Any, drag: float) -> Any:
        """Return the drift (n,) with which J qd slows down at a rate (1/s)."""
        return self.drift + drag * (self.J @ qd)


class HeldContact(ABC):
    """A place of a link or frame that rests on the ground where it is on; `frame` carries it."""

    frame: str
    friction: Any

    NOUN: ClassVar[str] = ""
    """One of them, as messages call it, such as "a sole"."""
    ABOUT: ClassVar[str] = ""
    """Those of a file's list."""
    KEYS: ClassVar[Keys] = {}
    """Keys of an item of that list, by default names of fields; none where files have none."""
    has_round_cone: ClassVar[bool] = False
    """Whether its force (3,), normal and tangents, may be kept within Coulomb's cone itself."""
    takes_moments: ClassVar[bool] = False
    """Whether its wrench has a moment."""

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value]) -> Self:
        """Return the contact of a file's entry. Raises ModelError, InputError."""
        return cls(**read_values(entries, cls.KEYS))

    @property
    @abstractmethod
    def size(self) -> int:
        """How many components its force has, and how many velocities it holds."""

    @property
    @abstractmethod
    def structure(self) -> tuple[object, ...]:
        """Properties that code depends on: not its friction, which is an argument."""

    @property
    @abstractmethod
    def corners(self) -> list[Contact]:
        """Points and balls that touch the ground, as contacts of a simulation."""

    @abstractmethod
    def hold(self, model: Model, ground: Float[np.ndarray, "3 3"], q: Any, qd: Any = None) -> Held:
        """Return what it holds; the ground's axes stand by rows: normal, tangents. No drift without qd."""

    @abstractmethod
    def cone(self, friction: Number) -> tuple[Rows, list[Number]]:
        """Return rows (k, n) with row f >= 0 of forces without slip, and the row (n,) of the normal force (N)."""


def hold_point(model: Model, frame: str, arm: Any, q: Any, qd: Any, radius: Any = 0.0) -> tuple[Any, Any]:
    """Return the Jacobian (6, nv) of a point of a frame, in the base's axes, and its acceleration without qdd.

    `arm` (m) leads to it in the frame. The point `radius` (3,) from there, in the base's axes, is that of a ball which
    rolls: what is held is its velocity, of another point at each instant.
    """
    J = np.asarray(frame_jacobian(model, frame, reference=ALIGNED)(q))
    arm = list(rotation(np.asarray(forward_kinematics(model, frame)(q))) @ np.array(arm))
    below = [x + r for x, r in zip(arm, np.broadcast_to(radius, 3), strict=True)]
    linear = np.array([J[3:, i] + np.array(cross(list(J[:3, i]), below)) for i in range(model.nv)]).T
    J = np.concatenate([J[:3], linear])
    if qd is None:
        return J, None
    drift = frame_acceleration(model, frame, reference=ALIGNED)(q, qd, np.zeros(model.nv))
    spin = list(J[:3] @ qd)
    turning = np.array(cross(list(drift[:3]), below)) + np.array(cross(spin, cross(spin, arm)))
    return J, np.concatenate([drift[:3], drift[3:] + turning])


def make_pyramid(normal: Sequence[Number], tangents: Sequence[Sequence[Number]], share: Number) -> Rows:
    """Return rows of share f_n +- f_t >= 0 along each tangent."""
    return [
        [share * n + sign * t for n, t in zip(normal, tangent, strict=True)]
        for tangent in tangents
        for sign in (1.0, -1.0)
    ]
