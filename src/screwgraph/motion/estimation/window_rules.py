"""Integration rules of estimates and windows, predictions of their next states, dampers that are faster than steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.dynamics import mass_matrix
from screwgraph.model.robot import Robot, make_unknown_name_error, without_loops
from screwgraph.motion.integration_rules import RADAU, RULES, Rule
from screwgraph.motion.simulation.model_dynamics import RobotDynamics
from screwgraph.spatial.manifolds import Manifold

STIFF = 3.0
"""A damper times a step over its inertia, beyond which it counts as faster than the step."""


SMOOTHED = {name: rule for name, rule in RULES.items() if len(set(rule.nodes)) == len(rule.nodes)}
"""Rules whose points are instants of the motion."""


def find_rule(name: str | None) -> Rule | None:
    """Return the rule of a name, none of no name. Raises InputError where windows have no such rule."""
    if name is not None and name not in SMOOTHED:
        raise make_unknown_name_error("integrator", name, SMOOTHED)
    return None if name is None else SMOOTHED[name]


def effective_inertias(robot: Robot, q: Float[np.ndarray, " nq"], dt: float) -> Float[np.ndarray, " nv"]:
    """Return the inertia of each velocity coordinate (nv,), at least what its damper D acts like in a step: dt D.

    In an implicit step, (M + dt D) (v1 - v) = dt (tau - D v).
    """
    own = np.maximum(np.diag(mass_matrix(without_loops(robot))(q)), dt * RobotDynamics(robot).damping)
    return np.maximum(own, 1e-9 * own.max())


def decay_rates(robot: Robot, q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nv"]:
    """Return how fast its damper takes each velocity coordinate to rest (1/s): D over the inertia."""
    return RobotDynamics(robot).damping / effective_inertias(robot, q, 0.0)


def choose_rule(robot: Robot, q: Float[np.ndarray, " nq"], dt: float, usual: Rule) -> Rule:
    """Return the usual rule, or Radau's, which is L-stable, where dampers are faster than steps of dt (s).

    Other rules let velocities of such joints swing from sample to sample, which no position shows.
    """
    return RADAU if (dt * decay_rates(robot, q) > STIFF).any() else usual


def extrapolate_state(positions: Manifold, dt: Any, q: Any, v: Any, a: Any, decay: Any = 0.0) -> tuple[Any, Any, Any]:
    """Return position, velocity and acceleration where an acceleration leads in a time dt (s).

    It is constant but for dampers, which take velocities to rest at the rates `decay` (1/s): Euler's implicit step,
    which does not leave where it decays. Hairer & Wanner (1996), section IV.3.
    """
    a = a / (1.0 + dt * decay)
    return positions.retract(q, dt * v + (0.5 * dt * dt) * a), v + dt * a, a
