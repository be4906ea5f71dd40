"""States at which a pivot of a function's code vanishes: other code answers there, or a warning says why none does.

So a closed chain has two charts: its independent joints; multipliers, whose pivots vanish at singular positions only.
Least torques have a second one that needs no independent joints, but the accelerations of all (`with_given_motion`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from screwgraph.base.errors import EliminationError, InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler.function.sparsity import Sparsity
from screwgraph.compiler.problem.prescribed_motion import is_motion_allowed, read_position
from screwgraph.compiler.problem.problem import Problem
from screwgraph.compiler.signature import Argument, Result
from screwgraph.model.robot import Robot, advise_independent_joints, constraint_jacobian, independent_coordinates
from screwgraph.spatial import has_independent_rows

REGULAR = 1e-6
"""Singular values of K, relative to the largest, above which a position is called regular."""


@dataclass(frozen=True)
class Chart:
    """An order that may answer; with `given_motion`, of a problem whose accelerations are read from all joints."""

    ordering: str
    given_motion: bool = False


class FallbackFunction(Protocol):
    """Code that computes a problem's results."""

    @property
    def ufunc(self) -> np.ufunc: ...

    def jacobian(self, *by: str) -> FallbackFunction: ...

    def packed(self, *kept: Sparsity) -> FallbackFunction: ...


class Fallback(Protocol):
    """Fallback of a function where it gives no number. Frozen dataclasses."""

    @cached_property
    def answering(self) -> FallbackFunction | None:
        """The function that answers there; None where there is none."""
        ...

    def admits(self, states: Mapping[str, np.ndarray]) -> np.ndarray:
        """Tell at which states, columns by the names of its inputs, that function answers."""
        ...

    def why(self, values: Mapping[str, float]) -> str:
        """Say why there is no number where its inputs have these values, and what to do."""
        ...


@dataclass(frozen=True, eq=False)
class SingularFallback:
    """Singularity fallback: other orders, for states at which code in an order gives no number.

    `others` are the charts that answer there, tried in turn and compiled when the first state asks for one; `made`
    compiles a problem in an order.
    """

    __repr__ = one_line

    problem: Problem
    ordering: str
    made: Callable[[Problem, str], FallbackFunction]
    others: Sequence[Chart] = ()

    @cached_property
    def answering(self) -> FallbackFunction | None:
        """The function that answers; None where no order does."""
        for chart in self.others:
            if chart == Chart(self.ordering):
                continue
            problem = self.problem.of_given_motion() if chart.given_motion else self.problem
            with suppress(EliminationError):
                return self.made(problem, chart.ordering)
        return None

    def admits(self, states: Mapping[str, np.ndarray]) -> np.ndarray:
        """Tell at which states other code answers: where all accelerations are read, the loops must allow them."""
        count = len(next(iter(states.values())))
        robot = self.problem.robot
        if robot is None or not any(chart.given_motion for chart in self.others):
            return np.ones(count, dtype=bool)
        each = ({name: float(column[i]) for name, column in states.items()} for i in range(count))
        return np.array([is_motion_allowed(self.problem, values) for values in each])

    def why(self, values: Mapping[str, float]) -> str:
        """Say why there is no number at a state, and what to do."""
        robot = self.problem.robot_at(values)
        if robot is None or not robot.is_closed:
            return _other_order(self.others)
        return self._why_closed(robot, read_position(self.problem, robot, values))

    def _why_closed(self, robot: Robot, q: np.ndarray) -> str:
        K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
        if not has_independent_rows(K, REGULAR):
            return "the mechanism is singular there"
        try:
            independent = independent_coordinates(robot)
        except InputError:
            independent = []
        if not has_independent_rows(np.delete(K, independent, axis=1), REGULAR):
            fix = "" if self.others else 'take ordering="auto", or '
            if any(chart.given_motion for chart in self.others):
                fix = "give accelerations of all joints that the loops allow, or "
            return (
                "the mechanism is regular there, but its independent joints do not determine the motion of the "
                f"others ({fix}{advise_independent_joints(robot, q)})"
            )
        return _other_order(self.others)


