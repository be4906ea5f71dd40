"""Factors of planar mechanisms: templates of the law that each states. Blanco-Claraco et al. (2021), section 6."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.motion.estimation.factors.constraints import (
    AccelerationConstraints,
    IndependentAcceleration,
    IndependentPosition,
    IndependentVelocity,
    PositionConstraints,
    VelocityConstraints,
)
from screwgraph.motion.estimation.factors.dynamics import (
    Acceleration,
    ForwardDynamics,
    IndependentForwardDynamics,
    IndependentInverseDynamics,
    InverseDynamics,
)
from screwgraph.motion.estimation.factors.prior import prior
from screwgraph.motion.estimation.factors.soft_equality import SomeEqual, soft_equality

FACTORS: Mapping[str, Callable[..., Any]] = {
    "prior": prior,
    "soft_equality": soft_equality,
    "position_constraints": PositionConstraints,
    "velocity_constraints": VelocityConstraints,
    "acceleration_constraints": AccelerationConstraints,
    "independent_position": IndependentPosition,
    "independent_velocity": IndependentVelocity,
    "independent_acceleration": IndependentAcceleration,
    "forward_dynamics": ForwardDynamics,
    "independent_forward_dynamics": IndependentForwardDynamics,
    "inverse_dynamics": InverseDynamics,
    "independent_inverse_dynamics": IndependentInverseDynamics,
}
"""Templates, and classes whose instances are templates of one mechanism, by name."""

__all__ = [
    "FACTORS",
    "Acceleration",
    "AccelerationConstraints",
    "ForwardDynamics",
    "IndependentAcceleration",
    "IndependentForwardDynamics",
    "IndependentInverseDynamics",
    "IndependentPosition",
    "IndependentVelocity",
    "InverseDynamics",
    "PositionConstraints",
    "SomeEqual",
    "VelocityConstraints",
    "prior",
    "soft_equality",
]
