"""A planned motion between its points, in the sense of its collocation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.optimize import Manifold
from screwgraph.optimize.manifold_code import moved
from screwgraph.plan.collocation import UNTIED
from screwgraph.plan.priors.chain import interpolation
from screwgraph.plan.priors.local import place, position, rate
from screwgraph.plan.steps import Steps
from screwgraph.time import Point, Rule, between, polynomials

Motion = tuple[Float[np.ndarray, "n nq"], Float[np.ndarray, "n nv"], Float[np.ndarray, "n nv"]]


def motion_at(
    steps: Steps, t: Float[np.ndarray, " K"], values: Mapping[str, np.ndarray], times: Float[np.ndarray, " n"]
) -> Motion:
    """Return positions, velocities, and torques of all joints at times (s); t are those of the points.

    Raises:
        InputError: a time is outside of the plan, or no number.
    """
    if not ((times >= t[0]) & (times <= t[-1])).all():  # not a number is neither
        wrong = times[~((times >= t[0]) & (times <= t[-1]))][0]
        raise InputError(f"the plan has no state at t = {wrong:g} s", why=f"it lasts from {t[0]:g} to {t[-1]:g} s")
    stride = steps.per_step
    step = np.clip(np.searchsorted(t[::stride], times, side="right") - 1, 0, (len(t) - 1) // stride - 1)
    first = stride * step
    h = t[first + stride] - t[first]
    part = ((times - t[first]) / h)[:, None]
    points: list[Point] = []
    for i in range(stride + 1):
        has_sample = "qdd" in values and i in steps.collocation.accelerated
        qdd = values["qdd"][steps.sample_at(i)[step]] if has_sample else None
        points.append((values["q"][first + i], values["qd"][first + i], qdd))
    q, qd = _state_between(steps.collocation, steps.mechanics.positions, points, h[:, None], part)
    return q, qd, _efforts(steps, values, step, part)


def _state_between(
    rule: Rule, positions: Manifold, points: list[Point], h: Float[np.ndarray, "n 1"], part: Float[np.ndarray, "n 1"]
) -> tuple[Float[np.ndarray, "n nq"], Float[np.ndarray, "n nv"]]:
    """Return positions and velocities at the parts 0..1 of N steps of lengths h (s), in the rule's own sense.

    `points` are those of the steps, with N rows each; accelerations are None where there are none. Without a rule:
    what is most probable if accelerations are white noise, cubic polynomials; of rotation vectors, where joints turn
    in space. Mukadam et al. (2018), eqs. (25), (26).
    """
    if rule != UNTIED:
        step, velocity = between(rule, points, h, part)
        return moved(positions, points[0][0], step), velocity
    (q, v, _), (q_end, v_end, _) = points
    found = [_most_probable(positions, *row) for row in zip(q, v, q_end, v_end, h[:, 0], part[:, 0], strict=True)]
    return np.array([a for a, _ in found]), np.array([b for _, b in found])


def _most_probable(positions: Manifold, q: Any, v: Any, q_end: Any, v_end: Any, h: float, s: float) -> tuple[Any, Any]:
    d = place(positions, q, q_end)
    start, end = h * v, h * rate(positions, d, v_end)
    w = interpolation(2, s)
    d_there = w[1][0, 0] * d + w[0][0, 1] * start + w[1][0, 1] * end
    speed = (w[1][1, 0] * d + w[0][1, 1] * start + w[1][1, 1] * end) / h
    turning = np.stack([np.asarray(rate(positions, d_there, e), dtype=float) for e in np.eye(len(v))], axis=1)
    return position(positions, q, d_there), np.linalg.solve(turning, speed)


def _efforts(
    steps: Steps, values: Mapping[str, np.ndarray], step: np.ndarray, part: Float[np.ndarray, "n 1"]
) -> Float[np.ndarray, "n nv"]:
    """Return the polynomials through the torques of the samples of each step."""
    tau = np.zeros((len(part), steps.mechanics.robot.nv))
    if "tau" in values:
        tau[:, list(steps.actuated)] = sampled_between(steps, values["tau"], step, part)
    return tau


def sampled_between(
    steps: Steps, values: Float[np.ndarray, "M k"], step: np.ndarray, part: Float[np.ndarray, "n 1"]
) -> Float[np.ndarray, "n k"]:
    """Return the polynomials through the values at the samples of steps, at parts 0..1 of these."""
    accelerated, found = steps.collocation.accelerated, np.zeros((len(part), values.shape[1]))
    for i, share in zip(accelerated, shares_of(steps, part), strict=True):
        found += share * values[steps.sample_at(i)[step]]
    return found


def shares_of(steps: Steps, part: Any) -> list[Any]:
    """Return how much the values at the samples of a step weigh at a part 0..1 of it."""
    return [p(part) for p in polynomials([steps.collocation.nodes[i] for i in steps.collocation.accelerated])]
