"""Damped Newton steps onto the closed positions of a robot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from zlib import crc32

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.model.robot.closure.constraints import (
    constraint_jacobian,
    constraint_residual,
    constraint_rows,
    is_inside,
)
from screwgraph.model.robot.closure.levenberg_marquardt import GAIN, take_damped_step
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import translation

STEPS = 100
NUDGES = 6
"""Restarts from beside a guess at which the steps stall: at folded linkages errors vanish to first order."""
BESIDE = tuple(0.05 * 2.0**k for k in range(9))
"""Distances, in units of the closure, around a guess within which functions of couplings are looked for that have
values."""
EDGE_GAIN = 0.99
"""As `GAIN`, of couplings whose functions may end: steps towards an edge gain less and less."""
DRAWS = 32
"""Positions that are tried within each distance."""
ROUGH = 1e-5
"""Loop-closure error, relative to a robot's size, that redundant rows may be left with: files print few digits."""
FARTHEST = 1.0
"""Longest step of a coordinate, in units of the closure."""
SURPLUS = 1e-2
"""Part of the tolerance at which steps end: the last one is cheap, and gains all digits."""


@dataclass(frozen=True)
class ClosingResult:
    """Result of closing: where the steps ended, and the rows' residuals (rad, m) there."""

    q: Float[np.ndarray, " nq"]
    residual: Float[np.ndarray, " rows"]

    @property
    def error(self) -> float:
        """The largest residual."""
        largest = float(np.abs(self.residual).max(initial=0.0))
        return largest if np.isfinite(largest) else np.inf


def characteristic_length(robot: Robot) -> float:
    """Return the length (m) that closure errors are judged by: the largest distance between frames, at least 1 m."""
    frames = [*(joint.origin for joint in robot.joints)]
    frames += [T for loop in robot.loops for T in (loop.T_pf, loop.T_sf)]
    return max([1.0, *(float(np.linalg.norm(translation(T))) for T in frames)])


@dataclass(frozen=True, eq=False)
class ClosureUnits:
    """Units of velocities and of rows: rad, and for lengths the size of the robot (m), so that these weigh alike."""

    velocities: Float[np.ndarray, " nv"]
    rows: Float[np.ndarray, " rows"]


@lru_cache(maxsize=64)
def closure_units(robot: Robot) -> ClosureUnits:
    """Return the units in which loops and couplings of a robot close."""
    size = characteristic_length(robot)
    velocities = np.array([size if column.unit.startswith("m") else 1.0 for column in robot.columns["qd"]])
    loops = constraint_rows(robot)[: sum(loop.rows for loop in robot.loops)]
    rows = [size if row.component.startswith("translation") else 1.0 for row in loops]
    rows += [_unit_of_coupling(robot, coupling, velocities) for coupling in robot.couplings]
    return ClosureUnits(velocities, np.array(rows))


def _unit_of_coupling(robot: Robot, coupling: Coupling, velocities: Float[np.ndarray, " nv"]) -> float:
    """Return the unit of an equation: of its terms, else of its joints where these have the same."""
    terms = coupling.terms or dict.fromkeys(coupling.joints, 1.0)
    units = [float(velocities[robot.v_slices[joint]][0]) for joint in terms]
    if not coupling.terms:
        return min(units)
    most = max(abs(c) for c in terms.values())
    return max(abs(c) * unit for c, unit in zip(terms.values(), units, strict=True)) / most


def close_by_newton(
    robot: Robot,
    q: Float[np.ndarray, " nq"],
    free: Bool[np.ndarray, " nv"],
    tolerance: float,
    nudges: int = NUDGES,
    steps: int = STEPS,
) -> ClosingResult:
    """Move the free coordinates until loops and couplings close; the best of all tries where none closes them.

    Rows that are redundant but for the digits of a file need not vanish together. Where such rows are left with a small
    error, the independent ones are closed to the tolerance, and then alone they count.
    """
    every = list(range(len(constraint_rows(robot))))
    end = _search(robot, q, free, tolerance, (nudges, steps), every)
    if not tolerance < end.error <= ROUGH * characteristic_length(robot):
        return end
    kept = list(robot.mobility.kept)
    fine = _descent(robot, end.q, free, tolerance, STEPS, kept)
    whole = ClosingResult(fine.q, constraint_residual(robot, fine.q))
    return fine if fine.error <= tolerance and whole.error <= ROUGH * characteristic_length(robot) else whole


