"""Model-predictive control: a horizon of stages, an interior point on them, as one function."""

from screwgraph.motion.control.predictive.limits import HorizonLimits
from screwgraph.motion.control.predictive.predictive_controller import (
    PredictedMotion,
    converge,
    mpc,
    stack_references,
    stack_weights,
)

__all__ = ["HorizonLimits", "PredictedMotion", "converge", "mpc", "stack_references", "stack_weights"]
