"""Search over elimination orders: starts, then a local search among the best, reproducible and interruptible.

Every round makes a fixed number of plans from a seed and the plans that were best before it, whoever evaluates them:
the same seed and number of rounds give the same result with any number of workers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from random import Random

from screwgraph.base.summary import one_line
from screwgraph.elimination.plan_moves import Laws, Plan, cross_plans, perturb_plan
from screwgraph.graph import Key

ROUND = 16
"""Plans a round."""
ELITE = 4
"""Plans that the next round starts from."""
CROSSED, MOVED_AGAIN, FROM_BEST = 0.25, 0.3, 0.7
"""Chances that a new plan mixes two; that it is changed once more; that it comes from the best one."""

Costs = Callable[[Sequence[Plan]], Iterable[float]]
"""What plans cost, in order, each as soon as it is known; infinite where elimination fails."""


@dataclass(frozen=True)
class SearchResult:
    """The best plan so far, its cost, the number of plans that were evaluated and of rounds finished, the time (s)."""

    __repr__ = one_line

    plan: Plan
    cost: float
    evaluated: int
    rounds: int
    seconds: float


def search(
    known: Sequence[tuple[Plan, float]],
    starts: Sequence[Plan],
    costs: Costs,
    owner: Mapping[Key, int],
    *,
    laws: Laws = (),
    seconds: float = math.inf,
    rounds: int | None = None,
    seed: int = 0,
    progress: Callable[[SearchResult], bool | None] = lambda found: None,
    clock: Callable[[], float] = time.monotonic,
) -> SearchResult:
    """Return the cheapest plan that is found in a time or number of rounds, whichever ends first.

    Args:
        known: plans to begin with, and what they cost; at least one.
        starts: more of them, evaluated in this order.
        costs: evaluates plans.
        owner: number of the link that each variable belongs to: mixing takes neighbouring links together.
        laws: names of the laws that a group may prefer.
        seconds: when to stop, after the evaluation that is under way.
        rounds: how many rounds of the local search to make; None is no limit.
        seed: of the random choices.
        progress: called after every evaluation; ends the search by returning True.
        clock: tells the time (s): of the clock, or of the processor.
    """
    begun, random = clock(), Random(seed)
    pool = [(cost, i - len(known), plan) for i, (plan, cost) in enumerate(known)]
    seeds = [*(plan for plan, _ in known), *starts]
    evaluated = finished = 0
    plans = list(starts)
    found = SearchResult(*_best(pool), 0, 0, 0.0)
    while True:
        for plan, cost in zip(plans, costs(plans), strict=False):
            pool.append((cost, evaluated, plan))
            evaluated += 1
            found = SearchResult(*_best(pool), evaluated, finished, clock() - begun)
            if progress(found) or found.seconds >= seconds:
                return found
        pool = _elite(pool)
        if rounds is not None and finished >= rounds:
            return found
        finished += 1
        plans = [_new_plan([plan for _, _, plan in pool], seeds, owner, laws, random) for _ in range(ROUND)]


def evaluate_on_executor(costs: Callable[[Sequence[Plan]], list[float]], executor: Executor, workers: int) -> Costs:
    """Return costs that an executor's workers find, each a share of the plans at a time."""

    def iterate_costs(plans: Sequence[Plan]) -> Iterator[float]:
        shares = [plans[i::workers] for i in range(min(workers, len(plans)))]
        answers = [executor.submit(costs, share) for share in shares]
        for i in range(len(plans)):
            yield answers[i % len(shares)].result()[i // len(shares)]

    return iterate_costs


def _best(pool: Sequence[tuple[float, int, Plan]]) -> tuple[Plan, float]:
    cost, _, plan = min(pool, key=lambda item: item[:2])
    return plan, cost


def _elite(pool: list[tuple[float, int, Plan]]) -> list[tuple[float, int, Plan]]:
    """Keep the best plans of different costs."""
    kept: dict[float, tuple[float, int, Plan]] = {}
    for item in sorted(pool, key=lambda item: item[:2]):
        kept.setdefault(item[0], item)
    return list(kept.values())[:ELITE]


def _new_plan(
    elite: Sequence[Plan], seeds: Sequence[Plan], owner: Mapping[Key, int], laws: Laws, random: Random
) -> Plan:
    plan = elite[0] if random.random() < FROM_BEST else random.choice(elite)
    if random.random() < CROSSED:
        return cross_plans(plan, random.choice([*elite, *seeds]), owner, random)
    plan = perturb_plan(plan, laws, random)
    while random.random() < MOVED_AGAIN:
        plan = perturb_plan(plan, laws, random)
    return plan
