"""By how much a plan exceeds its limits between points, where only its interpolant says what it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.limits.bernstein import (
    compute_control_points,
    evaluate_bernstein,
    inner_weights,
    limit_control_points,
    name_between_limit,
)
from screwgraph.motion.planning.template_wrappers import BoundViolation
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors

PARTS = np.linspace(0.0, 1.0, 65)
"""Parts of a step at which polynomials are evaluated that may exceed a limit."""
NOTABLE = 1e-3
"""Largest excess between points of a plan that counts as solved, as a part of the bound."""
KINDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "torque"}


@dataclass(frozen=True)
class LimitViolation:
    """A limit that does not hold between points: which, of what, by how much (SI units), when (s)."""

    name: str
    quantity: str
    coordinate: str
    amount: float
    relative: float
    time: float
    step: int


def limits_at_points(factors: Iterable[Factors]) -> list[Factors]:
    """Return the hard limits of coordinates among factors."""
    kept = [f for f in factors if f.kind == "inequality" and isinstance(f.template, BoundViolation)]
    return [f for f in kept if f.arguments[0].variables.name in KINDS]


def find_limit_violations(
    steps: TrajectoryUnknowns, factors: Sequence[Factors], t: Float[np.ndarray, " K"], values: Mapping[str, np.ndarray]
) -> Iterator[LimitViolation]:
    """Return the largest excess of each hard limit in each step; values are those of all unknowns, by family.

    Control points of polynomials bound these; only where they exceed a limit are polynomials evaluated.
    """
    begins, h = t[steps.first], np.diff(t[[*steps.first, -1]])
    names = {f.name for f in factors}
    for f in limits_at_points(factors):
        kind = f.arguments[0].variables.name
        if not inner_weights(steps.collocation, kind) or name_between_limit(f) in names:
            continue
        labels = _labels(steps, kind)
        for bound, columns, sign in (("upper", f.template.above, 1.0), ("lower", f.template.below, -1.0)):
            if bound not in f.shared:
                continue
            found = compute_control_points(steps, t, values, kind, columns)
            off = sign * (found - f.shared[bound])
            size = np.maximum(np.abs(f.shared[bound]), 1e-3)
            unsure = np.flatnonzero((off / size > NOTABLE).any(axis=(0, 2)))
            amounts = np.tensordot(evaluate_bernstein(len(off) - 1, PARTS), off[:, unsure], axes=1)
            for i, step in enumerate(unsure.tolist()):
                k, j = np.unravel_index(int((amounts[:, i] / size).argmax()), (len(PARTS), len(columns)))
                amount = float(amounts[k, i, j])
                if amount > NOTABLE * size[j]:
                    time = float(begins[step] + PARTS[k] * h[step])
                    yield LimitViolation(
                        f.name, KINDS[kind], labels[int(columns[j])], amount, amount / float(size[j]), time, step
                    )


def make_between_limits(steps: TrajectoryUnknowns, factors: Sequence[Factors]) -> list[Factors]:
    """Return factors that keep hard limits between points."""
    made = (limit_control_points(steps, f) for f in limits_at_points(factors))
    return [f for f in made if f is not None]


def _labels(steps: TrajectoryUnknowns, kind: str) -> Sequence[str]:
    mechanics = steps.mechanics
    if kind == "tau":
        return steps.drive.labels
    if kind != "q":
        return mechanics.labels
    return [name for j in mechanics.robot.joints for name in [j.name] * j.type.nq]