@dataclass(frozen=True, eq=False)
class DerivativeFallback:
    """Fallback of derivatives by some arguments where these are no numbers; `base` is that of the function."""

    __repr__ = one_line

    base: Fallback
    by: tuple[str, ...]

    @cached_property
    def answering(self) -> FallbackFunction | None:
        """The derivatives of the function that answers; None where there is none."""
        return self.base.answering and self.base.answering.jacobian(*self.by)

    def admits(self, states: Mapping[str, np.ndarray]) -> np.ndarray:
        """Tell at which states that function answers."""
        return self.base.admits(states)

    def why(self, values: Mapping[str, float]) -> str:
        """Say why there is no number at a state, and what to do."""
        return self.base.why(values)


@dataclass(frozen=True, eq=False)
class PackedFallback:
    """Fallback of packed results (kept entries of a function) where these are no numbers; `base` is the function's."""

    __repr__ = one_line

    base: Fallback
    kept: tuple[Sparsity, ...]

    @cached_property
    def answering(self) -> FallbackFunction | None:
        """The same entries of the function that answers; None where there is none."""
        return self.base.answering and self.base.answering.packed(*self.kept)

    def admits(self, states: Mapping[str, np.ndarray]) -> np.ndarray:
        """Tell at which states that function answers."""
        return self.base.admits(states)

    def why(self, values: Mapping[str, float]) -> str:
        """Say why there is no number at a state, and what to do."""
        return self.base.why(values)


def resolve_singular(
    found: Any,
    values: Sequence[Any],
    signature: tuple[str, Sequence[Argument], Sequence[Result]],
    vanished: Fallback | None,
    depth: int = 3,
) -> Any:
    """Return results of code that guards pivots, complete where another order has numbers; warn where none has.

    As NumPy's, the warning is silent within `np.errstate(invalid="ignore")`.

    Args:
        found: the results of a call, arrays that are changed.
        values: its arguments; where one is not finite, no number is missing.
        signature: the name of the function, its arguments and results.
        vanished: what to do; None where nothing is known of the problem.
        depth: how far below the caller that is warned, as `warnings.warn` counts.
    """
    name, arguments, results = signature
    arrays = found if isinstance(found, tuple) else (found,)
    if not any(np.isnan(np.min(array, initial=np.inf)) for array in arrays):  # quicker than to look at each state
        return found
    missing = _missing(arrays, results)
    given = [np.broadcast_to(np.asarray(v), missing.shape + a.shape) for v, a in zip(values, arguments, strict=True)]
    for argument, array in zip(arguments, given, strict=True):
        missing = missing & np.isfinite(array).all(axis=_last(argument.shape))
    other = vanished.answering if vanished is not None and missing.any() else None
    if vanished is not None and other is not None:
        asked = [array[missing] for array in given]
        columns = (x.reshape(len(x), -1).T for x in asked)
        names = (name for argument in arguments for name in argument.names)
        admitted = vanished.admits(dict(zip(names, (row for column in columns for row in column), strict=True)))
        with np.errstate(all="ignore"):
            again = other.ufunc(*asked, dtype=arrays[0].dtype.name)
        for array, more in zip(arrays, again if isinstance(again, tuple) else (again,), strict=True):
            array[missing] = np.where(admitted.reshape(-1, *[1] * (more.ndim - 1)), more, np.nan)
        missing = missing & _missing(arrays, results)
    if missing.any() and np.geterr()["invalid"] != "ignore":
        first = np.unravel_index(int(np.argmax(missing)), missing.shape)
        state = {}
        for argument, array in zip(arguments, given, strict=True):
            state |= dict(zip(argument.names, array[first].ravel().tolist(), strict=True))
        why = "a pivot of its code vanishes there" if vanished is None else vanished.why(state)
        at = f" at {missing.sum()} of {missing.size} states, first {_index(first)}" if missing.ndim else ""
        warnings.warn(f"{name}: no number{at}: {why}", RuntimeWarning, stacklevel=depth)
    return found


def _missing(arrays: Sequence[np.ndarray], results: Sequence[Result]) -> np.ndarray:
    """Tell at which states results are no numbers."""
    pairs = zip(arrays, results, strict=True)
    return np.logical_or.reduce([np.isnan(array).any(axis=_last(result.shape)) for array, result in pairs])


def _last(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(range(-len(shape), 0))


def _index(first: Sequence[Any]) -> str:
    numbers = [int(i) for i in first]
    return str(numbers[0] if len(numbers) == 1 else tuple(numbers))


def _other_order(others: Sequence[Chart]) -> str:
    if others:
        return "the equations do not determine the answer there"
    return 'its order divides by what vanishes there (take ordering="auto")'
