"""Efforts of actuators within their bounds: of all that cause a motion, those of the least weighted sum of squares.

The least sum of w u^2 / 2 under B u + K' lambda = r and lower <= u <= upper is found by its dual. With y a motion that
loops allow, K y = 0, efforts are u(y) = B' y / w, cut to their bounds; the dual is convex, piecewise quadratic, and
least where u(y) causes the motion. Newton's steps end at its minimum, not near it. Efforts at a bound count a little in
their matrix, and more after a step that did not lower the dual: as much as free ones at last, which always lowers it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NoReturn

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, CachedCode, Function, Provenance, Result, make_function, without_metadata
from screwgraph.compiler.cache import pack_program
from screwgraph.model.robot import Robot, actuation_torques, actuators_of, constraint_jacobian, linear_actuation
from screwgraph.spatial import Array, choose, largest_size, maximum, minimum
from screwgraph.tape import Code, Loop, Memory, Number, Routine, dot, guard, solve_positive

STEPS = 100
"""Newton's steps at most: where bounds leave no efforts, the dual has no minimum."""
EXACT, POSSIBLE = 1e-12, 1e-8
"""Forces along coordinates that are left, relative to the largest that act: where steps end, and at most, for motions
at the edge of what bounds allow."""
SIZES = 1.0, 1e3, 1e6
"""Inputs at which laws of force are looked at: of springs in N, of muscles in Pa."""
LEAST = 1e-10
"""Share that an effort at a bound has at least in the matrix of a step."""


def bound_efforts(base: Function, robot: Robot, weights: Mapping[str, float]) -> Function:
    """Return the inverse dynamics of efforts within the bounds of actuators, the keys of `weights`.

    `base` is that of the torques of joints. Where no efforts within bounds cause the motion, the answer is NaN.

    Raises:
        InputError: a law of force is not linear in its input.
    """
    shared = SharedEfforts(robot, tuple(weights), tuple(weights.values()))
    question = ("bounded efforts", without_metadata(robot), shared.names, shared.weights, pack_program(base.program))
    results = (Result("result", (len(shared.names),), tuple(f"effort:{name}[0]" for name in shared.names)),)

    def make(inputs: Sequence[str]) -> CachedCode:
        return CachedCode(_make_routine(shared, base), base.ordering)

    def origin(_: CachedCode) -> Provenance:
        return Provenance(_refuse, dict, NoSlopes(), vanished=UnboundedFallback(robot.name, shared.names))

    return make_function("inverse_dynamics", question, base.arguments, make, origin, results)


@dataclass(frozen=True, eq=False)
class SharedEfforts:
    """Actuators that share the work, and their weights: expressions on numbers of any kind."""

    __repr__ = one_line

    robot: Robot
    names: tuple[str, ...]
    weights: tuple[float, ...]

    @property
    def counted_rows(self) -> list[int]:
        """The rows of loops and couplings that are independent."""
        return list(self.robot.mobility.kept) if self.robot.is_closed else []

    def balance(self, q: Array, r: Array) -> list[Number]:
        """Return r, B, K of the balance r = B u + K' lambda, row by row."""
        B, rest = linear_actuation(self.robot, q, self.names)
        K = constraint_jacobian(self.robot, q)[self.counted_rows] if self.counted_rows else np.zeros((0, self.robot.nv))
        return [*(r - rest), *B.ravel(), *K.ravel()]

    def efforts(self, balance: Array, y: Array) -> tuple[list[Number], list[Number], Number]:
        """Return efforts within bounds, whether each is free (1 or 0), and the dual."""
        r, B, _ = self._split(balance)
        found, free, dual = list[Number](), list[Number](), -dot(r, y)
        for i, (actuator, weight) in enumerate(zip(actuators_of(self.robot, self.names), self.weights, strict=True)):
            along = dot(B[:, i], y)
            effort, is_free = along * (1.0 / weight), 1.0
            lower, upper = actuator.bounds
            if np.isfinite(lower):
                is_free, effort = choose(effort < lower, 0.0, is_free), maximum(effort, lower)
            if np.isfinite(upper):
                is_free, effort = choose(effort > upper, 0.0, is_free), minimum(effort, upper)
            found.append(effort)
            free.append(is_free)
            dual = dual + effort * (along - 0.5 * weight * effort)
        return found, free, dual

    def step(self, balance: Array, y: Array, share: Array, count: Array, before: Array) -> list[Number]:
        """Return y after a step, the share that bounded efforts have next, the count, what is left, whether to go on.

        What is left is the part of forces at the y given; where it is little, and hardly less than it was `before`, the
        motion is at the edge of what bounds allow, and y stays.
        """
        r, B, K = self._split(balance)
        u, free, dual = self.efforts(balance, y)
        counted = [maximum(f, share[0]) * (1.0 / w) for f, w in zip(free, self.weights, strict=True)]
        slope = [dot(row, u) - x for row, x in zip(B, r, strict=True)]
        H = [[_weigh_product(B[i], counted, B[j]) + dot(K[:, i], K[:, j]) for j in range(i + 1)] for i in range(len(r))]
        left = _past_loops(H, K, slope)
        y_next = [a - b for a, b in zip(y, solve_positive(H, left), strict=True)]
        is_lower = choose(self.efforts(balance, np.array(y_next))[2] <= dual + 1e-13 * abs(dual), 1.0, 0.0)
        largest = largest_size([*r, *(b * x for row in B for b, x in zip(row, u, strict=True))])
        part = largest_size(left) / (largest + np.finfo(float).tiny)
        is_edge = choose(part <= POSSIBLE, choose(part > 0.5 * before[0], 1.0, 0.0), 0.0)
        goes_on = choose(part <= EXACT, 0.0, 1.0 - is_edge)
        moves = goes_on * is_lower
        return [
            *(choose(moves > 0.5, a, b) for a, b in zip(y_next, y, strict=True)),
            choose(is_lower > 0.5, maximum(0.1 * share[0], LEAST), minimum(10.0 * share[0], 1.0)),
            count[0] + 1.0,
            part,
            choose(count[0] < STEPS - 1.0, goes_on, 0.0),
        ]

    def _split(self, balance: Array) -> tuple[Array, Array, Array]:
        n, m = self.robot.nv, len(self.names)
        return balance[:n], balance[n : n + n * m].reshape(n, m), balance[n + n * m :].reshape(-1, n)


