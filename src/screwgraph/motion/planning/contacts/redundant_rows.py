"""Where a foot that stands needs laws of its own: rows that given states imply would make the equations singular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Int

from screwgraph.motion.planning.contacts.stance import Stance
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns


def is_anchored(steps: TrajectoryUnknowns, run: Stance) -> bool:
    """Whether a given position says where the foot stands."""
    return any(int(p) in steps.given["q"] for p in run.points)


def is_touchdown_given(steps: TrajectoryUnknowns, run: Stance) -> bool:
    """Whether the position in which the foot is set down is given."""
    return run.first in steps.given["q"]


def list_static_points(steps: TrajectoryUnknowns) -> set[int]:
    """Return points at which nothing moves: where velocities lead to positions, these are those of the point before."""
    return {p for p, qd in steps.given["qd"].items() if p and not qd.any()} if steps.is_open else set()


def list_tied_points(steps: TrajectoryUnknowns, run: Stance) -> list[int]:
    """Return the points of a run that are tied to the point before; given ones are, but for the first of them."""
    given, found, known = steps.given["q"], [], 0
    for p in run.points.tolist():
        known += p in given
        if p != run.first and not (p in given and known > 1):
            found.append(p)
    return found


def list_undecided_points(
    steps: TrajectoryUnknowns, points: Int[np.ndarray, " k"], samples: Int[np.ndarray, " m"] | None = None
) -> tuple[list[int], list[int]]:
    """Return points of a run at which velocities are constrained to vanish, or samples, of accelerations.

    First those at which all of them are, then those at which only what slides is. Where states are given later than at
    the first point, the last ones before follow: from a given velocity the acceleration or velocity there, from a given
    position one more. But the first given position does not say that the foot has not slid before.
    """
    q, qd, first = steps.given["q"], steps.given["qd"], int(points[0])
    later = [int(p) for p in points if int(p) in q and int(p) != first]
    new = later[0] if later and first not in q else None

    def list_remaining(position_counts: Callable[[int], bool]) -> list[int]:
        kept = points.tolist() if samples is None else samples.tolist()
        for p in points.tolist():
            follow = (p in qd) and (p != first or samples is None)
            many = follow + (p in q and p != first and position_counts(p))
            before = [m for m in kept if (m if samples is None else steps.points[m]) <= p]
            implied = set(before[len(before) - many :])
            kept = [m for m in kept if m not in implied]
        return kept

    whole = list_remaining(lambda p: True)
    return whole, [m for m in list_remaining(lambda p: p != new) if m not in whole]
