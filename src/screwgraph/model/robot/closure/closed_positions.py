"""Positions and velocities of closed chains: onto the constraints, and from the independent joints to all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model.robot.closure.closing_newton import ClosingResult, characteristic_length, close_by_newton
from screwgraph.model.robot.closure.constraints import constraint_jacobian, constraint_residual, constraint_rows
from screwgraph.model.robot.closure.independent_joints import (
    advise_independent_joints,
    find_coordinates,
    independent_coordinates,
    position_slices,
)
from screwgraph.model.robot.closure.levenberg_marquardt import FLOOR
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import finite_vector, has_independent_rows

TOLERANCE = 1e-12
STRIDE = 0.2
"""Largest change (rad, m) of an independent position at once on the way along a branch."""
OPEN = 1e-6
"""Loop-closure error (rad, m) above which a position counts as open where velocities are asked for."""


@check_arguments
def close_loops(
    robot: Robot,
    q_guess: ArrayLike,
    independent: Iterable[str] | None = None,
    tolerance: float = TOLERANCE,
) -> Float[np.ndarray, " nq"]:
    """Return the position near a guess at which all loops and couplings close; see `Robot.close_loops`."""
    q = _position(robot, q_guess, "q_guess")
    free = np.ones(robot.nv, dtype=bool)
    free[find_coordinates(robot, independent or ())] = False
    return _validate_closure(
        robot, close_by_newton(robot, q, free, tolerance * characteristic_length(robot)), tolerance
    )


def complete(robot: Robot, y: ArrayLike, branch: ArrayLike | None = None) -> Float[np.ndarray, " nq"]:
    """Return the closed position whose independent joints stand at y, on the branch of a position nearby.

    The independent joints go from where the branch has them to y in small strides, all loops closed on the way; see
    `Robot.complete`. A single independent coordinate of a ball joint has no place in y: it stays near the branch's.
    """
    q = _position(robot, robot.neutral() if branch is None else branch, "branch")
    places = position_slices(robot)
    target = finite_vector(
        y,
        sum(len(place) for place in places),
        "y",
        f"it takes the positions of {_format_names(robot.independent_joints)}",
    )
    at = np.array([i for place in places for i in place], dtype=int)
    tolerance = TOLERANCE * characteristic_length(robot)
    free = np.ones(robot.nv, dtype=bool)
    free[independent_coordinates(robot)] = False
    start = close_by_newton(robot, q, free, tolerance)
    if start.error > tolerance:  # the branch is only a rough guess
        return _validate_closure(
            robot, close_by_newton(robot, _put_values(robot, q, at, target), free, tolerance), TOLERANCE
        )
    q = start.q
    way, done, stride = target - q[at], 0.0, STRIDE
    origin, length = q[at], float(np.abs(way).max(initial=0.0))
    while done < 1.0:
        ahead = min(1.0, done + stride / length) if length else 1.0
        end = close_by_newton(robot, _put_values(robot, q, at, origin + ahead * way), free, tolerance)
        if end.error <= tolerance:
            q, done, stride = end.q, ahead, min(STRIDE, 2.0 * stride)
        elif stride > STRIDE / 50.0:
            stride /= 2.0
        else:
            _validate_closure(robot, end, TOLERANCE)
    return q


def complete_velocity(robot: Robot, q: ArrayLike, yd: ArrayLike) -> Float[np.ndarray, " nv"]:
    """Return all velocities at a closed position from those of the independent joints: K qd = 0.

    See `Robot.complete_velocity`.
    """
    at = _position(robot, q, "q")
    independent = independent_coordinates(robot)
    given = finite_vector(
        yd, len(independent), "yd", f"it takes the velocities of {_format_names(robot.independent_joints)}"
    )
    end = ClosingResult(at, constraint_residual(robot, at))
    if end.error > OPEN * characteristic_length(robot):
        raise _gaping(
            robot, end, "velocities are defined at closed positions only", "close_loops(q) returns a closed position"
        )
    K = constraint_jacobian(robot, at)
    for rows in (K[list(robot.mobility.kept)], K):  # where the kept rows are dependent, the others may still tell
        qd = _follow_rows(rows, independent, given)
        if qd is not None:
            return qd
    is_regular = has_independent_rows(K[list(robot.mobility.kept)], FLOOR)
    raise InputError(
        f"the velocities of {_format_names(robot.independent_joints)} do not determine the others at this position",
        why="" if is_regular else "the mechanism is singular there",
        fix=advise_independent_joints(robot, at) if is_regular else "take another position",
    )


def _follow_rows(
    K: Float[np.ndarray, "rows nv"], independent: list[int], given: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " nv"] | None:
    """Return all velocities that rows of K leave when some are given; None where they do not determine them."""
    dependent = np.setdiff1d(np.arange(K.shape[1]), independent)
    qd = np.zeros(K.shape[1])
    qd[independent] = given
    rest, _, rank, _ = np.linalg.lstsq(K[:, dependent], -K @ qd, rcond=FLOOR)
    qd[dependent] = rest
    off = np.abs(K @ qd).max(initial=0.0) > 1e-8 * max(1.0, float(np.abs(qd).max(initial=0.0)))
    return None if rank < len(dependent) or off else qd


def _validate_closure(robot: Robot, end: ClosingResult, tolerance: float) -> Float[np.ndarray, " nq"]:
    if not end.error <= tolerance * characteristic_length(robot):
        fix = "start from a position nearer to a closed one"
        if not np.isfinite(end.error):
            row = constraint_rows(robot)[int(np.argmin(np.isfinite(end.residual)))]
            why = "its functions end: roots, logarithms, powers are no numbers there"
            raise InputError(f"coupling {row.of!r} has no value at or near this position", why=why, fix=fix)
        raise _gaping(robot, end, "no step reduces it", fix)
    return end.q


def _gaping(robot: Robot, end: ClosingResult, why: str, fix: str) -> InputError:
    row = constraint_rows(robot)[int(np.argmax(np.abs(end.residual)))]
    what = "loop" if any(loop.name == row.of for loop in robot.loops) else "coupling"
    return InputError(
        f"{what} {row.of!r} has a loop-closure error of {end.error:.3g} ({row.component})", why=why, fix=fix
    )


def _position(robot: Robot, q: ArrayLike, what: str) -> Float[np.ndarray, " nq"]:
    """Check a position and make its quaternions unit."""
    checked = finite_vector(q, robot.nq, what, "it takes the positions of all joints")
    return _put_values(robot, checked, np.zeros(0, dtype=int), np.zeros(0))


def _put_values(
    robot: Robot, q: Float[np.ndarray, " nq"], at: np.ndarray, values: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " nq"]:
    """Put some positions in, quaternions unit again."""
    moved = q.copy()
    moved[at] = values
    for joint in robot.joints:
        if joint.type.nq > joint.type.nv:
            place = robot.q_slices[joint.name]
            try:
                moved[place] = joint.type.manifold.normalise(moved[place])
            except InputError as error:
                raise InputError(f"joint {joint.name!r}: {error.what}", fix=error.fix) from None
    return moved


def _format_names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:6]) or "no joint"
    return shown if len(names) <= 6 else f"{shown}, ... ({len(names)} in all)"
