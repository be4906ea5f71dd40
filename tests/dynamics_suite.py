"""How wrong forward dynamics is: over thousands of states, special ones among them, and as an adversary can make it.

An error is relative to the largest acceleration. Its share is what is left of it after division by the condition
number: of the mass matrix with unit diagonal (van der Sluis 1969), on a closed chain times that of K squared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from screwgraph.compiler import Function
from screwgraph.robot import Robot, closed_states, constraint_jacobian, without_loops
from screwgraph.robot.closure.newton import closing, size_of
from tests.agreement import FLOOR, States, interpreted, random_states
from tests.closed_oracle import rate_of_constraints
from tests.oracle import Oracle, oracle
from tests.special_states import special_closed_positions, special_states

PRECISION = 1e-9
"""Largest share."""
AT_REST = 1e-3
"""Accelerations below this part of the median are compared absolutely: what rounds huge angles moves an equilibrium."""
SINGULAR = 1e12
"""Condition number above which an answer may be no number."""
REGULAR = 1e-4
"""Relative singular values of K above which a position of a closed chain is judged."""
GENERATIONS, OFFSPRING, RESTARTS = 12, 100, 3


@dataclass(frozen=True)
class Report:
    """The largest error and share, the condition number there, and how many regular states have no number."""

    states: int
    error: float
    share: float
    condition: float
    missing: int

    def __or__(self, other: Report) -> Report:
        worst = max(self, other, key=lambda report: report.share)
        return Report(
            self.states + other.states,
            max(self.error, other.error),
            worst.share,
            worst.condition,
            self.missing + other.missing,
        )


Call = Callable[[States], np.ndarray]


def judged(
    found: np.ndarray, right: np.ndarray, condition: np.ndarray, typical: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return errors, shares of the condition number, and where regular states have no number."""
    finite = np.isfinite(found).all(axis=1)
    scale = np.maximum(np.abs(right).max(axis=1), max(FLOOR, AT_REST * typical))
    error = np.where(finite, np.abs(found - right).max(axis=1) / scale, 0.0)
    usable = condition < SINGULAR
    return np.where(usable, error, 0.0), np.where(usable, error / condition, 0.0), usable & ~finite


