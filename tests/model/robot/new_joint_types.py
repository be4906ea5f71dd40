"""Joint types that the registry does not have: a cam, a shaft whose position is a unit vector, an ellipsoid, a bead,
angles and a place.

They are written as docs/extend says, and answer nothing that is optional.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.model.robot import JointType
from screwgraph.spatial import Array, atan2, cos, matrix, sin, so3, sqrt, transform, vector
from screwgraph.spatial.manifolds import Vector

X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Cam:
    """Rotation by q (rad) about z, translation by e sin q (m) along z."""

    e: float = 0.1
    manifold = Vector(1, (np.pi,))
    nq = nv = 1
    constant_axes = False

    def transform(self, q: Array) -> Array:
        return transform(so3.about_axis(Z, q[0]), vector([0.0, 0.0, self.e * sin(q[0])]))

    def screw_axes(self, q: Array) -> Array:
        return matrix([[0.0], [0.0], [1.0], [0.0], [0.0], [self.e * cos(q[0])]])

    def axes_rate_times(self, q: Array, qd: Array) -> Array:
        return vector([0.0, 0.0, 0.0, 0.0, 0.0, -self.e * sin(q[0]) * qd[0] * qd[0]])

    def nearest(self, T: Array) -> Array:
        return vector([atan2(T[1, 0], T[0, 0])])

    def constraint_wrenches(self, q: Array) -> Array:
        W = np.zeros((6, 5))
        W[[0, 1, 3, 4], [0, 1, 2, 3]] = 1.0
        W[2, 4], W[5, 4] = -self.e * cos(q[0]), 1.0
        return W


@dataclass(frozen=True)
class Circle:
    """Unit vectors (cos, sin) of an angle, moved by changes of the angle (rad)."""

    kind = "a vector (cos, sin) of length 1"
    shape = (2,)
    dim = 1
    quaternions = ()

    def identity(self) -> np.ndarray:
        return np.array([1.0, 0.0])

    def random(self, rng: np.random.Generator) -> np.ndarray:
        return self.retract(self.identity(), rng.uniform(-np.pi, np.pi, 1))

    def retract(self, x: Array, d: Array) -> Array:
        c, s = cos(d[0]), sin(d[0])
        return vector([c * x[0] - s * x[1], s * x[0] + c * x[1]])

    near = retract

    def difference(self, x: Array, y: Array) -> Array:
        return vector([atan2(x[0] * y[1] - x[1] * y[0], x[0] * y[0] + x[1] * y[1])])

    def defect(self, x: Array, y: Array) -> Array:
        return vector([x[0] * y[1] - x[1] * y[0]])

    def rate(self, x: Array, v: Array) -> Array:
        return vector([-x[1] * v[0], x[0] * v[0]])

    def step_rate(self, d: Array, v: Array) -> Array:
        return v

    def turns(self, d: Array) -> list:
        return [d[0] * d[0]]

    def normalise(self, x: Array) -> Array:
        return x / np.linalg.norm(x)

    def is_off(self, x: np.ndarray, tolerance: float = 1e-6) -> np.ndarray:
        return np.abs(np.linalg.norm(x, axis=1) - 1.0) > tolerance


@dataclass(frozen=True)
class Shaft:
    """Rotation about z by the angle of q = (cos, sin); qd is the angular velocity (rad/s)."""

    manifold = Circle()
    nq, nv = 2, 1
    constant_axes = True

    def transform(self, q: Array) -> Array:
        c, s = q[0], q[1]
        return transform(matrix([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.zeros(3))

    def screw_axes(self, q: Array) -> Array:
        return np.array([[0.0], [0.0], [1.0], [0.0], [0.0], [0.0]])

    def axes_rate_times(self, q: Array, qd: Array) -> Array:
        return np.zeros(6)

    def nearest(self, T: Array) -> Array:
        c, s = T[0, 0] + T[1, 1], T[1, 0] - T[0, 1]
        length = sqrt(c * c + s * s)
        return vector([c / length, s / length])

    def constraint_wrenches(self, q: Array) -> Array:
        return np.eye(6)[:, [0, 1, 3, 4, 5]]


@dataclass(frozen=True)
class Ellipsoid:
    """A point on an ellipsoid with the half axes (m), by two angles about x and y, and the frame that turns with it.

    Seth, Sherman, Eastman & Delp (2010): scapulothoracic joints glide so.
    """

    a: float = 0.3
    b: float = 0.2
    c: float = 0.4
    manifold = Vector(2, (1.0, 1.0))
    nq = nv = 2
    constant_axes = False

    def transform(self, q: Array) -> Array:
        R = so3.about_axis(X, q[0]) @ so3.about_axis(Y, q[1])
        n = R @ Z
        return transform(R, vector([self.a * n[0], self.b * n[1], self.c * n[2] - self.c]))

    def screw_axes(self, q: Array) -> Array:
        R = so3.about_axis(X, q[0]) @ so3.about_axis(Y, q[1])
        first = so3.about_axis(Y, q[1]).T @ X
        slopes = self._slopes(q)
        v = [R.T @ slope for slope in slopes]
        return matrix([[first[i], Y[i]] for i in range(3)] + [[v[0][i], v[1][i]] for i in range(3)])

    def axes_rate_times(self, q: Array, qd: Array) -> Array:
        """The angular part as of a universal joint; the linear one is R' p'' less the turning of R' p'."""
        s1, c1, s2, c2 = sin(q[0]), cos(q[0]), sin(q[1]), cos(q[1])
        R = so3.about_axis(X, q[0]) @ so3.about_axis(Y, q[1])
        angular = vector([-s2 * qd[0] * qd[1], 0.0, c2 * qd[0] * qd[1]])
        first, second = self._slopes(q)
        u, w = qd[0], qd[1]
        p1 = vector([first[i] * u + second[i] * w for i in range(3)])
        n = [
            -s2 * w * w,
            s1 * c2 * (u * u + w * w) + 2.0 * c1 * s2 * u * w,
            -c1 * c2 * (u * u + w * w) + 2.0 * s1 * s2 * u * w,
        ]
        p2 = vector([self.a * n[0], self.b * n[1], self.c * n[2]])
        V = R.T @ p1
        omega = vector([c2 * u, w, s2 * u])
        linear = R.T @ p2 - so3.skew(omega) @ V
        return vector([*angular, *linear])

    def nearest(self, T: Array) -> Array:
        n = T[:3, :3] @ Z
        return vector([atan2(-n[1], n[2]), atan2(n[0], sqrt(n[1] * n[1] + n[2] * n[2]))])

    def constraint_wrenches(self, q: Array) -> Array:
        return missing_directions(self.screw_axes(q))

    def _slopes(self, q: Array) -> tuple[Array, Array]:
        s1, c1, s2, c2 = sin(q[0]), cos(q[0]), sin(q[1]), cos(q[1])
        by_first = vector([0.0, -self.b * c1 * c2, -self.c * s1 * c2])
        return by_first, vector([self.a * c2, self.b * s1 * s2, -self.c * c1 * s2])


