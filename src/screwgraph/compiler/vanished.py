"""States at which a pivot of a function's code vanishes: another order answers there, or a warning says why none does.

So a closed chain has two charts: its independent joints; multipliers, whose pivots vanish at singular positions only.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from screwgraph.compiler.problem import Problem
from screwgraph.compiler.signature import Argument, Result
from screwgraph.errors import EliminationError, InputError
from screwgraph.graph import Role
from screwgraph.robot import Robot, constraint_jacobian, independent_coordinates
from screwgraph.spatial import has_independent_rows
from screwgraph.summary import one_line

REGULAR = 1e-6
"""Singular values of K, relative to the largest, above which a position is called regular."""


class Answering(Protocol):
    """What computes a problem's answers."""

    @property
    def ufunc(self) -> np.ufunc: ...

    def jacobian(self, *by: str) -> Answering: ...


@dataclass(frozen=True, eq=False)
class Vanished:
    """What to do where code in an order gives no number.

    `others` are the orders that answer there, tried in turn and compiled when the first state asks for one; `made`
    compiles a problem in an order; `by` are the arguments by which answers are differentiated, once after the other.
    """

    __repr__ = one_line

    problem: Problem
    ordering: str
    made: Callable[[Problem, str], Answering]
    others: Sequence[str] = ()
    by: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def answering(self) -> Answering | None:
        """The function that answers; None where no order does."""
        for ordering in self.others:
            if ordering == self.ordering:
                continue
            try:
                found = self.made(self.problem, ordering)
            except EliminationError:
                continue
            for by in self.by:
                found = found.jacobian(*by)
            return found
        return None

    def why(self, values: Mapping[str, float]) -> str:
        """Say why there is no number at a state, and what to do."""
        robot = self.problem.robot
        if robot is None or not robot.is_closed:
            return _other_order(self.others)
        q = robot.neutral()
        for variable in self.problem.plain.inputs:
            if variable.key.role is Role.POSITION and variable.key.name in robot.q_slices:
                q[robot.q_slices[variable.key.name]] = [values[f"{variable.key}[{i}]"] for i in range(variable.dim)]
        return self._why_closed(robot, q)

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
            return (
                "the mechanism is regular there, but its independent joints do not determine the motion of the "
                f"others ({fix}choose others with robot.with_independent_joints(names))"
            )
        return _other_order(self.others)


def answered(
    found: Any,
    values: Sequence[Any],
    signature: tuple[str, Sequence[Argument], Sequence[Result]],
    vanished: Vanished | None,
) -> Any:
    """Return results of code that guards pivots, complete where another order has numbers; warn where none has.

    As NumPy's, the warning is silent within `np.errstate(invalid="ignore")`.

    Args:
        found: the results of a call, arrays that are changed.
        values: its arguments; where one is not finite, no number is missing.
        signature: the name of the function, its arguments and results.
        vanished: what to do; None where nothing is known of the problem.
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
    if other is not None:
        with np.errstate(all="ignore"):
            again = other.ufunc(*(array[missing] for array in given), dtype=arrays[0].dtype.name)
        for array, more in zip(arrays, again if isinstance(again, tuple) else (again,), strict=True):
            array[missing] = more
        missing = missing & _missing(arrays, results)
    if missing.any() and np.geterr()["invalid"] != "ignore":
        first = np.unravel_index(int(np.argmax(missing)), missing.shape)
        state = {}
        for argument, array in zip(arguments, given, strict=True):
            state |= dict(zip(argument.names, array[first].ravel().tolist(), strict=True))
        why = "a pivot of its code vanishes there" if vanished is None else vanished.why(state)
        at = f" at {missing.sum()} of {missing.size} states, first {_index(first)}" if missing.ndim else ""
        warnings.warn(f"{name}: no number{at}: {why}", RuntimeWarning, stacklevel=3)
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


def _other_order(others: Sequence[str]) -> str:
    if others:
        return "the equations do not determine the answer there"
    return 'its order divides by what vanishes there (take ordering="auto")'
