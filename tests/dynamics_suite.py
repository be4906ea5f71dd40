"""How wrong dynamics is: over thousands of states, special ones among them, and as an adversary can make it.

An error is relative to the largest acceleration, or the largest torque. Its share is what is left of it after division
by the condition number: of the mass matrix with unit diagonal (van der Sluis 1969) of what is solved for, on a closed
chain times that of K squared. Mass matrices and bias forces are an oracle's; what follows from them is solved here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from screwgraph.compiler import Function
from screwgraph.model.robot import Robot, independent_coordinates, without_loops
from tests.agreement import FLOOR, States, interpreted, random_states
from tests.closed_batches import Closure, closed_positions, null_spaces
from tests.oracle import oracle
from tests.special_states import special_states

PRECISION = 1e-9
"""Largest share."""
AT_REST = 1e-3
"""Answers below this part of the median are compared absolutely: what rounds huge angles moves an equilibrium."""
SINGULAR = 1e12
"""Condition number above which answers are not judged."""
REFUSED = 1e11
"""Condition number above which an answer may be no number.

Code refuses pivots below 1e-12 of their median over random states, which is several times what they are at some others.
"""
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


@dataclass(frozen=True)
class Case:
    """Arguments of a query, the right answers, condition numbers; `forces` are the places that hold torques."""

    states: States
    right: np.ndarray
    condition: np.ndarray
    forces: np.ndarray

    def typical(self) -> np.ndarray:
        """Return the median of the largest acceleration, and of the largest torque."""
        return np.array([np.median(self._largest(self.right, at)) for at in (~self.forces, self.forces)])

    def judged(self, found: np.ndarray, typical: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return errors, shares of the condition number, and where regular states have no number."""
        typical = self.typical() if typical is None else typical
        finite, error = np.isfinite(found).all(axis=1), np.zeros(len(found))
        for at, usual in zip((~self.forces, self.forces), typical, strict=True):
            scale = np.maximum(self._largest(self.right, at), max(FLOOR, AT_REST * float(usual)))
            error = np.maximum(error, np.where(finite, self._largest(found - self.right, at) / scale, 0.0))
        usable = self.condition < SINGULAR
        missing = (self.condition < REFUSED) & ~finite
        return np.where(usable, error, 0.0), np.where(usable, error / self.condition, 0.0), missing

    def report(self, call: Call) -> Report:
        """Judge a function."""
        error, share, missing = self.judged(call(self.states))
        worst = int(np.argmax(share))
        condition = float(self.condition[worst])
        return Report(len(error), float(error.max()), float(share[worst]), condition, int(missing.sum()))

    def _largest(self, values: np.ndarray, places: np.ndarray) -> np.ndarray:
        return np.abs(values[:, places]).max(axis=1, initial=0.0)


Call = Callable[[States], np.ndarray]


class Tree(Protocol):
    """An oracle of trees."""

    def equations(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


@dataclass(frozen=True)
class Equations:
    """M qdd + h = tau of a tree at a batch of states."""

    states: States
    M: np.ndarray
    h: np.ndarray

    def forward(self) -> Case:
        """Accelerations, where the states' last part are torques."""
        return self.hybrid(np.zeros(self.M.shape[-1], dtype=bool))

    def inverse(self) -> Case:
        """Torques, where the states' last part are accelerations."""
        return self.hybrid(np.ones(self.M.shape[-1], dtype=bool))

    def hybrid(self, given: np.ndarray) -> Case:
        """Torques of the coordinates whose accelerations are `given`, accelerations of the others."""
        M, h, u = self.M, self.h, self.states.u
        free = np.ix_(np.arange(len(M)), ~given, ~given)
        condition = scaled_condition(M[free])
        solvable = np.where((condition < SINGULAR)[:, None, None], M[free], np.eye(int((~given).sum())))
        known = np.where(given, u, 0.0)
        loads = u - h - np.einsum("nij,nj->ni", M, known)
        qdd = known.copy()
        qdd[:, ~given] = np.linalg.solve(solvable, loads[:, ~given, None])[..., 0]
        tau = np.einsum("nij,nj->ni", M, qdd) + h
        return Case(self.states, np.where(given, tau, qdd), condition, given)


def equations(tree: Tree, states: States) -> Equations:
    """Ask an oracle."""
    return Equations(states, *tree.equations(states.q, states.qd))


def scaled_condition(M: np.ndarray) -> np.ndarray:
    """Return the condition numbers of symmetric matrices whose diagonals were made 1; infinite where singular."""
    if not M.shape[-1]:
        return np.ones(len(M))
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(M, axis1=1, axis2=2), 1e-300))
    condition = np.linalg.cond(scale[:, :, None] * M * scale[:, None, :])
    return np.where(np.isfinite(condition), condition, np.inf)


