"""Where a motion leaves what the file allows its joints: positions beyond their range, torques beyond their limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot import Robot, units

DIGITS = 1e-6
"""How far (rad, m, N m, N; parts of a limit beyond 1) beyond a limit is the rounding of a file or of a step."""


class Excess(NamedTuple):
    """A joint that is beyond a limit: by how much at most, since and until when (s), and the limit in words."""

    joint: str
    by: float
    unit: str
    since: float
    most_at: float
    limit: str


def doubts_of_limits(
    robot: Robot, t: Float[np.ndarray, " N"], q: Float[np.ndarray, "N nq"], tau: Float[np.ndarray, "N nv"]
) -> tuple[str, ...]:
    """Return a doubt for positions beyond the limits of joints, and one for torques beyond those of efforts."""
    positions = list(_excesses(robot, t, q, "position"))
    efforts = list(_excesses(robot, t, tau, "effort"))
    found = _in_words(positions, "leaves its range", "stops=True stops joints there")
    return found + _in_words(efforts, "has more than its effort limit", "effort_limits=True cuts torques to it")


def _excesses(robot: Robot, t: np.ndarray, values: np.ndarray, kind: str) -> Iterator[Excess]:
    limits = robot.limits
    lower, upper = (limits.lower, limits.upper) if kind == "position" else (-limits.effort, limits.effort)
    for joint in robot.joints:
        places = (robot.q_slices if kind == "position" else robot.v_slices)[joint.name]
        if (kind == "position" and joint.type.nq != 1) or not np.isfinite([lower[places], upper[places]]).any():
            continue
        low, high = float(lower[places][0]), float(upper[places][0])  # a joint has one limit for all its coordinates
        beyond = np.maximum(low - values[:, places], values[:, places] - high).max(axis=1, initial=-np.inf)
        size = np.abs([x for x in (low, high) if np.isfinite(x)]).max()
        is_beyond = beyond > DIGITS * max(1.0, size)
        if is_beyond.any():
            unit, worst = getattr(units(joint.type), kind)[0], int(np.argmax(beyond))
            limit = f"{low:.4g} to {high:.4g} {unit}" if kind == "position" else f"{high:.4g} {unit}"
            since, most_at = float(t[int(np.argmax(is_beyond))]), float(t[worst])
            yield Excess(joint.name, float(beyond[worst]), unit, since, most_at, limit)


def _in_words(found: list[Excess], what: str, fix: str) -> tuple[str, ...]:
    """Return one doubt, which names the joint that is farthest beyond and lists the others."""
    if not found:
        return ()
    first, *others = sorted(found, key=lambda e: -e.by)
    rest = ", ".join(f"{e.joint!r} by {e.by:.3g} {e.unit} from t = {e.since:.4g} s" for e in others)
    return (
        f"joint {first.joint!r} {what} ({first.limit}) from t = {first.since:.4g} s on, by up to {first.by:.3g} "
        f"{first.unit} at t = {first.most_at:.4g} s{'; ' if others else ''}{rest} ({fix})",
    )
