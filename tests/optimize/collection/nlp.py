"""Nonlinear programs in the form of Hock & Schittkowski (1981)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Law = Callable[..., tuple[Any, list, list]]
"""From unknowns, scalars of any kind, to the cost, what must vanish, and what must not be negative."""


@dataclass(frozen=True, eq=False)
class Nlp:
    """A program; `optima` are known minima, the published one first."""

    name: str
    start: np.ndarray
    optima: tuple[float, ...]
    law: Law
    lower: np.ndarray
    upper: np.ndarray

    def evaluated(self, x: Sequence[Any]) -> tuple[Any, list, list]:
        """Return cost, equalities and inequalities, bounds among these."""
        cost, equal, unequal = self.law(*x)
        bounds = [x[i] - self.lower[i] for i in np.flatnonzero(np.isfinite(self.lower))]
        bounds += [self.upper[i] - x[i] for i in np.flatnonzero(np.isfinite(self.upper))]
        return cost, equal, [*unequal, *bounds]


def hs(
    number: int,
    start: Sequence[float],
    optima: float | tuple[float, ...],
    law: Law,
    lower: float | Sequence[float] = -np.inf,
    upper: float | Sequence[float] = np.inf,
) -> Nlp:
    """Return a problem of the collection, by its number there."""
    x = np.array(start, dtype=float)
    low, high = (np.broadcast_to(np.array(b, dtype=float), x.shape) for b in (lower, upper))
    return Nlp(f"HS{number}", x, optima if isinstance(optima, tuple) else (optima,), law, low, high)
