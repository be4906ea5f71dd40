"""By how much a plan exceeds its limits between points, where only its interpolant says what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize import Factors
from screwgraph.plan.steps import Steps
from screwgraph.plan.templates import BoundViolation

PARTS = np.linspace(0.0, 1.0, 17)[1:-1]
"""Parts of an interval between points that are looked at."""
NOTABLE = 0.01
"""Excess that is told, as a part of the largest bound of the coordinate."""
KINDS = {"q": (0, "position"), "qd": (1, "velocity"), "tau": (2, "torque")}


@dataclass(frozen=True)
class Excess:
    """A limit that does not hold between points: which, of what, by how much (SI units), when (s)."""

    name: str
    quantity: str
    coordinate: str
    amount: float
    relative: float
    time: float
    step: int


@dataclass(frozen=True)
class AtStart:
    """Limits of what is a polynomial through the samples of a step, at its beginning."""

    limit: Callable[..., Any]
    shares: tuple[float, ...]

    def __call__(self, *unknowns: Any, **bounds: Any) -> Any:
        """Return what must not be positive; unknowns are the values at the samples of a step."""
        return self.limit(sum(share * x for share, x in zip(self.shares, unknowns, strict=True)), **bounds)


def excesses(
    steps: Steps,
    factors: Sequence[Factors],
    t: Float[np.ndarray, " K"],
    motion: Callable[[Float[np.ndarray, " N"]], tuple],
) -> Iterator[Excess]:
    """Return the largest excess of each hard limit in each step; `motion` tells q, qd, tau at times (s)."""
    kept = [f for f in factors if f.kind == "inequality" and isinstance(f.template, BoundViolation)]
    kept = [f for f in kept if f.arguments[0].variables.name in KINDS]
    if not kept:
        return
    times = (t[:-1, None] + np.diff(t)[:, None] * PARTS).ravel()
    values = motion(times)
    stride = steps.per_step * len(PARTS)
    for f in kept:
        kind = f.arguments[0].variables.name
        place, quantity = KINDS[kind]
        x = values[place]
        labels = _labels(steps, kind)
        for bound, columns, sign in (("upper", f.template.above, 1.0), ("lower", f.template.below, -1.0)):
            if bound not in f.shared:
                continue
            at = np.array(columns) if kind != "tau" else np.array(steps.actuated)[list(columns)]
            off = sign * (x[:, at] - f.shared[bound])
            size = np.maximum(np.abs(f.shared[bound]), 1e-3)
            for number, part in enumerate((off / size).reshape(-1, stride, len(at))):
                i, j = np.unravel_index(int(part.argmax()), part.shape)
                if part[i, j] > NOTABLE:
                    row = number * stride + int(i)
                    amount, name = float(off[row, j]), labels[int(at[j])]
                    yield Excess(f.name, quantity, name, amount, float(part[i, j]), float(times[row]), number)


def _labels(steps: Steps, kind: str) -> Sequence[str]:
    mechanics = steps.mechanics
    if kind != "q":
        return mechanics.labels
    return [name for j in mechanics.robot.joints for name in [j.name] * j.type.nq]
