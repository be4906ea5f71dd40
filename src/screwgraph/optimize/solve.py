"""Solve a problem: a method makes iterates; limits, callbacks and interruption are kept here.

Code is made one function after the other, so that a time limit can end it in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from time import perf_counter
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import has_listener, report_progress
from screwgraph.optimize.batch import make_batches
from screwgraph.optimize.kernels import Kernels
from screwgraph.optimize.methods import METHODS, SQUARES, UNCONSTRAINED, InteriorPoint, Method, Tolerances
from screwgraph.optimize.methods.feasibility import find_worst_factor
from screwgraph.optimize.problem import Problem
from screwgraph.optimize.result import Iterate, Progress, Result, Status

Callback = Callable[[Progress], Any]

Scale = tuple[float, dict[str, float]]


LATE = "the time limit is reached"

MAKING = "the time limit was reached while code was made; a further search of the same problem goes on with it"

SCALE = "scale"
"""What the memory of results calls the scale of costs and the units."""

UNFINISHED = (Status.ITERATION_LIMIT, Status.TIME_LIMIT, Status.STALLED, Status.INTERRUPTED)
"""Ends after which the hard factor that is broken most is named, if it is by more than `WORTH_NAMING`."""

WORTH_NAMING = 1e-6

WORDS = {"pattern": "derivatives", "places": "derivatives", "bends": "second derivatives"}
"""What patterns take, in people's words; all else is code."""


def solve(
    problem: Problem,
    start: Mapping[str, Any] | Result | None = None,
    *,
    method: str | Method = "auto",
    iterations: int = 100,
    seconds: float = np.inf,
    tolerances: Tolerances | None = None,
    cost_scale: float = 1.0,
    units: Mapping[str, float] | None = None,
    callback: Callback | None = None,
) -> Result:
    """Find values of least cost at which hard factors hold.

    Args:
        problem: what to solve.
        start: values by family, `(count, *shape)`; those left out start at zero, or identity. Or an earlier result, of
            this problem or one of the same families: a warm start, which takes over multipliers, too.
        method: one of `METHODS`, or "auto": Levenberg-Marquardt; an interior-point method where there are hard factors,
            or costs that are no squares.
        iterations: at most so many.
        seconds: at most so many, the making of code included; ends after the function that is being made, or the
            iteration, in which they are over. Code that was made is kept, so that another call goes on from there.
        tolerances: when to be content.
        cost_scale: a typical cost, by which methods divide costs: far from 1, these would count for all or nothing
            beside hard factors. Tolerances of gradients are those of the divided costs; results are in their own units.
        units: sizes that count as 1, by family, in steps of the interior-point method and in hard factors on the
            family; 1 for others. Violations are in the factors' own units.
        callback: called with a `Progress` after every iteration; what it returns, if true, ends the search.

    Raises:
        InputError: a name, shape or number is wrong. Failure to converge is no error: `status` and `reason` tell.
    """
    _check_scale(problem, cost_scale, units or {})
    chosen, name = _method(problem, method)
    scale = cost_scale, dict(units or {})
    memory = _select_memory(start, name, scale) if isinstance(start, Result) else {}
    x = problem.start(start.values if isinstance(start, Result) else start or {})
    began, tolerances = perf_counter(), tolerances or Tolerances()
    iterate, count = Iterate(x, np.nan, np.nan), -1
    best = iterate
    status, reason = Status.ITERATION_LIMIT, f"{iterations} iterations were not enough"
    try:
        for _ in compile_in_stages(problem, chosen, name):
            if perf_counter() - began > seconds:
                ended = Status.TIME_LIMIT, MAKING
                return Result(problem, best, 0, perf_counter() - began, *ended, name)
        fault = _fault(problem, x)
        if fault is not None:
            return Result(problem, best, 0, perf_counter() - began, *fault, name)
        run = chosen(problem.assembly.with_scales(*scale).with_own_buffers(), x, tolerances, memory)
        told = np.geterr()
        with np.errstate(over="ignore", invalid="ignore"):  # of points that are only tried
            while True:
                try:
                    iterate = next(run)
                except StopIteration as end:  # of the method: one that a callback raises is the caller's
                    status, reason = end.value
                    break
                count, best = count + 1, _better(iterate, best, tolerances.violation)
                passed = perf_counter() - began
                if has_listener():
                    cost = iterate.cost * cost_scale
                    report_progress(f"iteration {count}, cost {cost:.6g}, violation {iterate.violation:.2g}")
                if callback is not None:
                    with np.errstate(**told):
                        is_over = callback(_progress(problem, _unscale_iterate(iterate, scale), count, passed))
                    if is_over:
                        status, reason = Status.STOPPED, "requested by the callback"
                        break
                if passed > seconds:
                    status, reason = Status.TIME_LIMIT, LATE
                    break
                if count >= iterations:
                    run.close()
                    break
    except KeyboardInterrupt:
        status, reason = Status.INTERRUPTED, "by Ctrl-C; the best values so far are kept"
    if status is Status.NOT_FINITE:
        reason = _not_finite(problem, iterate.x) or reason
    if status is not Status.CONVERGED:
        iterate = best
    if status in UNFINISHED and iterate.violation > WORTH_NAMING:
        reason = "{}; {} is off by {:.3g}".format(reason, *find_worst_factor(problem.assembly, iterate.x))
    iterate, count = _unscale_iterate(iterate, scale), max(count, 0)
    return Result(problem, iterate, count, perf_counter() - began, status, reason, name)