def tree_states(robot: Robot, count: int) -> States:
    """Return random states and special ones, half and half."""
    halves = special_states(robot, count // 2), random_states(robot, count - count // 2, seed=1)
    return States(*(np.concatenate(pair) for pair in zip(*halves, strict=True)))


def every_other(robot: Robot) -> list[str]:
    """Return the joints whose accelerations hybrid dynamics is given here."""
    return list(robot.joint_names[::2])


def coordinates(robot: Robot, names: list[str]) -> np.ndarray:
    """Return which velocity coordinates are those of some joints."""
    places = np.zeros(robot.nv, dtype=bool)
    for name in names:
        places[robot.v_slices[name]] = True
    return places


def adversary(call: Call, tree: Tree, robot: Robot, seed: int = 0) -> Report:
    """Climb towards larger shares of the condition number, by random changes of the worst states, a few times."""
    rng, total, start = np.random.default_rng(seed), None, tree_states(robot, OFFSPRING)
    typical = equations(tree, start).forward().typical()
    for _ in range(RESTARTS):
        states, step = start, 0.5
        for generation in range(GENERATIONS + 1):
            case = equations(tree, states).forward()
            error, share, missing = case.judged(call(states), typical)
            worst = int(np.argmax(share))
            condition = float(case.condition[worst])
            found = Report(len(error), float(error.max()), float(share[worst]), condition, int(missing.sum()))
            total = found if total is None else total | found
            if generation == GENERATIONS:
                break
            best = np.argsort(share)[-5:]
            chosen = rng.choice(best, OFFSPRING)
            sparse = rng.random((OFFSPRING, robot.nv)) < 0.3
            turn = step * rng.standard_normal((OFFSPRING, robot.nv)) * sparse
            q = np.array([robot.manifold.retract(states.q[i], d) for i, d in zip(chosen, turn, strict=True)])
            qd, u = (x[chosen] * np.exp(step * rng.standard_normal((OFFSPRING, robot.nv))) for x in states[1:])
            states = States(
                np.concatenate([states.q[best], q]),
                *(np.concatenate([old[best], new]) for old, new in zip(states[1:], (qd, u), strict=True)),
            )
            step *= 0.7
    assert total is not None
    return total


@dataclass(frozen=True)
class ClosedEquations:
    """M qdd + h = tau + K' lambda and K qdd + k = 0 at closed states, every third one moving.

    `N` are bases of what K allows, `bound` the smallest accelerations that keep loops closed; `condition` is infinite
    where K nearly loses its rank.
    """

    robot: Robot
    tree: Equations
    N: np.ndarray
    bound: np.ndarray
    condition: np.ndarray

    def forward(self) -> Case:
        """Accelerations, where the states' last part are torques of all joints."""
        M, h, N, Nt = self.tree.M, self.tree.h, self.N, self.N.transpose(0, 2, 1)
        loads = self.tree.states.u - h - np.einsum("nij,nj->ni", M, self.bound)
        z = np.linalg.solve(Nt @ M @ N, Nt @ loads[..., None])
        qdd = self.bound + (N @ z)[..., 0]
        return Case(self.tree.states, qdd, self.condition, np.zeros(self.robot.nv, dtype=bool))

    def inverse(self, seed: int = 0) -> Case:
        """Torques of the independent joints alone, at random accelerations that the loops allow."""
        M, h, N, Nt = self.tree.M, self.tree.h, self.N, self.N.transpose(0, 2, 1)
        z = np.random.default_rng(seed).standard_normal((len(N), N.shape[2], 1))
        qdd = self.bound + (N @ z)[..., 0]
        driven = independent_coordinates(self.robot)
        shares = np.linalg.svd(N[:, driven], compute_uv=False)
        sized = shares[:, -1] > REGULAR * shares[:, 0]
        square = np.where(sized[:, None, None], N[:, driven], np.eye(len(driven)))
        needed = Nt @ (np.einsum("nij,nj->ni", M, qdd) + h)[..., None]
        tau = np.zeros_like(qdd)
        tau[:, driven] = np.linalg.solve(square.transpose(0, 2, 1), needed)[..., 0]
        condition = np.where(sized, self.condition * shares[:, 0] / np.maximum(shares[:, -1], 1e-300), np.inf)
        states = States(self.tree.states.q, self.tree.states.qd, qdd)
        return Case(states, tau, condition, np.ones(self.robot.nv, dtype=bool))


def closed_equations(robot: Robot, count: int, seed: int = 0) -> ClosedEquations:
    """Return closed positions, velocities that the loops allow, random torques, and what Pinocchio says there."""
    q, rng, closure = closed_positions(robot, count, seed), np.random.default_rng(seed), Closure(robot)
    rank, moving = robot.mobility.rank, (np.arange(len(q)) % 3 == 0)[:, None]
    K = closure.jacobian(q)
    N = null_spaces(K, rank)
    qd = np.einsum("nij,nj->ni", N, rng.standard_normal((len(q), N.shape[2]))) * moving
    bound = np.einsum("nij,nj->ni", np.linalg.pinv(K, rcond=1e-6), closure.rate(q, qd)) * -1.0
    tree = equations(oracle(without_loops(robot)), States(q, qd, rng.standard_normal(qd.shape)))
    s = np.linalg.svd(K[:, list(robot.mobility.kept)], compute_uv=False)
    largest, least = s.max(axis=1), s.min(axis=1)
    condition = scaled_condition(tree.M) * (largest / np.maximum(least, 1e-100)) ** 2
    return ClosedEquations(robot, tree, N, bound, np.where(least > REGULAR * largest, condition, np.inf))


def by_code(f: Function) -> Call:
    """Evaluate without making machine code; where there is no number, by the order that then answers, if any.

    At singular states of massless links pivots are zero: no number there is counted, NumPy's warning is not shown.
    """

    def call(states: States) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            found, vanished = interpreted(f, *states), f.origin.vanished
            missing = ~np.isfinite(found).all(axis=1)
            if missing.any() and vanished is not None and isinstance(other := vanished.answering, Function):
                found[missing] = interpreted(other, *(x[missing] for x in states))
        return found

    return call


def as_called(f: Function) -> Call:
    """Evaluate as users do, second orders included; warnings about singular states are not shown."""

    def call(states: States) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return f(*states)

    return call
