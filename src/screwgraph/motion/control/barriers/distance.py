"""Capsules of a robot stay away from one another, from balls that move, from planes and shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.barriers.base import Barrier
from screwgraph.motion.control.barriers.capsules import KEEPER, LinkCapsule, measure_distance, read_capsule
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.simulation.contacts import OtherBody, Plane
from screwgraph.motion.simulation.contacts.contact_files import read_other, read_plane
from screwgraph.spatial import rotation, translation
from screwgraph.tape import Number, dot


@dataclass(frozen=True)
class CapsuleBarrier(Barrier):
    """The distance (m) of two capsules of a robot, such as its hand and its own base."""

    first: LinkCapsule
    second: LinkCapsule

    KEYS: ClassVar[Keys] = {"from": Entry("another capsule of the robot", "mapping"), **KEEPER}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], numbers: Mapping[str, float]) -> Self:
        """Return the barrier of a file's entry. Raises ModelError, InputError."""
        return cls(read_capsule(entries["capsule"]), read_capsule(entries["from"]), **numbers)

    @property
    def name(self) -> str:
        """The frames."""
        return f"{self.first.frame}_{self.second.frame}_distance"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return none. Raises InputError where both are on one link."""
        _refuse_one_link(model, self.first.frame, self.second.frame)
        return {}

    def values(self, model: Model, q: Any, qd: Any, *references: Any) -> Sequence[Number]:
        """Return the distance."""
        apart = measure_distance(self.first.ends(model, q), self.second.ends(model, q))
        return [apart - self.first.radius - self.second.radius]


@dataclass(frozen=True)
class BallBarrier(Barrier):
    """The distance (m) of a capsule of a robot from a ball that moves: its centre (3,) (m) is an argument.

    Args:
        capsule: of the model.
        radius: of the ball (m).
        ball: the name of its centre among the arguments; several capsules may avoid one ball.
        rate: see `Barrier`.
        margin: see `Barrier` (m).
    """

    capsule: LinkCapsule
    radius: float
    ball: str = "ball"

    KEYS: ClassVar[Keys] = {
        "ball": Entry("ball that moves: name of the argument that is its centre"),
        "radius": Entry("of that ball", NUMBER, "m", REQUIRED),
        **KEEPER,
    }

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], numbers: Mapping[str, float]) -> Self:
        """Return the barrier of a file's entry. Raises ModelError, InputError."""
        return cls(read_capsule(entries["capsule"]), entries["radius"].number({}), entries["ball"].text(), **numbers)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.radius < np.inf:
            raise InputError(f"ball {self.ball!r} has the radius {self.radius!r}", why="it must be finite, from 0 on")

    @property
    def name(self) -> str:
        """The frame and the ball."""
        return f"{self.capsule.frame}_{self.ball}_distance"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shape of the centre."""
        as_controlled(model).check_moved(self.capsule.frame)
        return {self.ball: (3,)}

    def values(self, model: Model, q: Any, qd: Any, *references: Any) -> Sequence[Number]:
        """Return the distance."""
        apart = measure_distance(self.capsule.ends(model, q), [np.array(references[0])])
        return [apart - self.capsule.radius - self.radius]


@dataclass(frozen=True)
class PlaneBarrier(Barrier):
    """The heights (m) of a capsule's ends above a plane, which may be a wall: its slope is any."""

    capsule: LinkCapsule
    plane: Plane = Plane()  # noqa: RUF009

    KEYS: ClassVar[Keys] = {"plane": Entry("plane above which it stays", "mapping"), **KEEPER}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], numbers: Mapping[str, float]) -> Self:
        """Return the barrier of a file's entry. Raises ModelError, InputError."""
        return cls(read_capsule(entries["capsule"]), read_plane(entries["plane"]), **numbers)

    @property
    def name(self) -> str:
        """The frame."""
        return f"{self.capsule.frame}_height"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return none. Raises InputError where there is no such frame."""
        as_controlled(model).check_moved(self.capsule.frame)
        return {}

    def values(self, model: Model, q: Any, qd: Any, *references: Any) -> Sequence[Number]:
        """Return the height of each end."""
        found = list[Number]()
        for end in self.capsule.ends(model, q):
            found.append(self.plane.touch(end)[0] - self.capsule.radius)
        return found


@dataclass(frozen=True)
class ShapeBarrier(Barrier):
    """The distances (m) of a capsule's ends from a sphere, capsule or box of another link or frame."""

    capsule: LinkCapsule
    shape: OtherBody

    KEYS: ClassVar[Keys] = {
        "shape": Entry("sphere, capsule or box of another link, as of contacts", "mapping"),
        **KEEPER,
    }

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], numbers: Mapping[str, float]) -> Self:
        """Return the barrier of a file's entry. Raises ModelError, InputError."""
        return cls(read_capsule(entries["capsule"]), read_other(entries["shape"]), **numbers)

    @property
    def name(self) -> str:
        """The frames."""
        return f"{self.capsule.frame}_{self.shape.frame}_distance"

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return none. Raises InputError where both are on one link, or code knows no distance from the shape."""
        _refuse_one_link(model, self.capsule.frame, self.shape.frame)
        if not self.shape.knows_distances:
            raise InputError(
                f"a barrier has the shape {self.shape.shape!r} of {self.shape.frame!r}",
                why="code knows distances from spheres, capsules and boxes",
                fix="cover it by one of these",
            )
        return {}

    def values(self, model: Model, q: Any, qd: Any, *references: Any) -> Sequence[Number]:
        """Return the distance of each end."""
        T = np.asarray(forward_kinematics(model, self.shape.frame)(q))
        found = list[Number]()
        for end in self.capsule.ends(model, q):
            away = end - translation(T)
            own = np.array([dot(rotation(T)[:, i], away) for i in range(3)])
            found.append(self.shape.distance(own, own)[0] - self.capsule.radius)
        return found


def _refuse_one_link(model: Model, first: str, second: str) -> None:
    """Raise InputError where two frames are on one link."""
    if as_controlled(model).find_link(first) == as_controlled(model).find_link(second):
        raise InputError(f"{first!r} and {second!r} are on one link", why="it does not bend")
