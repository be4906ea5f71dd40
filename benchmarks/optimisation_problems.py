"""Nonlinear problems over time, as this package has them and as GTSAM's Python factors have them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from screwgraph.optimize import Problem, Variables, Vector, each, equality, inequality, soft
from screwgraph.spatial import Array, concatenate, vector

DT, MEASURED, MOVED = 0.01, 0.5, 0.1


@dataclass(frozen=True, eq=False)
class Chain:
    """States (q, v, a) of pendulums, all measured, tied by their motion; d numbers a state."""

    d: int
    measurements: np.ndarray
    start: np.ndarray

    @classmethod
    def random(cls, d: int, count: int) -> Chain:
        """Make one, always the same."""
        rng = np.random.default_rng(0)
        return cls(d, rng.standard_normal((count, d)), rng.standard_normal((count, d)))

    def problem(self) -> Problem:
        """Return it as factors."""
        x = Variables("x", Vector(self.d), len(self.start))
        ties = soft(_moves, x[:-1], x[1:], dt=DT, sigma=MOVED)
        return Problem([soft(_is_seen, x, z=each(self.measurements), sigma=MEASURED), ties])

    def gtsam_graph(self) -> tuple[Any, Any]:
        """Return it as custom factors of GTSAM, with Jacobians written by hand, and its start."""
        gtsam: Any = import_module("gtsam")

        d, eye = self.d, np.eye(self.d)
        graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
        seen, moved = (gtsam.noiseModel.Isotropic.Sigma(d, s) for s in (MEASURED, MOVED))

        def sees(z: np.ndarray) -> Any:
            def error(factor: Any, at: Any, jacobians: Any) -> np.ndarray:
                if jacobians is not None:
                    jacobians[0] = eye
                return at.atVector(factor.keys()[0]) - z

            return error

        def moves(factor: Any, at: Any, jacobians: Any) -> np.ndarray:
            first, second = list(factor.keys())
            a, b = at.atVector(first), at.atVector(second)
            if jacobians is not None:
                jacobians[0], jacobians[1] = -_slope(a), eye
            return b - _end(a)

        for i, z in enumerate(self.measurements):
            values.insert(i, self.start[i])
            graph.add(gtsam.CustomFactor(seen, [i], sees(z)))
            if i:
                graph.add(gtsam.CustomFactor(moved, [i - 1, i], moves))
        return graph, values


def swing_up(steps: int = 51, seconds: float = 2.0) -> tuple[Problem, dict[str, np.ndarray]]:
    """Return a cart-pole that swings up with least effort, trapezoidal collocation, and a straight line to start from.

    Kelly, An introduction to trajectory optimization (2017), sec. 6.
    """
    h = seconds / (steps - 1)
    q, v, u = Variables("q", Vector(2), steps), Variables("v", Vector(2), steps), Variables("u", Vector(1), steps)
    rest = np.zeros(2)
    problem = Problem(
        [
            soft(_effort, u, sigma=1 / np.sqrt(h)),
            equality(_collocated, q[:-1], v[:-1], u[:-1], q[1:], v[1:], u[1:], h=h),
            *(
                equality(_is_at, x, at=at)
                for x, at in ((q[0], rest), (v[0], rest), (q[-1], [1.0, np.pi]), (v[-1], rest))
            ),
            inequality(_between, u, lower=-20.0, upper=20.0, name="force"),
            inequality(_between, q, lower=[-2.0, -100.0], upper=[2.0, 100.0], name="track"),
        ]
    )
    t = np.linspace(0, 1, steps)[:, None]
    return problem, {"q": t * [1.0, np.pi], "v": np.tile([0.5, np.pi / 2], (steps, 1)), "u": np.zeros((steps, 1))}


def _is_seen(x: Array, *, z: Array) -> Array:
    return x - z


def _moves(a: Array, b: Array, *, dt: Array) -> Array:
    h = a.shape[0] // 3
    q, v, w = a[:h], a[h : 2 * h], a[2 * h :]
    pull = vector([q[i].sin() for i in range(h)])
    return b - concatenate(q + dt * v + dt * dt / 2 * w, v + dt * w - dt * pull, w)


def _end(a: np.ndarray) -> np.ndarray:
    q, v, w = np.split(a, 3)
    return np.concatenate([q + DT * v + DT * DT / 2 * w, v + DT * w - DT * np.sin(q), w])


def _slope(a: np.ndarray) -> np.ndarray:
    q = a[: len(a) // 3]
    eye, none = np.eye(len(q)), np.zeros((len(q), len(q)))
    return np.block([[eye, DT * eye, DT * DT / 2 * eye], [-DT * np.diag(np.cos(q)), eye, DT * eye], [none, none, eye]])


def _effort(u: Array) -> Array:
    return u


def _is_at(x: Array, *, at: Array) -> Array:
    return x - at


def _between(x: Array, *, lower: Array, upper: Array) -> Array:
    return concatenate(x - upper, lower - x)


def _collocated(q: Array, v: Array, u: Array, q_next: Array, v_next: Array, u_next: Array, *, h: Array) -> Array:
    rate = _cart_pole(q, v, u) + _cart_pole(q_next, v_next, u_next)
    return concatenate(q_next - q, v_next - v) - h / 2 * rate


def _cart_pole(q: Array, v: Array, u: Array) -> Array:
    """Return positions' and velocities' rates of a cart of 1 kg and a pole of 0.3 kg and 0.5 m."""
    s, c, g = q[1].sin(), q[1].cos(), 9.81
    swing, held = 0.15 * s * v[1] ** 2, 1.0 + 0.3 * (1 - c**2)
    cart = (swing + u[0] + 0.3 * g * c * s) / held
    pole = -(swing * c + u[0] * c + 1.3 * g * s) / (0.5 * held)
    return vector([v[0], v[1], cart, pole])
