"""Positions near a position as vectors: where a robot floats or has ball joints, priors live in such coordinates.

Rotations count as rotation vectors in the frame at the reference, translations as coordinates in that frame. A motion
of constant velocity turns steadily about a fixed axis while its origin goes straight on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from screwgraph.optimize import Manifold
from screwgraph.plan.configuration import Configuration
from screwgraph.spatial import Array, choose, concatenate, cos, sin, skew, sqrt

SMALL = 1e-3
"""Squared angle (rad^2) below which three terms of a series are exact to rounding."""


def place(positions: Manifold, x: Array, y: Array) -> Array:
    """Return the coordinates (nv,) of position y near x."""
    return positions.local(x, y)


def position(positions: Manifold, x: Array, d: Array) -> Array:
    """Return the position (nq,) that has the coordinates d near x; undoes `place`."""
    if not isinstance(positions, Configuration):
        return x + d
    found: list[Any] = []
    for is_curved, p, _ in _parts(positions, d, d):
        found.append(p)
        if is_curved and p.shape[0] == 6:  # a screw motion that leads there
            found[-1:] = [p[:3], _unturned(-p[:3], p[3:])]
    return positions.retract(x, concatenate(*found))


def rate(positions: Manifold, d: Array, v: Array) -> Array:
    """Return the time derivative (nv,) of coordinates d where the robot moves at v = qd."""
    if not isinstance(positions, Configuration):
        return v
    found: list[Any] = []
    for is_curved, p, w in _parts(positions, d, v):
        found.append(_unturned(p[:3], w[:3]) if is_curved else w)
        if is_curved and p.shape[0] == 6:
            found.append(_turned(p[:3], w[3:]))
    return concatenate(*found)


def second_rate(positions: Manifold, d: Array, v: Array, a: Array) -> Array:
    """Return the second time derivative (nv,) of coordinates d, of v = qd and a = qdd."""
    if not isinstance(positions, Configuration):
        return a
    found: list[Any] = []
    for (is_curved, p, w), (_, _, b) in zip(_parts(positions, d, v), _parts(positions, d, a), strict=True):
        if not is_curved:
            found.append(b)
            continue
        phi, omega = p[:3], w[:3]
        found.append(_unturned(phi, b[:3]) + _unturned_rate(phi, _unturned(phi, omega), omega))
        if p.shape[0] == 6:
            found.append(_turned(phi, b[3:] + skew(omega) @ w[3:]))
    return concatenate(*found)


def _parts(positions: Configuration, d: Array, v: Array) -> Iterator[tuple[bool, Array, Array]]:
    j = 0
    for n, m in positions.parts:
        yield n != m, d[j : j + m], v[j : j + m]
        j += m


def _turned(phi: Array, v: Array) -> Array:
    """Return exp(phi) v."""
    a, b = _sines(phi)
    W = skew(phi)
    return v + a * (W @ v) + b * (W @ (W @ v))


def _sines(phi: Array) -> tuple[Any, Any]:
    """Return sin(t) / t and (1 - cos(t)) / t^2, t the angle."""
    s, angle, small = _angle(phi)
    a = choose(small, 1.0 - s / 6.0 + s * s / 120.0, sin(angle) / angle)
    return a, choose(small, 0.5 - s / 24.0 + s * s / 720.0, (1.0 - cos(angle)) / (angle * angle))


def _unturned(phi: Array, omega: Array) -> Array:
    """Return the rate of a rotation vector whose frame turns at omega, in its own axes. Barfoot (2017), eq. (7.77)."""
    W = skew(phi)
    return omega + 0.5 * (W @ omega) + _bend(phi)[0] * (W @ (W @ omega))


def _unturned_rate(phi: Array, phid: Array, omega: Array) -> Array:
    """Return the rate of `_unturned` where phi changes at phid and omega does not."""
    W, Wd = skew(phi), skew(phid)
    c, slope = _bend(phi)
    along = 2.0 * (phi[0] * phid[0] + phi[1] * phid[1] + phi[2] * phid[2])
    curved = Wd @ (W @ omega) + W @ (Wd @ omega)
    return 0.5 * (Wd @ omega) + c * curved + slope * along * (W @ (W @ omega))


def _bend(phi: Array) -> tuple[Any, Any]:
    """Return c = (1 - (t/2) cot(t/2)) / t^2 and its slope dc / d(t^2), t the angle."""
    s, angle, small = _angle(phi)
    half = 0.5 * angle
    cot = cos(half) / sin(half)
    safe = angle * angle
    c = choose(small, 1.0 / 12.0 + s / 720.0 + s * s / 30240.0, (1.0 - half * cot) / safe)
    # d(half cot half)/ds = (cot half - half (1 + cot^2)) / (4 angle)
    grown = (cot - half * (1.0 + cot * cot)) / (4.0 * angle)
    slope = choose(
        small, 1.0 / 720.0 + s / 15120.0 + s * s / 403200.0, -grown / safe - (1.0 - half * cot) / (safe * safe)
    )
    return c, slope


def _angle(phi: Array) -> tuple[Any, Any, Any]:
    """Return the squared angle, an angle that is not zero, and whether it is small."""
    s = phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]
    small = s < SMALL
    return s, sqrt(choose(small, 1.0, s)), small
