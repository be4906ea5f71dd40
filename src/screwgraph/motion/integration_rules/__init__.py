"""The time axis: integration rules, one file each; a new one is a new file and a line in `RULES`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.motion.integration_rules.defect_templates import RateDefect, StepDefect
from screwgraph.motion.integration_rules.euler import EULER
from screwgraph.motion.integration_rules.explicit import ExplicitDefect, Stages, explicit_stages, take_step
from screwgraph.motion.integration_rules.hermite_interpolation import between_states, hermite
from screwgraph.motion.integration_rules.hermite_simpson import (
    HERMITE_SIMPSON,
    SimpsonPositions,
    SimpsonVelocities,
    simpson_positions,
)
from screwgraph.motion.integration_rules.linear_acceleration import LINEAR_ACCELERATION
from screwgraph.motion.integration_rules.radau import RADAU, RADAU_5
from screwgraph.motion.integration_rules.rule import Point, Positions, Rule, Space
from screwgraph.motion.integration_rules.runge_kutta import RK4
from screwgraph.motion.integration_rules.semi_implicit import SEMI_IMPLICIT
from screwgraph.motion.integration_rules.step_interpolation import (
    Weights,
    interpolate_step,
    lagrange_polynomials,
    weights_at,
)
from screwgraph.motion.integration_rules.trapezoidal import TRAPEZOIDAL

RULES: Mapping[str, Rule] = {
    "euler": EULER,
    "semi_implicit": SEMI_IMPLICIT,
    "rk4": RK4,
    "trapezoidal": TRAPEZOIDAL,
    "linear_acceleration": LINEAR_ACCELERATION,
    "radau": RADAU,
    "radau_5": RADAU_5,
    "hermite_simpson": HERMITE_SIMPSON,
}

__all__ = [
    "EULER",
    "HERMITE_SIMPSON",
    "LINEAR_ACCELERATION",
    "RADAU",
    "RADAU_5",
    "RK4",
    "RULES",
    "SEMI_IMPLICIT",
    "TRAPEZOIDAL",
    "ExplicitDefect",
    "Point",
    "Positions",
    "RateDefect",
    "Rule",
    "SimpsonPositions",
    "SimpsonVelocities",
    "Space",
    "Stages",
    "StepDefect",
    "Weights",
    "between_states",
    "explicit_stages",
    "hermite",
    "interpolate_step",
    "lagrange_polynomials",
    "simpson_positions",
    "take_step",
    "weights_at",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
