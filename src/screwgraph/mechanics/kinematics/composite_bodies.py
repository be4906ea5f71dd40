"""Second moments and flows of all that a joint carries: what mass and Coriolis matrices are made of.

The observer moves as the origin of the link does, so that linear velocities of links drop out. A body with particles
dm at r, which move at u, has the first moment H, the second moment S = integral of r r' dm, and the flows
P = integral of u dm and K = integral of u r' dm. Echeandia & Wensing (2021) pass composite inertias and body-level
Coriolis factors instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array, SpatialInertia, concatenate, rotation, second_moments, skew, translation


@dataclass(frozen=True, eq=False)
class CompositeBody:
    """A link and all that hangs on it, in the link's frame."""

    __repr__ = one_line

    mass: float
    H: Float[Array, "3"]
    S: Float[Array, "3 3"]
    P: Float[Array, "3"]
    K: Float[Array, "3 3"]

    def transform(self, T: Float[Array, "4 4"], d: Float[Array, "3"]) -> CompositeBody:
        """Return it in a frame in which the link's stands at T, and its origin moves at d, in axes of that frame."""
        R, p, m = rotation(T), translation(T), self.mass
        H, P = R @ self.H, R @ self.P
        S = R @ self.S @ R.T + _outer(H, p) + _outer(p, H) + m * _outer(p, p)
        K = R @ self.K @ R.T + _outer(P, p) + _outer(d, H) + m * _outer(d, p)
        return CompositeBody(m, H + m * p, S, P + m * d, K)

    def __add__(self, other: CompositeBody) -> CompositeBody:
        """Join two bodies in the same frame."""
        return CompositeBody(
            self.mass + other.mass, self.H + other.H, self.S + other.S, self.P + other.P, self.K + other.K
        )

    def momentum(self, A: Float[Array, "6"]) -> Float[Array, "6"]:
        """Return the momentum (angular, linear) about the link's origin where all moves by the twist A."""
        a, v = A[:3], A[3:]
        return concatenate(_integrate_double_cross(self.S, a) + skew(self.H) @ v, skew(a) @ self.H + self.mass * v)

    def change(self, A: Float[Array, "6"], A_rate: Float[Array, "6"]) -> Float[Array, "6"]:
        """Return moment and force of the rates at which particles see the field a x r + v change.

        These are a x u + a_rate x r + v_rate.
        """
        a = A[:3]
        moment = a * np.trace(self.K) - self.K @ a
        return self.momentum(A_rate) + concatenate(moment, skew(a) @ self.P)

    def cross_integral(self, A: Float[Array, "6"]) -> Float[Array, "3"]:
        """Return the integral of u x (a x r + v) dm."""
        a, v = A[:3], A[3:]
        return a * np.trace(self.K) - self.K.T @ a + skew(self.P) @ v


@dataclass(frozen=True, eq=False)
class LinkRotation:
    """Angular velocities of links in their own axes, and velocities of their origins relative to the parents'.

    Those are in the parents' axes.
    """

    __repr__ = one_line

    w: dict[str, Float[Array, "3"]]
    shifts: dict[str, Float[Array, "3"]]


def compute_link_rotation(robot: Robot, q: Array, qd: Array) -> LinkRotation:
    """Return how links turn, and how origins move apart."""
    base = robot.links[0].name
    w, shifts = {base: np.zeros(3)}, {base: np.zeros(3)}
    for joint in robot.joints:
        at, rates = q[robot.q_slices[joint.name]], qd[robot.v_slices[joint.name]]
        T, own = joint.T_parent_child(at), joint.type.screw_axes(at) @ rates
        w[joint.child] = rotation(T).T @ w[joint.parent] + own[:3]
        shifts[joint.child] = skew(w[joint.parent]) @ translation(T) + rotation(T) @ own[3:]
    return LinkRotation(w, shifts)


def compute_composites(robot: Robot, q: Array, motion: LinkRotation | None = None) -> dict[str, CompositeBody]:
    """Return what each link but the base carries, itself included; at rest, if no motion is given."""
    still, first = np.zeros(3), robot.links[0].name
    found = {k.name: _alone(k.inertia, motion.w[k.name] if motion else still) for k in robot.links[1:]}
    for joint in reversed(robot.joints):
        if joint.parent != first:
            T = joint.T_parent_child(q[robot.q_slices[joint.name]])
            moved = found[joint.child].transform(T, motion.shifts[joint.child] if motion else still)
            found[joint.parent] = found[joint.parent] + moved
    return found


def _alone(inertia: SpatialInertia, w: Float[Array, "3"]) -> CompositeBody:
    """Return a link alone, that turns by w (rad/s)."""
    S = second_moments(inertia.about_origin)
    return CompositeBody(inertia.mass, inertia.first_moment, S, skew(w) @ inertia.first_moment, skew(w) @ S)


def _outer(a: Float[Array, "3"], b: Float[Array, "3"]) -> Float[Array, "3 3"]:
    return a.reshape(3, 1) @ b.reshape(1, 3)


def _integrate_double_cross(S: Float[Array, "3 3"], a: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return the integral of r x (a x r) dm."""
    return np.trace(S) * a - S @ a
