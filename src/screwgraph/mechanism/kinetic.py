"""Kinetic energy of planar bodies; the mass matrix is its second derivative."""

from __future__ import annotations

from typing import Any

from screwgraph.mechanism.forces import Motion


def kinetic_energy(motion: Motion) -> Any:
    """Return the kinetic energy of all bodies (J): quadratic in velocities, and independent of positions.

    Every particle of a body moves like its first point plus a part along and a part across the line to the second,
    whatever the centre of mass. Garcia de Jalon & Bayo (1994), section 4.2.1.
    """
    energy: Any = 0.0
    for body in motion.mechanism.bodies:
        (vx, vy), (wx, wy) = motion.velocity(body.points[0]), motion.relative_velocity(body.base)
        L = body.length
        along, across = body.mass * body.com[0] / L, body.mass * body.com[1] / L
        shift = vx * (along * wx - across * wy) + vy * (along * wy + across * wx)
        energy = energy + 0.5 * body.mass * (vx * vx + vy * vy) + shift
        energy = energy + 0.5 * body.inertia / (L * L) * (wx * wx + wy * wy)
    return energy
