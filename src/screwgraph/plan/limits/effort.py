"""Limits of joint torques."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from screwgraph.optimize import Factors
from screwgraph.plan.interpolation import shares_of
from screwgraph.plan.limits.base import bounded, box, read_limit, symmetric
from screwgraph.plan.limits.excess import AtStart
from screwgraph.plan.steps import Steps


@dataclass(frozen=True, eq=False)
class EffortLimit:
    """Joint torques stay within bounds (N m, N).

    `bounds`: None for those of the robot's file, b for +-b, (lower, upper), or {joint: one of these}. A `sigma` makes
    them soft: they cost half the square of what comes nearer than `threshold`, over sigma. Xie et al. (2020), eq. (7).
    """

    bounds: Any = None
    sigma: float | None = None
    threshold: float = 0.0

    read = classmethod(read_limit)

    def factors(self, steps: Steps, name: str) -> Iterable[Factors]:
        """Return one factor for each sample, and each beginning of a step that has none. Raises InputError."""
        lower, upper = box(steps.mechanics, self.bounds, lambda joint: symmetric(joint.limits.effort), "effort")
        chosen = list(steps.actuated)
        bounds = lower[chosen], upper[chosen]
        for made in bounded(steps.tau[:], bounds, self, name):
            yield made
            if steps.lead:
                yield _at_starts(steps, made)


def _at_starts(steps: Steps, made: Factors) -> Factors:
    """Return the same limits where steps begin: efforts are polynomials through later samples there."""
    samples = [steps.tau[steps.sample_at(i)] for i in steps.collocation.accelerated]
    template = AtStart(made.template, tuple(float(share) for share in shares_of(steps, 0.0)))
    return replace(made, template=template, arguments=tuple(samples), name=f"{made.name}: at starts of steps")
