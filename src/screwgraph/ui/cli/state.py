"""States to solve at: positions, velocities, what else is given, and external wrenches; loops are closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph import InputError, Robot
from screwgraph.model.robot import closed_states, constraint_jacobian, constraint_residual, constraint_rows

POSITIONS = 200
"""Closed positions that are drawn at most: finding one takes milliseconds. More states repeat them."""
CONSISTENT = 1e-6
"""Gap (rad, m), and velocity relative to the largest (or 1), that files with few digits may have."""


@dataclass(frozen=True, eq=False)
class State:
    """One state, or a batch of them along the leading axes; all arrays have the same leading axes.

    External `wrenches` act on the links or frames `frames`; `origin` says where the numbers come from.
    """

    q: Float[np.ndarray, "*batch nq"]
    qd: Float[np.ndarray, "*batch nv"]
    given: Float[np.ndarray, "*batch m"]
    wrenches: Float[np.ndarray, "*batch k 6"]
    frames: tuple[str, ...]
    origin: str

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading axes; empty for one state."""
        return self.q.shape[:-1]


def make_state(q: Float[np.ndarray, "*batch nq"], qd: Float[np.ndarray, "*batch nv"], origin: str) -> State:
    """Return a state of positions and velocities alone."""
    nothing = np.zeros((*q.shape[:-1], 0))
    return State(q, qd, nothing, np.zeros((*q.shape[:-1], 0, 6)), (), origin)


def random_state(
    robot: Robot, frames: tuple[str, ...], count: int | None, seed: int, efforts: int | None = None
) -> State:
    """Draw states: q from each joint's own distribution, everything else standard normal (SI units).

    Of closed chains, positions at which the loops close, and what these allow of velocities.
    What else is given are numbers of the velocity coordinates, or so many `efforts`.
    `count` None gives one state without leading axis; the same seed gives the same states.

    Raises:
        InputError: no position closes the loops.
    """
    rng = np.random.default_rng(seed)
    shape = () if count is None else (count,)
    closed = robot.is_closed
    positions = (
        draw_closed_positions(robot, count or 1, seed) if closed else [robot.random(rng) for _ in range(count or 1)]
    )
    q = np.array(positions).reshape(*shape, robot.nq)
    qd, given = rng.standard_normal((2, *shape, robot.nv))
    if closed:
        qd = project_velocities(robot, q.reshape(-1, robot.nq), qd.reshape(-1, robot.nv)).reshape(qd.shape)
    if efforts is not None:
        given = rng.standard_normal((*shape, efforts))
    wrenches = rng.standard_normal((*shape, len(frames), 6))
    drawn = "a random state" if count in (None, 1) else f"{count} random states"
    return State(q, qd, given, wrenches, frames, f"{drawn}, seed {seed}")


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