def of_tree(
    call: Call, tree: Oracle, states: States, typical: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return errors, shares, missing and condition numbers of a tree's forward dynamics.

    `typical` is the robot's median acceleration, by default that of these states.
    """
    M = np.array([tree.mass_matrix(q) for q in states.q])
    bias = np.array([tree.bias_forces(q, qd) for q, qd in zip(states.q, states.qd, strict=True)])
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 1e-300))
    condition = np.linalg.cond(scale[:, :, None] * M * scale[:, None, :])
    condition = np.where(np.isfinite(condition), condition, np.inf)
    M = np.where((condition < SINGULAR)[:, None, None], M, np.eye(M.shape[-1]))
    right = np.linalg.solve(M, (states.u - bias)[..., None])[..., 0]
    typical = float(np.median(np.abs(right).max(axis=1))) if typical is None else typical
    return (*judged(call(states), right, condition, typical), condition)


def report(parts: tuple[np.ndarray, ...]) -> Report:
    error, share, missing, condition = parts
    worst = int(np.argmax(share))
    return Report(len(error), float(error.max()), float(share[worst]), float(condition[worst]), int(missing.sum()))


def tree_states(robot: Robot, count: int) -> States:
    """Return random states and special ones, half and half."""
    halves = special_states(robot, count // 2), random_states(robot, count - count // 2, seed=1)
    return States(*(np.concatenate(pair) for pair in zip(*halves, strict=True)))


def adversary(call: Call, tree: Oracle, robot: Robot, seed: int = 0) -> Report:
    """Climb towards larger shares of the condition number, by random changes of the worst states, a few times."""
    rng, total, start = np.random.default_rng(seed), None, tree_states(robot, OFFSPRING)
    typical = float(np.median([np.abs(tree.forward_dynamics(*state)).max() for state in zip(*start, strict=True)]))
    for _ in range(RESTARTS):
        states, step = start, 0.5
        parts = of_tree(call, tree, states, typical)
        for _ in range(GENERATIONS):
            total = report(parts) if total is None else total | report(parts)
            best = np.argsort(parts[1])[-5:]
            chosen = rng.choice(best, OFFSPRING)
            sparse = rng.random((OFFSPRING, robot.nv)) < 0.3
            turn = step * rng.standard_normal((OFFSPRING, robot.nv)) * sparse
            q = np.array([robot.manifold.retract(states.q[i], d) for i, d in zip(chosen, turn, strict=True)])
            qd, u = (x[chosen] * np.exp(step * rng.standard_normal((OFFSPRING, robot.nv))) for x in states[1:])
            children = States(
                np.concatenate([states.q[best], q]),
                *(np.concatenate([old[best], new]) for old, new in zip(states[1:], (qd, u), strict=True)),
            )
            states, step = children, 0.7 * step
            parts = of_tree(call, tree, states, typical)
        total = report(parts) if total is None else total | report(parts)
    assert total is not None
    return total


def closed_positions(robot: Robot, count: int, seed: int = 0) -> np.ndarray:
    """Return closed positions: special ones, random ones, and others a step along what the loops allow."""
    rng, free, tolerance = np.random.default_rng(seed), np.ones(robot.nv, dtype=bool), 1e-12 * size_of(robot)
    some = min(count, max(20, count // 20))
    found = [*special_closed_positions(robot, some), *closed_states(robot, some, seed=seed)]
    for _ in range(4 * count):
        if len(found) >= count:
            break
        q = found[int(rng.integers(len(found)))]
        N = np.linalg.svd(constraint_jacobian(robot, q))[2][robot.mobility.rank :].T
        step = N @ rng.normal(scale=0.3, size=N.shape[1])
        end = closing(robot, robot.manifold.retract(q, step), free, tolerance, nudges=0, steps=12)
        found += [end.q] if end.gap <= tolerance else []
    return np.array(found[:count])


def of_closed(robot: Robot, q: np.ndarray, seed: int = 0) -> tuple[States, np.ndarray, np.ndarray]:
    """Return states at closed positions, every third one moving, the accelerations there, and condition numbers."""
    tree, rank, rng = oracle(without_loops(robot)), robot.mobility.rank, np.random.default_rng(seed)
    kept = list(robot.mobility.kept)
    rows = []
    for i, at in enumerate(q):
        K = constraint_jacobian(robot, at)
        N = np.linalg.svd(K)[2][rank:].T
        qd = N @ rng.standard_normal(N.shape[1]) if i % 3 == 0 else np.zeros(robot.nv)
        bound = np.linalg.pinv(K, rcond=1e-6) @ rate_of_constraints(robot, at, qd) if i % 3 == 0 else np.zeros(robot.nv)
        M, tau = tree.mass_matrix(at), rng.standard_normal(robot.nv)
        rest = N.T @ (tau - tree.bias_forces(at, qd) + M @ bound)
        s = np.linalg.svd(K[kept], compute_uv=False)
        scale = 1.0 / np.sqrt(np.diagonal(M))
        condition = np.linalg.cond(scale[:, None] * M * scale) * (s.max() / max(s.min(), 1e-100)) ** 2
        condition = condition if s.min() > REGULAR * s.max() else np.inf
        rows.append((qd, tau, N @ np.linalg.solve(N.T @ M @ N, rest) - bound, condition))
    qd, tau, right, condition = (np.array(column) for column in zip(*rows, strict=True))
    return States(q, qd, tau), right, condition


def closed_report(call: Call, known: tuple[States, np.ndarray, np.ndarray]) -> Report:
    states, right, condition = known
    typical = float(np.median(np.abs(right).max(axis=1)))
    return report((*judged(call(states), right, condition, typical), condition))


def by_code(f: Function) -> Call:
    """Evaluate without making machine code."""
    return lambda states: interpreted(f, *states)


def as_called(f: Function) -> Call:
    """Evaluate as users do, second orders included; warnings about singular states are not shown."""

    def call(states: States) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return f(*states)

    return call
