"""Closed chains at thousands of positions: residuals and K in batches, closed positions, null spaces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.compiler import Argument, Function, compile_expression, robot_arguments, without_metadata
from screwgraph.graph import Key
from screwgraph.model.robot import Robot, closed_states, constraint_jacobian, constraint_residual
from screwgraph.model.robot.closure.closing_newton import ROUGH, characteristic_length
from screwgraph.spatial import vanishing
from screwgraph.tape import Number
from tests.closed_oracle import DIFFERENCES, STEP
from tests.special_states import special_closed_positions

SOME = 60
"""Closed positions from afar: so many special ones, and so many random ones."""
ROUNDS, NEWTON = 40, 12


@dataclass(frozen=True)
class Closure:
    """Loops and couplings of a robot: `constraint_residual` and `constraint_jacobian`, written as code for batches."""

    robot: Robot

    @cached_property
    def code(self) -> Function:
        robot = self.robot

        def both(q: np.ndarray) -> list[Number]:
            errors = constraint_residual(robot, q, None, vanishing)
            return [*errors, *constraint_jacobian(robot, q).ravel()]

        (q,) = robot_arguments(robot, [("q", [Key("q", name) for name in robot.joint_names])])
        argument = Argument("q", q.shape, q.names)  # without its spaces: quaternions are unit but for rounding
        return compile_expression("closure_in_batches", without_metadata(robot), (argument,), both)

    def __call__(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return residuals (N, rows) and K (N, rows, nv)."""
        with np.errstate(all="ignore"):
            found = np.asarray(self.code(q))
        rows = found.shape[1] // (1 + self.robot.nv)
        return found[:, :rows], found[:, rows:].reshape(len(q), rows, self.robot.nv)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        return self(q)[1]

    def rate(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Return dK/dt qd, by differences along the motion."""
        total = np.zeros((len(q), self(q)[0].shape[1]))
        for i, weight in enumerate(DIFFERENCES, start=1):
            for sign in (1.0, -1.0):
                K = self.jacobian(retracted(self.robot, q, sign * i * STEP * qd))
                total += sign * weight / STEP * np.einsum("nij,nj->ni", K, qd)
        return total

    def closed(self, q: np.ndarray) -> np.ndarray:
        """Return those of the positions that Newton's steps bring onto the loops."""
        kept, size = list(self.robot.mobility.kept), characteristic_length(self.robot)
        for _ in range(NEWTON):
            errors, K = self(q)
            K = np.where(np.isfinite(K).all(axis=(1, 2))[:, None, None], K, 0.0)[:, kept]
            step = -np.einsum("nij,nj->ni", np.linalg.pinv(K, rcond=1e-9), np.nan_to_num(errors[:, kept]))
            q = retracted(self.robot, q, np.clip(step, -1.0, 1.0))
        errors = np.abs(self(q)[0])
        holds = (errors[:, kept].max(axis=1) <= 1e-12 * size) & (errors.max(axis=1) <= ROUGH * size)
        return q[holds & np.isfinite(q).all(axis=1)]


def retracted(robot: Robot, q: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return where velocities d lead from positions q in a unit of time, state by state."""
    if robot.nq == robot.nv:
        return q + d
    return np.array([robot.manifold.retract(*pair) for pair in zip(q, d, strict=True)])


def null_spaces(K: np.ndarray, rank: int) -> np.ndarray:
    """Return bases of what matrices (N, rows, n) map to zero, as columns (N, n, n - rank)."""
    return np.linalg.svd(K)[2][:, rank:].transpose(0, 2, 1)


def closed_positions(robot: Robot, count: int, seed: int = 0) -> np.ndarray:
    """Return closed positions: special ones, random ones, and others a step along what the loops allow."""
    rng, closure, some = np.random.default_rng(seed), Closure(robot), min(SOME, max(20, count // 20))
    start = [*special_closed_positions(robot, some), *closed_states(robot, some, seed=seed)]
    found = np.array(start[:count])
    for _ in range(ROUNDS):
        missing = count - len(found)
        if missing <= 0:
            break
        from_ = found[rng.integers(len(found), size=missing)]
        N = null_spaces(closure.jacobian(from_), robot.mobility.rank)
        step = np.einsum("nij,nj->ni", N, rng.normal(scale=0.3, size=(missing, N.shape[2])))
        found = np.concatenate([found, closure.closed(retracted(robot, from_, step))])
    return found
