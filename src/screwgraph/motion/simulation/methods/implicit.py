"""Steps of implicit rules: Newton's method finds the accelerations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import Rule
from screwgraph.motion.simulation.methods.fixed_step import Step
from screwgraph.motion.simulation.system import System

ITERATIONS = 40

SETTLED = 1e-13
"""Change of a step's velocities, relative to 1 + the largest one, at which iterations end."""

SLOW = 0.3
"""Iterations that shrink by less than this factor ask for a new matrix."""

ROUNDING = 1e-7
"""Changes below this may stop shrinking: rounding keeps them from it."""

HALVINGS = 10

NUDGE = 1e-7

GROWTH = 1.0
"""Step times the fastest rate of growth of perturbations that it may have."""

Vector = Float[np.ndarray, " n"]

Residual = Callable[[Vector], Vector]

PERTURBATION = 1e-6


def make_implicit(rule: Rule) -> Callable[[System, float], Step]:
    """Make what makes steps of an implicit rule, of all accelerations at its points.

    Newton's matrix is kept from step to step while it is good enough.
    """

    def step_of(system: System, dt: float) -> Step:
        f, space, newton, parts = system.acceleration, system.manifold, _Newton(), rule.nodes[1:]
        rows = np.array(rule.velocity)
        held = -np.linalg.solve(rows[:, 1:], rows[:, 0])

        def step(t, q, qd):
            start = f(t, q, qd)

            def states(gained: Vector) -> tuple[list, list]:
                a = [start, *gained.reshape(len(parts), -1) / dt]
                v = rule.velocities(qd, a, dt)
                return v[1:], [space.retract(q, s) for s in rule.steps(space, v, a, dt)]

            def residual(gained: Vector) -> Vector:
                ahead = zip(parts, *states(gained), strict=True)
                return gained - dt * np.concatenate([f(t + part * dt, at, v) for part, v, at in ahead])

            # Stiff motions may be nearer to where they were, with the velocity held, than to where they go.
            found = (newton.solve(residual, dt * np.kron(share, start)) for share in (np.ones(len(parts)), held))
            gained = next((x for x in found if x is not None), None)
            if gained is None:
                raise InputError(
                    f"the {rule.name} step at t = {t:g} s of {dt:g} s has no solution nearby"
                    + system.fastest(t, q, qd),
                    why="accelerations change too fast there",
                    fix='take a smaller dt, or method="auto", which chooses its steps',
                )
            v, at = states(gained)
            if newton.is_new:  # the motion has changed since the last look
                newton.is_new = False
                for part, *state in ((0.0, q, qd), (1.0, at[-1], v[-1])):
                    _check_growth(system, rule, t + part * dt, dt, *state)
            return at[-1], v[-1]

        return step

    return step_of


def _check_growth(system: System, rule: Rule, t: float, dt: float, q: Vector, qd: Vector) -> None:
    """Refuse motions that run away within a step: implicit rules have solutions beyond the time at which they end."""
    growth = dt * float(np.real(perturbation_rates(system, t, q, qd)).max(initial=0.0))
    if not growth <= GROWTH:
        raise InputError(
            f"the {rule.name} steps of {dt:g} s are too long at t = {t:g} s{system.fastest(t, q, qd)}",
            why=f"perturbations grow by a factor of e in {dt / growth:.2g} s there: the simulation diverged, or will",
            fix='take a smaller dt, or method="auto", which chooses its steps',
        )


def perturbation_rates(
    system: System, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
) -> np.ndarray:
    """Return the eigenvalues (2nv,) (1/s) of d(qd, qdd)/d(q, qd), by differences; infinite where not finite."""
    n, move = len(qd), system.manifold.retract
    along = PERTURBATION * np.diag(1.0 + np.abs(qd))
    at = np.array([q, *(move(q, step) for step in along), *([q] * n)])
    first, *others = system.accelerations(t, at, qd + np.concatenate([np.zeros((n + 1, n)), along]))
    J = np.zeros((2 * n, 2 * n))
    J[:n, n:] = np.eye(n)
    J[n:] = ((np.array(others) - first) / np.tile(along.diagonal(), 2)[:, None]).T
    return np.linalg.eigvals(J) if np.isfinite(J).all() else np.full(2 * n, np.inf, dtype=complex)


class _Newton:
    """Newton's method for equations that resemble those before: it remembers its inverse matrix.

    `is_new` is set where it has made another one.
    """

    def __init__(self) -> None:
        self._inverse: Float[np.ndarray, "n n"] | None = None
        self.is_new = False

    def solve(self, residual: Residual, guess: Vector) -> Vector | None:
        """Return the root near a guess; None where the iterations do not get there."""
        x, value, fresh = guess, residual(guess), False
        if not np.isfinite(value).all():
            return None
        for _ in range(ITERATIONS):
            if self._inverse is None:
                self._inverse, fresh = _inverse_derivative(residual, x, value), True
                self.is_new = True
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
                x, value = _shorten_step(residual, self._inverse, (x, change, size), (ahead, there))
                self._inverse, fresh = None, False
        return None


def _shorten_step(
    residual: Residual,
    inverse: Float[np.ndarray, "n n"],
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


def _inverse_derivative(residual: Residual, x: Vector, value: Vector) -> Float[np.ndarray, "n n"]:
    """Return the inverse of the derivative, which differences tell well enough for Newton's method."""
    J = np.empty((len(x), len(x)))
    for i in range(len(x)):
        beside = x.copy()
        beside[i] += NUDGE * (1.0 + abs(x[i]))
        J[:, i] = (residual(beside) - value) / (beside[i] - x[i])
    return np.linalg.pinv(J) if np.isfinite(J).all() else np.full_like(J, np.nan)
