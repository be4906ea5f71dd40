"""Newton's and Euler's equations of a spatial mechanism, six unknowns a body, by least squares: an oracle.

Of the mechanism it takes names, places and masses; frames, twists and joints are worked out here. Redundant rows do no
harm to least squares.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np


class RigidBodies:
    """A mechanism at a state: frames and twists of its bodies from places and velocities of its points and vectors."""

    def __init__(self, mechanism, q, qd):
        self.mechanism = mechanism
        ends = [*mechanism.points, *mechanism.vectors]
        self.place, self.rate, k = [], [], 0
        for end in ends:
            if end.fixed:
                self.place.append(np.array([end.x, end.y, end.z]))
                self.rate.append(np.zeros(3))
            else:
                self.place.append(q[3 * k : 3 * k + 3])
                self.rate.append(qd[3 * k : 3 * k + 3])
                k += 1
        self.count = len(mechanism.points)
        self.frames = [self._frame(body) for body in mechanism.bodies]

    def _lines(self, body):
        first, *others = body.points
        ways = [(self.place[i] - self.place[first], self.rate[i] - self.rate[first]) for i in others]
        return ways + [(self.place[i], self.rate[i]) for i in body.vectors]

    def _frame(self, body):
        """Rotation that lays the shape onto the lines (Kabsch), and the smallest angular velocity of these."""
        lines, shape = self._lines(body), np.array(body.shape, dtype=float)[1:]
        U, _, Vt = np.linalg.svd(shape.T @ np.array([way for way, _ in lines]))
        turn = np.diag([1.0, 1.0, np.linalg.det(Vt.T @ U.T)])
        R = Vt.T @ turn @ U.T
        A = np.vstack([-skew(way) for way, _ in lines])
        w = np.linalg.lstsq(A, np.concatenate([rate for _, rate in lines]), rcond=1e-10)[0]
        return R, w

    def acceleration(self, i, r):
        """Rows and bias of the acceleration of what is fixed in body i at r (world) from its centre of mass."""
        _, w = self.frames[i]
        rows = np.zeros((3, 6 * len(self.frames)))
        rows[:, 6 * i : 6 * i + 3], rows[:, 6 * i + 3 : 6 * i + 6] = np.eye(3), -skew(r)
        return rows, np.cross(w, np.cross(w, r))

    def end(self, i, number):
        """Rows and bias of the second rate of a point or a vector, as one of body i."""
        body, (R, _) = self.mechanism.bodies[i], self.frames[i]
        if number < self.count:
            center = self.place[body.points[0]] + R @ np.array(body.com, dtype=float)
            return self.acceleration(i, self.place[number] - center)
        rows, bias = self.acceleration(i, self.place[number])
        rows[:, 6 * i : 6 * i + 3] = 0.0
        return rows, bias

    def holders(self, number):
        """Bodies that have a point or a vector."""
        return [i for i, b in enumerate(self.mechanism.bodies) if number in (*b.points, *b.vectors)]

    def accelerations(self, motor_torques=()):
        """Return the second rates of all points and vectors, given torques: (body, axis number, torque) each."""
        bodies, n = self.mechanism.bodies, 6 * len(self.frames)
        M, f, rows, right = np.zeros((n, n)), np.zeros(n), [], []
        for i, body in enumerate(bodies):
            R, w = self.frames[i]
            inertia = R @ about_center(body) @ R.T
            s = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
            M[s[0], s[0]], M[s[1], s[1]] = body.mass * np.eye(3), inertia
            f[s[0]], f[s[1]] = body.mass * np.array(self.mechanism.gravity), -np.cross(w, inertia @ w)
        for part in self.mechanism.torques:
            f[6 * part.body + 3 : 6 * part.body + 6] += part.value
        for point, force in self._pushes():
            i = self.holders(point)[0]
            f += self.end(i, point)[0].T @ force
        for i, axis, torque in motor_torques:
            f[6 * i + 3 : 6 * i + 6] += torque * self.place[axis]
        for number in range(len(self.place)):
            own = [self.end(i, number) for i in self.holders(number)]
            fixed = [*self.mechanism.points, *self.mechanism.vectors][number].fixed
            for a, b in pairwise(own):
                rows, right = [*rows, a[0] - b[0]], [*right, b[1] - a[1]]
            if fixed and own:
                rows, right = [*rows, own[0][0]], [*right, -own[0][1]]
        for J, c in self._ties():
            rows, right = [*rows, np.atleast_2d(J)], [*right, np.atleast_1d(-c)]
        J = np.concatenate(rows)
        K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        x = np.linalg.lstsq(K, np.concatenate([f, *right]), rcond=1e-11)[0][:n]
        found = []
        for number in range(len(self.place)):
            held = self.holders(number)
            A, b = self.end(held[0], number) if held else (np.zeros((3, n)), np.zeros(3))
            found.append(A @ x + b)
        return np.array(found)

    def _pushes(self):
        """Forces on points: those of the file, of springs and of dampers."""
        for part in self.mechanism.forces:
            yield part.point, np.array(part.value)
        for part in (*self.mechanism.springs, *self.mechanism.dampers):
            a, b = part.points
            way, rate = self.place[b] - self.place[a], self.rate[b] - self.rate[a]
            length = np.linalg.norm(way)
            along = way / length
            if hasattr(part, "stiffness"):
                pull = part.stiffness * (length - part.rest) * along
            else:
                pull = part.damping * (along @ rate) * along
            yield a, pull
            yield b, -pull

    def _second(self, number):
        held = self.holders(number)
        return self.end(held[0], number) if held else (np.zeros((3, 6 * len(self.frames))), np.zeros(3))

    def _line(self, line):
        tail, head = line
        (A, b), way, rate = self._second(head), self.place[head], self.rate[head]
        if tail < 0:
            return way, rate, A, b
        C, d = self._second(tail)
        return way - self.place[tail], rate - self.rate[tail], A - C, b - d

    def _ties(self):
        """Second derivatives of w x e of sliders, and of a . b of constant angles."""
        for slider in self.mechanism.sliders:
            first, second = slider.guide
            w, v, A, b = self._line((first, slider.point))
            e, u, B, c = self._line((first, second) if second < self.count else (-1, second))
            yield -skew(e) @ A + skew(w) @ B, np.cross(b, e) + 2.0 * np.cross(v, u) + np.cross(w, c)
        for part in self.mechanism.constant_angles:
            (a, u, A, b), (e, v, B, c) = (self._line(line) for line in part.lines)
            yield e @ A + a @ B, e @ b + 2.0 * u @ v + a @ c


def about_center(body):
    """Inertia about the centre of mass, in the body's frame; a rod's is across its line."""
    c = np.array(body.com, dtype=float)
    if not isinstance(body.inertia, tuple):
        x = np.array(body.shape[1], dtype=float)
        x = x / np.linalg.norm(x)
        return (body.inertia - body.mass * c @ c) * (np.eye(3) - np.outer(x, x))
    xx, yy, zz, xy, xz, yz = body.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - body.mass * (c @ c * np.eye(3) - np.outer(c, c))


def skew(w):
    """Matrix of w x."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
