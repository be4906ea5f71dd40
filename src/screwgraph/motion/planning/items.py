"""What a task is made of: goals, costs, limits, obstacles, contacts are items, one kind a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int

from screwgraph.optimize import Factors, Variables

if TYPE_CHECKING:
    from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns


@runtime_checkable
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


@runtime_checkable
class ActingItem(Item, Protocol):
    """An item whose wrenches act on the robot."""

    def wrenches(self, steps: TrajectoryUnknowns, name: str) -> Sequence[Wrench]:
        """Return the wrenches that its unknowns exert."""
        ...
