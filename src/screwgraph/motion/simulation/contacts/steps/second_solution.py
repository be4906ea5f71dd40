"""A second solution of a step whose contacts push on what turns quickly, by velocities that the first one found.

Coriolis' forces and the arcs of contacts' points belong to the middle of a step. The first solution has them of the
velocities without contacts, and of the start: differences of the order of (h qd)^2, which turn into energy where joints
turn by tenths of a radian a step. The second one has them of velocities that the impulses of the first make, and takes
soles to swing about the centres of pressure of these impulses: where a foot tips from its heel to its toe, that of the
step before is elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.motion.simulation.contacts.laws.sweeps import largest
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number

TURN = 0.02
"""Way of a coordinate in a step (rad, m) from which on a second solution is found where contacts push."""
PUSH = "push"
"""The argument of terms of a second solution: forces along all rows (N, N m)."""


def look_again(dt: Any, velocities: Sequence[Number], x: Sequence[Number], second: Any) -> list[Number]:
    """Return whether another solution follows that of impulses x, and whether the next one is the second.

    `velocities` are those at both ends of the step.
    """
    (h,), fastest, pushed = dt, largest(velocities), largest(x)
    whirls = choose(pushed > 0.0, choose(h * fastest > TURN, 1.0, 0.0), 0.0)
    again = choose(second[0] > 0.5, 0.0, whirls)
    return [again, maximum(again, second[0])]
