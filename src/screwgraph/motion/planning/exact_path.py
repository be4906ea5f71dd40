"""Exact paths of tasks: joint positions as functions of the length of the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers, describe_value
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line


@dataclass(frozen=True, eq=False)
class ExactPath:
    """Joint positions (k, nq) that a motion passes, in this order: straight for two, else along a cubic spline.

    The spline is not-a-knot, over the length of the way from position to position. Limits are kept on `steps` equal
    parts of it, and between. The robot rests at both ends.
    """

    __repr__ = one_line

    positions: Any
    steps: int = 200

    def __post_init__(self) -> None:
        try:
            q = convert_numbers(self.positions).copy()
        except (TypeError, ValueError):
            q = np.zeros(0)
        if q.ndim != 2 or len(q) < 2 or not np.isfinite(q).all():
            raise InputError(
                f"the positions of a path are {describe_value(self.positions)}", fix="give two or more lists of numbers"
            )
        if isinstance(self.steps, bool) or not isinstance(self.steps, int | np.integer) or self.steps < 2:
            raise InputError(f"a path has {self.steps!r} steps", fix="give a whole number, such as 200")
        if (np.abs(np.diff(q, axis=0)).max(axis=1) == 0.0).any():
            raise InputError("a path has the same position twice in a row", fix="leave one of them out")
        object.__setattr__(self, "positions", q)

    @cached_property
    def edges(self) -> Float[np.ndarray, " k"]:
        """The length of the way to each position."""
        return np.append(0.0, np.cumsum(np.linalg.norm(np.diff(self.positions, axis=0), axis=1)))

    @cached_property
    def spline(self) -> Any:
        """The path as a function of the length."""
        from scipy.interpolate import CubicSpline, make_interp_spline

        made = CubicSpline if len(self.positions) > 2 else lambda s, q: make_interp_spline(s, q, k=1)
        return made(self.edges, self.positions)

    def at(self, s: Float[np.ndarray, " n"], order: int = 0) -> Float[np.ndarray, "n nq"]:
        """Return positions, or derivatives by s."""
        if order > 1 and len(self.positions) == 2:
            return np.zeros((len(s), self.positions.shape[1]))
        return np.asarray(self.spline(s, order) if order else self.spline(s))
