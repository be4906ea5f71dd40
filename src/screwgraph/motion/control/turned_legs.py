"""Legs of more joints than their contact's force has components: accelerations along turned axes.

Columns of a leg's Jacobian (k, m), m > k, are reflected until only the first k are left: J Q = (L, 0). Accelerations
ydd = Q v of the leg then hold the contact by the first k of v, whatever position it is in, and the others are free;
any k joints of its own would be singular somewhere between. Householder (1958); Golub & Van Loan (2013), 5.2.
A reflection leads to one side of its axis for good: the farther one would change between neighbouring positions. Rows
that vanish, of straight legs, are led there gradually: axes would turn at once otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.control.affine import Affine, combine_affine
from screwgraph.spatial import choose, maximum, sqrt
from screwgraph.tape import Number, dot

PART = 0.01
"""Of a long row of a leg's Jacobian: shorter ones are of legs that feet are held on by damped least squares."""
TINY = 1e-30
"""Square of a length that is none."""


@dataclass(frozen=True, eq=False)
class Turn:
    """Turned axes of the coordinates at `places`: accelerations ydd there are Q v, Q (m, m) is orthogonal."""

    places: tuple[int, ...]
    Q: Any

    def switch(self, flag: Number) -> Turn:
        """Return these axes where a flag is 1, and those of the coordinates where it is 0."""
        return replace(self, Q=flag * self.Q + (1.0 - flag) * np.eye(len(self.places)))

    def turn_columns(self, A: Any) -> Any:
        """Return A (k, n), of all coordinates, with the columns at the places times Q."""
        found, places = np.array(A, dtype=object), list(self.places)
        found[:, places] = [[dot(row, column) for column in self.Q.T] for row in found[:, places]]
        return found

    def turn(self, values: list[Affine]) -> list[Affine]:
        """Return affine numbers of all coordinates, those at the places times Q'."""
        return self._multiply(self.Q.T, values)

    def turn_back(self, values: list[Affine]) -> list[Affine]:
        """Return affine numbers of all coordinates, those at the places times Q."""
        return self._multiply(self.Q, values)

    def _multiply(self, A: Any, values: list[Affine]) -> list[Affine]:
        found, own = list(values), [values[i] for i in self.places]
        for i, row in zip(self.places, A, strict=True):
            found[i] = combine_affine(list(zip(row, own, strict=True)), 0.0)
        return found


def turn_leg(J: Any, alone: Sequence[int], ways: Sequence[float]) -> tuple[Turn, Any]:
    """Return how a leg's own coordinates are turned, and its turned Jacobian (k, n).

    `ways` are those of `choose_ways`, one a row.
    """
    places, J, Q = list(alone), np.array(J, dtype=object), np.eye(len(alone), dtype=object)
    own = J[:, places]
    for r, way in enumerate(ways):
        H = _reflect(list(own[r, r:]), way)
        own[:, r:], Q[:, r:] = _product(own[:, r:], H), _product(Q[:, r:], H)
        own[r, r + 1 :] = 0.0
    J[:, places] = own
    return Turn(tuple(alone), Q), J


def _reflect(a: Sequence[Number], way: float) -> np.ndarray:
    """Return the reflection that leads a vector to the side of the first axis that is opposed to a way.

    Vectors shorter than the way are taken as if they went some of it. Where one is opposed to the way already, what
    the matrix divides by vanishes, but for two numbers.
    """
    side, ahead = float(np.sign(way)), maximum(1.0 - dot(a, a) * (1.0 / way**2), 0.0)
    own = [a[0] + way * ahead, *a[1:]]
    inverse = 1.0 / sqrt(dot(own, own) + TINY)
    along, others = side * own[0] * inverse, np.array([x * inverse for x in own[1:]], dtype=object)
    found = np.eye(len(a), dtype=object)
    found[0, 0], found[0, 1:], found[1:, 0] = -along, -side * others, -side * others
    if len(others) == 1:
        found[1, 1] = along
    else:
        size = choose(along < 0.0, dot(others, others) / maximum(1.0 - along, 1.0), 1.0 + along)
        found[1:, 1:] = found[1:, 1:] - np.outer((1.0 / maximum(size, TINY)) * others, others)
    return found


def _product(A: Any, B: Any) -> np.ndarray:
    return np.array([[dot(row, column) for column in B.T] for row in A], dtype=object)


def choose_ways(samples: Sequence[Float[np.ndarray, "k n"]], alone: Sequence[int], size: int) -> tuple[float, ...]:
    """Return numbers along the first axis of each reflection of a leg.

    Their signs are those of its vectors at most positions, their sizes a part of a long one.
    """
    found = list[float]()
    for r in range(size):
        rows = list[Any]()
        for J in samples:
            turn, _ = turn_leg(J[:r], alone, found)
            rows.append(J[r, list(alone)] @ np.array(turn.Q, dtype=float)[:, r:])
        way = PART * float(np.quantile([np.linalg.norm(row) for row in rows], 0.9))
        found.append(way if sum(row[0] for row in rows) >= 0.0 else -way)
    return tuple(found)
