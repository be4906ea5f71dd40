"""Limits of joint velocitys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.formats.yaml_values import Value
from screwgraph.optimize import Factors
from screwgraph.plan.limits.base import Pair, bounded, box, read_bounds
from screwgraph.plan.reading import Reading
from screwgraph.plan.steps import Steps
from screwgraph.robot import Joint


@dataclass(frozen=True, eq=False)
class VelocityLimit:
    """Joint velocities stay within bounds (rad/s, m/s).

    `bounds`: None for those of the robot's file, b for +-b, (lower, upper), or {joint: one of these}. A `sigma` makes
    them soft: they cost half the square of what comes nearer than `threshold`, over sigma. Paper 2, eq. (7).
    """

    bounds: Any = None
    sigma: float | None = None
    threshold: float = 0.0

    @classmethod
    def read(cls, value: Value, reading: Reading) -> VelocityLimit:
        """Read bounds, or {bounds, sigma, threshold}; nothing means those of the robot's file. Raises ModelError."""
        return cls(*read_bounds(value, reading))

    def factors(self, steps: Steps, name: str) -> Iterable[Factors]:
        """Return one factor for each point but the first, where the start is given. Raises InputError."""
        bounds = box(steps.mechanics, self.bounds, _of_file, "velocity")
        yield from bounded(steps.qd[steps.free_points], bounds, sigma=self.sigma, threshold=self.threshold, name=name)


def _of_file(joint: Joint) -> Pair:
    most = np.inf if joint.limits.velocity is None else joint.limits.velocity
    return (-most, most)
