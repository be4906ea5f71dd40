"""Planning, once or again and again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from screwgraph.arguments import checked
from screwgraph.errors import InputError
from screwgraph.optimize import Method, Problem, Progress, Result, Status, Tolerances, shifted
from screwgraph.optimize.result import Iterate
from screwgraph.plan.goals.position import whole_position
from screwgraph.plan.goals.velocity import chosen_velocities
from screwgraph.plan.guess import first_values, guesses
from screwgraph.plan.impossibilities import impossibilities
from screwgraph.plan.infeasibility import obstacles_in_time, unreached, weights_to_hold
from screwgraph.plan.limits.base import check_start
from screwgraph.plan.mechanics import Mechanics
from screwgraph.plan.obstacles.blocked import barred
from screwgraph.plan.obstacles.check import check_ends
from screwgraph.plan.obstacles.swept import kept_clear
from screwgraph.plan.plan import FEASIBLE, Plan
from screwgraph.plan.receding_horizon import advanced, is_scheduled, values_ahead
from screwgraph.plan.refinement import check_refinable, drifts_alike, refined, values_on
from screwgraph.plan.scale import scale_of
from screwgraph.plan.search import LOST, Search, Start
from screwgraph.plan.smooth_motions import MARGIN, nearest_motion
from screwgraph.plan.task import Task
from screwgraph.plan.transcribe import Transcription, transcribe
from screwgraph.plan.violation import described, in_words

BETWEEN = 6
"""Times that a plan which touches something between points is made again."""
ROUNDS = 10
"""Times that a mesh is refined."""
FORBIDDEN = "finer steps do not remove the drift: conserved momenta may forbid these goals"


class Planner:
    """Plans a task, and keeps the compiled code for the same with another start or other goals.

    `plan` is the last plan, None before the first.
    """

    @checked
    def __init__(self, task: Task) -> None:
        self.mechanics = Mechanics(task.robot)
        self.transcription = transcribe(task, self.mechanics)
        self.plan: Plan | None = None

    @property
    def task(self) -> Task:
        """What is planned now."""
        return self.transcription.task

    @property
    def _condensed(self) -> bool:
        """Whether expressions are so large that their second derivatives would take long to compile."""
        return bool(self.transcription.followers) and self.transcription.problem.has_hard

    def solve(
        self,
        *,
        warm: bool = False,
        method: str | Method = "auto",
        iterations: int = 200,
        seconds: float = np.inf,
        refine: bool = False,
        tolerances: Tolerances | None = None,
        callback: Callable[[Progress], Any] | None = None,
    ) -> Plan:
        """Plan, from the task's guess, or from the last plan (`warm`); other arguments as for `optimize.solve`.

        A plan at which a search was lost is no warm start. Where the guess leads nowhere, and frames have goals, other
        guesses are tried: by other positions that reach them. `refine` cuts steps, and chooses rules of higher order,
        until all steps are as accurate as the task asks; the planner's task then has that mesh. `seconds` count all of
        this, the making of code included.

        Raises:
            InputError: a task without dynamics is to be refined.
        """
        began = perf_counter()
        scale = scale_of(self.transcription)
        search = Search(method, iterations, seconds, tolerances, callback, self._condensed, began, scale)
        if refine:
            check_refinable(self.task)
        self.plan = self._finished(self._solved(search, warm), search)
        for _ in range(ROUNDS if refine else 0):
            if self.plan.solved or not self.plan.converged or search.is_over:
                break
            if self.plan.step_errors is None:  # nothing tells where to refine; the plan's reason states why
                break
            before = self.plan
            if not self._refined(search):
                break
            if drifts_alike(before, self.plan):
                reason = f"{self.plan.result.reason}; {FORBIDDEN}"
                self.plan = replace(self.plan, result=replace(self.plan.result, reason=reason))
                break
        return self.plan

    def _refined(self, search: Search) -> bool:
        """Plan on a finer mesh; return whether that led to a plan. Else the last one is kept."""
        last, before = self.plan, self.transcription
        assert last is not None
        task = refined(last)
        self.change(phases=task.phases, collocation=task.collocation, guess=task.guess)
        self.change(guess=values_on(self.transcription, last))
        found = self._finished(self._found(search, self._guesses()), search)
        spent = {"seconds": last.seconds + found.seconds, "iterations": last.iterations + found.iterations}
        if not found.converged:
            self.transcription = before
            why = f"a finer mesh has led to no plan: {found.status}"
            self.plan = replace(last, result=replace(last.result, **spent, reason=f"{last.result.reason}; {why}"))
            return False
        self.plan = replace(found, result=replace(found.result, **spent))
        return True

    def _finished(self, plan: Plan, search: Search) -> Plan:
        """Keep a plan clear of obstacles between points; where limits cannot be kept there, keep them at points."""
        plan, whole = self._kept_clear(plan, search), self.transcription
        if plan.result.status not in LOST or plan.feasible or not whole.between or plan.iterations == 0:
            return plan
        self.transcription = whole.at_points()
        other = self._kept_clear(self._found(search, self._guesses()), search)
        self.transcription = whole
        spent = {"seconds": plan.seconds + other.seconds, "iterations": plan.iterations + other.iterations}
        best = other if other.converged else plan
        why = f"; with limits kept between points: {plan.result.reason}" if other.converged else ""
        return replace(best, result=replace(best.result, **spent, reason=f"{best.result.reason}{why}"))

    def _solved(self, search: Search, warm: bool) -> Plan:
        """Search from all guesses, or from the last plan first."""
        impossible = [
            *impossibilities(self.task, self.transcription.steps),
            *barred(self.task, self.mechanics),
        ]
        if impossible:
            return self._refused("; ".join(impossible), Status.INFEASIBLE)
        if warm and self.plan is not None and (self.plan.feasible or self.plan.result.status not in LOST):
            return self._found(search, itertools.chain([self.plan.result], self._guesses()))
        beyond = list(unreached(self.task, self.transcription.steps))
        if beyond:
            return self._refused("; ".join(beyond), Status.STALLED)
        weak = list(weights_to_hold(self.task, self.transcription.steps))
        nearest = nearest_motion(self.task, self.transcription.steps) if weak else None
        if nearest is not None and nearest.excess > MARGIN:
            return self._refused("; ".join([nearest.reason, *weak]), Status.STALLED)
        starts = self._guesses() if nearest is None else self._guesses_beside(nearest.values)
        return self._found(search, starts, is_weak=bool(weak))

    def _found(self, search: Search, starts: Iterable[Start], is_weak: bool = False) -> Plan:
        """Search; state what may keep a plan from being found where that leads nowhere."""
        result = search(self.transcription.problem, starts, lambda: is_weak)
        if not result.violation <= FEASIBLE:
            worst = described(self.transcription.steps, result) if np.isfinite(result.violation) else ""
            found = self._explained(is_lost=result.status in LOST)
            result = replace(result, reason="; ".join([in_words(result.reason, worst), *found]))
        return Plan(self.transcription, result)

    def _refused(self, reason: str, status: Status) -> Plan:
        """Return the plan of a task for which none is searched: the robot stays at its start, or does as guessed."""
        problem = self.transcription.problem
        task = replace(self.task, guess="stay") if isinstance(self.task.guess, str) else self.task
        x = problem.start(self._unknown(first_values(task, self.transcription.steps)))
        found = Result(problem, Iterate(x, np.nan, np.inf), 0, 0.0, status, reason, "none")
        return Plan(self.transcription, found)

    def _guesses(self) -> Iterable[dict[str, Any]]:
        """Return the task's guesses, one after the other."""

        def guess(choice: int) -> dict[str, Any]:
            return self._unknown(first_values(self.task, self.transcription.steps, choice))

        return map(guess, range(guesses(self.task)))

    def _guesses_beside(self, values: Mapping[str, np.ndarray]) -> Iterable[dict[str, Any]]:
        """Return the task's guesses and values of a motion, which come first unless the task gives values itself."""
        own, other = self._guesses(), [self._unknown(values)]
        return itertools.chain(other, own) if isinstance(self.task.guess, str) else itertools.chain(own, other)

    def _unknown(self, values: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Return the values of families that do not follow from others."""
        following = {family.name for family, _ in self.transcription.followers}
        return {name: value for name, value in values.items() if name not in following}

    def _kept_clear(self, plan: Plan, search: Search) -> Plan:
        """Plan again where spheres touch between points, with factors that forbid it there."""
        for _ in range(BETWEEN):
            if search.is_over or not (plan.feasible and plan.touches):
                break
            old = plan.transcription
            factors = [*old.problem.factors, *kept_clear(old.steps, plan.touches)]
            new = replace(old, problem=Problem(factors, old.problem.families))
            result = search(new.problem, itertools.chain([plan.result.values], self._guesses()))
            spent = {"seconds": plan.seconds + result.seconds, "iterations": plan.iterations + result.iterations}
            self.transcription, plan = new, Plan(new, replace(result, **spent))
        return plan

    def _explained(self, is_lost: bool) -> list[str]:
        """Say which weight is not held; and, after searches that are lost, which goals are not reached in time."""
        try:
            steps = self.transcription.steps
            late = obstacles_in_time(self.task, steps) if is_lost else ()
            return [*weights_to_hold(self.task, steps), *late]
        except KeyboardInterrupt:  # the search is over: what it found is not given up for its explanation
            return []

    def step(self, steps: int = 1, q: Any = None, qd: Any = None, **options: Any) -> Plan:
        """Plan anew from so many steps later: the horizon moves along, goals keep their place in it.

        Where contacts follow a schedule, that comes nearer, with goals and paths: see `advance.py`. Then factors are
        bound anew, which takes longer, and code is made where other feet stand together than ever before.

        Args:
            steps: of the last plan that have passed.
            q: the position where the robot is then (nq,), by default where it was planned to be.
            qd: its velocity (nv,), likewise.
            options: as for `solve`.

        Raises:
            InputError: the task leaves its start free, there are not so many steps, q or qd do not fit, break a hard
                limit or are in collision, or a foot is set down no more.
        """
        last = self.plan or self.solve(**options)
        work, by = last.transcription.steps, steps * last.transcription.steps.per_step
        if not 0 <= by < len(work.times):
            raise InputError(
                f"{steps} steps have passed", why=f"the horizon has {(len(work.times) - 1) // work.per_step}"
            )
        if not work.start_given:
            raise InputError("the task leaves its start free", fix="give it a start and a start velocity")
        q0 = last.q[by] if q is None else whole_position(self.task.robot, q)[0]
        qd0 = last.qd[by] if qd is None else chosen_velocities(self.mechanics, qd)[1]
        if is_scheduled(self.task):
            return self._advanced(last, by, replace(self.task, start=q0, start_velocity=qd0), options)
        problem = self.transcription.problem.replaced("start: position", at=q0).replaced("start: velocity", at=qd0)
        task = replace(self.task, start=q0, start_velocity=qd0)
        check_start(work, problem.factors, {"q": q0, "qd": qd0})
        check_ends(task, self.mechanics)
        self.transcription = replace(self.transcription, task=task, problem=problem)
        moved = shifted(last.result, {v.name: work.passed(v.name, by) for v in problem.families})
        self.plan = replace(last, result=replace(moved, problem=problem))
        return self.solve(warm=True, **options)

    def _advanced(self, last: Plan, by: int, task: Task, options: dict[str, Any]) -> Plan:
        old = last.transcription
        task = advanced(task, by // old.steps.per_step, float(old.steps.times[by]))
        new = transcribe(task, self.mechanics)
        guess = values_ahead(old, last.values, task, new.steps, by)
        self.transcription = replace(_kept(new, old), task=replace(task, guess=guess))
        return self.solve(**options)

    def change(self, **fields: Any) -> None:
        """Replace fields of the task; code is made anew only where its structure differs.

        Raises:
            InputError: a new value does not fit.
        """
        self.transcription = _kept(transcribe(replace(self.task, **fields), self.mechanics), self.transcription)


def _kept(new: Transcription, old: Transcription) -> Transcription:
    """Return a transcription that uses the code of another one, where their factors differ only in parameters."""
    return replace(new, problem=new.problem.like(old.problem))
