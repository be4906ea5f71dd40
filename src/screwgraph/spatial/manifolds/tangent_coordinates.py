"""Positions near a position as vectors: where a robot floats or has ball joints, priors live in such coordinates.

Rotations count as rotation vectors in the frame at the reference, translations as coordinates in that frame. A motion
of constant velocity turns steadily about a fixed axis while its origin goes straight on.
"""

from __future__ import annotations

from screwgraph.spatial.exponential import exp3, log_rate, log_rate_change, screw_to
from screwgraph.spatial.generic_math import Array, concatenate
from screwgraph.spatial.manifolds.base import Manifold
from screwgraph.spatial.manifolds.floating_pose import FloatingPose
from screwgraph.spatial.manifolds.product import Product
from screwgraph.spatial.manifolds.unit_quaternion import UnitQuaternion
from screwgraph.spatial.so3 import skew


def to_tangent(positions: Manifold, x: Array, y: Array) -> Array:
    """Return the coordinates (nv,) of position y near x."""
    if isinstance(positions, Product):
        return concatenate(*(to_tangent(part, x[q], y[q]) for part, q, _ in positions.places))
    return positions.turn_and_shift(x, y) if isinstance(positions, FloatingPose) else positions.difference(x, y)


def from_tangent(positions: Manifold, x: Array, d: Array) -> Array:
    """Return the position (nq,) that has the coordinates d near x; undoes `to_tangent`."""
    if isinstance(positions, Product):
        return concatenate(*(from_tangent(part, x[q], d[v]) for part, q, v in positions.places))
    return positions.retract(x, screw_to(d) if isinstance(positions, FloatingPose) else d)


def tangent_rate(positions: Manifold, d: Array, v: Array) -> Array:
    """Return the time derivative (nv,) of coordinates d where the robot moves at v = qd."""
    if isinstance(positions, Product):
        return concatenate(*(tangent_rate(part, d[own], v[own]) for part, _, own in positions.places))
    if isinstance(positions, UnitQuaternion):
        return log_rate(d, v)
    if isinstance(positions, FloatingPose):
        return concatenate(log_rate(d[:3], v[:3]), exp3(d[:3]) @ v[3:])
    return v


def tangent_second_rate(positions: Manifold, d: Array, v: Array, a: Array) -> Array:
    """Return the second time derivative (nv,) of coordinates d, of v = qd and a = qdd."""
    if isinstance(positions, Product):
        return concatenate(*(tangent_second_rate(part, d[own], v[own], a[own]) for part, _, own in positions.places))
    if isinstance(positions, UnitQuaternion):
        return log_rate(d, a) + log_rate_change(d, log_rate(d, v), v)
    if isinstance(positions, FloatingPose):
        turning = tangent_second_rate(UnitQuaternion(), d[:3], v[:3], a[:3])
        return concatenate(turning, exp3(d[:3]) @ (a[3:] + skew(v[:3]) @ v[3:]))
    return a
