"""The trapezoidal rule: implicit, of order two, stable whatever the step, for stiff springs and dampers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.simulation.methods.fixed import Step
from screwgraph.simulation.system import System

ITERATIONS = 40
SETTLED = 1e-13
"""Change of the velocity, relative to 1 + the largest velocity, at which iterations end."""
SLOW = 0.3
"""Iterations that shrink by less than this factor ask for a new matrix."""
ROUNDING = 1e-7
"""Changes below this may stop shrinking: rounding keeps them from it."""
HALVINGS = 10
NUDGE = 1e-7

Vector = Float[np.ndarray, " nv"]
Residual = Callable[[Vector], Vector]


def trapezoidal(system: System, dt: float) -> Step:
    """Return the step of the trapezoidal rule: both ends' accelerations, and both ends' velocities, in the mean.

    Newton's method finds the velocity at the end; its matrix is kept from step to step while it is good enough.
    """
    f, moved, half = system.acceleration, system.manifold.retract, dt / 2.0
    newton = _Newton()

    def step(t, q, qd):
        start = f(t, q, qd)

        def residual(ahead: Vector) -> Vector:
            return ahead - qd - half * (start + f(t + dt, moved(q, half * (qd + ahead)), ahead))

        ahead = newton.solve(residual, qd + dt * start)
        if ahead is None:  # what is stiff may be nearer to where it was than to where it seemed to go
            ahead = newton.solve(residual, qd)
        if ahead is None:
            raise InputError(
                f"the trapezoidal step at t = {t:g} s of {dt:g} s has no solution nearby",
                why="accelerations change too fast there",
                fix="take a smaller dt",
            )
        return moved(q, half * (qd + ahead)), ahead

    return step


class _Newton:
    """Newton's method for equations that resemble those before: it remembers its inverse matrix."""

    def __init__(self) -> None:
        self._inverse: Float[np.ndarray, "nv nv"] | None = None

    def solve(self, residual: Residual, guess: Vector) -> Vector | None:
        """Return the root near a guess; None where the iterations do not get there."""
        x, value, fresh = guess, residual(guess), False
        if not np.isfinite(value).all():
            return None
        for _ in range(ITERATIONS):
            if self._inverse is None:
                self._inverse, fresh = _inverse_derivative(residual, x, value), True
            change = self._inverse @ value
            size, scale = _largest(change), 1.0 + _largest(x)
            if not np.isfinite(size):
                self._inverse = None
                return None
            ahead, there = x - change, residual(x - change)
            left = _largest(self._inverse @ there)
            if left <= SETTLED * scale:
                return ahead
            if left <= SLOW * size:
                x, value = ahead, there
            elif not fresh:
                self._inverse = None
            elif max(left, size) <= ROUNDING * scale:
                return ahead if left < size else x  # the last digits of stiff systems do not settle
            else:
                x, value = _shortened(residual, self._inverse, (x, change, size), (ahead, there))
                self._inverse, fresh = None, False
        return None


def _shortened(
    residual: Residual,
    inverse: Float[np.ndarray, "nv nv"],
    step: tuple[Vector, Vector, float],
    end: tuple[Vector, Vector],
) -> tuple[Vector, Vector]:
    """Halve a step until it brings x nearer to the root, as the matrix at its beginning sees it."""
    x, change, size = step
    ahead, there = end
    for _ in range(HALVINGS):
        if _largest(inverse @ there) < size:
            break
        change = change / 2.0
        ahead, there = x - change, residual(x - change)
    return ahead, there


def _largest(x: Vector) -> float:
    return float(np.abs(x).max(initial=0.0))


def _inverse_derivative(residual: Residual, x: Vector, value: Vector) -> Float[np.ndarray, "nv nv"]:
    """Return the inverse of the derivative, which differences tell well enough for Newton's method."""
    J = np.empty((len(x), len(x)))
    for i in range(len(x)):
        beside = x.copy()
        beside[i] += NUDGE * (1.0 + abs(x[i]))
        J[:, i] = (residual(beside) - value) / (beside[i] - x[i])
    return np.linalg.pinv(J) if np.isfinite(J).all() else np.full_like(J, np.nan)
