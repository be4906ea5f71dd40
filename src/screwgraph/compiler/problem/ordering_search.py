"""Orders that are searched for: the named ones, greedy ones, and what a local search makes of them."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import EliminationError, InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.cache import CachedCode
from screwgraph.compiler.problem.loop_treatment import search_loop_treatments
from screwgraph.compiler.problem.plan_costs import PlanTrials, evaluate_plans
from screwgraph.compiler.problem.problem import Problem
from screwgraph.compiler.problem.validation import validate_pivots
from screwgraph.elimination import (
    ROUND,
    Plan,
    SearchResult,
    cost,
    evaluate_on_executor,
    orderings,
    search,
    splice_plans,
)
from screwgraph.elimination.orderings import LeastWork
from screwgraph.graph import Role
from screwgraph.tape import Program

SECONDS = "SCREWGRAPH_SEARCH_SECONDS"
"""The environment variable that says how long "auto" searches."""
DEFAULT_SECONDS = 2.0
GREEDY = 8
"""Greedy plans among the starts; their work grows with the square of the unknowns, so that large graphs have none."""
GREEDY_LIMIT = 500
JITTER = 0.3
STATES = 64
"""Random states at which a plan's answers are compared with a named order's."""
AGREEMENT = 1e-9
"""Relative difference that counts as agreement there: a plan that loses more digits is not taken."""

SEARCHED = "search"
"""What an order that has no name is called."""


@dataclass(frozen=True)
class Search:
    """An order to be searched for: until `seconds` or `rounds` are over, whichever ends first.

    The random choices come from `seed`: the same number of rounds gives the same order. `executor`, any of
    `concurrent.futures`' kind, evaluates plans on so many `workers`. `progress` is called after every
    plan with the best one, and ends the search by returning True.
    """

    seconds: float = 60.0
    rounds: int | None = None
    seed: int = 0
    executor: Executor | None = None
    workers: int = 1
    progress: Callable[[SearchResult], bool | None] = lambda found: None

    def __post_init__(self) -> None:
        """Check the fields. Raises InputError."""
        check_fields(self)


def default_seconds() -> float:
    """Return how long "auto" searches. Raises InputError where the environment says nonsense."""
    text = os.environ.get(SECONDS, "")
    try:
        seconds = float(text) if text else DEFAULT_SECONDS
    except ValueError:
        seconds = math.nan
    if not 0.0 <= seconds < math.inf:
        raise InputError(f"{SECONDS} is {text!r}", why="it is a time in seconds", fix="set it to 2, or 0 for no search")
    return seconds


def search_ordering(
    problem: Problem, effort: Search, inputs: Sequence[str], clock: Callable[[], float] = time.monotonic
) -> CachedCode | None:
    """Return the cheapest code that is found for a problem; None if every named order has to divide by what may vanish.

    Of models in natural coordinates it is that of a named order, the cheapest that is sound where they are assembled.

    Args:
        problem: the question.
        effort: how much to search beyond the named orders; inverse problems, which leave no choice, end with these.
        inputs: names of the code's inputs, in order.
        clock: tells the time that `effort` counts (s).
    """
    trials = PlanTrials(problem)
    begun = clock()
    names = orderings.candidates(trials.graph)
    named = _try_named_orders(trials, names, inputs)
    named = named or _try_named_orders(trials, orderings.list_fallbacks(names), inputs)
    each = (clock() - begun) / max(1, len(named))
    if orderings.is_assembled(trials.graph):
        return _first_sound(problem, [made for _, made in named])
    if not named:
        return None
    _, base = min(named, key=lambda pair: cost(pair[1].program))
    if effort.seconds <= 0.0 or not any(key.role is Role.COORDINATE_ACCELERATION for key in trials.owner):
        return base
    named += search_loop_treatments(trials, named, inputs, effort.seconds / 2, clock)
    _, base = min(named, key=lambda pair: cost(pair[1].program))
    if effort.rounds is None and effort.seconds < each * ROUND / effort.workers:
        return base
    return _searched_for(trials, named, base, effort, inputs, clock)


def _searched_for(
    trials: PlanTrials,
    named: Sequence[tuple[Plan, CachedCode]],
    base: CachedCode,
    effort: Search,
    inputs: Sequence[str],
    clock: Callable[[], float],
) -> CachedCode:
    """Return the code of the cheapest plan that is found from named ones, or that of the best of these, `base`."""
    costs = trials.costs

    def report_found(found: SearchResult) -> bool | None:
        report_progress(
            f"searching for an ordering: cost {found.cost:.0f}, the best of {found.evaluated}", _share(found, effort)
        )
        return effort.progress(found)

    if effort.executor is not None:
        costs = evaluate_on_executor(partial(evaluate_plans, trials.problem), effort.executor, effort.workers)
    found = search(
        [(plan, cost(made.program)) for plan, made in named],
        _starts(trials, [plan for plan, _ in named]),
        costs,
        trials.owner,
        laws=trials.laws,
        seconds=effort.seconds,
        rounds=effort.rounds,
        seed=effort.seed,
        progress=report_found,
        clock=clock,
    )
    elimination = trials.eliminate(found.plan)
    if elimination is None or found.cost >= cost(base.program):
        return base
    order = tuple(dict.fromkeys(step.column[0] for step in reversed(elimination.steps)))[::-1]
    made = CachedCode(trials.code(elimination, inputs), SEARCHED, order)
    return made if _agree(trials, made.program, base.program) else base


def _try_named_orders(trials: PlanTrials, names: Sequence[str], inputs: Sequence[str]) -> list[tuple[Plan, CachedCode]]:
    """Return plans and code of the named orders that are possible, of equal plans the first."""
    plans: dict[Plan, str] = {}
    for name in names:
        with suppress(EliminationError):
            plans.setdefault(trials.plan(orderings.find_ordering(name)), name)
    found, best = [], math.inf
    for number, (plan, name) in enumerate(plans.items()):
        report_progress(f"trying the ordering {name}", number / len(plans))
        elimination = trials.eliminate(plan, best)
        if elimination is not None:
            found.append((plan, CachedCode(trials.code(elimination, inputs), name)))
            if not orderings.is_assembled(trials.graph):  # there, the cheapest may be unsound
                best = min(best, cost(found[-1][1].program))
    return found


def _share(found: SearchResult, effort: Search) -> float:
    rounds = found.rounds / effort.rounds if effort.rounds else 0.0
    return max(rounds, found.seconds / effort.seconds)


def _first_sound(problem: Problem, named: Sequence[CachedCode]) -> CachedCode | None:
    """Return the cheapest code that is sound."""
    for made in sorted(named, key=lambda made: cost(made.program)):
        with suppress(EliminationError):
            return replace(made, body=validate_pivots(problem, made.program, made.ordering))
    return None


def _starts(trials: PlanTrials, named: Sequence[Plan]) -> list[Plan]:
    """Return greedy plans, and mixtures of two named ones."""
    small = sum(v.dim for v in trials.graph.unknowns) <= GREEDY_LIMIT
    greedy = [trials.plan(LeastWork(JITTER if seed else 0.0, seed)) for seed in range(GREEDY if small else 0)]
    return [*greedy[:2], *splice_plans(named, trials.owner), *greedy[2:]]


def _agree(trials: PlanTrials, program: Program, validated: Program) -> bool:
    """Tell whether two codes of the same inputs give the same answers at random states."""
    rng, values = np.random.default_rng(0), {}
    for variable in trials.graph.inputs:
        states = np.array([variable.random(rng) for _ in range(STATES)])
        values |= {f"{variable.key}[{i}]": states[:, i] for i in range(variable.dim)}
    states = [values.get(name, np.zeros(STATES)) for name in program.input_names]  # some knowns may not be asked for
    found, expected = (np.array(np.broadcast_arrays(*p.evaluate(states))) for p in (program, validated))
    return bool((np.abs(found - expected).max(axis=0) <= AGREEMENT * np.abs(expected).max(axis=0)).all())
