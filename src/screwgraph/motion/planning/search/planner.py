"""Planning, once or again and again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from threading import RLock
from time import perf_counter
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.take_turns import take_turns
from screwgraph.motion.planning.guesses.initial_guess import count_guesses, cyclic_motions, make_initial_values
from screwgraph.motion.planning.guesses.low_effort_motion import MARGIN
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.obstacles.swept_spheres import make_swept_clearance
from screwgraph.motion.planning.plan import FEASIBLE, Plan
from screwgraph.motion.planning.search.continuation import continue_plan, drift_plan, select_unknown
from screwgraph.motion.planning.search.infeasibility import explain_too_fast_goals
from screwgraph.motion.planning.search.plan_search import DEFAULTS, LOST, SOFTENED, PlanSearch, Start
from screwgraph.motion.planning.search.preliminary_checks import PreliminaryChecks
from screwgraph.motion.planning.search.receding_horizon import (
    advance_task,
    advance_values,
    check_passed,
    check_undriven,
    is_bound_anew,
)
from screwgraph.motion.planning.search.refinement import check_refinable, drifts_alike, refine_task, resample_values
from screwgraph.motion.planning.search.relaxation import (
    RECOVERY,
    given_way,
    measured_state,
    relax_problem,
    soften_problem,
)
from screwgraph.motion.planning.search.violation_report import describe_violation, replace_reason
from screwgraph.motion.planning.task import Task, replace_fields
from screwgraph.motion.planning.transcription.problem import Transcription, transcribe
from screwgraph.optimize import Method, Problem, Progress, Result, Status, Tolerances
from screwgraph.optimize.result import Iterate

BETWEEN = 6
"""Times that a plan which touches something between points is made again."""
ROUNDS = 10
"""Times that a mesh is refined."""
ROUGH = 0.05
"""Error of a step, relative to the whole way, from which on the task's guess is a better start on a finer mesh: such an
optimum is one of the mesh, not of the motion."""
SYMMETRIC = "hermite_simpson"
"""A rule that is the same backwards in time: errors of its steps change momenta back and forth, not one way."""
ONE_WAY = ("trapezoidal", "linear_acceleration", "radau")
"""Rules in the place of which it is taken for cyclic motions."""
PATIENT = 1000
"""Iterations that searches for cyclic motions may take by default."""
UNASKED_SECONDS = 60.0
"""How long refinement by default may take (s)."""
STEP_ITERATIONS = 100
"""Iterations of a step by default: a robot is waiting."""
STRICT = 0.6
"""Part of them in which all must hold; then goals and limits of the state may give way."""
FORBIDDEN = "finer steps do not remove the drift: conserved momenta may forbid these goals"


class Planner:
    """Plans a task, and keeps the compiled code for the same with another start or other goals.

    `plan` is the last plan, None before the first. Threads that share a planner take turns; those with copies of it,
    which have the same code, need not. Where a planner was pickled, its code is made when it is first needed.
    """

    @check_arguments
    def __init__(self, task: Task) -> None:
        self.mechanics = Mechanics(task.robot)
        self.transcription = transcribe(task, self.mechanics)
        self.plan: Plan | None = None
        self._checks = PreliminaryChecks(self.transcription, self.mechanics)
        self._lock = RLock()

    @take_turns
    def __getstate__(self) -> dict[str, Any]:
        """Return what is known between two searches, without the lock: a copy has its own."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what a planner knows."""
        vars(self).update(state, _lock=RLock())

    @property
    def task(self) -> Task:
        """Current task."""
        return self.transcription.task

    @property
    def _preliminary_checks(self) -> PreliminaryChecks:
        """Checks of the task before a search."""
        if self._checks.transcription is not self.transcription:
            self._checks = PreliminaryChecks(self.transcription, self.mechanics)
        return self._checks

    @property
    def _is_condensed(self) -> bool:
        """Whether expressions are so large that their second derivatives would take long to compile."""
        return bool(self.transcription.followers) and self.transcription.problem.has_hard

    @take_turns
    @check_arguments
    def solve(
        self,
        *,
        warm: bool = False,
        method: str | Method = "auto",
        iterations: int = 200,
        seconds: float = np.inf,
        refine: bool | None = None,
        tolerances: Tolerances | None = None,
        callback: Callable[[Progress], Any] | None = None,
    ) -> Plan:
        """Plan, from the task's guess, or from the last plan (`warm`); other arguments as for `optimize.solve`.

        A plan at which a search was lost is no warm start. Where the guess leads nowhere, and frames have goals, other
        guesses are tried: by other positions that reach them. `refine` cuts steps, and chooses rules of higher order,
        until all steps are as accurate as the task asks; the planner's task then has that mesh. None does so where
        goals are reached by cyclic motions alone: how far these lead depends on momenta that rough meshes do not keep,
        and Hermite-Simpson's rule, symmetric in time, keeps them best. And for up to 60 s where not all of up to 8
        degrees of freedom are driven, or a linkage has one, and nothing touches the robot. False keeps mesh and rule.
        `seconds` count all of this, the making of code included.

        Raises:
            InputError: a task without dynamics is to be refined.
        """
        began = perf_counter()
        scale = self._preliminary_checks.scale
        search = PlanSearch(method, iterations, seconds, tolerances, callback, self._is_condensed, began, scale)
        if refine:
            check_refinable(self.task)
        is_cyclic = refine is None and self.transcription.is_cyclic
        if is_cyclic and self.task.collocation in ONE_WAY:
            self.change(collocation=SYMMETRIC)
        if is_cyclic and iterations == DEFAULTS["iterations"]:
            search = replace(search, iterations=PATIENT)
        self.plan = self._finish_plan(self._search_guesses(search, warm), search)
        if refine is None and not is_cyclic and self._preliminary_checks.is_refined_unasked:
            search = replace(search, seconds=min(seconds, perf_counter() - began + UNASKED_SECONDS))
            return self._until_accurate(search)
        return self._until_accurate(search) if is_cyclic or refine else self.plan

    def _until_accurate(self, search: PlanSearch) -> Plan:
        """Refine the plan as long as that leads to another one."""
        assert self.plan is not None
        guess = self.task.guess
        for _ in range(ROUNDS):
            if self.plan.solved or not self.plan.converged or search.is_over:
                break
            if self.plan.step_errors is None:  # nothing tells where to refine; the plan's reason states why
                break
            before = self.plan
            if not self._refine_mesh(search, guess):
                break
            if drifts_alike(before, self.plan):
                reason = f"{self.plan.result.reason}; {FORBIDDEN}"
                self.plan = replace(self.plan, result=replace(self.plan.result, reason=reason))
                break
        return self.plan

    def _refine_mesh(self, search: PlanSearch, guess: Any) -> bool:
        """Plan on a finer mesh, from the last plan or from a guess; return whether that led to a plan.

        Else the last one is kept.
        """
        last, before = self.plan, self.transcription
        assert last is not None
        task, error = refine_task(last), last.error
        self.change(phases=task.phases, collocation=task.collocation, guess=guess)
        starts, spent = [resample_values(self.transcription, last), guess], [last]
        if error is not None and error > ROUGH:
            starts.reverse()
        for start in starts:
            self.change(guess=start)
            found = self._finish_plan(self._search_plan(search, self._guesses()), search)
            spent.append(found)
            if found.converged or search.is_over:
                break
        total = {"seconds": sum(p.seconds for p in spent), "iterations": sum(p.iterations for p in spent)}
        if not found.converged:
            self.transcription = before
            why = f"a finer mesh has led to no plan: {found.status}"
            self.plan = replace(last, result=replace(last.result, **total, reason=f"{last.result.reason}; {why}"))
            return False
        self.plan = replace(found, result=replace(found.result, **total))
        return True

    def _finish_plan(self, plan: Plan, search: PlanSearch) -> Plan:
        """Keep a plan clear of obstacles between points; where limits cannot be kept there, keep them at points."""
        plan, whole = self._kept_clear(plan, search), self.transcription
        if plan.result.status not in LOST or plan.feasible or not whole.between or plan.iterations == 0:
            return plan
        self.transcription = whole.at_points()
        other = self._kept_clear(self._search_plan(search, self._guesses()), search)
        self.transcription = whole
        spent = {"seconds": plan.seconds + other.seconds, "iterations": plan.iterations + other.iterations}
        best = other if other.converged else plan
        why = f"; with limits kept between points: {plan.result.reason}" if other.converged else ""
        return replace(best, result=replace(best.result, **spent, reason=f"{best.result.reason}{why}"))

    def _search_guesses(self, search: PlanSearch, warm: bool) -> Plan:
        """Search from all guesses, or from the last plan first."""
        checks = self._preliminary_checks
        if checks.proofs:
            return self._make_refused_plan("; ".join(checks.proofs), Status.INFEASIBLE)
        if warm and self.plan is not None and (self.plan.feasible or self.plan.result.status not in LOST):
            return self._search_plan(search, itertools.chain([self.plan.result], self._guesses()))
        if checks.unreached_goals:
            return self._make_refused_plan("; ".join(checks.unreached_goals), Status.STALLED)
        weak, nearest = checks.weight, checks.nearest
        if nearest is not None and nearest.excess > MARGIN:
            return self._make_refused_plan("; ".join([nearest.reason, *weak]), Status.STALLED)
        if nearest is None and self.transcription.is_cyclic and isinstance(self.task.guess, str):
            return self._search_cycles(search, is_weak=bool(weak))
        starts = self._guesses() if nearest is None else self._guesses_beside(nearest.values)
        return self._search_plan(search, starts, is_weak=bool(weak))

    def _search_cycles(self, search: PlanSearch, is_weak: bool) -> Plan:
        """Search from cycles of joints, and from the task's own guesses where these lead to no plan that is solved.

        Cycles have half of the time that is left.
        """
        cycles = list(self._cyclic_guesses())
        if not cycles:
            return self._search_plan(search, self._own_guesses(), is_weak)
        half = 0.5 * (search.seconds + perf_counter() - search.began)
        cyclic = self._search_plan(replace(search, seconds=half), cycles, is_weak)
        if cyclic.solved or search.is_over:
            return cyclic
        own = self._search_plan(search, self._own_guesses(), is_weak)
        best = min(cyclic, own, key=lambda plan: (not plan.solved, not plan.converged, plan.cost))
        spent = {"seconds": own.seconds + cyclic.seconds, "iterations": own.iterations + cyclic.iterations}
        return replace(best, result=replace(best.result, **spent))

    def _search_plan(self, search: PlanSearch, starts: Iterable[Start], is_weak: bool = False) -> Plan:
        """Search; state what may keep a plan from being found where that leads nowhere."""
        result = search(self.transcription.problem, starts, lambda: is_weak)
        if not result.violation <= FEASIBLE:
            worst = describe_violation(self.transcription.steps, result) if np.isfinite(result.violation) else ""
            found = self._explain_loss(is_lost=result.status in LOST)
            result = replace(result, reason="; ".join([replace_reason(result.reason, worst), *found]))
        return Plan(self.transcription, result)

    def _make_refused_plan(self, reason: str, status: Status) -> Plan:
        """Return the plan of a task for which none is searched: the robot stays at its start, or does as guessed."""
        problem = self.transcription.problem
        task = replace(self.task, guess="stay") if isinstance(self.task.guess, str) else self.task
        x = problem.start(self._unknown(make_initial_values(task, self.transcription.steps)))
        found = Result(problem, Iterate(x, np.nan, np.inf), 0, 0.0, status, reason, "none")
        return Plan(self.transcription, found)

    def _guesses(self) -> Iterable[dict[str, Any]]:
        """Return all guesses, one after the other: cycles first, unless the task gives values itself."""
        own, cyclic = self._own_guesses(), self._cyclic_guesses()
        return itertools.chain(cyclic, own) if isinstance(self.task.guess, str) else itertools.chain(own, cyclic)

    def _own_guesses(self) -> Iterator[dict[str, Any]]:
        yield self._preliminary_checks.first_guess
        for choice in range(1, count_guesses(self.task)):
            yield self._unknown(make_initial_values(self.task, self.transcription.steps, choice))

    def _cyclic_guesses(self) -> Iterator[dict[str, Any]]:
        if self.transcription.is_cyclic:
            yield from map(self._unknown, cyclic_motions(self.task, self.transcription.steps))

    def _guesses_beside(self, values: Mapping[str, np.ndarray]) -> Iterable[dict[str, Any]]:
        """Return the task's guesses and values of a motion, which come first unless the task gives values itself."""
        own, other = self._guesses(), [self._unknown(values)]
        return itertools.chain(other, own) if isinstance(self.task.guess, str) else itertools.chain(own, other)

    def _unknown(self, values: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Return the values of families that do not follow from others."""
        return select_unknown(self.transcription, values)

    def _kept_clear(self, plan: Plan, search: PlanSearch) -> Plan:
        """Plan again where spheres touch between points, with factors that forbid it there."""
        for _ in range(BETWEEN):
            is_spent = search.is_quick and plan.iterations >= search.iterations
            if search.is_over or is_spent or not (plan.feasible and plan.touches):
                break
            old = plan.transcription
            factors = [*old.problem.factors, *make_swept_clearance(old.steps, plan.touches)]
            new = replace(old, problem=Problem(factors, old.problem.families))
            result = search(new.problem, itertools.chain([plan.result.values], self._guesses()))
            spent = {"seconds": plan.seconds + result.seconds, "iterations": plan.iterations + result.iterations}
            self.transcription, plan = new, Plan(new, replace(result, **spent))
        return plan

    def _explain_loss(self, is_lost: bool) -> list[str]:
        """Say which weight is not held; and, after searches that are lost, which goals are not reached in time."""
        try:
            steps = self.transcription.steps
            late = explain_too_fast_goals(self.task, steps) if is_lost else ()
            return [*self._preliminary_checks.weight, *late]
        except KeyboardInterrupt:  # the search is over: what it found is not given up for its explanation
            return []

    @take_turns
    @check_arguments
    def step(
        self, steps: int = 1, q: Any = None, qd: Any = None, *, recovery: float = RECOVERY, **options: Any
    ) -> Plan:
        """Plan again from so many steps later: the horizon moves along, goals keep their place in it.

        Where contacts follow a schedule, that comes nearer, with goals and paths: see `receding_horizon.py`. Then
        factors are bound again, which takes longer, and code is made where other feet stand together than ever before.

        A plan is returned whatever the state, with torques within the limits of effort, and `relax_problem` says what
        was given up for that. What the measured state violates may decay. If there is still no plan, limits of the
        state and obstacles become costs, then goals; and if none is found then either, it is the rest of the last plan.

        Args:
            steps: of the last plan that have passed.
            q: the position where the robot is then (nq,), or {joint: value}; what is not given is as planned.
            qd: its velocity (nv,), likewise.
            recovery: time constant (s) in which violations decay: r of a position, growing by r', as
                (r + (r' + r / recovery) t) exp(-t / recovery), others as r exp(-t / recovery).
            options: as for `solve`; `iterations` are those of all searches, 100 by default; where they end without a
                plan, the rest of the last one is returned.

        Raises:
            InputError: there are not so many steps, q or qd have another shape, or coordinates are driven.
        """
        check_undriven(self.task)
        last = self.plan or self.solve(**options)
        work, by = last.transcription.steps, steps * last.transcription.steps.per_step
        check_passed(work, steps, recovery)
        state, doubts = measured_state(self.mechanics, (last.q[by], last.qd[by]), q, qd)
        is_new, before = is_bound_anew(self.task), self.transcription
        task = replace(self.task, start=state["q"], start_velocity=state["qd"])
        if is_new:
            new = self._advance_task(last, by, task)
        else:
            problem = before.problem
            for f, at in (("start: position", state["q"]), ("start: velocity", state["qd"])):
                problem = problem.replaced(f, at=at)
            new = replace(before, task=task, problem=problem)
        problem, violated = relax_problem(new.task, new.steps, new.problem, state, recovery)
        self.transcription = _reuse_code(replace(new, problem=problem), before)
        options, scale = {"iterations": STEP_ITERATIONS, **options}, self._preliminary_checks.scale
        search = PlanSearch.from_options(options, self._is_condensed, scale, is_quick=True)
        found, given_up = self._check_continuation(
            last, by, continue_plan(last, self.transcription, by, is_new), search
        )
        self.plan = replace(found, relaxed=(*doubts, *violated, *given_up))
        return self._until_accurate(search) if options.get("refine") else self.plan

    def _check_continuation(self, last: Plan, by: int, ahead: Plan, search: PlanSearch) -> tuple[Plan, tuple[str, ...]]:
        """Return a plan that begins as what is left of the last one from `by` points later, and what does not hold.

        Where there is none in which all holds, limits of the state, obstacles and goals cost; where there is none then
        either, it is the other one.
        """
        hard, steps, found = self.transcription.problem, self.transcription.steps, ahead
        if not self._preliminary_checks.proofs:
            first = replace(search, iterations=int(np.ceil(STRICT * search.iterations)))
            found = self._kept_clear(Plan(self.transcription, first(hard, [ahead.result])), first)
            if found.feasible:
                return found, ()
        problem = soften_problem(self.task, hard, search.scale.cost)
        start = drift_plan(last, ahead, problem, by)
        second = replace(search, iterations=max(search.iterations - found.iterations, 0), barrier=SOFTENED)
        result = second(problem, [start, found.result.values] if found.iterations else [start])
        spent = {"seconds": found.seconds + result.seconds, "iterations": found.iterations + result.iterations}
        plan = Plan(replace(self.transcription, problem=problem), replace(result, **spent))
        if plan.feasible:
            return plan, tuple(given_way(self.task, steps, hard, plan.result.values))
        result = replace(ahead.result, **spent, status=result.status, reason=result.reason)
        return replace(ahead, result=result), ("no plan was found: torques are what is left of the last plan's",)

    def _advance_task(self, last: Plan, by: int, task: Task) -> Transcription:
        """Return the task from so many points later, with the values that are left of the last plan as its guess."""
        old = last.transcription
        task = advance_task(task, by // old.steps.per_step, float(old.steps.times[by]))
        new = transcribe(task, self.mechanics, is_measured=True)
        return replace(new, task=replace(task, guess=advance_values(old, last.values, new, by)))

    @take_turns
    def change(self, **fields: Any) -> None:
        """Replace fields of the task; code is made again only where its structure differs.

        Raises:
            InputError: a new value does not fit.
        """
        self.transcription = _reuse_code(
            transcribe(replace_fields(self.task, fields), self.mechanics), self.transcription
        )


def _reuse_code(new: Transcription, old: Transcription) -> Transcription:
    """Return a transcription that uses the code of another one, where their factors differ only in parameters."""
    return replace(new, problem=new.problem.like(old.problem))
