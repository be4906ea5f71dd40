"""Positions at which frames are where goals want them: where guesses lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize import Problem, Result, Status, Variables, hinge, soft, solve
from screwgraph.plan.goals import Point, Pose
from screwgraph.plan.goals.point import AXES, AtPoint
from screwgraph.plan.goals.pose import AtPose
from screwgraph.plan.limits.position import flat_places
from screwgraph.plan.mechanics import Mechanics
from screwgraph.plan.templates import BoundViolation

TRIES = 40
FEW, MANY = 3, 4
"""Positions that are found before one is chosen."""
APART = 0.3
"""Difference (rad, m) of positions that count as two."""
PROMISING, REACHED = 0.1, 1e-2
"""Residuals (rad, m) from which on it is worth looking without the pull to the position nearby; and at which a goal
counts as reached."""
PULL = 0.02
"""How little it costs to be away from the position nearby: a residual of so much for each unit."""


@dataclass(frozen=True)
class Near:
    """What leads from the position `at` to q, scaled."""

    positions: Any

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return it, (nv,)."""
        return PULL * self.positions.defect(at, q)


def reaching(
    mechanics: Mechanics, goal: Pose | Point, near: Float[np.ndarray, " nq"], choice: int = 0
) -> Float[np.ndarray, " nq"] | None:
    """Return a position within the limits of the robot's file at which a goal holds nearly, None where none is found.

    Levenberg-Marquardt from the position nearby, then from random ones; the nearest of the first few found. Another
    `choice` than 0 is among more positions, by the time that the slowest joint takes to them.
    """
    if choice:
        found = quickest(mechanics, goal, near)
        return found[(choice - 1) % len(found)] if found else None
    found = []
    for number, attempt in enumerate(_attempts(mechanics, goal, near)):
        found += [attempt.q] if attempt.reaches else []
        if len(found) == (1 if number == 0 else FEW):
            break
    return min(found, key=lambda q: float(np.abs(q - near).max()), default=None)


def quickest(
    mechanics: Mechanics, goal: Pose | Point, near: Float[np.ndarray, " nq"]
) -> list[Float[np.ndarray, " nq"]]:
    """Return different positions at which a goal holds nearly, by the time that the slowest joint takes to them."""
    found: list[np.ndarray] = []
    for attempt in _attempts(mechanics, goal, near):
        if attempt.reaches and all(float(np.abs(attempt.q - q).max()) > APART for q in found):
            found.append(attempt.q)
            if len(found) == MANY:
                break
    return sorted(found, key=lambda q: slowest(mechanics, near, q)[0])


def nearest(mechanics: Mechanics, goal: Pose | Point, near: Float[np.ndarray, " nq"], is_limited: bool) -> Attempt:
    """Return the first attempt that reaches a goal, or the nearest one; `is_limited`: within joint limits."""
    best = None
    for attempt in _attempts(mechanics, goal, near, is_limited):
        best = attempt if best is None or attempt.off < best.off else best
        if best.reaches:
            break
    assert best is not None
    return best


def slowest(mechanics: Mechanics, a: Float[np.ndarray, " nq"], b: Float[np.ndarray, " nq"]) -> tuple[float, str]:
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
class Attempt:
    """A position, and the residual of a goal there: rotation vector (rad), if it is a pose, and difference (m)."""

    q: Float[np.ndarray, " nq"]
    residual: Float[np.ndarray, " k"]

    @property
    def off(self) -> float:
        """The largest entry of the residual."""
        return float(np.abs(self.residual).max())

    @property
    def reaches(self) -> bool:
        """Whether the goal holds nearly."""
        return self.off < REACHED


def _attempts(
    mechanics: Mechanics, goal: Pose | Point, near: Float[np.ndarray, " nq"], is_limited: bool = True
) -> Iterator[Attempt]:
    """Yield what each attempt finds; the first begins at the position nearby."""
    q = Variables("q", mechanics.positions)
    if isinstance(goal, Pose):
        template, at = AtPose(mechanics, goal.frame), goal.target(mechanics)
    else:
        axes = tuple(AXES.index(a) for a in goal.axes)
        template, at = AtPoint(mechanics, goal.frame, axes), np.asarray(goal.at, dtype=float)
    factors, pull = [soft(template, q, at=at, name="goal")], soft(Near(mechanics.positions), q, at=near, name="near")
    lower, upper = _limits(mechanics)
    above, below = (np.flatnonzero(np.isfinite(b)) for b in (upper, lower))
    if is_limited and len(above) and len(below):
        box = BoundViolation(tuple(above.tolist()), tuple(below.tolist()))
        factors.append(hinge(box, q, upper=upper[above], lower=lower[below], threshold=0.02, name="limits"))
    pulled, free, rng = Problem([*factors, pull]), Problem(factors), np.random.default_rng(0)
    for attempt in range(TRIES):
        start = near if attempt == 0 else _random(mechanics, rng, lower, upper)
        result = solve(pulled, {"q": start[None]}, method="levenberg_marquardt", iterations=50)
        if REACHED <= _off(result) < PROMISING:
            result = solve(free, result.values, method="levenberg_marquardt", iterations=20)
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        yield Attempt(result.values["q"][0], result.residuals["goal"][0])


def _off(result: Result) -> float:
    return float(np.abs(result.residuals["goal"]).max())


def _limits(mechanics: Mechanics) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nq"]]:
    """Return bounds of q from the robot's file, infinite where there is none."""
    robot = mechanics.robot
    lower, upper, places = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf), flat_places(mechanics)
    for joint in robot.joints:
        for c in mechanics.coordinates(joint.name):
            if c in places:
                lower[places[c]] = -np.inf if joint.limits.lower is None else joint.limits.lower
                upper[places[c]] = np.inf if joint.limits.upper is None else joint.limits.upper
    return lower, upper


def _random(
    mechanics: Mechanics,
    rng: np.random.Generator,
    lower: Float[np.ndarray, " nq"],
    upper: Float[np.ndarray, " nq"],
) -> Float[np.ndarray, " nq"]:
    """Return a random position, within limits where there are any."""
    q = mechanics.robot.random(rng)
    both = np.isfinite(lower) & np.isfinite(upper)
    q[both] = lower[both] + (upper[both] - lower[both]) * rng.random(int(both.sum()))
    return q
