"""Chains of pendulums of any length."""

from __future__ import annotations

from screwgraph.mechanism.mechanism import Mechanism
from screwgraph.mechanism.parts import Angle, Body, Point

MOST = 50
"""Rods of a chain."""


def chain_of_pendulums(count: int, length: float = 1.0, mass: float = 1.0) -> Mechanism:
    """Return equal slender rods (m, kg), one on the end of the other, stretched out horizontally.

    The angles are those from each rod to the next, the first from the x axis; all of them have motors.
    """
    points = [Point("0", 0.0, 0.0, fixed=True), *(Point(str(i), i * length, 0.0) for i in range(1, count + 1))]
    rod = {"mass": mass, "inertia": mass * length**2 / 3.0, "com": (length / 2.0, 0.0)}
    bodies = [Body(f"rod{i}", (i - 1, i), ((0.0, 0.0), (length, 0.0)), **rod) for i in range(1, count + 1)]
    angles = [Angle(f"theta{i}", (i - 1, i), (i - 2, i - 1) if i > 1 else None) for i in range(1, count + 1)]
    return Mechanism(
        f"pendulum_{count}",
        tuple(points),
        tuple(bodies),
        tuple(angles),
        motors=tuple(range(count)),
        independent=tuple(angle.name for angle in angles),
    )
