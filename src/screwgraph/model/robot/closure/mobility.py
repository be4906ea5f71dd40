"""How freely a closed chain moves: rank of K at random closed positions, redundant rows, Gruebler's count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.model.robot.closure.closing_newton import (
    ClosingResult,
    characteristic_length,
    close_by_newton,
    close_roughly,
    closure_units,
)
from screwgraph.model.robot.closure.constraints import (
    Row,
    constraint_jacobian,
    constraint_residual,
    constraint_rows,
    is_inside,
)
from screwgraph.model.robot.robot import Robot

STATES = 6
STATES_STEPS = 40
PARTS = (0.5, 0.35, 0.65)
"""How far up their ranges joints stand in symmetric positions."""
TRIES = 30
CLOSE = 1e-7
"""Loop-closure error, relative to the robot's size, that rows may be left with which are redundant but for rounding."""
RANK = 5e-6
"""Singular values of K below this part of the largest count as zero: files print few digits, and axes that are parallel
but for those would lock planar loops."""


@dataclass(frozen=True, eq=False)
class Mobility:
    """Mobility of a robot: what its constraints leave free.

    `rank` is the largest rank of K over random closed positions `states`; `kept` are the numbers of `rank` rows that
    are independent there, the others follow from them; `singular` counts the states of lower rank. `neglected` is the
    largest singular value of K, as a part of the largest of all, that counts as zero: 0 or rounding where redundant
    rows agree exactly, more where they do so but for the digits of a file.
    """

    nv: int
    rows: tuple[Row, ...]
    kept: tuple[int, ...]
    rank: int
    singular: int
    states: tuple[Float[np.ndarray, " nq"], ...]
    neglected: float = 0.0

    def __repr__(self) -> str:
        return f"<mobility {self.freedom}: {self.nv} velocities, rank {self.rank} of {len(self.rows)} rows>"

    @property
    def freedom(self) -> int:
        """Number of independent velocities."""
        return self.nv - self.rank

    @property
    def gruebler(self) -> int:
        """The count of Gruebler and Kutzbach, velocities less rows: too low where rows are redundant."""
        return self.nv - len(self.rows)

    @property
    def redundant(self) -> tuple[Row, ...]:
        """The rows that follow from the kept ones."""
        return tuple(row for i, row in enumerate(self.rows) if i not in self.kept)


def mobility(robot: Robot) -> Mobility:
    """Analyse the constraints of a robot at random closed positions, always the same ones for one robot.

    Raises:
        InputError: no closed position was found.
    """
    rows = constraint_rows(robot)
    if not rows:
        return Mobility(robot.nv, (), (), 0, 0, ())
    states = _roughly_closed_states(robot)
    jacobians = [constraint_jacobian(robot, q) for q in states]
    ranks = [_rank(K, _closing_error(robot, q)) for K, q in zip(jacobians, states, strict=True)]
    regular = [K for K, rank in zip(jacobians, ranks, strict=True) if rank == max(ranks)]
    kept = _independent_rows(regular, max(ranks))
    neglected = max(_largest_beyond(K, max(ranks)) for K in regular)
    return Mobility(robot.nv, rows, kept, max(ranks), len(states) - len(regular), tuple(states), neglected)


def share_analysis(robot: Robot, made: Robot) -> Robot:
    """Hand what is known of a robot's loops on to one made of it, whose coordinates and loop frames are the same.

    The analyses are cached properties, which take time.
    """
    vars(made)["mobility"] = robot.mobility
    if "independent_joints" in vars(robot):
        vars(made)["independent_joints"] = robot.independent_joints
    return made


def closed_states(robot: Robot, count: int, seed: int = 0) -> list[Float[np.ndarray, " nq"]]:
    """Return up to so many random positions at which all loops and couplings close.

    Raises:
        InputError: no closed position is found, with the smallest loop-closure error met.
    """
    rng, free = np.random.default_rng(seed), np.ones(robot.nv, dtype=bool)
    tolerance = 1e-12 * characteristic_length(robot)
    starts = [] if robot.is_closed else [robot.random(rng) for _ in range(count)]
    states: list[Float[np.ndarray, " nq"]] = list(starts)
    for attempt in range(TRIES * count):
        if len(states) == count:
            break
        end = close_by_newton(robot, _guess(robot, rng, anywhere=attempt % 2 == 0), free, tolerance, nudges=0, steps=40)
        if end.error <= tolerance and is_inside(robot, end.q):
            states.append(end.q)
    return states or [close_by_newton(robot, robot.mobility.states[0], free, tolerance).q]


def regular_states(robot: Robot, count: int) -> list[Float[np.ndarray, " nq"]]:
    """Return up to so many of the closed positions that `Robot.mobility` met, those that are not singular first.

    Raises:
        InputError: no closed position was found.
    """
    if not robot.is_closed:
        return closed_states(robot, count)
    kept, free, tolerance = (
        list(robot.mobility.kept),
        np.ones(robot.nv, dtype=bool),
        1e-12 * characteristic_length(robot),
    )
    ends = [close_by_newton(robot, q, free, tolerance, nudges=0) for q in robot.mobility.states]
    found = [end.q for end in ends if end.error <= tolerance]
    found.sort(key=lambda q: _rank(constraint_jacobian(robot, q)[kept]) < robot.mobility.rank)
    return found[:count] or closed_states(robot, count)


