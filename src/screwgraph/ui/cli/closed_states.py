"""States of closed chains: random ones that keep the loops closed, and what is wrong with those of a file."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph import InputError, Robot
from screwgraph.model.robot import closed_states, constraint_jacobian, constraint_residual, constraint_rows

POSITIONS = 200
"""Closed positions that are drawn at most: finding one takes milliseconds. More states repeat them."""
CONSISTENT = 1e-6
"""Gap (rad, m), and velocity relative to the largest (or 1), that files with few digits may have."""


def draw_closed_positions(robot: Robot, count: int, seed: int) -> Float[np.ndarray, "count nq"]:
    """Draw positions at which the loops close. Raises InputError where there are none."""
    found = np.array(closed_states(robot, min(count, POSITIONS), seed=seed))
    return found[np.arange(count) % len(found)]


def project_velocities(
    robot: Robot, q: Float[np.ndarray, "count nq"], qd: Float[np.ndarray, "count nv"]
) -> Float[np.ndarray, "count nv"]:
    """Return what loops allow of velocities."""
    allowed = []
    for position, velocity in zip(q, qd, strict=True):
        K = constraint_jacobian(robot, position)
        allowed.append(velocity - np.linalg.pinv(K, rcond=1e-9) @ (K @ velocity))
    return np.array(allowed)


def check_closed(robot: Robot, q: Float[np.ndarray, "*batch nq"], qd: Float[np.ndarray, "*batch nv"], at: str) -> None:
    """Check that states keep the loops and couplings closed; those that are not finite pass.

    Raises:
        InputError: a position or a velocity opens one, with the residual.
    """
    rows = constraint_rows(robot)
    if not rows:
        return
    for position, velocity in zip(q.reshape(-1, robot.nq), qd.reshape(-1, robot.nv), strict=True):
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            continue
        errors = np.abs(constraint_residual(robot, position))
        worst = int(np.argmax(errors))
        if errors[worst] > CONSISTENT:
            raise InputError(
                f"at q, {rows[worst].of!r} has a loop-closure error of {errors[worst]:.3g} ({rows[worst].component})",
                at=at,
                why="the equations of motion hold only where loops and couplings are closed",
                fix="robot.close_loops(q) returns a closed position nearby",
            )
        rate = constraint_jacobian(robot, position) @ velocity
        worst = int(np.argmax(np.abs(rate)))
        if abs(rate[worst]) > CONSISTENT * max(1.0, float(np.abs(velocity).max(initial=0.0))):
            raise InputError(
                f"qd would open {rows[worst].of!r} at {abs(rate[worst]):.3g} per second ({rows[worst].component})",
                at=at,
                why="velocities must keep loops and couplings closed",
                fix="robot.complete_velocity(q, yd) returns such velocities",
            )