def close_roughly(robot: Robot, q: Float[np.ndarray, " nq"], tolerance: float) -> ClosingResult:
    """Close all rows as far as they can be, from a guess that need not succeed: what `Robot.mobility` starts from."""
    free, every = np.ones(robot.nv, dtype=bool), list(range(len(constraint_rows(robot))))
    return _descent(robot, q, free, tolerance, STEPS // 2, every)


def _search(
    robot: Robot,
    q: Float[np.ndarray, " nq"],
    free: Bool[np.ndarray, " nv"],
    tolerance: float,
    tries: tuple[int, int],
    rows: list[int],
) -> ClosingResult:
    nudges, steps = tries
    best = _descent(robot, q, free, tolerance, steps, rows)
    rng = np.random.default_rng(0)
    for nudge in range(nudges):
        if best.error <= ROUGH * characteristic_length(robot):
            break
        scale = 0.1 * (2.0 ** (nudge + 1) if _may_end(robot) else nudge + 1)
        step = closure_units(robot).velocities * rng.normal(scale=scale, size=robot.nv)
        beside = robot.manifold.retract(q, np.where(free, step, 0.0))
        best = min(best, _descent(robot, beside, free, tolerance, steps, rows), key=lambda end: end.error)
    return best


def _descent(
    robot: Robot,
    q: Float[np.ndarray, " nq"],
    free: Bool[np.ndarray, " nv"],
    tolerance: float,
    steps: int,
    rows: list[int],
) -> ClosingResult:
    """Levenberg-Marquardt steps, in units of the closure; close by, steps that gain little lead nowhere.

    They begin, and stay, where the functions of couplings have values.
    """
    end, units = ClosingResult(q, constraint_residual(robot, q)[rows]), closure_units(robot)
    if not np.isfinite(end.error):
        q = _find_defined_position(robot, q, free)
        end = ClosingResult(q, constraint_residual(robot, q)[rows])
    far = EDGE_GAIN if _may_end(robot) else GAIN
    for _ in range(steps):
        if end.error <= SURPLUS * tolerance or not np.isfinite(end.error):
            break
        residual, K = end.residual / units.rows[rows], constraint_jacobian(robot, end.q)[rows][:, free]
        if not np.isfinite(K).all():
            break
        K *= units.velocities[free] / units.rows[rows][:, None]
        gain = 0.9 if float(residual @ residual) < ROUGH**2 else far
        nearer = take_damped_step(residual, K, partial(_ahead, robot, end.q, free, rows), gain=gain, farthest=FARTHEST)
        if nearer is None:
            break
        end = nearer
    return end


def _may_end(robot: Robot) -> bool:
    """Whether couplings have equations, whose functions may have no values somewhere."""
    return not all(coupling.is_linear for coupling in robot.couplings)


def _find_defined_position(
    robot: Robot, q: Float[np.ndarray, " nq"], free: Bool[np.ndarray, " nv"]
) -> Float[np.ndarray, " nq"]:
    """Return a position, near a guess, at which the functions of all couplings have values; else the guess.

    Each guess has its own draws, so that restarts begin elsewhere.
    """
    rng = np.random.default_rng(crc32(q.tobytes()))
    for distance in BESIDE:
        for _ in range(DRAWS):
            step = closure_units(robot).velocities * rng.uniform(-distance, distance, robot.nv)
            there = robot.manifold.retract(q, np.where(free, step, 0.0))
            if is_inside(robot, there):
                return there
    return q


def _ahead(
    robot: Robot, q: Float[np.ndarray, " nq"], free: Bool[np.ndarray, " nv"], rows: list[int], step: np.ndarray
) -> tuple[ClosingResult, Float[np.ndarray, " rows"]]:
    every = np.zeros(robot.nv)
    units = closure_units(robot)
    every[free] = step * units.velocities[free]
    there = robot.manifold.retract(q, every)
    residual = constraint_residual(robot, there)[rows]
    return ClosingResult(there, residual), residual / units.rows[rows]
