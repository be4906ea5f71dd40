"""Coordinates that are functions of time: values with their exact rates and accelerations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError, ModelError
from screwgraph.base.summary import one_line
from screwgraph.model.formats.diagnostics import Place
from screwgraph.model.formats.expressions import CONSTANTS, evaluate
from screwgraph.model.model import Model
from screwgraph.model.traced_numbers import TracedNumber, expression_of
from screwgraph.tape import Number, Program, Scalar, Tape, gradient, program

TIME = "t"
"""What expressions call the time (s)."""
DEGREES = (5, 3)
"""Degrees of splines through samples: the first one for which these are enough."""
FEWEST = 4
"""Samples through which an interpolating spline goes."""
ROUNDING = 1e-9
"""Part of a duration by which sums of time steps may lie outside of it."""


@dataclass(frozen=True, eq=False)
class FunctionOfTime:
    """A function of the time: `evaluate` returns value, rate and acceleration (3, N) at times (N,), in s.

    It is known from `first` to `last` (s).
    """

    __repr__ = one_line

    text: str
    evaluate: Callable[[Float[np.ndarray, " N"]], Float[np.ndarray, "3 N"]]
    first: float = -np.inf
    last: float = np.inf

    def __call__(self, t: Float[np.ndarray, "..."] | float) -> Float[np.ndarray, "3 ..."]:
        """Return value, rate and acceleration at times (s).

        Raises:
            InputError: a time at which it is not known, or at which one of the three is not finite.
        """
        times = np.asarray(t, dtype=float)
        slack = ROUNDING * np.abs(times).max(initial=0.0)
        outside = (times < self.first - slack) | (times > self.last + slack)
        if outside.any():
            raise InputError(
                f"{self.text} is not known at t = {times[outside].flat[0]:g} s",
                why=f"its samples are from {self.first:g} to {self.last:g} s",
            )
        with np.errstate(all="ignore"):
            found = self.evaluate(np.clip(times, self.first, self.last))
        if not np.isfinite(found).all():
            at = times[~np.isfinite(found).all(axis=0)].flat[0]
            raise InputError(
                f"{self.text} has no finite value, rate and acceleration at t = {at:g} s",
                fix="take a function that is smooth wherever it is asked",
            )
        return found


def parse_function(text: str, names: Mapping[str, float], what: str, at: Place) -> FunctionOfTime:
    """Return an expression in t and other names as a function; its derivatives are exact.

    Raises:
        ModelError: no expression, an unknown name, a name `t` that has a value, or no value at t = 0.
    """
    if TIME in names:
        raise ModelError(f"{what}: a parameter is called {TIME!r}", at=at, why="that is the time", fix="rename it")
    known = {name: float(value) for name, value in names.items()}
    time = Tape(merge="form").input(TIME)
    value = evaluate(text, {**known, **CONSTANTS, TIME: TracedNumber(0.0, time)}, what, at)
    return FunctionOfTime(text, partial(_run, _differentiate(expression_of(value), time)))


def trace_function(function: Callable[[Any], Any], what: str) -> FunctionOfTime:
    """Return a Python function of the time as a function; its derivatives are exact.

    Raises:
        InputError: it is no arithmetic of one number: it branches, or calls what takes floats alone.
    """
    time = Tape(merge="form").input(TIME)
    try:
        code = _differentiate(function(time), time)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"the function of {what} cannot be differentiated",
            why=str(error).split("\n")[0][:80],
            fix="write it by arithmetic, np.sin, np.cos, ... of its one argument, or give samples",
        ) from error
    return FunctionOfTime(what, partial(_run, code))


def interpolate_samples(t: Float[np.ndarray, " N"], values: Float[np.ndarray, " N"], what: str) -> FunctionOfTime:
    """Return the spline of degree 5 through samples, cubic through fewer than six: rates and accelerations are its own.

    Knots are the samples' times but for those next to the ends ("not a knot"). de Boor (2001), chapter XIII.

    Raises:
        InputError: fewer than four samples, times that do not grow, or what is no finite number.
    """
    from scipy.interpolate import make_interp_spline

    try:
        times, samples = convert_numbers(t).copy(), convert_numbers(values).copy()
    except (TypeError, ValueError) as error:
        raise InputError(f"the samples of {what} are no numbers") from error
    if times.ndim != 1 or samples.shape != times.shape or len(times) < FEWEST:
        raise InputError(
            f"the samples of {what} have the shapes {times.shape} and {samples.shape}",
            why=f"a value for each of {FEWEST} times, or more, is needed",
        )
    if not (np.isfinite(times).all() and np.isfinite(samples).all() and (np.diff(times) > 0.0).all()):
        raise InputError(f"the samples of {what} are no motion", why="times must grow, and all numbers be finite")
    degree = next(k for k in DEGREES if len(times) > k)
    value = make_interp_spline(times, samples, k=degree)
    curves = (value, value.derivative(1), value.derivative(2))
    return FunctionOfTime(what, partial(_evaluate_curves, curves), float(times[0]), float(times[-1]))


def refuse_driven(model: Model, what: str) -> None:
    """Raise InputError where coordinates of a model are driven, in what takes forces alone."""
    if model.driven:
        raise InputError(
            f"{what} of {model.name!r}, whose {', '.join(model.driven)} is driven by its file",
            why="it takes forces as given, and those of driven coordinates are answers",
            fix="take a method of integration; or leave out driven: in its file, motors: [...] have efforts",
        )


def _differentiate(value: Number, time: Scalar) -> Program:
    """Return a number with its first and second derivative by the time."""
    (first,) = gradient(value, [time])
    (second,) = gradient(first, [time])
    return program(time.tape, [value, first, second])


def _run(code: Program, t: Float[np.ndarray, " N"]) -> Float[np.ndarray, "3 N"]:
    return np.array([np.broadcast_to(value, np.shape(t)) for value in code.evaluate([t])], dtype=float)


def _evaluate_curves(curves: tuple[Any, ...], t: Float[np.ndarray, " N"]) -> Float[np.ndarray, "3 N"]:
    return np.array([curve(t) for curve in curves])
