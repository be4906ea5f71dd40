"""What an actuator is, and how it acts on joints: consumers ask these; the kinds stand in `actuators/`, one a file.

An actuator with effort (N m or N) and displacement l(q) (rad or m) delivers the power effort dl/dt, so that it causes
the joint torques tau = (dl/dq)' effort: gears, differentials, tendons, cables, motors on joints that close loops.
Chignoli et al. (2023), footnote 3. Its input u is the effort; with a law of force, as of muscles, the effort is
law(u, l).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.base.summary import one_line
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.parts import Joint
from screwgraph.spatial import Array

if TYPE_CHECKING:
    from screwgraph.model.robot.robot import Robot

Law = Callable[[Any, Any], Any]
"""The effort (N m, N) that an input u causes at a displacement l (rad, m), on numbers of any kind."""
UNBOUNDED = (-np.inf, np.inf)
EITHER = "N m or N"
"""The unit of an effort whose displacement is a formula: it is the formula's author who knows."""
Kind = TypeVar("Kind", bound="Actuator")


@dataclass(frozen=True, eq=False)
class Lever(ABC):
    """How an actuator acts on the `joints` that it moves; methods take the position (nq,) of each of these."""

    __repr__ = one_line

    joints: tuple[Joint, ...]
    law: Law | None = field(default=None, kw_only=True)

    @abstractmethod
    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        """Return the torques at each joint that an effort of 1 causes."""

    def displacement(self, q: Sequence[Float[Array, " nq"]]) -> Any:
        """Return the displacement (rad, m); NaN of actuators that have none."""
        return np.nan

    def effort(self, q: Sequence[Float[Array, " nq"]], u: Any) -> Any:
        """Return the effort (N m, N) of an input."""
        return u if self.law is None else self.law(u, self.displacement(q))

    def slope(self, q: Sequence[Float[Array, " nq"]]) -> Any:
        """Return by how much the effort changes with the input, where the law is linear in it."""
        return 1.0 if self.law is None else self.effort(q, 1.0) - self.effort(q, 0.0)


class ActuatorReading(Protocol):
    """What reads values of an actuator's entry in a file."""

    def numbers(self, value: Any, count: int) -> Sequence[float]:
        """Return so many numbers (SI units); expressions may name parameters. Raises ModelError."""
        ...

    def displacement(self, name: str, entries: Mapping[str, Any]) -> Coupling:
        """Return a function of positions, from "terms" or "displacement". Raises ModelError."""
        ...


class ActuatorWriting(Protocol):
    """What writes values of an actuator's entry in a file."""

    def displacement(self, coupling: Coupling) -> dict[str, Any]:
        """Return the entries of a function of positions."""
        ...


@dataclass(frozen=True, eq=False)
class Actuator(ABC):
    """What drives joints: subclasses are its kinds.

    Args:
        name: of the actuator.
        bounds: the least and the largest input (N m, N), for plans and for efforts within limits.
        force: the law of its force, None where the input is the effort.
        unit: of the input, where a law says what that is: "Pa".
    """

    keys: ClassVar[Mapping[str, tuple[str, str, str]]] = {}
    """What entries of files may have of this kind: meaning, form and unit by key."""

    name: str
    bounds: tuple[float, float] = field(default=UNBOUNDED, kw_only=True)
    force: Law | None = field(default=None, kw_only=True)
    unit: str = field(default="", kw_only=True)

    def __repr__(self) -> str:
        return f"<actuator {self.name!r}: {self.text}>"

    @classmethod
    @abstractmethod
    def read(cls, name: str, entries: Mapping[str, Any], reading: ActuatorReading) -> Actuator:
        """Return the actuator of an entry of a file, without what all kinds have in common. Raises ModelError."""

    @abstractmethod
    def entries(self, writing: ActuatorWriting) -> dict[str, Any]:
        """Return what `read` reads."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Print what it drives."""

    @property
    def has_constant_arms(self) -> bool:
        """Whether its torques are the same at all positions."""
        return False

    def effort_unit(self, robot: Robot) -> str:
        """Return the unit of its input."""
        return self.unit or EITHER

    @abstractmethod
    def check(self, robot: Robot, at: object) -> None:
        """See that the robot has what it drives. Raises ModelError."""

    @abstractmethod
    def lever(self, robot: Robot) -> Lever:
        """Return how it acts on the joints of a robot."""

    @abstractmethod
    def with_fixed(self: Kind, positions: Mapping[str, float]) -> Kind | None:
        """Return the actuator with some joints fixed; None where nothing of it moves."""

    @abstractmethod
    def with_prefix(self: Kind, prefix: str) -> Kind:
        """Return the actuator of a robot whose names begin with a prefix."""

    def acts_on(self, robot: Robot) -> bool:
        """Whether it acts on a robot that was edited."""
        return True

    @property
    def who(self) -> str:
        """Name it in messages."""
        return f"actuator {self.name!r}"


def check_actuators(robot: Robot, where: Callable[[Any], object]) -> None:
    """Check names, bounds and what the actuators of a robot drive. Raises ModelError."""
    seen: set[str] = set()
    for actuator in robot.actuators:
        at = where(actuator)
        if actuator.name in seen:
            raise ModelError(f"two actuators are called {actuator.name!r}", at=at, fix="rename one")
        seen.add(actuator.name)
        lower, upper = actuator.bounds
        if not lower < upper:
            raise ModelError(f"{actuator.who} has the bounds {lower:g} and {upper:g}", at=at, fix="the lower one first")
        actuator.check(robot, at)
