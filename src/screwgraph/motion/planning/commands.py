"""What a controller commands that carries out a plan."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError

NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
"""Exact for the polynomials of all rules."""


def hold_mean(
    function: Callable[[Float[np.ndarray, " n"]], Float[np.ndarray, "n m"]],
    knots: Float[np.ndarray, " K"],
    times: Float[np.ndarray, "*n"] | float,
    hold: float,
) -> Float[np.ndarray, "*n m"]:
    """Return a function of time at times (s), or its means over `hold` (s) from then on, as far as the plan goes.

    The function may jump at knots.

    Raises:
        InputError: a time is outside of the plan, or the hold is negative.
    """
    asked = np.atleast_1d(np.asarray(times, dtype=float))
    if asked.ndim > 1 or not ((asked >= knots[0]) & (asked <= knots[-1])).all():
        raise InputError(f"a time is outside of {knots[0]:g}..{knots[-1]:g} s", why="the plan says nothing there")
    if not 0.0 <= hold < np.inf:
        raise InputError(f"hold is {hold!r}", fix="give the seconds for which a controller holds a torque")
    found = np.array([_mean(function, knots, t, t + hold) for t in asked.tolist()]) if hold else function(asked)
    return found[0] if np.ndim(times) == 0 else found


def _mean(function: Callable[[np.ndarray], np.ndarray], knots: np.ndarray, begin: float, end: float) -> np.ndarray:
    end = min(end, float(knots[-1]))
    if end - begin <= 1e-12 * knots[-1]:
        return function(np.array([begin]))[0]
    edges = np.array([begin, *knots[(knots > begin) & (knots < end)], end])
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    values = function((middle[:, None] + half[:, None] * NODES).ravel())
    return np.outer(half, WEIGHTS).ravel() @ values / (end - begin)
