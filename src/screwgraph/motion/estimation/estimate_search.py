"""The search for an estimate: full steps; where these fail, laws that are tightened; at last damped steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from screwgraph.optimize import Problem, Progress, Result, solve

ITERATIONS = 50
LOOSE = 1e4
"""How many times larger standard deviations of the laws are where they begin to be tightened."""
TIGHTER = 10.0
"""By what they are divided, as long as searches succeed."""
LEAST = 1.2
"""The same where searches fail: less is given up."""

Values = Mapping[str, np.ndarray]


def search_estimate(
    problem: Callable[[float], Problem], values: Values, look: Callable[[Progress], object] | None
) -> tuple[Result, Values]:
    """Return how the search ended, and the values to go on with: if it failed, those of laws that hold nearly.

    `problem` returns the factors, with standard deviations of the laws so many times larger.
    """

    def search(factor: float, values: Values, is_damped: bool = False) -> Result:
        method, iterations = ("levenberg_marquardt", 4 * ITERATIONS) if is_damped else ("gauss_newton", ITERATIONS)
        return solve(problem(factor), values, method=method, iterations=iterations, callback=look)

    result = search(1.0, values)
    if not is_finished(result):
        result, values = _tighten_laws(search, values)
    if not is_finished(result):
        result = search(1.0, values, is_damped=True)
    if result.status.is_stopped:  # maybe with laws that hold nearly
        result = replace(result, problem=problem(1.0))
    return (result, result.values) if is_finished(result) else (result, values)


def _tighten_laws(search: Callable[..., Result], values: Values) -> tuple[Result, Values]:
    """Solve with laws that hold nearly, and more and more exactly. Allgower & Georg (1990), section 2.

    A motion that no sensor sees is a valley of the cost: bent, and as narrow as the laws are exact. Full steps leave
    it, damped ones hardly go on; in a wide one full steps arrive, and its end lies near that of one less wide.
    """
    result = search(LOOSE, values)
    if not is_finished(result):
        result = search(LOOSE, values, is_damped=True)
    loose, ratio, reached = LOOSE, TIGHTER, result.values
    while not result.status.is_stopped and loose > 1.0 and ratio > LEAST:
        factor = max(1.0, loose / ratio)
        result = search(factor, reached)
        if result.success:
            loose, reached = factor, result.values
        else:
            ratio **= 0.5
    return result, reached if loose < LOOSE else values


def is_finished(result: Result) -> bool:
    """Return whether a search converged, or was stopped."""
    return result.success or result.status.is_stopped
