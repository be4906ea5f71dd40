"""The quadratic program of a controller with all unknowns, (qdd, forces), as NumPy makes it: nothing is condensed."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.motion.control.small_weights import FORCE_REST, TASK_REST
from tests.optimize.active_set.test_quadratic_program import gap_of

ALIGNED = "local_world_aligned"


class FullProgram:
    """Cost rows, equations and limits of one state; `missed` are (J, drift - wanted, weight) of tasks' rows."""

    def __init__(self, robot, q, qd, contacts, on, friction, missed, limits):
        n, k = robot.nv, len(contacts)
        self.robot, self.n, self.k, self.q, self.qd, self.limits = robot, n, k, q, qd, limits
        M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
        points = [point(robot, contact, q, qd) for contact in contacts]
        base = 6 if k else 0
        self.efforts = np.hstack([M, *(-J.T for J, _ in points)])[base:], h[base:]
        equations = [(np.hstack([M, *(-J.T for J, _ in points)])[:base], h[:base])] if base else []
        H, g = np.zeros((n + 3 * k, n + 3 * k)), np.zeros(n + 3 * k)
        for J, left, weight in missed:
            wide = np.hstack([J, np.zeros((len(J), 3 * k))])
            H += weight * wide.T @ wide
            g += weight * wide.T @ left
        for c, (J, drift) in enumerate(points):
            own = np.eye(n + 3 * k)[n + 3 * c : n + 3 * c + 3]
            if on[c]:
                equations.append((np.hstack([J, np.zeros((3, 3 * k))]), drift + limits.glide_rate * (J @ qd)))
                H += FORCE_REST / robot.mass**2 * own.T @ own
            else:
                equations.append((own, np.zeros(3)))
        free = range(n) if not k else [i for c in range(k) if not on[c] for i in range(6 + 3 * c, 9 + 3 * c)]
        for i in free:
            H[i, i] += TASK_REST
        self.H, self.g, self.on, self.friction = H, g, on, friction
        self.E = np.vstack([E for E, _ in equations]) if equations else np.zeros((0, n))
        self.e = np.concatenate([e for _, e in equations]) if equations else np.zeros(0)

    def rows(self, forces=None):
        """Return A, lower, upper of efforts, accelerations and friction, in units of their bounds.

        With forces (k, 3), of cones: the square around each, twice the plane that touches it there, the normal force.
        """
        robot, n, k, own = self.robot, self.n, self.k, self.limits
        T, t = self.efforts
        most = robot.limits.effort[n - len(t) :]
        A, lower, upper = [T / most[:, None]], [-1.0 - t / most], [1.0 - t / most]
        for bounds in own.list_bounds(robot):
            low, up = own.bound_acceleration(bounds, float(self.q[bounds.at]), float(self.qd[bounds.along]))
            A.append(np.eye(n + 3 * k)[bounds.along : bounds.along + 1] / own.acceleration)
            lower.append([low / own.acceleration])
            upper.append([up / own.acceleration])
        for c in range(k):
            f = np.eye(n + 3 * k)[n + 3 * c : n + 3 * c + 3] * self.on[c] / (9.81 * robot.mass)
            mu = self.friction / np.sqrt(2.0)
            # The ground's axes: z, then tangents, of which only the plane counts.
            n_, t_1, t_2 = sg.Plane().touch(np.zeros(3))[1]
            planes = []
            if forces is not None:
                mu, along = self.friction, forces[c] - n_ * (n_ @ forces[c])
                planes = [mu * (n_ @ f) - (along / max(np.linalg.norm(along), 1e-300)) @ f] * 2
            A.append(np.array([mu * (n_ @ f) + s * (t @ f) for t in (t_1, t_2) for s in (1, -1)] + [*planes, n_ @ f]))
            lower.append(np.full(len(A[-1]), 0.0 if self.on[c] else -1.0))
            upper.append(np.full(len(A[-1]), 1e9))
        return np.vstack(A), np.concatenate(lower), np.concatenate(upper)

    def gap(self, qdd, forces, active, penalty, is_round=False):
        """Return how far a solution is from the equations, and the duality gap, relative to the cost."""
        x = np.concatenate([qdd, np.ravel(forces)])
        off = np.abs(self.E @ x + self.e).max(initial=0.0)
        x0 = -np.linalg.pinv(self.E) @ self.e if len(self.E) else np.zeros(len(x))
        _, s, Vt = np.linalg.svd(self.E) if len(self.E) else (0, np.zeros(0), np.eye(len(x)))
        Z = Vt[len(s) :].T
        A, lower, upper = self.rows(forces if is_round else None)
        H, g = Z.T @ self.H @ Z, Z.T @ (self.H @ x0 + self.g)
        z = Z.T @ (x - x0)
        gap, cost = gap_of(H, g, A @ Z, lower - A @ x0, upper - A @ x0, penalty, z, active)
        least = 0.5 * x0 @ self.H @ x0 + self.g @ x0
        return off, gap / (1.0 + abs(cost) + abs(least))


def point(robot, contact, q, qd):
    """Return the Jacobian of a contact's point and its acceleration without qdd."""
    J = sg.frame_jacobian(robot, contact.frame, reference=ALIGNED)(q)
    arm = sg.forward_kinematics(robot, contact.frame)(q)[:3, :3] @ np.array(contact.at)
    below = arm - contact.radius * np.array([0.0, 0.0, 1.0])
    a, w = sg.frame_acceleration(robot, contact.frame, reference=ALIGNED)(q, qd, np.zeros(robot.nv)), J[:3] @ qd
    return J[3:] + np.cross(J[:3].T, below).T, a[3:] + np.cross(a[:3], below) + np.cross(w, np.cross(w, arm))
