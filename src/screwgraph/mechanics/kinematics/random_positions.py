"""Random positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics.manifold_functions import make_generator, validate_shape
from screwgraph.mechanics.kinematics.mechanism import ANSWERS
from screwgraph.model.model import answered_by
from screwgraph.model.robot import Joint, Robot


@check_arguments
@answered_by(ANSWERS)
def random(
    robot: Robot, shape: int | Sequence[int] = (), *, seed: int | np.random.Generator | None = None
) -> Float[np.ndarray, "... nq"]:
    """Return random positions within limits of joints, (..., nq) with `shape` in front.

    Coordinates with two limits are uniform between them, angles without limits within +-pi, rotations uniform,
    positions of floating bases within +-1 m, other lengths standard normal. Of closed chains, loops are closed from
    such positions, joints outside of their limits put back; where this fails, from positions nearer to the neutral one.
    `seed` is a number, a Generator, or None for another result each time. Positions of planar mechanisms are assembled,
    in any assembly mode.

    Raises:
        InputError: what is given is no robot, the shape is none, limits exclude each other, or no closed position
            within limits was found.
    """
    rng, sizes = make_generator(seed), validate_shape(shape)
    count = int(np.prod(sizes))
    found = np.empty((count, robot.nq))
    for i in range(count):
        found[i] = draw_closed_position(robot, rng, _free) if robot.is_closed else _free(robot, rng)
    return found.reshape(*sizes, robot.nq)


def _free(robot: Robot, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
    return np.concatenate([np.zeros(0), *(_of_joint(joint, rng) for joint in robot.joints)])


def _of_joint(joint: Joint, rng: np.random.Generator) -> Float[np.ndarray, " nq"]:
    drawn = joint.type.manifold.random(rng)
    if joint.type.nq != 1:
        return drawn
    low, high = joint.limits.lower, joint.limits.upper
    if low is not None and high is not None:
        if low > high:
            raise InputError(f"joint {joint.name!r}: its lower limit {low:g} is above the upper one {high:g}")
        return rng.uniform(low, high, 1)
    if low is not None:
        return np.array([low + abs(drawn[0])])
    return np.array([high - abs(drawn[0])]) if high is not None else drawn


# Random positions of closed chains within limits.

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
    home = robot.manifold.normalise(robot.neutral())
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
