"""Inverse kinematics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NoReturn

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, convert_numbers, describe_value
from screwgraph.base.errors import InputError
from screwgraph.compiler import (
    CompiledProgram,
    ExportedFunction,
    argument_domains,
    check_arrays,
    check_unit,
    compile_program,
    quaternion_places,
    validate_dtype,
)
from screwgraph.mechanics.kinematics.inverse.infeasibility import Attempt, InfeasibilityReport
from screwgraph.mechanics.kinematics.inverse.models import MODELS, InverseModel
from screwgraph.mechanics.kinematics.inverse.problem import InverseProblem
from screwgraph.mechanics.kinematics.inverse.search_export import FLAW, example_values, export_search
from screwgraph.mechanics.kinematics.inverse.search_routine import COUNTS, make_search_routine
from screwgraph.mechanics.kinematics.inverse.search_step import compile_step, list_end_results
from screwgraph.mechanics.kinematics.inverse.solution import Solution
from screwgraph.mechanics.kinematics.targets import Target
from screwgraph.model import Model

STEPS = 60
"""Steps of an attempt, at most."""
LEAST_TOLERANCE = {"float64": 0.0, "float32": 1e-5}
"""Tolerances (rad, m) that numbers of each type can tell from rounding, at least."""


@check_arguments
def inverse_kinematics(
    robot: Model,
    targets: str | Target | Iterable[str | Target],
    *,
    held: Iterable[str] = (),
    limits: bool = True,
    tolerance: float = 1e-8,
    attempts: int = 100,
) -> InverseKinematics:
    """Return a function of the targets' values to positions of the joints at which they are met.

    Args:
        robot: a robot, whose loops and couplings are closed and whose floating base moves; or a planar mechanism.
        targets: names of links or frames, whose poses are asked for, of a mechanism names of points; or `Pose`,
            `Point`, `Direction`, `Orientation`, `CenterOfMass`, `Posture` of `screwgraph.mechanics.kinematics.targets`.
        held: joints that stay where the start has them; of mechanisms, coordinates or points.
        limits: whether joints stay within the position limits of the file.
        tolerance: error (rad, m; root of the sum of squares of all targets) at which they count as met.
        attempts: how many starts are tried: the one that is given, then random ones.

    Raises:
        InputError: no target, or no such frame or joint; settings that make no sense.
    """
    listed = [targets] if isinstance(targets, (str, Target)) else list(targets)
    if not listed:
        raise InputError("no target is named", fix="give the name of a frame, or targets")
    if not tolerance > 0.0 or attempts < 1:
        raise InputError(f"tolerance = {tolerance:g} and attempts = {attempts} have to be positive")
    model = MODELS[robot.kind](robot, tuple(held))
    problem = InverseProblem(model, tuple(model.own(_find_target(model, t)) for t in listed))
    return InverseKinematics(problem, limits, tolerance, attempts)


def _find_target(model: InverseModel, target: str | Target) -> Target:
    """Return what a name stands for: the pose of a frame, the position of a mechanism's point."""
    if isinstance(target, str):
        return model.target(target)
    if not isinstance(target, Target):
        raise InputError(
            f"inverse_kinematics: targets: expected the name of a frame or a target, got {describe_value(target)}",
            fix='give names, or targets as Point("tool0") of screwgraph.mechanics.kinematics.targets',
        )
    return target


