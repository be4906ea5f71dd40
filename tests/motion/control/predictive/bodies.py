"""Trees of bodies and their equations of motion, written in CasADi from numbers alone.

Nothing of the library's dynamics is used: of accelerations, Newton's and Euler's equations of each body, from the base
out and back, give efforts. Positions follow by exponentials of body twists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import casadi
import numpy as np

SIZES = {"hinge": (1, 1), "slide": (1, 1), "ball": (4, 3), "free": (7, 6)}
"""Positions and velocities of a joint."""


@dataclass(frozen=True, eq=False)
class Part:
    """A body and the joint that carries it: `place` (R, p) of the joint's frame in the parent's; inertia about com."""

    name: str
    kind: str
    parent: int
    place: tuple[np.ndarray, np.ndarray]
    axis: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    armature: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True, eq=False)
class Tree:
    """Parts, parents first; coordinates (x y z, qx qy qz qw) and twists (omega, v) of bodies."""

    parts: tuple[Part, ...]
    gravity: np.ndarray

    @cached_property
    def q_slices(self) -> list[slice]:
        ends = np.cumsum([0, *(SIZES[part.kind][0] for part in self.parts)])
        return [slice(a, b) for a, b in pairwise(ends)]

    @cached_property
    def v_slices(self) -> list[slice]:
        ends = np.cumsum([0, *(SIZES[part.kind][1] for part in self.parts)])
        return [slice(a, b) for a, b in pairwise(ends)]

    @property
    def nq(self) -> int:
        return self.q_slices[-1].stop

    @property
    def nv(self) -> int:
        return self.v_slices[-1].stop

    def poses(self, q):
        """Return (R, p) of each body in the world."""
        found = []
        for part, own in zip(self.parts, self.q_slices, strict=True):
            R, p = part.place
            if part.parent >= 0:
                Rp, pp = found[part.parent]
                R, p = Rp @ R, pp + Rp @ p
            Rj, pj = _joint_pose(part, q[own])
            found.append((R @ Rj, p + R @ pj))
        return found

    def motions(self, q, v, a):
        """Return (omega, v, alpha, acceleration) of each body's origin, in world axes, gravity left out."""
        poses, found = self.poses(q), []
        for part, (R, p), own in zip(self.parts, poses, self.v_slices, strict=True):
            zero = casadi.SX.zeros(3)
            w, u, dw, du, at = zero, zero, zero, zero, zero
            if part.parent >= 0:
                w, u, dw, du = found[part.parent]
                at = poses[part.parent][1]
            arm = p - at
            du = du + casadi.cross(dw, arm) + casadi.cross(w, casadi.cross(w, arm))
            u = u + casadi.cross(w, arm)
            turn, way = _joint_axes(part)
            spin, slide = R @ (turn @ v[own]), R @ (way @ v[own])
            du = du + R @ (way @ a[own]) + 2.0 * casadi.cross(w, slide)
            if part.kind == "free":  # a twist of the body: its linear part turns with it
                du = du + casadi.cross(spin, slide)
            dw = dw + R @ (turn @ a[own]) + casadi.cross(w, spin)
            found.append((w + spin, u + slide, dw, du))
        return found

    def efforts(self, q, v, a, pushes: Sequence[tuple[int, Any, Any, Any]] = ()):
        """Return efforts (nv,) of motions, with those of armatures and dampers, less those of pushes.

        A push is a part, an arm from its origin, a force there and a moment, in world axes.
        """
        poses, motions = self.poses(q), self.motions(q, v, a)
        forces, moments = [], []
        for part, (R, _), (w, _, dw, du) in zip(self.parts, poses, motions, strict=True):
            c, turned = R @ part.com, R @ part.inertia @ R.T
            f = part.mass * (du + casadi.cross(dw, c) + casadi.cross(w, casadi.cross(w, c)) - self.gravity)
            forces.append(f)
            moments.append(turned @ dw + casadi.cross(w, turned @ w) + casadi.cross(c, f))
        for i, arm, force, moment in pushes:
            forces[i] = forces[i] - force
            moments[i] = moments[i] - moment - casadi.cross(arm, force)
        found: list = [None] * len(self.parts)
        for i in reversed(range(len(self.parts))):
            part, (R, p) = self.parts[i], poses[i]
            turn, way = _joint_axes(part)
            own = self.v_slices[i]
            found[i] = turn.T @ (R.T @ moments[i]) + way.T @ (R.T @ forces[i])
            found[i] += part.armature * a[own] + part.damping * v[own]
            if part.parent >= 0:
                forces[part.parent] = forces[part.parent] + forces[i]
                moments[part.parent] = (
                    moments[part.parent] + moments[i] + casadi.cross(p - poses[part.parent][1], forces[i])
                )
        return casadi.vertcat(*found)

    def advance(self, q, d):
        """Return the position that displacements d (nv,) lead to."""
        found = []
        for part, own, mine in zip(self.parts, self.q_slices, self.v_slices, strict=True):
            found.append(_retract(part.kind, q[own], d[mine]))
        return casadi.vertcat(*found)

    def difference(self, start, end):
        """Return displacements (nv,) from a position to another, in the first one's axes."""
        found = [
            _difference(part.kind, start[own], end[own]) for part, own in zip(self.parts, self.q_slices, strict=True)
        ]
        return casadi.vertcat(*found)