def _make_routine(shared: SharedEfforts, base: Function) -> Routine:
    """Return the code: the balance, Newton's steps from y = 0, the efforts."""
    n, m, memory = shared.robot.nv, len(shared.names), Memory()
    names = [argument.name for argument in base.arguments]
    memory.add("result", m)
    for argument in base.arguments:
        memory.add(argument.name, len(argument.names))
    for name, size in (
        ("balance", n * (1 + m + len(shared.counted_rows))),
        ("y", n),
        *dict.fromkeys(_STATE, 1).items(),
    ):
        memory.add(name, size)

    def begin(*given: Array) -> list[Number]:
        r = np.array(base.program.on([x for vector in given for x in vector]), dtype=object)
        return [*shared.balance(given[names.index("q")], r), *np.zeros(n), 1e-6, 0.0, np.inf]

    def end(balance: Array, y: Array, left: Array) -> list[Number]:
        is_possible = guard(choose(left[0] <= POSSIBLE, 1.0, 0.0), 0.5)
        return [effort * is_possible for effort in shared.efforts(balance, y)[0]]

    state = ["y", "share", "count", "left"]
    step = memory.block("step", ["balance", *state], [*state, "more"], shared.step)
    parts = (
        memory.block("begin", names, ["balance", *state], begin),
        Loop(memory.places("more").start, (step,)),
        memory.block("end", ["balance", "y", "left"], ["result"], end),
    )
    inputs = tuple(i for name in names for i in memory.places(name))
    given = tuple(n for argument in base.arguments for n in argument.names)
    return Routine(given, inputs, tuple(memory.places("result")), memory.size, parts)


_STATE = ("share", "count", "left", "more")


def check_linear(robot: Robot, names: Sequence[str]) -> None:
    """See that the efforts of actuators are linear in their inputs. Raises InputError."""
    q = robot.random(np.random.default_rng(0))
    for name, size in product(names, SIZES):
        tau = np.array([actuation_torques(robot, q, [k * size], [name]) for k in range(3)])
        bend, change = np.abs(tau[2] - 2.0 * tau[1] + tau[0]).max(), np.abs(tau[2] - tau[0]).max()
        if bend > 1e-9 * change + 1e-12 * np.abs(tau).max():
            raise InputError(
                f"inverse dynamics does not give the input of actuator {name!r}",
                why="its law of force is not linear in the input",
                fix="plan the motion: plans take any law; or leave the law out, for its force",
            )


def _past_loops(H: list[list[Number]], K: Array, slope: list[Number]) -> list[Number]:
    """Return slope + K' nu, what is left of a slope where loops may push as they like."""
    if not len(K):
        return slope
    columns = [solve_positive(H, list(row)) for row in K]
    S = [[dot(K[i], columns[j]) for j in range(i + 1)] for i in range(len(K))]
    nu = solve_positive(S, [dot(column, slope) for column in columns])
    return [x - dot(K[:, j], nu) for j, x in enumerate(slope)]


def _weigh_product(a: Array, weights: Sequence[Number], b: Array) -> Number:
    return dot([x * w for x, w in zip(a, weights, strict=True)], b)


@dataclass(frozen=True)
class NoSlopes:
    """Derivatives that there are none of in code that searches."""

    def covers(self, by: Sequence[str]) -> bool:
        """Answer for all arguments."""
        return True

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> NoReturn:
        """Raise InputError."""
        raise InputError(
            "efforts within bounds have no derivatives here",
            why="their code searches for them, and they have kinks where a bound begins to hold",
            fix="take those of inverse_dynamics(..., actuators=True) without effort_limits",
        )


@dataclass(frozen=True)
class UnboundedFallback:
    """What is said where no efforts within bounds cause a motion."""

    robot: str
    names: tuple[str, ...]

    @cached_property
    def answering(self) -> None:
        """The function that answers there: none."""
        return None

    def admits(self, states: Mapping[str, np.ndarray]) -> np.ndarray:
        """Tell at which states other code answers: at none."""
        return np.zeros(len(next(iter(states.values()))), dtype=bool)

    def why(self, values: Mapping[str, float]) -> str:
        """Say why there is no number."""
        return f"no efforts of {', '.join(self.names)} within their bounds cause that motion of robot {self.robot!r}"


def _refuse() -> NoReturn:
    raise InputError("this function was not made by elimination alone", why="it searches for efforts within bounds")
