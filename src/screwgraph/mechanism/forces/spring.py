"""Linear springs between points and about angles."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.forces.base import Influence, Motion
from screwgraph.spatial import sqrt


def potential(motion: Motion) -> Any:
    """Energy of all springs (J)."""
    energy: Any = 0.0
    for spring in motion.mechanism.springs:
        if spring.angle is not None:
            stretch = motion.angle(spring.angle) - spring.rest
            squared = stretch * stretch
        elif spring.points is not None:
            x, y = motion.way(spring.points)
            squared = x * x + y * y
            if not (isinstance(spring.rest, float) and spring.rest == 0.0):  # else smooth where the points meet
                stretch = sqrt(squared) - spring.rest
                squared = stretch * stretch
        else:
            continue
        energy = energy + 0.5 * spring.stiffness * squared
    return energy


SPRING = Influence(potential=potential)