def _joint_axes(part):
    """Return (3, k) matrices of what a joint's velocities turn and move, in the body's axes."""
    none, eye = np.zeros((3, 1)), np.eye(3)
    return {
        "hinge": (part.axis[:, None], none),
        "slide": (none, part.axis[:, None]),
        "ball": (eye, np.zeros((3, 3))),
        "free": (np.hstack([eye, 0.0 * eye]), np.hstack([0.0 * eye, eye])),
    }[part.kind]


def _joint_pose(part, q):
    if part.kind == "hinge":
        x = casadi.skew(part.axis)
        return casadi.SX.eye(3) + casadi.sin(q) * x + (1.0 - casadi.cos(q)) * (x @ x), casadi.SX.zeros(3)
    if part.kind == "slide":
        return casadi.SX.eye(3), part.axis * q
    return (_matrix(q), casadi.SX.zeros(3)) if part.kind == "ball" else (_matrix(q[3:]), q[:3])


def _matrix(quaternion):
    v, s = quaternion[:3], quaternion[3]
    x = casadi.skew(v)
    return casadi.SX.eye(3) + 2.0 * s * x + 2.0 * (x @ x)


def _product(a, b):
    va, sa, vb, sb = a[:3], a[3], b[:3], b[3]
    return casadi.vertcat(sa * vb + sb * va + casadi.cross(va, vb), sa * sb - casadi.dot(va, vb))


def _size(w):
    return casadi.sqrt(casadi.dot(w, w) + 1e-24)


def _turn(w):
    t = _size(w)
    return casadi.vertcat(casadi.sin(0.5 * t) / t * w, casadi.cos(0.5 * t))


def _rotation_vector(quaternion):
    sign = casadi.if_else(quaternion[3] < 0.0, -1.0, 1.0)
    v, s = sign * quaternion[:3], sign * quaternion[3]
    t = _size(v)
    return 2.0 * casadi.atan2(t, s) / t * v


def _ways(w):
    """Return V(w): exp of the twist (w, v) moves by V v."""
    t, x = _size(w), casadi.skew(w)
    small = t < 1e-3
    safe = casadi.if_else(small, 1.0, t)
    one = casadi.if_else(small, 0.5 - t**2 / 24.0, (1.0 - casadi.cos(safe)) / safe**2)
    two = casadi.if_else(small, 1.0 / 6.0 - t**2 / 120.0, (safe - casadi.sin(safe)) / safe**3)
    return casadi.SX.eye(3) + one * x + two * (x @ x)


def _retract(kind, q, d):
    if kind in ("hinge", "slide"):
        return q + d
    if kind == "ball":
        return _product(q, _turn(d))
    return casadi.vertcat(q[:3] + _matrix(q[3:]) @ (_ways(d[:3]) @ d[3:]), _product(q[3:], _turn(d[:3])))


def _difference(kind, a, b):
    if kind in ("hinge", "slide"):
        return b - a
    if kind == "ball":
        return _rotation_vector(_product(casadi.vertcat(-a[:3], a[3]), b))
    w = _rotation_vector(_product(casadi.vertcat(-a[3:6], a[6]), b[3:]))
    return casadi.vertcat(w, casadi.solve(_ways(w), _matrix(a[3:]).T @ (b[:3] - a[:3])))


def pose_error(goal, R, p):
    """Return the rotation vector from a goal (4, 4) to a pose, in the goal's axes, and the way in the world's."""
    turn = goal[:3, :3].T @ R
    w = 0.5 * casadi.vertcat(turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1])
    s = _size(w)
    return casadi.vertcat(casadi.atan2(s, 0.5 * (casadi.trace(turn) - 1.0)) / s * w, p - goal[:3, 3])
