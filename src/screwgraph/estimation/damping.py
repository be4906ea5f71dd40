"""Joint dampers beside the steps of time: inertias that they act like, and rules by which what is fast decays."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.dynamics import mass_matrix
from screwgraph.robot import Robot, without_loops
from screwgraph.simulation.models import RobotDynamics
from screwgraph.time import RADAU, Rule

STIFF = 3.0
"""A damper times a step over its inertia, beyond which it counts as faster than the step."""


def effective_inertias(robot: Robot, q: Float[np.ndarray, " nq"], dt: float) -> Float[np.ndarray, " nv"]:
    """Return the inertia of each velocity coordinate (nv,), at least what its damper D acts like in a step: dt D.

    In an implicit step, (M + dt D) (v1 - v) = dt (tau - D v).
    """
    own = np.maximum(np.diag(mass_matrix(without_loops(robot))(q)), dt * RobotDynamics(robot).damping)
    return np.maximum(own, 1e-9 * own.max())


def decay_rates(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nv"]:
    """Return how fast its damper takes each velocity coordinate to rest (1/s): D over the inertia."""
    return RobotDynamics(robot).damping / effective_inertias(robot, q, 0.0)


def rule_of(robot: Robot, q: Float[np.ndarray, " nq"], dt: float, usual: Rule) -> Rule:
    """Return the usual rule, or Radau's, which is L-stable, where dampers are faster than steps of dt (s).

    Other rules let velocities of such joints swing from sample to sample, which no position shows.
    """
    return RADAU if (dt * decay_rates(robot, q) > STIFF).any() else usual
