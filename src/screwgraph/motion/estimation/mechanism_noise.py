"""Standard deviations of the factors of a mechanism's graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.mechanism.mechanism import Mechanism

BROAD = 1e4
"""Standard deviation of accelerations (rad/s^2, m/s^2) and of multipliers of loops before anything is measured."""
DEPENDENT = 100.0
"""Factor on the standard deviation of integrators of other coordinates, where the independent ones are all angles."""


@dataclass(frozen=True)
class Noise:
    """Standard deviations; what matters is how they compare.

    Blanco-Claraco et al. (2021), table 2, has squares of such.

    Constraints and dynamics hold much better than integration, whose errors no choice of weights can take away. Soft
    equality holds a motion back by (integration / equality)^2 of its way, which must stay below these errors.
    """

    integration: float = 1.0
    constraints: float = 1e-4
    dynamics: float = 1e-2
    equality: float = 1e7
    prior: float = 1e-5


def integration_sigma(mechanism: Mechanism, noise: Noise | ModelNoise) -> Float[np.ndarray, " n"]:
    """Return the standard deviation of integrators of each coordinate; see `spread_integration`."""
    turns = [i in mechanism.angle_slots for i in range(mechanism.n)]
    return spread_integration(turns, mechanism.freedom.independent, noise)


def spread_integration(
    turns: Sequence[bool], independent: Sequence[int], noise: Noise | ModelNoise
) -> Float[np.ndarray, " n"]:
    """Return the standard deviation of integrators of coordinates, of which some turn, and some are independent.

    Points move in curves, on which the errors of integration are larger than in the angles that drive them: where
    angles are the independent coordinates, these get the smaller standard deviation.
    """
    sigma = np.full(len(turns), noise.integration)
    if independent and all(turns[i] for i in independent):
        sigma *= DEPENDENT
        sigma[list(independent)] = noise.integration
    return sigma


@dataclass(frozen=True)
class ModelNoise:
    """How far estimates may be from what the model says: standard deviations.

    `integration` (m, rad, and their rates, over one step), `constraints` (m, rad, and their rates) and `dynamics`
    (m/s^2, rad/s^2, accelerations of loops among them; where a damper D is faster than a step h, of an inertia h D) are
    nearly exact; larger ones let estimates follow sensors where the model is wrong. Unknown torques begin near zero
    (`torque`, N m) and change by `torque_rate` in the root of a second; so do forces of contacts (`force`,
    `force_rate`, N), which are zero to within `released` (N) where there is no contact. The motion begins near the
    given start (`position`, m or rad; `velocity`, m/s or rad/s). `parameters` are near what the file says, relatively.
    Raises InputError where one is not positive.
    """

    __repr__ = one_line

    integration: float = 1e-5
    constraints: float = 1e-6
    dynamics: float = 1e-3
    torque: float = 1e3
    torque_rate: float = 10.0
    force: float = 1e3
    force_rate: float = 1e3
    released: float = 1e-2
    position: float = 1.0
    velocity: float = 10.0
    parameters: float = 10.0

    def __post_init__(self) -> None:
        """Check the numbers. Raises InputError."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, (int, float, np.number)) or not (np.isfinite(value) and value > 0.0):
                raise InputError(f"{field.name} = {value!r} of ModelNoise is not a positive standard deviation")

    def times(self, factor: float) -> ModelNoise:
        """Return that of a model with standard deviations so many times larger."""
        return replace(
            self,
            integration=factor * self.integration,
            constraints=factor * self.constraints,
            dynamics=factor * self.dynamics,
        )
