"""Where a motion begins, and when it ends."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.spatial import finite_vector
from screwgraph.spatial.quaternions import ROUNDED

LARGEST = 200_000_000
"""Numbers that a trajectory may hold: 1.6 GB."""
MULTIPLE = 1e-6
CONSISTENT = 1e-6
"""Velocities, relative to the largest (or 1), that loops may forbid: they are taken away."""
DIGITS = 1e-4
"""The same for rows that are redundant but for the digits of a file: nothing takes these velocities away."""


UNIT = 1e-14
"""How far from 1 rounding leaves the length of a unit quaternion."""
OF_ALL = "it holds the coordinates of all joints"


def sample_times(model: Model, time: float, dt: float) -> Float[np.ndarray, " N"]:
    """Return 0, dt, ..., time (s).

    Raises:
        InputError: dt or time is not positive, time is not a multiple of dt, or there are too many states to keep.
    """
    count = validate_seconds("time", time) / validate_seconds("dt", dt)
    states = 4 * model.nv + 4
    if not count * states <= LARGEST:
        raise InputError(
            f"{time:g} s in steps of {dt:g} s are too many states to keep",
            why=f"{count:.3g} steps of a model with {model.nv} velocities",
            fix=f"at most {LARGEST // states} steps: a larger dt, or several shorter motions",
        )
    steps = round(count)
    if steps < 1 or abs(count - steps) > MULTIPLE * max(1.0, count * 1e-6):
        near = max(1, steps)
        raise InputError(
            f"time = {time:g} s is not a multiple of dt = {dt:g} s",
            fix=f"take time = {near * dt:.9g} or dt = {time / near:.9g}",
        )
    return np.arange(steps + 1) * (float(time) / steps)


def validate_seconds(name: str, value: Any) -> float:
    """Return a duration (s). Raises InputError where it is not positive and finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < np.inf:
        raise InputError(f"{name} = {value!r} is not a positive, finite number of seconds")
    return float(value)


class StartingModel(Protocol):
    """A model in motion."""

    @property
    def model(self) -> Any:
        """The model."""
        ...

    def start(self, q0: Any, qd0: Any) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]:
        """Return where a motion begins, loops closed. Raises InputError."""
        ...


def initial_states(
    dynamics: StartingModel, q0: Any, qd0: Any
) -> tuple[Float[np.ndarray, "*B nq"], Float[np.ndarray, "*B nv"]]:
    """Return the states at which one motion, or each of B, begins: arrays of their own, loops closed.

    q0 and qd0 are single vectors, batches (B, n), or None.

    Raises:
        InputError: numbers that are no states, of which model state, or batches of different lengths.
    """
    are_batches = [is_batched(x) for x in (q0, qd0)]
    if not any(are_batches):
        return dynamics.start(q0, qd0)
    counts = {len(x) for x, is_batch in zip((q0, qd0), are_batches, strict=True) if is_batch}
    if len(counts) > 1 or 0 in counts:
        raise InputError(
            f"q0 and qd0 begin {' and '.join(map(str, sorted(counts)))} motions",
            fix="give as many positions as velocities",
        )
    (count,) = counts
    plain = _plain_states(dynamics.model, q0, qd0, count)
    if plain is not None:
        return plain
    states = []
    for i in range(count):
        given = (x[i] if is_batch else x for x, is_batch in zip((q0, qd0), are_batches, strict=True))
        try:
            states.append(dynamics.start(*given))
        except InputError as error:
            raise InputError(error.what, at=f"state {i}", why=error.why, fix=error.fix) from error
    q, qd = zip(*states, strict=True)
    return np.array(q), np.array(qd)


def is_batched(values: Any) -> bool:
    """Return whether values are those of several motions, one row each."""
    try:
        return np.ndim(values) == 2
    except ValueError:  # rows of different lengths
        return True


def _rows(values: Any, count: int) -> np.ndarray:
    """Return an array of a row each; empty where there are no such numbers."""
    try:
        found = convert_numbers(values).copy()
    except (TypeError, ValueError):
        return np.zeros(0)
    return np.tile(found, (count, 1)) if found.ndim == 1 else found


def _plain_states(model: Model, q0: Any, qd0: Any, count: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return states of a tree all at once; None for other models, and where something has to be said or mended."""
    if model.is_closed:
        return None
    q, qd = (
        _rows(model.neutral() if q0 is None else q0, count),
        _rows(np.zeros(model.nv) if qd0 is None else qd0, count),
    )
    if q.shape != (count, model.nq) or qd.shape != (count, model.nv):
        return None
    is_off = model.manifold.is_off(q, UNIT).any()
    return None if is_off or not (np.isfinite(q).all() and np.isfinite(qd).all()) else (q, qd)


def initial_position(robot: Robot, q0: Any) -> Float[np.ndarray, " nq"]:
    """Return where a motion begins: at q0, loops closed and quaternions unit; None is the neutral position.

    Raises:
        InputError: not nq finite numbers, a quaternion that is not unit, or loops that do not close nearby.
    """
    q = finite_vector(robot.neutral() if q0 is None else q0, robot.nq, "q0", OF_ALL)
    for joint in robot.joints:
        manifold = joint.type.manifold
        if manifold.is_off(q[None, robot.q_slices[joint.name]], ROUNDED).any():
            raise InputError(f"the position of joint {joint.name!r} in q0 is not {manifold.kind}")
    q = robot.manifold.normalise(q)
    return robot.close_loops(q) if robot.is_closed else q


def initial_velocity(robot: Robot, q: Float[np.ndarray, " nq"], qd0: Any) -> Float[np.ndarray, " nv"]:
    """Return the velocity that a motion begins with, exactly one that loops allow; None is rest.

    Raises:
        InputError: not nv finite numbers, or a velocity that loops do not allow at q, with what is left of it.
    """
    qd = finite_vector(np.zeros(robot.nv) if qd0 is None else qd0, robot.nv, "qd0", OF_ALL)
    if not robot.is_closed:
        return qd
    K, kept = constraint_jacobian(robot, q), list(robot.mobility.kept)
    residual = K @ qd
    allowed = np.full(len(residual), DIGITS)
    allowed[kept] = CONSISTENT
    worst = int(np.argmax(np.abs(residual) / allowed)) if len(residual) else 0
    if len(residual) and abs(residual[worst]) > allowed[worst] * max(1.0, float(np.abs(qd).max(initial=0.0))):
        row = robot.mobility.rows[worst]
        raise InputError(
            f"the velocity qd0 would open {row.of!r} at {abs(residual[worst]):.3g} per second ({row.component})",
            why="it is not consistent with the loops at the closed position",
            fix="robot.complete_velocity(q, yd) gives velocities that are",
        )
    return qd - np.linalg.lstsq(K[kept], residual[kept], rcond=None)[0]
