"""Conformance over the registry of orders: complete, reproducible, and the same answer."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.elimination.orderings.base import as_groups

PROBLEMS = {
    "inverse": ("q", "qd", "qdd"),
    "forward": ("q", "qd", "tau"),
    "hybrid": ("q", "qd", "qdd:joint1", "qdd:joint2", "tau:joint3", "tau:joint4", "tau:joint5", "tau:joint6"),
}


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", ORDERINGS)
@pytest.mark.sampled(3)
def test_an_order_names_every_unknown_once(name, problem):
    robot = sg.load("puma560")
    graph = sg.dynamics_graph(robot).given(*PROBLEMS[problem])
    order = ORDERINGS[name]().order(graph)
    scalars = [column for group in as_groups(order, graph) for column in group.columns]
    assert sorted(scalars) == sorted((v.key, i) for v in graph.unknowns for i in range(v.dim))
    assert list(order) == list(ORDERINGS[name]().order(graph))


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", ORDERINGS)
@pytest.mark.sampled(4)
def test_the_equations_hold_at_the_solution(name, problem):
    robot = sg.load("puma560")
    graph = sg.dynamics_graph(robot).given(*PROBLEMS[problem])
    rng = np.random.default_rng(2)
    values = {v.key: v.manifold.random(rng) for v in graph.inputs}
    dag = sg.eliminate(graph, ORDERINGS[name](), constants=values)
    for row in dag.equations.rows:
        total = row.constant + sum(c * dag.solution[column] for column, c in row.terms.items())
        scale = abs(row.constant) + sum(abs(c * dag.solution[column]) for column, c in row.terms.items())
        assert abs(total) <= 1e-11 * max(scale, 1.0)


def test_single_scalars_can_be_ordered():
    robot = sg.load("rr")
    graph = sg.dynamics_graph(robot).given("q", "qd", "qdd")
    order = [(v.key, i) for v in reversed(graph.unknowns) for i in reversed(range(v.dim))]
    by_scalars = sg.eliminate(graph, order)
    assert len(by_scalars.elimination.steps) == len(order)
