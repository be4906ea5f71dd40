"""Random positions of closed chains within limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Joint, Robot

TRIES, ROUNDS = 30, 6
"""From how many random positions loops are closed, and how often joints go back into their limits."""
FAR, NEARER = 4, 0.7
"""Tries from anywhere; each later one is so much nearer to the neutral position."""
INSIDE = 0.05
"""Part of its range by which a joint outside of its limits goes back inside."""
STUCK = 1e-3
"""How much positions change at least (rad, m) while joints go back into their limits."""

Draw = Callable[[Robot, np.random.Generator], Float[np.ndarray, " nq"]]


def draw_closed_position(robot: Robot, rng: np.random.Generator, drawn: Draw) -> Float[np.ndarray, " nq"]:
    """Return a position within limits at which loops are closed, from positions that are `drawn`.

    Raises:
        InputError: none was found.
    """
    home = robot.manifold.normalised(robot.neutral())
    ends: list[Float[np.ndarray, " nq"]] = []
    for k in range(TRIES):
        way = NEARER ** max(k - FAR, 0) * robot.manifold.difference(home, drawn(robot, rng))
        q, before = robot.manifold.retract(home, way), None
        for _ in range(ROUNDS):
            try:
                q = robot.close_loops(q)
            except InputError:
                break  # from there, no position closes the loops
            outside = _outside(robot, q)
            if not outside:
                return q
            if before is not None and np.abs(q - before).max() < STUCK:
                break  # loops take the joints back to where they were
            before, q = q, _put_back(robot, q, outside)
        if before is not None:
            ends.append(before)
    raise InputError(
        f"robot {robot.name!r}: no closed position within its limits was found",
        why=f"none of {TRIES} random positions led to one{_cause(robot, ends)}",
        fix="begin with a position that you know, and change it by robot.complete",
    )


def _cause(robot: Robot, ends: Sequence[Float[np.ndarray, " nq"]]) -> str:
    """Return which joint is outside of its limits in all closed positions, if there is one."""
    if not ends:
        return ": no position that closes the loops was found"
    first, *others = (_outside(robot, q) for q in ends)
    always = [joint for joint in first if all(joint in other for other in others)]
    if not always:
        return ""
    joint, (low, high) = always[0], (always[0].limits.lower, always[0].limits.upper)
    values = sorted({f"{q[robot.q_slices[joint.name]][0]:.3g}" for q in ends}, key=float)
    where = ", ".join(values) if len(values) < 4 else f"from {values[0]} to {values[-1]}"
    limits = " to ".join("-" if x is None else f"{x:.3g}" for x in (low, high))
    return f": where the loops are closed, joint {joint.name!r} is at {where}, its limits are {limits}"


def _outside(robot: Robot, q: Float[np.ndarray, " nq"]) -> list[Joint]:
    return [joint for joint in robot.joints if not _is_within(joint, q[robot.q_slices[joint.name]])]


def _put_back(robot: Robot, q: Float[np.ndarray, " nq"], outside: Sequence[Joint]) -> Float[np.ndarray, " nq"]:
    q = q.copy()
    for joint in outside:
        low, high = joint.limits.lower, joint.limits.upper
        margin = INSIDE * (1.0 if low is None or high is None else high - low)
        at = robot.q_slices[joint.name]
        q[at] = high - margin if high is not None and q[at] > high else (low or 0.0) + margin
    return q


def _is_within(joint: Joint, q: Float[np.ndarray, " nq"]) -> bool:
    low, high = joint.limits.lower, joint.limits.upper
    return joint.type.nq != 1 or ((low is None or low <= q[0]) and (high is None or q[0] <= high))
