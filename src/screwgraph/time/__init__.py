"""The time axis: integration rules, one file each; a new one is a new file and a line in `RULES`."""

from collections.abc import Mapping

from screwgraph.time.between import between, polynomials
from screwgraph.time.euler import EULER
from screwgraph.time.explicit import ExplicitDefect, Stages, stages, stepped
from screwgraph.time.hermite_simpson import HERMITE_SIMPSON, SimpsonVelocities, simpson_positions
from screwgraph.time.linear_acceleration import LINEAR_ACCELERATION
from screwgraph.time.radau import RADAU
from screwgraph.time.rule import Point, Positions, Rule, Space
from screwgraph.time.runge_kutta import RK4
from screwgraph.time.semi_implicit import SEMI_IMPLICIT
from screwgraph.time.templates import RateDefect, StepDefect
from screwgraph.time.trapezoidal import TRAPEZOIDAL

RULES: Mapping[str, Rule] = {
    rule.name: rule for rule in (EULER, SEMI_IMPLICIT, RK4, TRAPEZOIDAL, LINEAR_ACCELERATION, RADAU, HERMITE_SIMPSON)
}

__all__ = [
    "EULER",
    "HERMITE_SIMPSON",
    "LINEAR_ACCELERATION",
    "RADAU",
    "RK4",
    "RULES",
    "SEMI_IMPLICIT",
    "TRAPEZOIDAL",
    "ExplicitDefect",
    "Point",
    "Positions",
    "RateDefect",
    "Rule",
    "SimpsonVelocities",
    "Space",
    "Stages",
    "StepDefect",
    "between",
    "polynomials",
    "simpson_positions",
    "stages",
    "stepped",
]