@dataclass(frozen=True)
class Bead:
    """A body on the parabola z = a x^2 (m), that does not turn."""

    a: float = 2.0
    manifold = Vector(1, (1.0,))
    nq = nv = 1
    constant_axes = False

    def transform(self, q: Array) -> Array:
        return transform(np.eye(3), vector([q[0], 0.0, self.a * q[0] * q[0]]))

    def screw_axes(self, q: Array) -> Array:
        return matrix([[0.0], [0.0], [0.0], [1.0], [0.0], [2.0 * self.a * q[0]]])

    def axes_rate_times(self, q: Array, qd: Array) -> Array:
        return vector([0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * self.a * qd[0] * qd[0]])

    def nearest(self, T: Array) -> Array:
        return vector([T[0, 3]])

    def constraint_wrenches(self, q: Array) -> Array:
        return missing_directions(self.screw_axes(q))


@dataclass(frozen=True)
class AnglesAndPlace:
    """Any motion: a place (m) in the parent, then angles (rad) about x, y and z; qd is dq/dt."""

    manifold = Vector(6, (1.0,) * 6)
    nq = nv = 6
    constant_axes = False

    def transform(self, q: Array) -> Array:
        R = so3.about_axis(X, q[3]) @ so3.about_axis(Y, q[4]) @ so3.about_axis(Z, q[5])
        return transform(R, vector([q[0], q[1], q[2]]))

    def screw_axes(self, q: Array) -> Array:
        R, s, c = self.transform(q)[:3, :3], sin(q[5]), cos(q[5])
        angular = [[cos(q[4]) * c, s, 0.0], [-(cos(q[4]) * s), c, 0.0], [sin(q[4]), 0.0, 1.0]]
        return matrix(
            [[0.0, 0.0, 0.0, *row] for row in angular] + [[R[j, i] for j in range(3)] + [0.0] * 3 for i in range(3)]
        )

    def axes_rate_times(self, q: Array, qd: Array) -> Array:
        s2, c2, s3, c3 = sin(q[4]), cos(q[4]), sin(q[5]), cos(q[5])
        a, b, c = qd[3], qd[4], qd[5]
        turning = [
            -(s2 * c3 * b + c2 * s3 * c) * a + c3 * c * b,
            (s2 * s3 * b - c2 * c3 * c) * a - s3 * c * b,
            c2 * b * a,
        ]
        R, V = self.transform(q)[:3, :3], self.screw_axes(q) @ qd
        sliding = so3.skew(vector([V[0], V[1], V[2]])) @ (R.T @ vector([qd[0], qd[1], qd[2]]))
        return vector([*turning, *(-x for x in sliding)])

    def nearest(self, T: Array) -> Array:
        across = sqrt(T[0, 0] * T[0, 0] + T[0, 1] * T[0, 1])
        angles = atan2(-T[1, 2], T[2, 2]), atan2(T[0, 2], across), atan2(-T[0, 1], T[0, 0])
        return vector([T[0, 3], T[1, 3], T[2, 3], *angles])

    def constraint_wrenches(self, q: Array) -> Array:
        return np.zeros((6, 0))


def missing_directions(A: Array) -> np.ndarray:
    """Return a basis of the wrenches that do no work on some screw axes."""
    return np.linalg.svd(np.asarray(A, dtype=float).T)[2][np.shape(A)[1] :].T


NEW: dict[str, JointType] = {
    "cam": Cam(),
    "shaft": Shaft(),
    "ellipsoid": Ellipsoid(),
    "bead": Bead(),
    "angles_and_place": AnglesAndPlace(),
}
