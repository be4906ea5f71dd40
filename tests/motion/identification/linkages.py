"""Logs of planar mechanisms of one degree of freedom, whose torques follow from energies alone."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import chebyshev

import screwgraph as sg
from screwgraph.mechanics.mechanism import follow_branch
from screwgraph.model.mechanism.live_mechanism import check_source

FOUR_BAR = """
name: crank_rocker
points:
  - {name: A, x: 0, y: 0, fixed: true}
  - {name: B, x: 0.3, y: 0}
  - {name: C, x: 0.9, y: 0.8}
  - {name: D, x: 1.2, y: 0, fixed: true}
  - {name: E, x: 0.5, y: 0.9}
bodies:
  - {name: crank, points: [A, B], mass: 0.8, I0: 0.03, cog: [0.12, 0.01]}
  - {name: coupler, points: [B, C, E], mass: 1.5, I0: 0.7, cog: [0.5, 0.05]}
  - {name: rocker, points: [D, C], mass: 1.1, I0: 0.35, cog: [0.4, -0.02]}
angles: [{angle: crank, of: [A, B]}]
dampers: [{damper: bearing, angle: crank, damping: 0.4}]
motors: [crank]
"""
"""The crank turns round."""
TRUTH = {
    **{"mass:crank": 0.6, "cog_x:crank": 0.15, "mass:coupler": 1.9, "cog_x:coupler": 0.42, "cog_y:coupler": 0.11},
    **{"I0:coupler": 0.6, "mass:rocker": 0.8, "cog_x:rocker": 0.5, "I0:rocker": 0.3, "damping:bearing": 0.7},
}
NODES = 160
"""Of interpolation in the angle: errors of torques are some 1e-9 of these."""
SINES = ((0.5, 2.3, 0.3), (0.8, 1.0, 1.1), (1.3, 0.5, 2.0))
"""Frequencies (Hz), amplitudes (rad) and phases of the angle."""


def swing(samples: int, dt: float, size: float = 1.0) -> tuple[np.ndarray, ...]:
    """Return t and an angle, its rate and acceleration: a sum of three sines."""
    t, found = np.arange(samples) * dt, np.zeros((3, samples))
    for f, a, phase in SINES:
        w = 2.0 * np.pi * f
        sine, cosine = np.sin(w * t + phase), np.cos(w * t + phase)
        found += size * a * np.array([sine, w * cosine, -w * w * sine])
    return t, *found


def make_log(
    mechanism: sg.Mechanism, motor: str, t: np.ndarray, angle: np.ndarray, rate: np.ndarray, acceleration: np.ndarray
) -> dict[str, np.ndarray]:
    """Return columns of a log: the motor's angle, and the torque that J qdd + J' qd^2 / 2 + V' + damping needs.

    J(q) and V(q) are those of the bodies' places and turns, as polynomials of the angle.
    """
    middle, half = 0.5 * (angle.max() + angle.min()), 0.5 * (angle.max() - angle.min())
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    values = (middle + half * nodes)[np.argsort(nodes)]
    path = follow_branch(mechanism, mechanism.home, (mechanism.index(motor),), values[:, None])
    x, (J, dJ, dV) = (angle - middle) / half, np.zeros((3, len(t)))
    g = np.array(mechanism.gravity)

    def slopes(of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return first and second derivatives by the angle."""
        c = chebyshev.chebfit(np.sort(nodes), of, NODES - 1)
        return tuple(chebyshev.chebval(x, chebyshev.chebder(c, k)).T / half**k for k in (1, 2))

    for body in mechanism.bodies:
        first, second = (mechanism.position(path, point) for point in body.points[:2])
        way = second - first
        turn = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
        across = np.column_stack([-np.sin(turn), np.cos(turn)])
        along = np.column_stack([np.cos(turn), np.sin(turn)])
        (v, a), (w, b) = slopes(first + body.com[0] * along + body.com[1] * across), slopes(turn)
        about = body.inertia - body.mass * (body.com[0] ** 2 + body.com[1] ** 2)
        J += body.mass * (v * v).sum(axis=1) + about * w * w
        dJ += 2.0 * (body.mass * (v * a).sum(axis=1) + about * w * b)
        dV -= body.mass * (v @ g)
    damping = sum(damper.damping for damper in mechanism.dampers)
    friction = sum(damper.friction for damper in mechanism.dampers) * np.tanh(rate / 0.01)
    tau = J * acceleration + 0.5 * dJ * rate**2 + dV + damping * rate + friction
    return {"t": t, f"q:{motor}": angle, f"qd:{motor}": rate, f"qdd:{motor}": acceleration, f"tau:{motor}": tau}


def combinations_of(found: sg.Mechanism, base: sg.BaseParameters) -> np.ndarray:
    """Return the values that combinations have on a mechanism."""
    values, numbers = dict(check_source(found).values), dict[str, float]()
    for body in found.bodies:
        m = body.mass
        numbers |= {f"{body.name}.m": m}
        numbers |= {f"{body.name}.m{axis}": m * x for axis, x in zip("xyz", body.com, strict=False)}
        inertia = body.inertia if isinstance(body.inertia, tuple) else (body.inertia,)
        axes = ("xx", "yy", "zz", "xy", "xz", "yz") if len(inertia) > 1 else ("0",)
        numbers |= {f"{body.name}.I{axis}": x for axis, x in zip(axes, inertia, strict=True)}
    return base.map @ np.array([numbers.get(label, values.get(label)) for label in base.labels], dtype=float)
