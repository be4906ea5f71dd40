"""Inertia of bodies in natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.parts import ORIGIN, Body
from screwgraph.spatial import dot

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


def body_inertia(body: Body) -> list[list[Any]]:
    """Return the constant mass matrix by the coordinates of a body's `ends`: (4, 4) in the plane, x, y of two points.

    Every particle of a body moves like its first point plus parts of the lines that span it, whatever the centre of
    mass. Garcia de Jalon & Bayo (1994), sections 4.2.1 to 4.2.3.
    """
    return _spatial_inertia(body) if len(body.com) == 3 else _planar_inertia(body)


def _planar_inertia(body: Body) -> list[list[Any]]:
    L = body.length
    along, across, turning = body.mass * body.com[0] / L, body.mass * body.com[1] / L, body.inertia / (L * L)
    first, mixed = body.mass - 2.0 * along + turning, along - turning
    return [
        [first, 0.0, mixed, -across],
        [0.0, first, across, mixed],
        [mixed, across, turning, 0.0],
        [-across, mixed, 0.0, turning],
    ]


def _spatial_inertia(body: Body) -> list[list[Any]]:
    """Return the mass matrix by x, y, z of each end: second moments of the parts of a particle's place, by end."""
    moments, is_line = body_moments(body), [1.0, *(1.0 if tail == ORIGIN else 0.0 for tail, _ in body.lines)]
    for k, free in enumerate(is_line):  # a line from the first point is its head less that point
        if not free:
            moments[0] = [a - b for a, b in zip(moments[0], moments[k], strict=True)]
    for row in moments:
        row[0] = row[0] - sum((x for x, free in zip(row, is_line, strict=True) if not free), start=0.0)
    count = 3 * len(moments)
    return [[moments[i // 3][j // 3] if i % 3 == j % 3 else 0.0 for j in range(count)] for i in range(count)]


def body_moments(body: Body) -> list[list[Any]]:
    """Return the moments of mass (kg) of 1 and the parts of a body's `complete_directions` that lead to a particle.

    In the plane only the sum of both second moments counts.
    """
    first = [body.mass * part for part in body.coefficients(body.com)]
    if body.is_rod:
        second = [[body.inertia / (body.length * body.length)]]
    elif len(body.com) == 2:
        second = [[body.inertia / (body.length * body.length), 0.0], [0.0, 0.0]]
    else:
        xx, yy, zz, xy, xz, yz = body.inertia
        half = 0.5 * (xx + yy + zz)
        products = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
        duals = body.duals
        turned = [[dot(row, dual) for row in products] for dual in duals]
        second = [[dot(a, b) for b in duals] for a in turned]
    return [[body.mass, *first], *([a, *row] for a, row in zip(first, second, strict=True))]


def compute_mass_entries(mechanism: Mechanism) -> Mapping[tuple[int, int], Any]:
    """Return the entries of the mass matrix that are not always zero, by place in q; angles have none."""
    entries: dict[tuple[int, int], Any] = {}
    for body in mechanism.bodies:
        places = [slot for point in body.ends for slot in mechanism.point_slots[point]]
        for i, row in zip(places, body_inertia(body), strict=True):
            for j, value in zip(places, row, strict=True):
                if isinstance(i, int) and isinstance(j, int) and not (isinstance(value, float) and value == 0.0):
                    entries[i, j] = entries.get((i, j), 0.0) + value
    return entries


def kinetic_energy(motion: Motion) -> Any:
    """Return the kinetic energy of all bodies (J): quadratic in velocities, and independent of positions."""
    energy: Any = 0.0
    for body in motion.mechanism.bodies:
        v = [x for point in body.ends for x in motion.velocity(point)]
        for i, row in enumerate(body_inertia(body)):
            energy = energy + 0.5 * v[i] * sum((a * x for a, x in zip(row, v, strict=True)), start=0.0)
    return energy
