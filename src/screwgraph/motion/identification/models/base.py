"""What identification needs to know of a model: its log, its curves, and torques that are linear in parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics import BaseParameters
from screwgraph.motion.identification.applied_torques import AppliedTorques, Contact
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.manifold_curves import Motion
from screwgraph.motion.identification.recording import Rows


@dataclass(frozen=True, eq=False)
class Unknown:
    """A parameter that is identified: labels and the file's values of its numbers.

    `axes` is the dimension of the body whose mass and moments they are, 0 where they are positive numbers.
    """

    __repr__ = one_line

    name: str
    labels: tuple[str, ...]
    nominal: Float[np.ndarray, " n"]
    axes: int = 0


@dataclass(frozen=True, eq=False)
class TorqueLaw:
    """Torques of all coordinates (N, nv), linear in `unknowns`; `free` coordinates are those that others follow.

    `slopes` (q, qd, qdd) are the derivatives (N, nv, k), `torques` take the numbers (N, k) of the unknowns, too.
    `with_values` is the model with numbers (k,) of the unknowns.
    """

    __repr__ = one_line

    unknowns: tuple[Unknown, ...]
    base: BaseParameters
    free: list[int]
    slopes: Callable[..., Float[np.ndarray, "N nv k"]]
    torques: Callable[..., Float[np.ndarray, "N nv"]]
    closure: ClosedChainMotion | None
    with_values: Callable[[Float[np.ndarray, " k"]], Any]


@dataclass(frozen=True, eq=False)
class CoordinateLimits:
    """Limits of the coordinates that others follow, infinite where there is none; `names` say them in words."""

    __repr__ = one_line

    names: tuple[str, ...]
    lower: Float[np.ndarray, " n"]
    upper: Float[np.ndarray, " n"]
    velocity: Float[np.ndarray, " n"]
    effort: Float[np.ndarray, " n"]


class Motors(Protocol):
    """What drives a model, by the columns that a log may have."""

    @property
    def names(self) -> Mapping[str, list[str]]:
        """The columns of torques "tau", of inputs of actuators "u", and of currents "i"."""
        ...

    @property
    def scale(self) -> Float[np.ndarray, " m"]:
        """Motor constants of the currents' columns (N m/A, N/A), NaN where none is known. Raises InputError."""
        ...

    @property
    def needed(self) -> Bool[np.ndarray, " m"]:
        """Columns of currents whose constant must be known."""
        ...

    @property
    def are_actuators(self) -> bool:
        """Whether constants are those of actuators."""
        ...

    def is_idle(self, name: str) -> bool:
        """Return whether a column of torques that a log lacks means that there is no motor."""
        ...

    def spread(self, array: Float[np.ndarray, "N n"]) -> Rows | None:
        """Return torques of all columns where those of the independent ones are given; None where they are others."""
        ...

    def acting(self, by_actuators: bool, wrenches: Iterable[str]) -> AppliedTorques:
        """Return the torques of coordinates where a log has these quantities."""
        ...


class IdentifiedModel(Protocol):
    """A model, as identification sees it."""

    @property
    def subject(self) -> Any:
        """The robot or mechanism itself."""
        ...

    @property
    def wrench_axes(self) -> tuple[str, ...]:
        """Names of the components of what acts at a place."""
        ...

    @property
    def needed_columns(self) -> str:
        """What of positions, velocities or accelerations a log must have, in words."""
        ...

    def find_place(self, name: str) -> str:
        """Return the name of a place at which wrenches act. Raises InputError where there is none."""
        ...

    def find_contact(self, name: str) -> Contact:
        """Return a contact by the name of its place. Raises InputError."""
        ...

    def wrench_jacobian(self, place: str) -> Callable[..., Float[np.ndarray, "N m nv"]]:
        """Return the Jacobian (of q) by whose transpose a wrench at a place acts."""
        ...

    def motors(self, constants: Mapping[str, float]) -> Motors:
        """Return what drives it."""
        ...

    def complete(self, kind: str, given: Mapping[str, np.ndarray]) -> Rows | None:
        """Return all columns of positions, or of their rates, of which a log has some; None where it needs more."""
        ...

    def law(self, names: Sequence[str] | None, payload: str | None) -> TorqueLaw:
        """Return its torques. Raises InputError as `regressor`."""
        ...

    def limits(self) -> CoordinateLimits:
        """Return between what its free coordinates move at will. Raises InputError where they do not."""
        ...

    def follower(self) -> Callable[..., Motion]:
        """Return the whole motion by that of the free coordinates, and its derivatives. Raises InputError."""
        ...

    def closed_states(self, count: int) -> Float[np.ndarray, "N nq"]:
        """Return some closed positions."""
        ...

    def lift(self, s: Float[np.ndarray, "N nq"], s1: np.ndarray, s2: np.ndarray) -> Motion:
        """Return the motion of coordinates s(t) with derivatives s1 and s2."""
        ...

    def normalise(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nq"]:
        """Return the nearest positions on the manifold."""
        ...

    def difference(self) -> Callable[..., Float[np.ndarray, "N nv"]]:
        """Return the displacement from one position to another."""
        ...

    def displacement(self, free: Sequence[int]) -> Callable[..., Motion]:
        """Return the motion q, qd, qdd displaced by d and its derivatives. Raises InputError where there is none."""
        ...

    def rates(self) -> Sequence[tuple[str, int, int]]:
        """Return the coordinates whose velocity is the rate of the position: name, places in q and in qd."""
        ...

    def frictions(self, row: str) -> Mapping[str, str]:
        """Return what parameters are called that oppose a coordinate: "friction" and "damping"."""
        ...
