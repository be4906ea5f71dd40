"""Where kinds of models differ, as tasks see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.graph import FactorGraph
from screwgraph.motion.planning.models.drive import Drive


@dataclass(frozen=True, eq=False)
class ModelKind:
    """A kind of models. Tasks hold them in the terms of robots: what is called `robot` below.

    Args:
        as_robot: from what people give, or tasks hold, to what tasks hold.
        model: from that to what people give.
        turns: whether each velocity coordinate of a robot turns (rad/s), or slides (m/s).
        drive: of a robot, and what a task names as actuated (None where it names nothing), what drives it. Raises
            InputError.
        effort_graph: of a robot and frames on which wrenches act, a graph, and the kind of variables that are the
            forces along all coordinates which a motion takes beside those of closed chains.
        closure_errors: the independent closure errors (r,) of a robot at q, on any kind of number.
        constraint_names: what each of these stems from.
        is_assembled: whether a closed position of a robot is one that its parts can take.
        completed: of a robot, a position, and the values that a task gave, the position at which it starts.
        completed_velocity: the same of velocities, given the position before them, None where that is free.
        closed_path: of a robot and guessed positions (K, nq), such as are closed where that is quick to find.
        ordering: of a robot, an order for forward dynamics that needs no search.
    """

    __repr__ = one_line

    as_robot: Callable[[Any], Any]
    model: Callable[[Any], Any]
    turns: Callable[[Any], Sequence[bool]]
    drive: Callable[[Any, Sequence[str] | None], Drive]
    effort_graph: Callable[[Any, Sequence[str]], tuple[FactorGraph, str]]
    closure_errors: Callable[[Any, Any], Any]
    constraint_names: Callable[[Any], list[str]]
    is_assembled: Callable[[Any, np.ndarray], bool]
    completed: Callable[[Any, np.ndarray, Mapping[str, Any]], np.ndarray]
    completed_velocity: Callable[[Any, np.ndarray | None, np.ndarray, Mapping[str, Any]], np.ndarray]
    closed_path: Callable[[Any, np.ndarray], np.ndarray]
    ordering: Callable[[Any], str]
