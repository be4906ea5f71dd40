"""What controllers ask of a model: its coordinates and motors, and equations of motion in independent coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Argument, Function
from screwgraph.model.model import Model
from screwgraph.motion.control.models.independent_motion import IndependentMotion
from screwgraph.tape import dot

BASE = 6
"""Velocity coordinates of a floating base."""
SAMPLES = 64
"""Random positions at which a model is tried."""


@dataclass(frozen=True)
class CoordinateRange:
    """A coordinate with limits: its places in q and qd, and its bounds, infinite where it has none."""

    at: int
    along: int
    lower: float
    upper: float
    velocity: float


class Motors(ABC):
    """The motors of a model: efforts along velocity coordinates are B u + rest."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Their names."""

    @property
    @abstractmethod
    def bounds(self) -> Sequence[tuple[float, float]]:
        """The least and the largest effort of each (N m, N; the unit of an actuator's input)."""

    @property
    @abstractmethod
    def drive_joints(self) -> bool:
        """Whether each acts along one coordinate, whatever the position."""

    @abstractmethod
    def arms(self, q: Any) -> tuple[Any, Any]:
        """Return B (nv, n) and rest (nv,)."""


class IndependentCoordinates(ABC):
    """The coordinates that constraints leave, and equations of motion in them."""

    @property
    @abstractmethod
    def places(self) -> Sequence[int]:
        """The velocity coordinates that are independent."""

    @property
    @abstractmethod
    def samples(self) -> Sequence[tuple[Float[np.ndarray, " nq"], Float[np.ndarray, "nv n"]]]:
        """Positions at which constraints are kept, with G: all velocities are G yd."""

    @abstractmethod
    def complete_velocity(self, q: Any, yd: Any) -> Any:
        """Return all velocities (nv,) of those of the independent coordinates, at a position (nq,)."""

    @abstractmethod
    def solve(self, q: Any, qd: Any) -> IndependentMotion:
        """Return the equations of motion at a state (nq,), (nv,)."""


class ControlledModel(ABC):
    """A model of some kind, as controllers know it; `model` is the model itself."""

    model: Any

    @property
    @abstractmethod
    def question(self) -> tuple[object, ...]:
        """The part of the model that code depends on."""

    @property
    @abstractmethod
    def arguments(self) -> tuple[Argument, Argument]:
        """The arguments q and qd."""

    @property
    @abstractmethod
    def coordinates(self) -> IndependentCoordinates:
        """The coordinates that are independent."""

    @property
    @abstractmethod
    def motors(self) -> Motors:
        """The motors that drive it."""

    @property
    @abstractmethod
    def mass(self) -> float:
        """The mass of all bodies (kg)."""

    @property
    @abstractmethod
    def floats(self) -> bool:
        """Whether a base is free, whose BASE velocities come first."""

    @property
    @abstractmethod
    def ranges(self) -> Sequence[CoordinateRange]:
        """Coordinates of one number, with their limits."""

    @property
    @abstractmethod
    def owners(self) -> Sequence[str]:
        """The name of the joint, or coordinate, of each velocity."""

    @property
    @abstractmethod
    def torques(self) -> int:
        """How many efforts simulations take: one a velocity, or one a motor."""

    @abstractmethod
    def list_places(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Return the places in q and qd of named coordinates of one number; without names, of those that are followed.

        Raises:
            InputError: a name is unknown or given twice, or has several coordinates.
        """

    @abstractmethod
    def list_velocities(self, names: Sequence[str]) -> list[int]:
        """Return the velocities of named joints or coordinates; without names, of all but a floating base.

        Raises:
            InputError: a name is unknown.
        """

    @abstractmethod
    def find_link(self, frame: str) -> str:
        """Return the link or body that carries a frame. Raises InputError."""

    @abstractmethod
    def is_moved(self, link: str) -> bool:
        """Return whether a motion of the model moves a link, body or point."""

    def check_moved(self, frame: str) -> None:
        """Raise InputError where no motion of the model moves a frame."""
        if not self.is_moved(self.find_link(frame)):
            raise InputError(f"nothing moves {frame!r}", why="it is fixed to the ground", fix="name another frame")

    @abstractmethod
    def push(self, q: Any, efforts: Any) -> Any:
        """Return the efforts that simulations take, of efforts of motors."""

    @abstractmethod
    def with_motors(self, names: Sequence[str] | None) -> Model:
        """Return the model with other motors, if any are named; those that it has are checked.

        Raises:
            InputError: a name is unknown, there are no motors, or a law of force is not linear.
        """


def check_once(names: Sequence[str]) -> None:
    """Raise InputError where a motor is named twice."""
    for name in names:
        if list(names).count(name) > 1:
            raise InputError(f"the motor {name!r} is named twice", fix="name it once")


def stack_columns(dependence: Function, q: Any, shape: tuple[int, int]) -> Any:
    """Return G (n, k) at a position, of a function of q, qd and the accelerations of k independent coordinates."""
    n, k = shape
    return np.array([dependence(q, np.zeros(n), unit) for unit in np.eye(k)]).T


def multiply(G: Any, yd: Any) -> Any:
    """Return G yd (n,); what is zero costs nothing."""
    return np.array([dot(row, yd) for row in G])


def sample_dependence(
    dependence: Function, states: Iterable[Float[np.ndarray, " nq"]], shape: tuple[int, int]
) -> list[tuple[Float[np.ndarray, " nq"], Float[np.ndarray, "n k"]]]:
    """Return positions with G (n, k): those at which it is finite, all where it is so at none."""
    pairs = [(q, stack_columns(dependence, q, shape)) for q in states]
    return [(q, G) for q, G in pairs if np.isfinite(G).all()] or pairs


def choose_columns(n: int, places: Sequence[int]) -> Float[np.ndarray, "n k"]:
    """Return the columns of the unit matrix of n rows at some places."""
    return np.eye(n)[:, list(places)]
