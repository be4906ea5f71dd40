"""Model-predictive control in NumPy, line by line: the oracle of the generated code.

A tick linearises the dynamics along the last trajectory and takes some barrier steps of the quadratic program that is
left, whose multipliers and slacks stay for the next one. Bounds of inputs are hard, those of states soft:
l1 e + l2 e^2 / 2 of what is beyond.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import screwgraph as sg


@dataclass
class Problem:
    """A robot of a tree whose positions are a vector, with costs and bounds; those that are infinite are none."""

    robot: sg.Robot
    N: int
    dt: float
    weight_q: np.ndarray
    weight_v: np.ndarray
    weight_u: np.ndarray
    actuated: np.ndarray
    u_limit: np.ndarray
    x_lower: np.ndarray
    x_upper: np.ndarray
    l1: float
    l2: float

    def __post_init__(self) -> None:
        self.n, self.m = self.robot.nv, len(self.actuated)
        self.dynamics = sg.forward_dynamics(self.robot)
        self.derivatives = self.dynamics.jacobian("q", "qd", "tau")
        self.W = 2.0 * self.dt * np.concatenate([self.weight_q, self.weight_v])
        self.R = 2.0 * self.dt * np.broadcast_to(self.weight_u, (self.m,))

    def tau(self, u: np.ndarray) -> np.ndarray:
        found = np.zeros((*u.shape[:-1], self.n))
        found[..., self.actuated] = u
        return found

    def step(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        q, v = np.split(x, 2, axis=-1)
        new = v + self.dt * self.dynamics(q, v, self.tau(u))
        return np.concatenate([q + self.dt * new, new], axis=-1)

    def linearise(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, v = np.split(x, 2, axis=-1)
        n, h = self.n, self.dt
        by_q, by_v, by_tau = self.derivatives(q, v, self.tau(u))
        V = h * np.concatenate([by_q, by_v], axis=-1)
        V[..., n:] += np.eye(n)
        A = np.concatenate([h * V, V], axis=-2)
        A[..., :n, :n] += np.eye(n)
        B = h * by_tau[..., self.actuated]
        return A, np.concatenate([h * B, B], axis=-2)

    def cost(self, x: np.ndarray, u: np.ndarray, references: np.ndarray) -> float:
        wanted, efforts = np.split(references, [2 * self.n], axis=1)
        own = 0.5 * (self.W * (x - wanted) ** 2).sum() + 0.5 * (self.R * (u - efforts[:-1]) ** 2).sum()
        beyond = np.maximum(0.0, np.maximum(x[1:] - self.x_upper, self.x_lower - x[1:]))
        return own + (self.l1 * beyond + 0.5 * self.l2 * beyond**2).sum()


@dataclass
class Iterate:
    """Trajectory, slacks s of all bounds, what e soft ones give way, multipliers of s >= 0 and e >= 0, the barrier."""

    x: np.ndarray
    u: np.ndarray
    s: np.ndarray = field(default=None)  # type: ignore[assignment]
    lam: np.ndarray = field(default=None)  # type: ignore[assignment]
    e: np.ndarray = field(default=None)  # type: ignore[assignment]
    nu: np.ndarray = field(default=None)  # type: ignore[assignment]
    mu: float = 1.0


LEAST, MOST = 1e-11, 1e2
"""Bounds of the barrier."""


def tick(problem: Problem, now: Iterate, x0: np.ndarray, references: np.ndarray, steps: int) -> tuple[Iterate, float]:
    """Linearise and take barrier steps; return the next iterate, and the largest change of the trajectory."""
    p, x, u = problem, now.x.copy(), now.u.copy()
    x[0] = x0
    A, B = p.linearise(x[:-1], u)
    c = p.step(x[:-1], u) - np.einsum("kij,kj->ki", A, x[:-1]) - np.einsum("kij,kj->ki", B, u)
    old = x.copy(), u.copy()
    limits = np.concatenate([-p.u_limit, -p.u_limit, p.x_lower, -p.x_upper])
    kept = np.isfinite(limits)
    soft = np.arange(len(limits)) >= 2 * p.m
    s, lam, e, nu, mu = now.s, now.lam, now.e, now.nu, now.mu

    def distances(x, u):
        return (np.concatenate([u, -u, x[1:], -x[1:]], axis=1) - limits)[:, kept]

    soft = soft[kept]
    if s is None:
        d, least = distances(x, u), (np.sqrt(p.l1**2 + 4.0 * p.l2 * mu) - p.l1) / (2.0 * p.l2)
        s = np.where(soft, np.maximum(d, 0.0) + least, np.maximum(d, 0.1))
        e = np.where(soft, np.maximum(-d, 0.0) + least, 0.0)
        lam = mu / s
        nu = np.where(soft, np.maximum(p.l1 + p.l2 * e - lam, mu / np.where(soft, e, 1.0)), 0.0)
    else:
        lam = np.maximum(lam, mu / np.maximum(s, 0.01))
        nu = np.where(soft, np.maximum(nu, mu / np.maximum(e, 0.01)), 0.0)
    for _ in range(steps):
        gap = distances(x, u) + np.where(soft, e, 0.0) - s  # ds = dz + de + gap
        r1 = mu - lam * s
        a = lam / s
        E = np.where(soft, e, 1.0)
        b = p.l2 + nu / E
        t = (nu + lam - p.l1 - p.l2 * e) + r1 / s + (mu - nu * E) / E
        # de = (t - a (dz + gap)) / (a + b); hard: de = 0. dlam = r1/s - a (dz + de + gap)
        weight = np.where(soft, a * b / (a + b), a)
        pull = lam + np.where(soft, r1 / s - a * (gap * b + t) / (a + b), r1 / s - a * gap)
        W, P = np.zeros((p.N, len(limits))), np.zeros((p.N, len(limits)))
        W[:, kept], P[:, kept] = weight, pull
        m, n2 = p.m, 2 * p.n
        Wu, Pu = W[:, :m] + W[:, m : 2 * m], P[:, :m] - P[:, m : 2 * m]
        Wx, Px = W[:, 2 * m : 2 * m + n2] + W[:, 2 * m + n2 :], P[:, 2 * m : 2 * m + n2] - P[:, 2 * m + n2 :]
        wanted, efforts = np.split(references, [2 * p.n], axis=1)
        g = p.W * (x - wanted)
        r = p.R * (u - efforts[:-1]) - Pu
        g[1:] -= Px
        d = np.einsum("kij,kj->ki", A, x[:-1]) + np.einsum("kij,kj->ki", B, u) + c - x[1:]
        dx, du = _riccati(A, B, d, p.W, Wx, g, p.R + Wu, r)
        dz = np.concatenate([du, -du, dx[1:], -dx[1:]], axis=1)[:, kept]
        de = np.where(soft, (t - a * (dz + gap)) / (a + b), 0.0)
        ds = dz + de + gap
        dlam = r1 / s - a * ds
        dnu = np.where(soft, (mu - nu * E) / E - nu / E * de, 0.0)
        primal = min(_longest(s, ds), _longest(np.where(soft, e, 1.0), de))
        dual = min(_longest(lam, dlam), _longest(np.where(soft, nu, 1.0), dnu))
        x, u, s, e = x + primal * dx, u + primal * du, s + primal * ds, e + primal * de
        lam, nu = lam + dual * dlam, nu + dual * dnu
        mu = float(np.clip(mu * (8.0 if primal < 0.5 else 0.1 if min(primal, dual) > 0.9 else 0.3), LEAST, MOST))
    change = max(abs(x - old[0]).max(), (abs(u - old[1]) / np.maximum(p.u_limit, 1.0)).max())
    return Iterate(x, u, s, lam, e, nu, mu), change


def _longest(values: np.ndarray, ways: np.ndarray) -> float:
    ahead = ways < 0.0
    return float(min(1.0, (0.995 * values[ahead] / -ways[ahead]).min(initial=1.0)))


def _riccati(A, B, d, W, Wx, g, R, r):
    N, n, m = B.shape
    P, p = np.diag(W + Wx[-1]), g[-1]
    gains = []
    for k in reversed(range(N)):
        PA, PB = P @ A[k], P @ B[k]
        Q = np.diag(W + (Wx[k - 1] if k else 0.0)) + A[k].T @ PA
        S, H = B[k].T @ PA, np.diag(R[k]) + B[k].T @ PB
        pd = p + P @ d[k]
        h = r[k] + B[k].T @ pd
        K, first = -np.linalg.solve(H, S), -np.linalg.solve(H, h)
        P = Q + S.T @ K
        P = 0.5 * (P + P.T)
        p = g[k] + A[k].T @ pd + S.T @ first
        gains.append((K, first))
    dx, du = np.zeros((N + 1, n)), np.zeros((N, m))
    for k, (K, first) in enumerate(reversed(gains)):
        du[k] = K @ dx[k] + first
        dx[k + 1] = A[k] @ dx[k] + B[k] @ du[k] + d[k]
    return dx, du
