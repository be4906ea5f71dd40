"""Barriers of one's own: any function of a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.model import Model
from screwgraph.motion.control.barriers.base import Barrier
from screwgraph.tape import Number


@dataclass(frozen=True)
class FunctionBarrier(Barrier):
    """A function's values stay positive: h = function(robot, q, qd, *arguments), on arrays; derivatives are exact.

    It may call compiled functions of the model, such as `sg.forward_kinematics(model, frame)`, and those of NumPy.

    Args:
        called: its name.
        function: of the state and further arguments, which are flat; it returns a list of numbers.
        arguments: names and sizes of further arguments.
        rate: see `Barrier`.
        margin: see `Barrier`.
    """

    __repr__ = one_line

    called: str
    function: Callable[..., Any]
    arguments: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """Its name."""
        return self.called

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the sizes of its arguments."""
        return {name: (size,) for name, size in self.arguments}

    def values(self, model: Model, q: Any, qd: Any, *references: Any) -> Sequence[Number]:
        """Return the function's values. Raises InputError where it returns none."""
        found = self.function(model, q, qd, *references)
        if not isinstance(found, Sequence | np.ndarray) or not np.size(found):
            raise InputError(
                f"the function of barrier {self.called!r} returns {describe_value(found)}",
                why="a barrier has a list of numbers, one at least",
            )
        return list(found)