def compile_in_stages(problem: Problem, method: Method, name: str) -> Iterator[None]:
    """Make what the first iterations of a method call, and yield after each derivation and each compiled function.

    Nothing is yielded for what is made already. Other methods make their code when they need it.
    """
    if not isinstance(method, InteriorPoint) and name not in UNCONSTRAINED:
        return
    is_curved = isinstance(method, InteriorPoint) and method.curvature
    known = problem.__dict__.get("assembly")  # looks at patterns when it is made, which is part of what is yielded
    if known is not None and known.spare_models.get(is_curved):  # of a search, which has made all of it
        return
    all_batches = list(make_batches(problem.factors) if known is None else known.batches)
    for number, batch in enumerate(all_batches):
        kernels = batch.factors.kernels
        for part in _parts(kernels, batch.factors.kind == "soft", is_curved):
            if part not in kernels.__dict__:
                report_progress(f"making {WORDS.get(part, 'code')} of {batch.factors.name}", number / len(all_batches))
                getattr(kernels, part)
                yield


def _parts(kernels: Kernels, is_soft: bool, is_curved: bool) -> Iterator[str]:
    """Yield the names of patterns, which take derivatives, and of the functions that follow."""
    if is_soft:
        yield from ("pattern", "normal" if kernels.is_unrolled else "whitened_jacobian")
        return
    yield from ("places", "jacobian")
    if is_curved:
        yield "bends"
        if kernels.bends[0].size:
            yield "curvature"


def _check_scale(problem: Problem, cost_scale: float, units: Mapping[str, float]) -> None:
    """See that scales are positive, and units of families of the problem. Raises InputError."""
    known = [v.name for v in problem.families]
    for name in units.keys() - set(known):
        raise InputError(f"there are no unknowns {name!r}", fix=f"there are {', '.join(known)}")
    for what, size in (("the scale of costs", cost_scale), *((f"the unit of {n!r}", u) for n, u in units.items())):
        if not 0.0 < size < np.inf:
            raise InputError(f"{what} is {size!r}", fix="give a positive number")


def _unscale_iterate(found: Iterate, scale: Scale) -> Iterate:
    """Return an iterate with its cost and gradient in their own units; its memory is of the scaled problem."""
    cost, gradient = found.cost * scale[0], found.gradient * scale[0]
    return Iterate(found.x, cost, found.violation, gradient, {**found.memory, SCALE: scale})


def _select_memory(start: Result, method: str, scale: Scale) -> Mapping[str, Any]:
    """Return the memory of an earlier result, where its multipliers are of the same method and scale."""
    memory = start.iterate.memory
    return memory if start.method == method and memory.get(SCALE, (1.0, {})) == scale else {}


def _better(new: Iterate, old: Iterate, tolerance: float) -> Iterate:
    """Return the one whose hard factors hold better, or that costs less where both hold; the new one of equals."""
    if not isfinite(new.violation + new.cost):
        return old
    if not isfinite(old.violation + old.cost):
        return new
    ranks = [(max(i.violation, tolerance), i.cost) for i in (new, old)]
    return new if ranks[0] <= ranks[1] else old


def _method(problem: Problem, method: str | Method) -> tuple[Method, str]:
    if method == "auto":
        method = "levenberg_marquardt" if problem.is_least_squares and not problem.has_hard else "interior_point"
    if not isinstance(method, str):
        name = next((n for n, m in METHODS.items() if type(m) is type(method)), type(method).__name__)
        chosen = method
    elif method in METHODS:
        name, chosen = method, METHODS[method]
    else:
        raise InputError(f"there is no method {method!r}", fix=f"methods: {', '.join(METHODS)}")
    if name in UNCONSTRAINED and problem.has_hard:
        able = ", ".join(n for n in METHODS if n not in UNCONSTRAINED)
        raise InputError(f"{name} does not support hard factors", fix=f"methods that can: {able}")
    if name in SQUARES and not problem.is_least_squares:
        able = ", ".join(n for n in METHODS if n not in SQUARES)
        raise InputError(f"{name} does not support costs that are no squares", fix=f"methods that can: {able}")
    return chosen, name


def _fault(problem: Problem, x: np.ndarray) -> tuple[Status, str] | None:
    """Say what makes a problem impossible to solve from a start."""
    free = problem.assembly.untouched_directions
    if len(free):
        return (
            Status.SINGULAR,
            f"{problem.layout.name_direction(int(free[0]))} is not determined: no factor depends on it",
        )
    return None


def _not_finite(problem: Problem, x: np.ndarray) -> str:
    with np.errstate(all="ignore"):
        residuals = problem.assembly.residuals(x)
    for name, r in residuals.items():
        wrong = np.flatnonzero(~np.isfinite(r).all(axis=1))
        if len(wrong):
            return f"the residual of {name}[{wrong[0]}] is not finite"
    return ""


def _progress(problem: Problem, iterate: Iterate, count: int, passed: float) -> Progress:
    values = problem.layout.views(iterate.x)
    return Progress(count, iterate.cost, iterate.violation, iterate.gradient, passed, values)
