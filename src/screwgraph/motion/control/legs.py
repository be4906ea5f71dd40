"""Legs: a contact and the coordinates that carry it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Float

from screwgraph.motion.control.contacts import HeldContact


@dataclass(frozen=True, eq=False)
class Leg:
    """A contact, as many independent coordinates that carry it alone, and the others that move it.

    `volume` is a large one of the Jacobian of its own coordinates, over random positions; `turned_volume` of that of
    all `alone` that carry it and no other contact, its own ones first.
    """

    contact: HeldContact
    own: tuple[int, ...]
    others: tuple[int, ...]
    volume: float
    alone: tuple[int, ...]
    turned_volume: float

    @property
    def is_redundant(self) -> bool:
        """Whether it has more coordinates than its contact's force has components."""
        return len(self.alone) > len(self.own)


def choose_own(
    samples: Sequence[Float[np.ndarray, "k n"]], alone: Sequence[int], size: int
) -> tuple[tuple[int, ...], float]:
    """Return those of a leg's coordinates that move its contact best, and a large volume of their Jacobian."""
    best, most = tuple(alone), 0.0
    for own in combinations(alone, size):
        volume = float(np.quantile([abs(np.linalg.det(J[:, own])) for J in samples], 0.9))
        if volume > 1.001 * most:
            best, most = own, volume
    return best, most


def find_volume(samples: Sequence[Float[np.ndarray, "k n"]], places: Sequence[int]) -> float:
    """Return a large volume of a leg's Jacobian, that of its rows where it has more columns."""
    squares = [np.linalg.det(J[:, places] @ J[:, places].T) for J in samples]
    return float(np.quantile(np.sqrt(np.maximum(squares, 0.0)), 0.9))
