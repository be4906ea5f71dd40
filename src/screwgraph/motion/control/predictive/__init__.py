"""Model-predictive control: a horizon of stages, an interior point on them, as one function."""

from screwgraph.motion.control.predictive.convergence import PredictedMotion, converge
from screwgraph.motion.control.predictive.horizon_arguments import (
    find_first_interval,
    stack_references,
    stack_schedule,
    stack_weights,
)
from screwgraph.motion.control.predictive.limits import HorizonLimits
from screwgraph.motion.control.predictive.predictive_controller import mpc
from screwgraph.motion.control.predictive.riccati import solve_riccati
from screwgraph.motion.control.predictive.walking import Gait, Walk, WalkReferences

__all__ = [
    "Gait",
    "HorizonLimits",
    "PredictedMotion",
    "Walk",
    "WalkReferences",
    "converge",
    "find_first_interval",
    "mpc",
    "solve_riccati",
    "stack_references",
    "stack_schedule",
    "stack_weights",
]
