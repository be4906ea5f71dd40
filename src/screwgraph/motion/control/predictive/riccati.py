"""Cost of going on for ever near a goal: the algebraic equation of Riccati of a robot's linear motion about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.linalg import solve_discrete_are

from screwgraph.base.argument_checks import check_arguments, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics import bias_forces
from screwgraph.model.robot import Robot
from screwgraph.motion.control.predictive.motors import StageMotors, choose_motors
from screwgraph.motion.control.stiff_dampers import damp_implicitly

AT_REST = 1e-6
"""Largest acceleration (rad/s^2, m/s^2) of a robot in equilibrium."""


@check_arguments
def solve_riccati(
    robot: Robot, position: Any, weights: Any, dt: float, *, effort: Any = None, actuated: Sequence[str] | None = None
) -> Float[np.ndarray, "2*nv 2*nv"]:
    """Return the Hessian P of the cost x'P x of all later steps of a linear-quadratic regulator about a goal.

    x are displacements (nv,) and velocities (nv,); steps and weights are those of `mpc`: P = Q + A'P A -
    A'P B (R + B'P B)^-1 B'P A, Q, R dt times the weights. `mpc(terminal="riccati")` takes it as `terminal`.

    Args:
        robot: a tree whose positions are a vector.
        position: the goal (nq,), an equilibrium.
        weights: of positions, velocities and efforts, (2 nv + m,): `stack_weights`.
        dt: of the controller (s).
        effort: of the motors there (m,); by default, the smallest that hold the robot.
        actuated: the joints, or actuators, with efforts, as of the controller.

    Raises:
        InputError: the robot has loops, floats or has ball joints; it does not rest at the goal; nothing steadies it.
    """
    has_step = 0.0 < dt < np.inf
    motors = choose_motors(damp_implicitly(robot, dt) if has_step else robot, actuated)
    n, m = robot.nv, len(motors.names)
    if robot.is_closed or robot.nq != n:
        raise InputError(f"the regulator of {robot.name!r}", why="it has loops, or positions that are no vector")
    q, w = validate_numbers("position", position), validate_numbers("weights", weights)
    if q.shape != (n,) or w.shape != (2 * n + m,):
        raise InputError(f"position {q.shape}, weights {w.shape}", fix=f"give ({n},), ({2 * n + m},)")
    if not np.isfinite(q).all():
        raise InputError("position", why="there are numbers that are not finite")
    if not (np.isfinite(w).all() and np.all(w >= 0.0) and np.all(w[2 * n :] > 0.0) and has_step):
        raise InputError("weights or dt", why="weights are from 0 on, those of efforts and dt positive")
    rest = np.zeros(n)
    held = _hold(motors, q) if effort is None else validate_numbers("effort", effort)
    if np.shape(held) != (m,):
        raise InputError(f"effort {np.shape(held)}", fix=f"give ({m},)")
    away = np.abs(motors.accelerate(q, rest, held)).max()
    if not away < AT_REST * (1.0 + np.abs(bias_forces(robot)(q, rest)).max()):
        raise InputError("position", why=f"the robot does not rest there: it accelerates by {away:.2g}")
    by_q, by_v, by_u = np.hsplit(motors.differentiate(q, rest, held).astype(float), [n, 2 * n])
    follow = np.block([[np.eye(n), dt * np.eye(n)], [np.zeros((n, n)), np.eye(n)]])  # q+ = q + dt v+
    A = follow @ np.block([[np.eye(n), np.zeros((n, n))], [dt * by_q, np.eye(n) + dt * by_v]])
    B = follow @ np.concatenate([np.zeros((n, m)), dt * by_u])
    try:
        return solve_discrete_are(A, B, dt * np.diag(w[: 2 * n]), dt * np.diag(w[2 * n :]))
    except np.linalg.LinAlgError as error:
        raise InputError(f"no regulator steadies {robot.name!r} there", why=str(error)) from error


def _hold(motors: StageMotors, q: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
    """Return the smallest efforts at which a robot that rests has the least accelerations."""
    still, none = np.zeros(len(q)), np.zeros(len(motors.names))
    by_u = motors.differentiate(q, still, none)[:, 2 * len(q) :].astype(float)
    return -np.linalg.lstsq(by_u, np.asarray(motors.accelerate(q, still, none), dtype=float))[0]
