"""Calls of a predictive controller at one state until its trajectory is the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.control.live_numbers import NO_SENSE
from screwgraph.motion.control.predictive.horizon_arguments import find_argument
from screwgraph.motion.control.predictive.secant_steps import SecantSteps, SolutionLayout
from screwgraph.motion.control.predictive.tick_outcome import UNFINISHED

FIRST = 12
"""Calls before steps are extrapolated: most horizons settle in fewer."""


class PredictedMotion(NamedTuple):
    """Results of a call of a controller, after the last one of them."""

    __repr__ = one_line

    tau: Float[np.ndarray, " m"]
    states: Float[np.ndarray, "N+1 nq+nv"]
    efforts: Float[np.ndarray, "N m"]
    gain: Float[np.ndarray, "m nq+nv"]
    next: Float[np.ndarray, " k"]
    solution: Float[np.ndarray, "6"]
    forces: Float[np.ndarray, "N components"] | None = None


@check_arguments
def converge(
    control: Function,
    q: Any,
    qd: Any,
    references: Any,
    weights: Any,
    *,
    terminal: Any = None,
    frames: Any = None,
    frame_weights: Any = None,
    goals: Mapping[str, Any] | None = None,
    contacts: Any = None,
    first: float | None = None,
    previous: Any = None,
    tolerance: float = 1e-8,
    most: int = 200,
) -> PredictedMotion:
    """Call a controller of `mpc` at one state until its trajectory is the optimum; return the last results.

    Their status is 1 where the trajectory is not the optimum within the tolerance. Where some calls do not settle it,
    the next ones begin where the changes of several calls together say that nothing would change (`SecantSteps`).

    Args:
        control: what `mpc` returned.
        q: position.
        qd: velocity.
        references: as the controller takes them.
        weights: as the controller takes them.
        terminal: of the last state (2 nv, 2 nv), where the controller takes it.
        frames: poses (N + 1, frames, 4, 4), or (frames, 4, 4) for all instants, where the controller takes them.
        frame_weights: of them, (frames, 6).
        goals: of other costs, and their weights, by the names of arguments; a goal (...) is that of all instants.
        contacts: a schedule, where the controller takes one.
        first: the first interval (s), where the controller takes one.
        previous: a solution to begin with; by default none.
        tolerance: of changes, of defects and of the barrier, in units of states, inputs by their limits.
        most: calls at most; `solution` then says how far it came.

    Raises:
        InputError: an argument does not fit, or has no sense, as weights below zero and numbers that are none.
    """
    if most < 1 or not tolerance > 0.0:
        raise InputError(
            f"most is {most!r}, tolerance {tolerance!r}",
            why="there is one call at least, and the tolerance is positive",
        )
    solution = np.zeros(find_argument(control, "previous").shape) if previous is None else np.asarray(previous)
    more = {"terminal": terminal, "frames": frames, "frame_weights": frame_weights, "contacts": contacts}
    more["first"] = first
    known = [argument.name for argument in control.arguments[4:-2] if argument.name not in more]
    for name in goals or ():
        if name not in known:
            raise make_unknown_name_error(f"goal of costs of {control.name}", name, known)
    more |= goals or {}
    for name, value in more.items():
        if (value is None) == any(argument.name == name for argument in control.arguments):
            raise InputError(f"{control.name} takes {'' if value is None else 'no '}{name}", fix="see its signature")
    missing = [argument.name for argument in control.arguments[4:-2] if argument.name not in more]
    if missing:
        raise InputError(f"{control.name} takes {missing[0]}", fix=f"goals={{{missing[0]!r}: ...}}")
    for name in ("frames", *(goals or ())):
        if more[name] is not None:
            more[name] = _repeat(name, more[name], find_argument(control, name).shape)
    names, given = [result.name for result in control.results], [more[a.name] for a in control.arguments[4:-2]]

    def call(last: Any) -> PredictedMotion:
        results = control(q, qd, references, weights, *given, 0.0, last)
        return PredictedMotion(**dict(zip(names, results, strict=True)))

    found, secants, patience = call(solution), SecantSteps(SolutionLayout.of(control)), FIRST
    if found.solution[0] >= NO_SENSE:
        raise InputError(
            f"{control.name}: the state, references, weights or last solution",
            why="there are numbers without sense",
        )
    for k in range(most - 1):
        if _is_optimal(found.solution, tolerance):
            saddle = secants.find_descent()
            if saddle is None:
                return found
            solution, secants, patience = secants.leave(found.next, saddle), SecantSteps(secants.layout), k + FIRST
        else:
            secants = secants.add(solution, found.next, found.solution) if k >= patience else secants
            solution = secants.begin(found.next)
        found = call(solution)
    is_settled = _is_optimal(found.solution, tolerance) and secants.find_descent() is None
    if found.solution[0] < UNFINISHED and not is_settled:
        found.solution[0] = UNFINISHED
    return found


def _is_optimal(solution: Float[np.ndarray, "6"], tolerance: float) -> bool:
    """Return whether the step was whole, and changed the trajectory by less than the tolerance."""
    status, _, _, defect, change, barrier = solution
    return status < UNFINISHED and max(defect, change, barrier) < tolerance


def _repeat(name: str, goals: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return goals at all instants (N + 1, ...), of one for all or of one each. Raises InputError."""
    given = validate_numbers(name, goals)
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        raise InputError(f"{name} of the shape {given.shape}", fix=f"give {shape[1:]}, or {shape}") from None
