"""Searches: reproducible, interruptible, and no better than the best of all orders."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination import (
    Elimination,
    Plan,
    SearchResult,
    as_groups,
    eliminate_rows,
    equations,
    evaluate_on_executor,
    orderings,
    search,
)
from screwgraph.elimination.exhaustive import exhaustive
from screwgraph.elimination.plan_moves import MOVES, cross_plans, perturb_plan
from screwgraph.graph import FactorGraph
from screwgraph.tape import factor_out, program

GIVEN = {"inverse": ("q", "qd", "qdd"), "forward": ("q", "qd", "tau")}
RESULT = {"inverse": "tau", "forward": "qdd"}


def graph_of(name: str, problem: str) -> FactorGraph:
    return sg.dynamics_graph(sg.load(name)).given(*GIVEN[problem])


def operations(graph: FactorGraph, plan: Plan, wanted: str) -> float:
    system = equations(graph)
    elimination = eliminate_rows(system.rows, plan)
    if elimination.undetermined or elimination.unsafe_pivots:
        return math.inf
    outputs = [value for (key, _), value in elimination.solve().items() if key.kind == wanted]
    return factor_out(program(system.tape, outputs)).operations.total


def plan_of(name: str, robot: str, graph: FactorGraph) -> Plan:
    return tuple(as_groups(orderings.find_ordering(name), graph))


def searched(graph: FactorGraph, robot: str, wanted: str, **limits: object) -> SearchResult:
    def costs(plans: Sequence[Plan]) -> Iterator[float]:
        return (operations(graph, plan, wanted) for plan in plans)

    start = plan_of("aba", robot, graph)
    owner = {v.key: v.index for v in graph.unknowns}
    return search([(start, operations(graph, start, wanted))], [], costs, owner, **limits)


@pytest.mark.parametrize("problem", GIVEN)
def test_no_order_of_the_two_link_arm_beats_the_optimum(problem):
    """All orders of its six variables are searched: named ones cannot be better, and the local search gets there."""
    graph = graph_of("rr", problem)
    optimum = exhaustive(graph, (RESULT[problem],))
    assert optimum is not None
    assert sorted(optimum.order) == sorted(v.key for v in graph.unknowns)
    assert optimum.eliminations > 100
    plan = tuple(as_groups(list(optimum.order), graph))
    assert operations(graph, plan, RESULT[problem]) == optimum.operations
    for name in orderings.ORDERINGS:
        if name not in (
            "greedy",
            "articulated",
            "mixed_articulated",
            "quasi_definite",
        ):  # these order scalars, not variables
            assert operations(graph, plan_of(name, "rr", graph), RESULT[problem]) >= optimum.operations
    assert searched(graph, "rr", RESULT[problem], rounds=6).cost <= optimum.operations


@pytest.mark.suite
def test_the_optimum_of_the_three_link_arm():
    """All 362 880 orders of its nine variables; exchanges of independent neighbours leave some 19 000 eliminations."""
    graph = graph_of("rrr", "inverse")
    optimum = exhaustive(graph, ("tau",))
    assert optimum is not None
    assert optimum.eliminations < 20_000
    assert optimum.operations <= min(
        operations(graph, plan_of(name, "rrr", graph), "tau") for name in ("rnea", "lynch_park", "min_degree", "colamd")
    )


def test_no_named_order_beats_the_known_optimum_of_the_three_link_arm():
    """`examples/all_orders.py` follows all 70 509 eliminations of the forward problem (6 minutes of one core)."""
    graph = graph_of("rrr", "forward")
    a, w, q = ([v.key for v in graph.unknowns if v.key.kind == kind] for kind in ("acceleration", "wrench", "qdd"))
    optimum = [a[0], w[0], a[2], w[2], a[1], w[1], q[2], q[0], q[1]]
    assert operations(graph, tuple(as_groups(optimum, graph)), "qdd") == 141
    for name in orderings.ORDERINGS:
        if name not in ("greedy", "articulated"):  # these order scalars, not variables
            assert operations(graph, plan_of(name, "rrr", graph), "qdd") >= 141


@pytest.mark.suite
def test_every_order_of_a_small_graph_is_followed_once():
    """Of two links on one base, what is independent commutes: the count of distinct eliminations is that of traces."""
    graph = graph_of("rr", "forward")
    found = exhaustive(graph, ("qdd",))
    shares = [exhaustive(graph, ("qdd",), variable.key) for variable in graph.unknowns]
    assert found is not None
    assert found.eliminations <= math.factorial(len(graph.unknowns))
    assert sum(share.eliminations for share in shares if share) == found.eliminations
    assert min(share.operations for share in shares if share) == found.operations


def test_the_same_seed_gives_the_same_result():
    graph = graph_of("rr", "forward")
    found = [searched(graph, "rr", "qdd", rounds=3, seed=seed) for seed in (5, 5, 6)]
    assert found[0].plan == found[1].plan
    assert found[0].evaluated == found[2].evaluated == 48
    assert found[0].plan != found[2].plan


def test_workers_change_nothing_but_the_time():
    graph = graph_of("rr", "forward")

    def costs(plans: Sequence[Plan]) -> list[float]:
        return [operations(graph, plan, "qdd") for plan in plans]

    start = plan_of("aba", "rr", graph)
    owner = {v.key: v.index for v in graph.unknowns}
    alone = searched(graph, "rr", "qdd", rounds=2, seed=1)
    with ThreadPoolExecutor(3) as pool:
        known = [(start, operations(graph, start, "qdd"))]
        together = search(known, [], evaluate_on_executor(costs, pool, 3), owner, rounds=2, seed=1)
    assert together.plan == alone.plan


def test_a_search_that_is_stopped_gives_the_best_so_far():
    graph, seen = graph_of("rr", "forward"), []

    def stop(found: SearchResult) -> bool:
        seen.append(found.cost)
        return len(seen) == 5

    found = searched(graph, "rr", "qdd", progress=stop)
    assert found.evaluated == 5
    assert seen == sorted(seen, reverse=True)
    assert found.cost == seen[-1]


def test_no_time_gives_what_is_known():
    graph = graph_of("rr", "forward")
    found = searched(graph, "rr", "qdd", seconds=0.0)
    assert found.evaluated <= 1


def columns(plan: Iterable) -> list:
    return sorted(column for group in plan for column in group.columns)


def test_moves_lose_no_scalar():
    graph, random = graph_of("rrr", "forward"), Random(3)
    owner = {v.key: v.index for v in graph.unknowns}
    start = plan = plan_of("aba", "rrr", graph)
    other = plan_of("crba", "rrr", graph)
    for _ in range(300):
        plan = perturb_plan(plan, ("torque", "wrench", "acceleration"), random)
        assert columns(plan) == columns(start)
        assert columns(cross_plans(plan, other, owner, random)) == columns(start)
    assert len(set(MOVES)) >= 5


def test_changed_plans_solve_the_same_equations():
    """Whatever the plan, the equations hold at its solution."""
    random = Random(8)
    graph = graph_of("rrr", "forward")
    values = {v.key: v.manifold.random(np.random.default_rng(1)) for v in graph.inputs}
    system = equations(graph, values)
    plan = tuple(as_groups(orderings.aba(), graph))
    solved = 0
    for _ in range(40):
        plan = perturb_plan(plan, ("torque", "wrench", "acceleration"), random)
        elimination: Elimination = eliminate_rows(system.rows, plan)
        if elimination.undetermined or elimination.unsafe_pivots:
            continue
        solved += 1
        solution = elimination.solve()
        for row in system.rows:
            terms = [c * solution[column] for column, c in row.terms.items()]
            scale = abs(row.constant) + sum(map(abs, terms))
            assert abs(row.constant + sum(terms)) <= 1e-9 * max(scale, 1.0)
    assert solved > 10