def _is_position(value: Any) -> bool:
    try:
        return np.shape(value) == (3,)
    except ValueError:  # rows of unequal length
        return False


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Inverse kinematics of one robot and its targets, as machine code; see `inverse_kinematics`."""

    problem: InverseProblem
    limits: bool
    tolerance: float
    attempts: int
    dtype: str = "float64"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what was asked for; machine code is made again, or found in the cache."""
        return InverseKinematics, (self.problem, self.limits, self.tolerance, self.attempts, self.dtype)

    def __repr__(self) -> str:
        labels = ", ".join(t.label for t in self.problem.targets)
        number = "" if self.dtype == "float64" else f", {self.dtype}"
        return f"<inverse kinematics of {self.problem.model.name}: {labels}{number}>"

    def __call__(self, *values: Any, start: Any = None) -> Solution:
        """Return positions at which targets have these values, in the order of the targets without one of their own.

        Arrays may have leading axes, which broadcast. `start` (*B, nq) is where the search begins, by default in the
        middle of limits; of several positions, one near it is usually found.

        Raises:
            InputError: wrong number or shape of values, no rotation matrix, a quaternion that is not unit.
        """
        given = self._make_arguments(values, start)
        found = self._code.quick(*given)
        if found is None:
            given, found = self._general(given)
        q, errors, flaws, counts = found
        if not (flaws.max(initial=0.0) <= FLAW if flaws.ndim > 1 else max(flaws.tolist()) <= FLAW):
            self._refuse(flaws)
        if q.ndim == 1:
            reached, attempts, steps = counts.tolist()
            made = reached == 1.0, int(attempts), int(steps)
        else:
            made = counts[..., 0] == 1.0, counts[..., 1].astype(int), counts[..., 2].astype(int)
        return Solution(q, made[0], errors, made[1], made[2], self._labels, partial(self._reasons, given, q, errors))

    def astype(self, dtype: Any) -> InverseKinematics:
        """Return the same, computed with "float64" or "float32", which meets targets by 1e-5 (rad, m) at best.

        Raises:
            InputError: there is no code for this type.
        """
        name = validate_dtype(dtype)
        return replace(self, dtype=name, tolerance=max(self.tolerance, LEAST_TOLERANCE[name]))

    def listing(self, name: str = "") -> ExportedFunction:
        """Return the search as back ends write it for other programs: (targets, start) -> q, errors, counts.

        Limits, tolerance and attempts are constants. `counts` are reached (1 or 0), attempts and steps.

        Raises:
            InputError: a target has an array of values of its own.
        """
        for i, value in self._fixed_values.items():
            target = self.problem.targets[i]
            if value.shape != target.shape(self.problem.model.subject):
                raise InputError(
                    f"the {target.label} has {len(value)} values", fix="give one, or leave it to each call"
                )
        fixed = {self.problem.parameters[i].name: value.ravel() for i, value in self._fixed_values.items()}
        others = [a.name for a in self.problem.parameters[len(self.problem.targets) + 1 :]]
        constants = fixed | dict(zip(others, self._constants, strict=True))
        return export_search(
            self.problem,
            constants,
            name or "inverse_kinematics",
            self.dtype,
            lambda: example_values(self.problem, self._fixed_values, self),
        )

    def report(self) -> str:
        """Print the operations of a step."""
        return f"{'a step':<28}{compile_step(self.problem).operations.total:>7}"

    @cached_property
    def _code(self) -> CompiledProgram:
        problem = self.problem
        shapes = [*(r.shape for r in list_end_results(problem)), (len(COUNTS),)]
        arguments, domains = [(a.shape, a.names) for a in problem.parameters], argument_domains(problem.parameters)
        return compile_program(
            "inverse_kinematics", make_search_routine(problem), arguments, shapes, self.dtype, domains=domains
        )

    @cached_property
    def _constants(self) -> tuple[np.ndarray, ...]:
        problem = self.problem
        soft = {i: t.weight for i, t in enumerate(problem.targets) if t.weight is not None}
        weights = np.array([soft.get(i, 1.0) for i, _ in problem.groups], dtype=float)
        lower = np.array([own.lower if self.limits else -np.inf for own in problem.model.limited])
        upper = np.array([own.upper if self.limits else np.inf for own in problem.model.limited])
        setting = np.array([self.tolerance, self.attempts, STEPS], dtype=float)
        return (*([lower, upper] if len(lower) else []), weights, setting)

    @cached_property
    def _start(self) -> Float[np.ndarray, " nq"]:
        return self.problem.model.first_start()

    @cached_property
    def _labels(self) -> tuple[str, ...]:
        return tuple(f"{t.label} ({unit})" for t in self.problem.targets for unit in t.units)

    @cached_property
    def _fixed_values(self) -> dict[int, np.ndarray]:
        """The values that targets have of their own."""
        fixed = [(i, t) for i, t in enumerate(self.problem.targets) if t.at is not None]
        return {i: _value(t, self.problem.model.subject) for i, t in fixed}

    def _make_arguments(self, values: Sequence[Any], start: Any) -> tuple[Any, ...]:
        """Return all arguments of the code. Raises InputError where the number of values is wrong."""
        open_targets = len(self.problem.targets) - len(self._fixed_values)
        if len(values) != open_targets:
            labels = ", ".join(t.label for t in self.problem.targets if t.at is None) or "nothing"
            raise InputError(f"inverse kinematics: {len(values)} values were given", why=f"it takes {labels}")
        if self._fixed_values:
            rest = iter(values)
            values = [
                self._fixed_values[i] if i in self._fixed_values else next(rest)
                for i in range(len(self.problem.targets))
            ]
        return (*values, self._start if start is None else start, *self._constants)

    def _general(self, given: tuple[Any, ...]) -> tuple[Sequence[np.ndarray], tuple[np.ndarray, ...]]:
        """Solve for arrays of any kind: batches, and what is wrong with them. Raises InputError."""
        arguments = self.problem.parameters
        for argument, value in zip(arguments, given, strict=False):
            if tuple(argument.shape) == (4, 4) and _is_position(value):
                raise InputError(
                    f"inverse_kinematics: {argument.name} is a matrix (4, 4), and three numbers were given",
                    fix="for a position alone, make the function with Point(frame) as its target, of "
                    "screwgraph.mechanics.kinematics.targets",
                )
        arrays = check_arrays("inverse_kinematics", arguments, given)
        arrays = [np.ascontiguousarray(x, dtype=self.dtype) for x in arrays]
        found = self._code.quick(*arrays)  # of one state, whose numbers did not stand together
        if found is not None:
            return arrays, found
        check_unit(arguments, quaternion_places(arguments), arrays)
        for argument, array in zip(arguments[: len(self.problem.targets) + 1], arrays, strict=False):
            if not np.isfinite(array).all():
                raise InputError(f"inverse_kinematics: {argument.name} has numbers that are not finite")
        with np.errstate(all="ignore"):  # of starts that lead nowhere
            return arrays, self._code.ufunc(*arrays)

    def _refuse(self, flaws: np.ndarray) -> NoReturn:
        worst = flaws.reshape(-1, flaws.shape[-1]).max(axis=0)
        target = self.problem.targets[int(np.argmax(worst))]
        off = float(np.sqrt(worst.max()))
        what, why = target.rule
        raise InputError(f"the {target.label} is no {what}, by {off:.3g}", why=why, fix="normalise it")

    def _reasons(self, given: Sequence[Any], q: np.ndarray, errors: np.ndarray, index: tuple[int, ...]) -> Any:
        """Say why one of the problems is not solved."""
        problem, count = self.problem, len(self.problem.targets) + 1
        shapes = [a.shape for a in problem.parameters[:count]]
        own = [
            np.ascontiguousarray(np.broadcast_to(x, (*q.shape[:-1], *shape))[index], dtype=self.dtype)
            for x, shape in zip(given[:count], shapes, strict=True)
        ]
        limited = problem.model.limited
        unlimited = [np.full(len(limited), side) for side in (-np.inf, np.inf)] if limited else []

        def search(weights: np.ndarray, limits: bool) -> Attempt:
            *bounds, _, setting = self._constants
            bounds = bounds if limits else unlimited
            with np.errstate(all="ignore"):
                found, off, _, counts = self._code.ufunc(*own, *bounds, weights, setting)
            return Attempt(found, bool(counts[0] == 1.0), off)

        best = Attempt(q[index], False, errors[index])
        return InfeasibilityReport(problem, search, best, own[:-1], self.limits).list_reasons()


def _value(target: Target, robot: Any) -> np.ndarray:
    """Return the value that a target has of its own. Raises InputError where it has another shape."""
    shape = target.shape(robot)
    try:
        value = convert_numbers(target.at)
    except (TypeError, ValueError):
        value = np.empty(0)
    if value.shape[value.ndim - len(shape) :] != shape or not np.isfinite(value).all():
        raise InputError(f"the {target.label}: expected finite numbers of the shape {shape}", fix=f"got {value.shape}")
    return value
