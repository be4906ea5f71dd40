"""Legs of more joints than their contact's force has components: accelerations along turned axes.

Columns of a leg's Jacobian (k, m), m > k, are reflected until only the first k are left: J Q = (L, 0). Accelerations
ydd = Q v of the leg then hold the contact by the first k of v, whatever position it is in, and the others are free;
any k joints of its own would be singular somewhere between. Householder (1958); Golub & Van Loan (2013), 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.control.affine import Affine, combine_affine
from screwgraph.motion.control.models import IndependentMotion
from screwgraph.optimize.dense_factors import TINY
from screwgraph.spatial import choose, maximum, sqrt
from screwgraph.tape import Number, dot


@dataclass(frozen=True, eq=False)
class Reflection:
    """The reflection 1 - share v v' of the coordinates at `places`."""

    places: tuple[int, ...]
    v: list[Number]
    share: Number

    def reflect_columns(self, A: Any) -> Any:
        """Return A with its columns at the places reflected; A (k, n) has all coordinates."""
        found = np.array(A, dtype=object)
        for row in found:
            along = self.share * dot([row[i] for i in self.places], self.v)
            for i, x in zip(self.places, self.v, strict=True):
                row[i] = row[i] - along * x
        return found

    def reflect_affine(self, values: list[Affine]) -> list[Affine]:
        """Return affine numbers of all coordinates, reflected."""
        found, own = list(values), [values[i] for i in self.places]
        along = combine_affine([(self.share * x, value) for x, value in zip(self.v, own, strict=True)], 0.0)
        for i, x in zip(self.places, self.v, strict=True):
            found[i] = combine_affine([(1.0, values[i]), (-x, along)], 0.0)
        return found


def reflect_leg(J: Any, alone: Sequence[int], size: int) -> tuple[list[Reflection], Any]:
    """Return the reflections that leave the first columns of a leg alone, and what they make of its Jacobian (k, n)."""
    found, J = list[Reflection](), np.array(J, dtype=object)
    for r in range(size):
        places = tuple(alone[r:])
        v = [J[r, i] for i in places]
        length = sqrt(dot(v, v) + TINY)
        v[0] = v[0] + choose(v[0] >= 0.0, length, -length)
        found.append(Reflection(places, v, 2.0 / maximum(dot(v, v), TINY)))
        J = found[-1].reflect_columns(J)
        for i in places[1:]:
            J[r, i] = 0.0
    return found, J


def turn_motion(motion: IndependentMotion, reflections: Sequence[Reflection]) -> IndependentMotion:
    """Return the equations of motion for v, ydd = Q v: Q'M Q, Q'h, G Q."""
    M, h, n = np.array(motion.M, dtype=object), np.array([motion.h], dtype=object), len(motion.h)
    G = np.eye(n, dtype=object) if motion.G is None else motion.G
    drift = [0.0] * n if motion.drift is None else motion.drift
    for own in reflections:
        M = own.reflect_columns(own.reflect_columns(M).T)
        h, G = own.reflect_columns(h), own.reflect_columns(G)
    return IndependentMotion(M, list(h[0]), G, drift)


def turn_efforts(efforts: Sequence[Affine], reflections: Sequence[Reflection]) -> list[Affine]:
    """Return the efforts along y (n,) of those along v: Q tau."""
    found = list(efforts)
    for own in reversed(reflections):
        found = own.reflect_affine(found)
    return found
