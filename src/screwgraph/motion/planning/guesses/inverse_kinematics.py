"""Positions at which frames are where goals want them: where guesses lead to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics import InverseKinematics, inverse_kinematics, targets
from screwgraph.motion.planning.items import FrameGoal
from screwgraph.motion.planning.mechanics import Mechanics

TRIES = 40
FEW, MANY = 3, 4
"""Positions that are found before one is chosen."""
APART = 0.3
"""Difference (rad, m) of positions that count as two."""
REACHED = 1e-2
"""Errors (rad, m) at which a goal counts as reached."""
TOLERANCE = 1e-6
"""Error (rad, m) at which a search ends."""
PULL = 0.02
"""How little it costs to be away from the position nearby: a residual of so much for each unit."""


def find_reaching_position(
    mechanics: Mechanics,
    goals: Sequence[FrameGoal],
    near: Float[np.ndarray, " nq"],
    is_limited: bool,
    choice: int = 0,
) -> Float[np.ndarray, " nq"] | None:
    """Return a position at which goals hold nearly, None where none is found.

    Within the limits of the robot's file, from the position nearby, then from random ones; the nearest of the first few
    found. Unless the task asks for these limits (`is_limited`), the second attempt is beyond them: files have robots
    whose neutral position is. Another `choice` than 0 is among more positions, by the time that the slowest joint takes
    to them.
    """
    if choice:
        found = list_reaching_positions(mechanics, goals, near)
        return found[(choice - 1) % len(found)] if found else None
    attempts, beyond = _attempts(mechanics, goals, near), _attempts(mechanics, goals, near, is_limited=False)
    nearby = [attempts] if is_limited else [attempts, beyond]
    for attempt in (next(some) for some in nearby):
        if attempt.reaches:
            return attempt.q
    found = [attempt.q for attempt in itertools.islice(filter(lambda a: a.reaches, attempts), FEW)]
    return min(found, key=lambda q: float(np.abs(q - near).max()), default=None)


def list_reaching_positions(
    mechanics: Mechanics, goals: Sequence[FrameGoal], near: Float[np.ndarray, " nq"]
) -> list[Float[np.ndarray, " nq"]]:
    """Return different positions at which goals hold nearly, by the time that the slowest joint takes to them."""
    found: list[np.ndarray] = []
    for attempt in _attempts(mechanics, goals, near):
        if attempt.reaches and all(float(np.abs(attempt.q - q).max()) > APART for q in found):
            found.append(attempt.q)
            if len(found) == MANY:
                break
    return sorted(found, key=lambda q: slowest_joint_time(mechanics, near, q)[0])


def find_nearest_attempt(
    mechanics: Mechanics, goals: Sequence[FrameGoal], near: Float[np.ndarray, " nq"], is_limited: bool
) -> ReachAttempt:
    """Return the first attempt that reaches goals, or the nearest one; `is_limited`: within joint limits."""
    best = None
    for attempt in _attempts(mechanics, goals, near, is_limited):
        best = attempt if best is None or attempt.off < best.off else best
        if best.reaches:
            break
    assert best is not None
    return best


def slowest_joint_time(
    mechanics: Mechanics, a: Float[np.ndarray, " nq"], b: Float[np.ndarray, " nq"]
) -> tuple[float, str]:
    """Return the time (s) that the slowest joint takes from a to b at its largest velocity, and its name.

    A joint whose file tells no largest velocity takes a second for each radian or metre; its name is then empty.
    """
    way, robot = np.abs(np.asarray(mechanics.positions.difference(a, b), dtype=float)), mechanics.robot
    times = [(0.0, "")]
    for joint in robot.joints:
        most = joint.limits.velocity
        far = float(way[list(mechanics.coordinates(joint.name))].max(initial=0.0))
        times.append((far / most, joint.name) if most else (far, ""))
    return max(times)


@dataclass(frozen=True, eq=False)
class ReachAttempt:
    """A position, and how far goals are from being met there, in `units`: angles (rad) and distances (m)."""

    __repr__ = one_line

    q: Float[np.ndarray, " nq"]
    errors: Float[np.ndarray, " k"]
    units: tuple[str, ...]

    @property
    def off(self) -> float:
        """The larger of the errors."""
        return float(self.errors.max())

    @property
    def reaches(self) -> bool:
        """Whether the goals hold nearly."""
        return self.off < REACHED

    @property
    def shortfall(self) -> str:
        """The errors with their units, distances first, for messages."""
        pairs = sorted(zip(self.units, self.errors, strict=True), key=lambda pair: pair[0])
        return " and ".join(f"{error:.3g} {unit}" for unit, error in pairs)


def is_found_at_once(goal: FrameGoal, mechanics: Mechanics) -> bool:
    """Tell whether one position may meet a goal: it has one value, and not one for each of several instants."""
    target, value = goal.target(mechanics)
    return value.shape == target.shape(mechanics.robot)


def _attempts(
    mechanics: Mechanics, goals: Sequence[FrameGoal], near: Float[np.ndarray, " nq"], is_limited: bool = True
) -> Iterator[ReachAttempt]:
    """Yield what each attempt finds; the first begins at the position nearby."""
    wanted, values = zip(*(goal.target(mechanics) for goal in goals), strict=True)
    units = tuple(unit for target in wanted for unit in target.units)
    key = ("inverse kinematics", tuple(target.label for target in wanted), is_limited)
    search, starts = mechanics.get_or_make(key, lambda: _search(mechanics, wanted, is_limited))
    for start in (near, *starts):
        found = search(*values, near, start=start)
        yield ReachAttempt(found.q, found.errors[: len(units)], units)


def _search(
    mechanics: Mechanics, wanted: Sequence[targets.Target], is_limited: bool
) -> tuple[InverseKinematics, Float[np.ndarray, "starts nq"]]:
    """Return a search that makes one attempt, and random starts."""
    asked = [*wanted, targets.Posture(weight=PULL)]
    search = inverse_kinematics(mechanics.robot, asked, limits=is_limited, tolerance=TOLERANCE, attempts=1)
    return search, search.problem.model.later_starts(TRIES - 1)
