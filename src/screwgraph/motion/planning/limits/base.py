"""Boxes: lower and upper bounds of coordinates, hard or as the paper's hinge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import describe_value, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import Joint
from screwgraph.motion.planning.keys import LIMIT
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.template_wrappers import BoundViolation
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Selection, hinge, inequality

Pair = tuple[float, float]
Made = TypeVar("Made")
Box = tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]
"""Lower and upper bounds, infinite where there is none."""


class Limit(Protocol):
    """Limit of a task: bounds as `make_bounds` takes, hard, or soft from so much (`threshold`) before they are met."""

    @property
    def bounds(self) -> Any: ...
    @property
    def sigma(self) -> float | None: ...
    @property
    def threshold(self) -> float: ...


def read_limit(cls: Callable[..., Made], value: Value, reading: TaskParser) -> Made:
    """Read bounds, or {bounds, sigma, threshold}; nothing means those of the robot's file. Raises ModelError."""
    return cls(*read_bounds(value, reading))


def symmetric_bounds(most: float | None) -> Pair:
    """Return -most and most, infinite where there is none."""
    return (-np.inf, np.inf) if most is None else (-most, most)


def make_bounds(mechanics: Mechanics, given: Any, of_file: Callable[[Joint], Pair], what: str) -> Box:
    """Return bounds of all velocity coordinates.

    Args:
        mechanics: of the robot.
        given: None for the bounds of the robot's file; a number b for +-b; (lower, upper); or {joint: one of these}.
        of_file: the bounds that a joint has in its file, infinite where it has none.
        what: how messages call it.

    Raises:
        InputError: the file has none, a joint is unknown, or a lower bound is not below its upper bound.
    """
    robot = mechanics.robot
    every = {j.name: of_file(j) for j in robot.joints}
    return fill_bounds(given, every, mechanics.coordinates, robot.nv, what, f"robot {robot.name!r}")


def fill_bounds(
    given: Any,
    of_file: Mapping[str, Pair],
    places: Callable[[str], Sequence[int]],
    count: int,
    what: str,
    owner: str,
    of: str = "joint",
) -> Box:
    """Return bounds of so many numbers; `places` are those of a name, `of_file` all bounds. See `make_bounds`."""
    entries: Mapping[str, Pair] = of_file
    if given is None:
        if not any(np.isfinite(b) for pair in entries.values() for b in pair):
            raise InputError(
                f"{owner} has no {what} limits{'' if of == 'joint' else f' of {of}s'}",
                fix=f"give numbers: {what}: 10, or {what}: {{{of}: 10}}",
            )
    elif isinstance(given, Mapping):
        entries = {name: _pair(value, what) for name, value in given.items()}
    else:
        entries = dict.fromkeys(of_file, _pair(given, what))
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    for name, (low, high) in entries.items():
        if not low < high:
            raise InputError(f"{what} limits of {of} {name!r} are {low:g} and {high:g}", why="the first must be lower")
        columns = list(places(name))
        lower[columns], upper[columns] = low, high
    return lower, upper


def make_bound_factors(selected: Selection, bounds: Box, limit: Limit, name: str) -> Iterable[Factors]:
    """Return factors that keep coordinates within bounds: hard, or hinges where it has a `sigma`.

    Xie et al. (2020), eq. (7).
    """
    lower, upper = bounds
    above, below = np.flatnonzero(np.isfinite(upper)), np.flatnonzero(np.isfinite(lower))
    if not len(above) and not len(below):
        return
    template = BoundViolation(tuple(above.tolist()), tuple(below.tolist()))
    parameters = {}
    if len(above):
        parameters["upper"] = upper[above]
    if len(below):
        parameters["lower"] = lower[below]
    if limit.sigma is None:
        yield inequality(template, selected, name=name, **parameters)
    else:
        yield hinge(template, selected, sigma=limit.sigma, threshold=limit.threshold, name=name, **parameters)


def check_start(steps: TrajectoryUnknowns, factors: Iterable[Factors], starts: Mapping[str, np.ndarray]) -> None:
    """See that given values at the start, by family, break none of the hard limits.

    Raises:
        InputError: one does, which is named.
    """
    robot = steps.mechanics.robot
    names = {"q": [n for j in robot.joints for n in [j.name] * j.type.nq], "qd": list(steps.mechanics.labels)}
    for f in factors:
        x = starts.get(f.arguments[0].variables.name)
        if x is None or f.kind != "inequality" or not isinstance(f.template, BoundViolation):
            continue
        family = f.arguments[0].variables.name
        for bound, columns, sign in (("upper", f.template.above, 1.0), ("lower", f.template.below, -1.0)):
            if bound not in f.shared:
                continue
            off = sign * (x[list(columns)] - f.shared[bound])
            worst = int(off.argmax())
            if off[worst] > 1e-9:
                what = "stands" if family == "q" else "moves"
                column, value = columns[worst], f.shared[bound][worst]
                raise InputError(
                    f"{f.name}: at the start joint {names[family][column]!r} {what} at {x[column]:g}",
                    why=f"its {bound} limit is {value:g}",
                    fix="change the start, or the limit",
                )


def _pair(value: Any, what: str) -> Pair:
    numbers = np.atleast_1d(validate_numbers(f"{what} limit", value))
    if numbers.shape not in ((1,), (2,)) or np.isnan(numbers).any():
        raise InputError(
            f"{what} limit {describe_value(value)}",
            why="it is neither a number nor a lower and an upper one",
            fix="different ones for joints: {joint: number}",
        )
    if len(numbers) == 1 and numbers[0] < 0.0:
        raise InputError(
            f"{what} limit {numbers[0]:g}", why="one number b means -b to b", fix="give it without sign, or both bounds"
        )
    return (-float(numbers[0]), float(numbers[0])) if len(numbers) == 1 else (float(numbers[0]), float(numbers[1]))


def read_bounds(value: Value, reading: TaskParser) -> tuple[Any, float | None, float]:
    """Return bounds, sigma and threshold of a limit in a task file. Raises ModelError."""
    if not (isinstance(value.content, dict) and set(value.content) & set(LIMIT)):
        return _bounds(value, reading), None, 0.0
    entries = value.section(LIMIT)
    threshold = reading.number(entries["threshold"]) if "threshold" in entries else 0.0
    bounds = _bounds(entries["bounds"], reading) if "bounds" in entries else None
    return bounds, reading.sigma(entries.get("sigma")), threshold


def _bounds(value: Value, reading: TaskParser) -> Any:
    return None if value.content is None else reading.joints(value, 2)
