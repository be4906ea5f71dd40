"""Where kinds of models differ, as tasks see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.graph import FactorGraph
from screwgraph.summary import one_line


@dataclass(frozen=True)
class Torques:
    """The model has `size` torques, of all joints or of motors; efforts are those at `places`."""

    size: int
    places: tuple[int, ...]

    def of(self, efforts: Float[np.ndarray, "*N m"]) -> Float[np.ndarray, "*N size"]:
        """Return all torques, zero where nothing is actuated."""
        tau = np.zeros((*efforts.shape[:-1], self.size))
        tau[..., list(self.places)] = efforts
        return tau


@dataclass(frozen=True, eq=False)
class ModelKind:
    """A kind of models. Tasks hold them in the terms of robots: what is called `robot` below.

    Args:
        given: the type that people give.
        held: the type that tasks hold.
        as_robot: from the one to the other.
        model: from the other to the one.
        has_bodies: whether models have frames, shapes, twists and wrenches.
        units: the unit of each velocity coordinate of a robot.
        actuated: the coordinates that are driven where a task names none.
        torques: where the efforts of coordinates of a robot stand among its torques. Raises InputError.
        effort_graph: of a robot and frames on which wrenches act, a graph, and the kind of variables that are the
            forces along all coordinates which a motion takes beside those of closed chains.
        closure_errors: the independent closure errors (r,) of a robot at q, on any kind of number.
        completed: of a robot, a position, and the values that a task gave, the position at which it starts.
        completed_velocity: the same of velocities, given the position before them, None where that is free.
        closed_path: of a robot and guessed positions (K, nq), such as are closed where that is quick to find.
        ordering: of a robot, an order for forward dynamics that needs no search.
    """

    __repr__ = one_line

    given: type
    held: type
    as_robot: Callable[[Any], Any]
    model: Callable[[Any], Any]
    has_bodies: bool
    units: Callable[[Any], Sequence[str]]
    actuated: Callable[[Any], tuple[int, ...]]
    torques: Callable[[Any, tuple[int, ...]], Torques]
    effort_graph: Callable[[Any, Sequence[str]], tuple[FactorGraph, str]]
    closure_errors: Callable[[Any, Any], Any]
    completed: Callable[[Any, np.ndarray, Mapping[str, Any]], np.ndarray]
    completed_velocity: Callable[[Any, np.ndarray | None, np.ndarray, Mapping[str, Any]], np.ndarray]
    closed_path: Callable[[Any, np.ndarray], np.ndarray]
    ordering: Callable[[Any], str]
