"""Inertia of planar bodies in natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.parts import Body

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


def body_inertia(body: Body) -> list[list[Any]]:
    """Return the constant mass matrix (4, 4) by the x, y of a body's first two points.

    Every particle of a body moves like its first point plus a part along and a part across the line to the second,
    whatever the centre of mass. Garcia de Jalon & Bayo (1994), section 4.2.1.
    """
    L = body.length
    along, across, turning = body.mass * body.com[0] / L, body.mass * body.com[1] / L, body.inertia / (L * L)
    first, mixed = body.mass - 2.0 * along + turning, along - turning
    return [
        [first, 0.0, mixed, -across],
        [0.0, first, across, mixed],
        [mixed, across, turning, 0.0],
        [-across, mixed, 0.0, turning],
    ]


def compute_mass_entries(mechanism: Mechanism) -> Mapping[tuple[int, int], Any]:
    """Return the entries of the mass matrix that are not always zero, by place in q; angles have none."""
    entries: dict[tuple[int, int], Any] = {}
    for body in mechanism.bodies:
        places = [slot for point in body.base for slot in mechanism.point_slots[point]]
        for i, row in zip(places, body_inertia(body), strict=True):
            for j, value in zip(places, row, strict=True):
                if isinstance(i, int) and isinstance(j, int) and not (isinstance(value, float) and value == 0.0):
                    entries[i, j] = entries.get((i, j), 0.0) + value
    return entries


def kinetic_energy(motion: Motion) -> Any:
    """Return the kinetic energy of all bodies (J): quadratic in velocities, and independent of positions."""
    energy: Any = 0.0
    for body in motion.mechanism.bodies:
        v = [x for point in body.base for x in motion.velocity(point)]
        for i, row in enumerate(body_inertia(body)):
            energy = energy + 0.5 * v[i] * sum((a * x for a, x in zip(row, v, strict=True)), start=0.0)
    return energy
