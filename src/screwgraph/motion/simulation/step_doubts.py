"""Doubts about steps of one length: dampers that explicit rules amplify, loops that open."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function
from screwgraph.motion.integration_rules import RULES, Rule
from screwgraph.motion.simulation.energy_warning import open_loops
from screwgraph.motion.simulation.methods import MotionState
from screwgraph.motion.simulation.methods.implicit import perturbation_rates
from screwgraph.motion.simulation.system import Dynamics, System

OVERSHOOT, GROWTH = -1.001, 1.2
"""Factors of a perturbation of velocities in a step that come of dampers alone: Euler's rule is unstable where one is
below -1, others where one is large; tumbling bodies and upright pendulums are not so fast within a sound step."""
FIRST, FACTOR = 128, 4
"""Steps before the first look at loops, and times the steps before each other one."""


class OpeningWatch:
    """Looks more and more seldom at the loops of a model, of the first state of a batch, and says once that they open.

    `next` is the number of steps before the next look.
    """

    def __init__(self, dynamics: Dynamics, q: Float[np.ndarray, "*B nq"]) -> None:
        self._start = _first(q).copy()
        self.next = FIRST if dynamics.model.is_closed else sys.maxsize

    def look(self, dynamics: Dynamics, q: Float[np.ndarray, "*B nq"]) -> tuple[str, ...]:
        """Return a doubt where loops are open that were closed. Positions that are no numbers say nothing."""
        found = doubt_opening(dynamics, self._start, _first(q))
        self.next = sys.maxsize if found else FACTOR * self.next
        return found


def doubt_opening(
    dynamics: Dynamics, before: Float[np.ndarray, " nq"], after: Float[np.ndarray, " nq"]
) -> tuple[str, ...]:
    """Return a doubt where loops are open that were closed. Positions that are no numbers say nothing."""
    if not (dynamics.model.is_closed and np.isfinite(after).all()):
        return ()
    q = np.array([before, after], dtype=float)
    return open_loops(dynamics, q, dynamics.violation(q))


def doubt_explicit_steps(
    step: Function, method: str, dt: float, state: Sequence[np.ndarray], others: Sequence[np.ndarray]
) -> tuple[str, ...]:
    """Return a doubt where an explicit rule amplifies velocities that dampers take.

    Args:
        step: (q, qd, *others) to the q and qd of a step later.
        method: the rule's name.
        dt: the step (s).
        state: q and qd, of a batch the first is looked at.
        others: torques, the step and parameters, alike.
    """
    if method not in RULES:
        return ()
    arrays = [np.asarray(x, dtype=step.dtype) for x in (*state, *others)]
    q, qd, *rest = (_first(x, len(a.shape)) for x, a in zip(arrays, step.arguments, strict=True))
    size, n = float(np.finfo(step.dtype).eps) ** 0.5 * max(1.0, float(np.abs(qd).max(initial=0.0))), len(qd)
    around = np.vstack([qd, qd + size * np.eye(n)]).astype(step.dtype)
    with np.errstate(all="ignore"):
        ahead = np.asarray(step.single(q, around, *rest)[1])
    slopes = ((ahead[1:] - ahead[0]) / size).T
    if not (n and np.isfinite(slopes).all()):
        return ()
    factors = np.linalg.eigvals(slopes)
    worst = factors[np.argmax(np.abs(factors))]
    return () if worst.real >= OVERSHOOT and np.abs(worst) <= GROWTH else _describe_growth(method, dt, worst.real)


def doubt_explicit_rule(system: System, method: str, dt: float, start: MotionState) -> tuple[str, ...]:
    """Return a doubt where the dampers of a motion, at its start, decay too fast for an explicit rule."""
    if method not in RULES or not RULES[method].is_explicit:
        return ()
    rates = perturbation_rates(system, 0.0, start.q, start.qd)
    decaying = rates[np.real(rates) < -np.abs(rates) / 2.0]
    if not (len(decaying) and np.isfinite(decaying).all()):
        return ()
    factors = _amplify(RULES[method], dt * decaying)
    worst = factors[np.argmax(np.abs(factors))]
    return () if np.abs(worst) <= 1.0 else _describe_growth(method, dt, worst.real)


def _amplify(rule: Rule, z: np.ndarray) -> np.ndarray:
    """Return the factors by which a step of an explicit rule multiplies what decays by exp(z)."""
    points: list[Any] = [np.ones_like(z)]
    for row in rule.velocity:
        points.append(1.0 + sum(weight * z * point for weight, point in zip(row, points, strict=False)))
    return points[-1]


def _describe_growth(method: str, dt: float, factor: float) -> tuple[str, ...]:
    return (
        f"dampers are faster than steps of {dt:g} s: method {method!r}, which is explicit, multiplies velocities by "
        f'{factor:.3g} a step where they should decay (take method="semi_implicit" or "rosenbrock", by which '
        "damping is implicit, or a smaller dt)",
    )


def _first(x: np.ndarray, ndim: int = 1) -> np.ndarray:
    """Return the first state of a batch, or the one, an array of so many axes."""
    return x if x.ndim <= ndim else x[0]
