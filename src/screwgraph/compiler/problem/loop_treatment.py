"""The choice between embedding, multipliers at ancestors, in clusters and last, loop by loop, by counted cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.cache import CachedCode
from screwgraph.compiler.problem.plan_costs import PlanTrials
from screwgraph.elimination import Plan, cost, orderings
from screwgraph.elimination.orderings import TREATMENTS, Mixed
from screwgraph.graph import Column, FactorGraph, Key, joints_by_multiplier, loop_spans

Planned = tuple[Plan, CachedCode]
Choices = Mapping[Key, str]
"""The treatments of loops and couplings, by their multipliers."""
MIXED = ("mixed", "mixed_articulated")
"""The orders that treat loops one by one."""


def search_loop_treatments(
    trials: PlanTrials,
    named: Sequence[Planned],
    inputs: Sequence[str],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> list[Planned]:
    """Return the cheapest plan that treats loops one by one, if one costs less than the named ones.

    From what the better one of `MIXED` predicts, the treatment of one kind of loop after the other is changed for the
    best: loops that tie equally many joints in the same way are treated alike, so that the work does not grow with
    their number. It ends when no change of one kind helps, or after `seconds`.
    """
    predicted = [made for _, made in named if made.ordering in MIXED]
    if not predicted:
        return []
    end = clock() + seconds
    name = min(predicted, key=lambda made: cost(made.program)).ordering
    known, choices, found = min(cost(made.program) for _, made in named), {}, []
    while True:
        report_progress("trying loop by loop when its multiplier is eliminated")
        for tried in _changes(choices, group_alike_loops(trials.graph)):
            if clock() >= end:
                return found
            planned = _try_choices(trials, name, tried, inputs)
            if planned and cost(planned[1].program) < known:
                known, choices, found = cost(planned[1].program), tried, [planned]
                break
        else:
            return found


def _changes(choices: Choices, sets: Iterable[Sequence[Key]]) -> Iterator[Choices]:
    """Yield choices that differ in the treatment of one kind of loops."""
    for alike in sets:
        for treatment in TREATMENTS:
            tried = {**choices, **dict.fromkeys(alike, treatment)}
            if tried != choices:
                yield tried


def _try_choices(trials: PlanTrials, name: str, choices: Choices, inputs: Sequence[str]) -> Planned | None:
    treatments = tuple(Key(treatment, key.name) for key, treatment in choices.items())
    plan = trials.plan(make_mixed_ordering(name, treatments))
    elimination = trials.eliminate(plan)
    return None if elimination is None else (plan, CachedCode(trials.code(elimination, inputs), name, treatments))


def make_mixed_ordering(name: str, choices: Iterable[Key | Column]) -> Mixed:
    """Return one of the orders `MIXED` with some loops' treatments chosen: pairs (treatment, name of the loop)."""
    order = orderings.find_ordering(name)
    assert isinstance(order, Mixed), "the orders of that name are mixed"
    return replace(order, treatments=tuple(key for key in choices if isinstance(key, Key)))


def group_alike_loops(graph: FactorGraph) -> list[list[Key]]:
    """Return the multipliers of a graph in sets: of as many rows, tying as many joints, by the same kind of law."""
    ties, between = joints_by_multiplier(graph), loop_spans(graph)
    law = {f.multiplier: f.template.name for f in graph.factors if f.multiplier}
    sets: dict[tuple, list[Key]] = {}
    for key, joints in ties.items():
        if key not in graph.known:
            alike = (law.get(key), graph.variables[key].dim, len(joints), len(between[key]))
            sets.setdefault(alike, []).append(key)
    return sorted(sets.values(), key=len, reverse=True)
