"""Which body keeps a mechanism from being assembled: the one whose lengths are not those between its points."""

from __future__ import annotations

from itertools import combinations
from math import dist, hypot, log
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from screwgraph.model.mechanism.constraints import coordinate_value

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism
    from screwgraph.model.mechanism.parts import Body

NOTABLE = 0.05
"""Relative difference of lengths from which it is worth a word."""
FAR_MORE = 2.0
"""So many times the next body's difference, that of one body explains what does not close."""
SHORT = 1e-9


def find_inconsistent_body(mechanism: Mechanism) -> tuple[str, str] | None:
    """Return the part whose lengths differ from the distances of its points as drawn far more than others', and how.

    Where none does, the drawing is poor all over, or lengths contradict each other: then there is None. The part that a
    search ends farthest from closing is another matter: it is the one that gives way most easily.
    """
    q = mechanism.guess()
    found = sorted((_difference(mechanism, body, q) for body in mechanism.bodies if len(body.points) > 1), reverse=True)
    if not found or found[0][0] < NOTABLE or (len(found) > 1 and found[0][0] < FAR_MORE * found[1][0]):
        return None
    _, name, length, distance = found[0]
    return f"body {name!r}", f"is {length:.6g} m long where its points lie {distance:.6g} m apart"


def _difference(mechanism: Mechanism, body: Body, q: Float[np.ndarray, " n"]) -> tuple[float, str, float, float]:
    """Return the largest relative difference between two points of a body, its name, and both lengths."""
    found = []
    for i, j in combinations(range(len(body.points)), 2):
        length = hypot(*(float(b) - float(a) for a, b in zip(body.shape[i], body.shape[j], strict=True)))
        ends = [[float(coordinate_value(q, slot)) for slot in mechanism.point_slots[body.points[k]]] for k in (i, j)]
        distance = dist(*ends)
        found.append((abs(log(max(length, SHORT) / max(distance, SHORT))), body.name, length, distance))
    return max(found)
