"""Work, span and levels of tasks: closed forms, brute force, and robots of equal limbs."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination import cost
from screwgraph.elimination.parallelism import parallelism, program_parallelism
from screwgraph.tape import Tape, program


def test_a_chain_leaves_nothing_to_a_second_processor():
    found = parallelism([1.0] * 7, [[], *([i] for i in range(6))])
    assert (found.depth, found.width, found.work, found.span) == (7, 1, 7.0, 7.0)
    assert found.speed_up() == found.speed_up(2) == 1.0


def test_independent_tasks_are_shared_among_all_processors():
    found = parallelism([2.0] * 7, [[]] * 7)
    assert found.levels == (7,)
    assert found.speed_up() == 7.0
    assert found.speed_up(3) == 3.0


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_balanced_tree_is_as_deep_as_its_logarithm(k):
    """Of 2^k - 1 tasks, each waits for two of the level before: k levels, the first of 2^(k-1)."""
    waits = [[]] * 2 ** (k - 1) + [[2 * i, 2 * i + 1] for i in range(2 ** (k - 1) - 1)]
    found = parallelism([1.0] * len(waits), waits)
    assert found.levels == tuple(2 ** (k - 1 - i) for i in range(k))
    assert found.speed_up() == pytest.approx((2**k - 1) / k)


def test_the_span_is_that_of_the_most_costly_of_all_chains():
    rng = np.random.default_rng(0)
    costs = rng.uniform(0.0, 1.0, 12)
    waits = [[j for j in range(i) if rng.random() < 0.3] for i in range(12)]

    def chains(end: int) -> list[list[int]]:
        return [[*before, end] for i in waits[end] for before in chains(i)] or [[end]]

    every = [chain for end in range(12) for chain in chains(end)]
    found = parallelism(list(costs), waits)
    assert found.span == pytest.approx(max(sum(costs[chain]) for chain in every))
    assert found.depth == max(map(len, every))
    assert sum(found.levels) == 12


def test_nothing_to_do_is_done_at_once():
    assert parallelism([], []).speed_up(2) == 1.0


def test_operations_of_code_wait_for_their_operands():
    tape = Tape()
    a, b, c, d = (tape.input(name) for name in "abcd")
    found = program_parallelism(program(tape, [a * b + c * d]))
    assert found.levels == (2, 1)
    assert (found.work, found.span) == (3.0, 2.0)


def test_code_costs_what_the_cost_model_says():
    f = sg.forward_dynamics(sg.load("puma560"), ordering="aba")
    assert f.parallelism.work == pytest.approx(cost(f.program))
    assert sum(f.parallelism.levels) == f.operations.total


@pytest.mark.parametrize("order", ["aba", "composite", "min_degree"])
def test_four_equal_legs_occupy_four_processors(order):
    """On a fixed trunk the clique tree falls into one tree a leg."""
    legs = sg.eliminate(sg.dynamics_graph(sg.load("a1")).given("q", "qd", "tau"), order).cliques
    assert legs.parallelism.speed_up(4) == pytest.approx(4.0)
    assert all(count % 4 == 0 for count in legs.parallelism.levels)


def test_elimination_from_the_tips_shares_the_limbs_of_a_robot_but_crba_does_not():
    """The whole mass matrix is one clique in CRBA's order; ABA hands on a link at a time (Xie & Dellaert, VI-B)."""
    graph = sg.dynamics_graph(sg.load("a1", base="floating")).given("q", "qd", "tau")
    aba, crba = (sg.eliminate(graph, order).cliques.parallelism for order in ("aba", "crba"))
    assert crba.width == 1
    assert aba.width >= 4
    assert crba.speed_up() == 1.0 < aba.speed_up()
