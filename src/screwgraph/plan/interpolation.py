"""A planned motion between its points, in the sense of its collocation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.plan.collocation import Point
from screwgraph.plan.steps import Steps

Motion = tuple[Float[np.ndarray, "n nq"], Float[np.ndarray, "n nv"], Float[np.ndarray, "n nv"]]


def motion_at(
    steps: Steps, t: Float[np.ndarray, " K"], values: Mapping[str, np.ndarray], times: Float[np.ndarray, " n"]
) -> Motion:
    """Return positions, velocities, and efforts of all joints at times (s); t are those of the points.

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
    sample = first if steps.is_open else first + steps.phase_of_point[first]
    points: list[Point] = []
    for i in range(stride + 1):
        has_sample = "qdd" in values and not (steps.is_open and i == stride)
        points.append(
            (values["q"][first + i], values["qd"][first + i], values["qdd"][sample + i] if has_sample else None)
        )
    q, qd = steps.collocation.between(steps.mechanics.positions, points, h[:, None], part)
    return q, qd, _efforts(steps, values, sample, part)


def _efforts(
    steps: Steps, values: Mapping[str, np.ndarray], sample: np.ndarray, part: Float[np.ndarray, "n 1"]
) -> Float[np.ndarray, "n nv"]:
    """Return the polynomials through the efforts of each step; where its end has none, they are held."""
    tau = np.zeros((len(part), steps.mechanics.robot.nv))
    if "tau" in values:
        nodes = np.linspace(0.0, 1.0, steps.per_step + 1)[: steps.per_step + 1 - steps.is_open]
        for i, node in enumerate(nodes):
            others = [(part - other) / (node - other) for other in nodes if other != node]
            tau[:, list(steps.actuated)] += np.prod(others, axis=0) * values["tau"][sample + i]
    return tau