def symmetric_states(robot: Robot) -> list[Float[np.ndarray, " nq"]]:
    """Return closed positions beside which mobility finds none: from zero, and from joints amid their limits.

    Closing keeps the symmetry of a guess. Positions at which K has not its full rank, or functions end, are left out.
    """
    kept, free, tolerance = (
        list(robot.mobility.kept),
        np.ones(robot.nv, dtype=bool),
        1e-12 * characteristic_length(robot),
    )
    ends = [close_by_newton(robot, q, free, tolerance, nudges=0, steps=STATES_STEPS) for q in _symmetric_guesses(robot)]
    closed = [end.q for end in ends if end.error <= tolerance]
    inside = [q for q in closed if is_inside(robot, q)]
    return [q for q in inside if _rank(constraint_jacobian(robot, q)[kept]) == robot.mobility.rank]


def _symmetric_guesses(robot: Robot) -> list[Float[np.ndarray, " nq"]]:
    """Return positions of equal joints: zero, some way up their ranges (those that are limited), and a step on."""
    zero, steps = robot.neutral(), []
    for part in PARTS:
        step = np.zeros(robot.nv)
        for joint in robot.joints:
            lower, upper = joint.limits.lower, joint.limits.upper
            if joint.type.nv == 1 and lower is not None and upper is not None and np.isfinite([lower, upper]).all():
                step[robot.v_slices[joint.name]] = lower + part * (upper - lower)
        steps.append(step)
    return [zero, *(robot.manifold.retract(zero, step) for step in steps)]


def _roughly_closed_states(robot: Robot) -> list[Float[np.ndarray, " nq"]]:
    """Return random positions with closure errors as small as the rows allow."""
    rng, tolerance = np.random.default_rng(0), 1e-12 * characteristic_length(robot)
    ends: list[ClosingResult] = []
    closed: list[Float[np.ndarray, " nq"]] = []
    for attempt in range(TRIES):
        report_progress(f"closing the loops of {robot.name} at random positions", len(closed) / STATES)
        ends.append(close_roughly(robot, _guess(robot, rng, anywhere=attempt % 2 == 0), tolerance))
        closed = [
            end.q for end in ends if end.error <= CLOSE * characteristic_length(robot) and is_inside(robot, end.q)
        ]
        if len(closed) == STATES:
            return closed
    return closed or [_closed_neutral(robot, min(ends, key=lambda end: end.error))]


def _guess(robot: Robot, rng: np.random.Generator, anywhere: bool) -> Float[np.ndarray, " nq"]:
    """Far positions meet every branch; those near the zero configuration close more surely."""
    if anywhere:
        return robot.random(rng)
    return robot.manifold.retract(
        robot.neutral(), closure_units(robot).velocities * rng.normal(scale=0.3, size=robot.nv)
    )


def _closed_neutral(robot: Robot, best: ClosingResult) -> Float[np.ndarray, " nq"]:
    neutral = close_roughly(robot, robot.neutral(), 1e-12 * characteristic_length(robot))
    if neutral.error <= CLOSE * characteristic_length(robot):
        return neutral.q
    best = min(best, neutral, key=lambda end: end.error)
    row = constraint_rows(robot)[int(np.argmax(np.abs(best.residual)))]
    raise InputError(
        f"no position closes {row.of!r}",
        why=f"{TRIES} random ones and zero left a loop-closure error of at least {best.error:.3g} ({row.component})",
        fix="check its lengths and axes",
    )


def _rank(K: Float[np.ndarray, "rows nv"], error: float = 0.0) -> int:
    """Return the rank of K at a position with a relative closure error.

    At a double root of closure, error = s^2 for a singular value s that is zero at the root.
    """
    s = np.linalg.svd(K, compute_uv=False)
    return int((s > max(RANK, error**0.5) * s.max(initial=0.0)).sum())


def _closing_error(robot: Robot, q: Float[np.ndarray, " nq"]) -> float:
    return float(np.abs(constraint_residual(robot, q)).max() / characteristic_length(robot))


def _largest_beyond(K: Float[np.ndarray, "rows nv"], rank: int) -> float:
    s = np.linalg.svd(K, compute_uv=False)
    return float(s[rank:].max(initial=0.0) / max(s.max(initial=0.0), 1e-300))


def _independent_rows(jacobians: list[Float[np.ndarray, "rows nv"]], rank: int) -> tuple[int, ...]:
    """Choose rows of full rank: of each state's own choice, the one that is best at the worst state."""
    from scipy.linalg import qr

    def worst(rows: tuple[int, ...]) -> float:
        return min(float(np.linalg.svd(K[list(rows)], compute_uv=False).min(initial=np.inf)) for K in jacobians)

    if rank == len(jacobians[0]):
        return tuple(range(rank))
    orders = [np.asarray(qr(K.T, mode="r", pivoting=True)[-1]) for K in jacobians]
    choices = [tuple(sorted(int(i) for i in order[:rank])) for order in orders]
    return max(dict.fromkeys(choices), key=worst)
