"""What a task is made of: goals, costs, limits, obstacles, contacts are items, one kind a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize import Factors, Variables

if TYPE_CHECKING:
    from screwgraph.mechanics.kinematics.targets import Target
    from screwgraph.motion.planning.mechanics import Mechanics
    from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns


class Item(Protocol):
    """Something that a task asks for: a frozen dataclass that knows its factors."""

    def factors(self, steps: TrajectoryUnknowns, name: str) -> Iterable[Factors]:
        """Return its factors on the unknowns of a trajectory, called by names that begin with `name`.

        Raises:
            InputError: it does not fit the robot or the horizon.
        """
        ...


@dataclass(frozen=True, eq=False)
class Wrench:
    """Unknown wrenches on a frame at some samples: one of `unknowns` for each, in the order of `samples`.

    `template` makes the wrench (moment, force), in the frame, of q, the frame's pose in the base, and one unknown.
    `carries` are those numbers of an unknown that push the robot up: at first these share its weight. `internal`, where
    it is given, makes of q, the pose and an unknown what of it cancels out in the wrench.
    """

    frame: str
    samples: Int[np.ndarray, " n"]
    unknowns: Variables
    template: Callable[[Any, Any, Any], Any]
    carries: tuple[int, ...] = ()
    internal: Callable[[Any, Any, Any], Any] | None = None


class Goal(Item, Protocol):
    """An item that holds at some time; soft where it has a standard deviation `sigma`."""

    @property
    def time(self) -> Time: ...

    @property
    def sigma(self) -> float | None: ...


class PositionGoal(Goal, Protocol):
    """A goal that gives joint positions."""

    def position(self, robot: Any) -> tuple[Float[np.ndarray, "*n nq"], tuple[str, ...]]:
        """Return q, neutral where nothing is given, of one instant or of several, and the joints that are given.

        Raises:
            InputError: a name or a size is wrong.
        """
        ...


class StateGoal(Goal, Protocol):
    """A goal that may give all values of a `family` of unknowns, "q" or "qd"."""

    @property
    def family(self) -> str: ...

    def whole_values(self, mechanics: Mechanics) -> Float[np.ndarray, "*n size"] | None:
        """Return the values of all coordinates, of one instant or of several; None where it gives some by name.

        Raises:
            InputError: a size is wrong.
        """
        ...


class FrameGoal(Goal, Protocol):
    """A goal that says where a frame is, which inverse kinematics can find."""

    @property
    def frame(self) -> str: ...

    def target(self, mechanics: Mechanics) -> tuple[Target, np.ndarray]:
        """Return what inverse kinematics is asked for, and its value; values of several instants stand along axis 0.

        Raises:
            InputError: the value makes no sense.
        """
        ...

    def place(self, mechanics: Mechanics) -> Float[np.ndarray, "*n 3"]:
        """Return where the frame's origin is in the base (m); NaN along axes that are free."""
        ...

    def rotation(self, mechanics: Mechanics) -> Float[np.ndarray, "*n 3 3"] | None:
        """Return the axes that the frame has in the base, None where turns are free."""
        ...


class ActingItem(Item, Protocol):
    """An item whose wrenches act on the robot."""

    def wrenches(self, steps: TrajectoryUnknowns, name: str) -> Sequence[Wrench]:
        """Return the wrenches that its unknowns exert."""
        ...
