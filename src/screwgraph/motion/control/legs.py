"""Legs: a contact and the coordinates that carry it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Float

from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.turned_legs import choose_ways


@dataclass(frozen=True, eq=False)
class Leg:
    """A contact, as many independent coordinates that carry it alone, and the others that move it.

    `volume` is a large one of the Jacobian of all coordinates that carry it and no other contact, `alone`, its own ones
    first; `ways` are those by which these are turned, where they are more.
    """

    contact: HeldContact
    own: tuple[int, ...]
    others: tuple[int, ...]
    volume: float
    alone: tuple[int, ...]
    ways: tuple[float, ...]

    @property
    def is_redundant(self) -> bool:
        """Whether it has more coordinates than its contact's force has components."""
        return len(self.alone) > len(self.own)


def make_leg(
    contact: HeldContact,
    samples: Sequence[Float[np.ndarray, "k n"]],
    own: Sequence[int],
    alone: Sequence[int],
    path: Sequence[int],
) -> Leg:
    """Return a leg: its own coordinates, all that carry it alone, and all that move its contact."""
    every = (*own, *(i for i in alone if i not in own))
    others = tuple(i for i in path if i not in every)
    ways = choose_ways(samples, every, contact.size) if len(every) > len(own) else ()
    return Leg(contact, tuple(own), others, find_volume(samples, every), every, ways)


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
