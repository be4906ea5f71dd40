"""Searching for a plan: from the task's guess, then from others where that leads nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.plan import FEASIBLE
from screwgraph.motion.planning.search.cost_scaling import CostScale
from screwgraph.optimize import (
    InteriorPoint,
    LevenbergMarquardt,
    Method,
    Problem,
    Progress,
    Result,
    Status,
    Tolerances,
    solve,
)

LOST = (Status.STALLED, Status.SINGULAR, Status.NOT_FINITE, Status.INFEASIBLE)
"""Ends after which other steps, or another guess, may still find a plan."""
REACHES = (2.0, 0.5)
"""Most that a joint moves (rad, m) in a step of a search that went astray before."""
CONTINUED = 1e-2
"""First barrier parameter of searches that begin at what is left of a plan, at most."""
SOFTENED = 1.0
"""That where limits and goals cost: a small one keeps values near limits that they have to leave."""
INTERRUPTED = "by Ctrl-C; the best values so far are kept"
DEFAULTS = {"method": "auto", "iterations": 200, "seconds": np.inf, "tolerances": None, "callback": None}
"""Options of searches."""
Start = Mapping[str, Any] | Result


@dataclass(frozen=True)
class PlanSearch:
    """How plans are searched for; see `Planner.solve`.

    `seconds` count from `began` on; `condensed`: whether expressions are so large that their second derivatives would
    take long to compile; `scale`: what costs are divided by, and units of forces. `is_quick`: no start is tried twice,
    iterations are those of all tries, and where there are inequalities, hard factors are not met alone, and
    `barrier` is the first barrier parameter.
    """

    method: str | Method
    iterations: int
    seconds: float
    tolerances: Tolerances | None
    callback: Callable[[Progress], Any] | None
    condensed: bool
    began: float
    scale: CostScale
    is_quick: bool = False
    barrier: float = CONTINUED

    def __post_init__(self) -> None:
        if not self.iterations >= 0 or not self.seconds >= 0.0:
            raise InputError(
                f"iterations = {self.iterations!r}, seconds = {self.seconds!r}",
                why="a search takes none or some of these",
            )

    @classmethod
    def from_options(
        cls, options: Mapping[str, Any], condensed: bool, scale: CostScale, *, is_quick: bool = False
    ) -> PlanSearch:
        """Return a search with options as of `Planner.solve`, which begins now."""
        given = {name: options.get(name, default) for name, default in DEFAULTS.items()}
        return cls(**given, condensed=condensed, began=perf_counter(), scale=scale, is_quick=is_quick)

    @property
    def is_over(self) -> bool:
        """Whether the time has passed."""
        return perf_counter() - self.began > self.seconds

    def __call__(
        self, problem: Problem, starts: Iterable[Start], hopeless: Callable[[], bool] = lambda: False
    ) -> Result:
        """Return the best of what is found from one start after the other, until one leads to a solution.

        After a search that is lost, `hopeless` is asked whether others are worth their time.
        """
        found: list[Result] = []
        try:
            for method, start in self._tries(problem, starts, found):
                left = self.iterations - sum(r.iterations for r in found) if self.is_quick else self.iterations
                if found and left <= 0:
                    break
                found.append(replace(self, iterations=left)._run_method(method, problem, start))
                if found[-1].status not in LOST or self.is_over:
                    break
                if len(found) == 1 and not found[-1].violation <= FEASIBLE and hopeless():
                    break
        except KeyboardInterrupt:  # while another start was made
            if not found:
                raise
            found.append(replace(found[-1], status=Status.INTERRUPTED, reason=INTERRUPTED, iterations=0, seconds=0.0))
        return self._best(found)

    def _best(self, found: Sequence[Result]) -> Result:
        """Return the best result; states how the last one ended where that ended the search."""
        best, last = min(found, key=_rank), found[-1]
        ended = best if last.status in LOST else last
        reason = ended.reason + (f" (the best of {len(found)} tries)" if ended.status in LOST and found[1:] else "")
        made = sum(r.iterations for r in found)
        status = Status.STALLED if ended.status is Status.INFEASIBLE else ended.status  # no proof: others may exist
        return replace(best, status=status, reason=reason, iterations=made, seconds=_spent(found))

    def _tries(
        self, problem: Problem, starts: Iterable[Start], found: Sequence[Result]
    ) -> Iterator[tuple[str | Method, Start]]:
        """Go through all starts; then, where searches went astray, from the first one in short steps."""
        first: Start = {}
        for i, start in enumerate(starts):
            first = first if i else start
            for method in self._methods(problem):
                yield method, start
        if self.is_quick:
            return
        if self.method == "auto" and problem.has_hard and any(r.status is Status.STALLED for r in found):
            for reach in REACHES:
                yield InteriorPoint(curvature=not self.condensed, reach=(("q", reach),)), first

    def _methods(self, problem: Problem) -> list[str | Method]:
        if self.method != "auto":
            return [self.method]
        if not problem.has_hard:
            return [LevenbergMarquardt(damping=1e-2)]  # hinges: whole first steps from deep inside lead far away
        if self.is_quick and any(f.kind == "inequality" for f in problem.factors):
            return [InteriorPoint(self.barrier, curvature=not self.condensed, restorations=0)]
        return [InteriorPoint(curvature=False), "auto"] if self.condensed else ["auto"]

    def _run_method(self, method: str | Method, problem: Problem, start: Start) -> Result:
        decrease = 1e-6 if not problem.has_hard else 1e-15
        tolerances = self.tolerances or Tolerances(decrease=decrease, violation=1e-8, dual=1e-6)
        return solve(
            problem,
            start,
            method=method,
            iterations=self.iterations,
            seconds=max(self.began + self.seconds - perf_counter(), 0.0),
            tolerances=tolerances,
            cost_scale=self.scale.cost,
            units=self.scale.units,
            callback=self.callback,
        )


def _spent(found: Sequence[Result]) -> float:
    return sum(r.seconds for r in found)


def _rank(result: Result) -> tuple[float, bool, float]:
    """Order results: feasible ones first, then solved ones, then those of least cost."""
    violation = result.violation if np.isfinite(result.violation) else np.inf
    return max(violation, FEASIBLE), result.status is not Status.CONVERGED, result.cost
