"""Velocities turn with what loops allow: what does so in a step, of the second order and without energy of its own.

A velocity along a loop is one of another direction a step later. What turns it are impulses along rows K, half of them
where the step begins and half where it ends: those of the middle. They change velocities by W K', W of the middle, too.
With W and K of either end kinetic energy changes by a part of (h qd)^2 in each step: four-bars that turn at 100 rad/s
lost four tenths of it in 0.1 s (1 ms). Leimkuhler and Reich (2004), section 7.2: RATTLE.
"""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia, complete_rows
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import multiply_transposed, multiply_vector


def turn_velocities(
    inertia: ClosedInertia, masses: Sequence[Sequence[Row]], middle: Sequence[Row], v: Sequence[Number], weight: float
) -> list[Number]:
    """Return rates at which loops open by rows of the start, then impulses, that together turn velocities v.

    `inertia` is that of the start, `masses` are lower triangles of the mass matrix there and at the middle, `middle`
    has the rows K of the middle; rows that are kept have a `weight` in the inertia.
    """
    rates = [-2.0 * x for x in multiply_vector(middle, v)]
    impulses = inertia.find_impulses(masses[0], rates)
    for i in inertia.kept:
        impulses[i] = impulses[i] - weight * rates[i]
    pushed = multiply_transposed(middle, impulses, len(v))
    turned = inertia.solve(pushed, rates)
    before, after = (multiply_vector(complete_rows(M), turned) for M in masses)
    return [*rates, *(f + x - y for f, x, y in zip(pushed, before, after, strict=True))]
