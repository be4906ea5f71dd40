"""Positions at which frames are where goals want them: where guesses lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize import Problem, Variables, hinge, soft, solve
from screwgraph.plan.goals import Point, Pose
from screwgraph.plan.goals.point import AXES, AtPoint
from screwgraph.plan.goals.pose import AtPose
from screwgraph.plan.limits.position import flat_places
from screwgraph.plan.mechanics import Mechanics
from screwgraph.plan.templates import Beyond

TRIES = 12
REACHED = 1e-2
"""Residual (rad, m) at which a goal counts as reached."""
PULL = 0.02
"""How little it costs to be away from the position nearby: a residual of so much for each unit."""


@dataclass(frozen=True)
class Near:
    """What leads from the position `at` to q, scaled."""

    positions: Any

    def __call__(self, q: Any, *, at: Any) -> Any:
        """Return it, (nv,)."""
        from screwgraph.plan.configuration import gap

        return PULL * gap(self.positions, at, q)


def reaching(
    mechanics: Mechanics, goal: Pose | Point, near: Float[np.ndarray, " nq"]
) -> Float[np.ndarray, " nq"] | None:
    """Return a position within the limits of the robot's file at which a goal holds nearly, None where none is found.

    Levenberg-Marquardt from the position nearby, then from random ones; the nearest of the first few found.
    """
    q = Variables("q", mechanics.positions)
    if isinstance(goal, Pose):
        template, at = AtPose(mechanics, goal.frame), goal.target(mechanics)
    else:
        axes = tuple(AXES.index(a) for a in goal.axes)
        template, at = AtPoint(mechanics, goal.frame, axes), np.asarray(goal.at, dtype=float)
    factors = [soft(template, q, at=at, name="goal"), soft(Near(mechanics.positions), q, at=near, name="near")]
    lower, upper = _limits(mechanics)
    above, below = (np.flatnonzero(np.isfinite(b)) for b in (upper, lower))
    if len(above) and len(below):
        box = Beyond(tuple(above.tolist()), tuple(below.tolist()))
        factors.append(hinge(box, q, upper=upper[above], lower=lower[below], threshold=0.02, name="limits"))
    problem, rng, found = Problem(factors), np.random.default_rng(0), []
    for attempt in range(TRIES):
        start = near if attempt == 0 else _random(mechanics, rng, lower, upper)
        result = solve(problem, {"q": start[None]}, method="levenberg_marquardt", iterations=50)
        residuals = result.residuals
        if all(np.abs(residuals[name]).max() < REACHED for name in residuals if name == "goal"):
            found.append(result.values["q"][0])
            if attempt == 0 or len(found) == 3:
                break
    if not found:
        return None
    return min(found, key=lambda x: float(np.abs(x - near).max()))


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
