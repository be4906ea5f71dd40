"""The Bayes net of an elimination: parents are all that share a factor."""

from __future__ import annotations

import pytest

import screwgraph as sg
from screwgraph.elimination.clique_tree import make_bayes_net
from screwgraph.graph import Key
from screwgraph.ui.draw.dag import bayes_net_scene

FORWARD, HYBRID = ("q", "qd", "tau"), ("q", "qd", "qdd:joint1", "tau:joint2", "tau:joint3")
KINDS = {"t": ("tau", "joint"), "a": ("qdd", "joint"), "V": ("acceleration", "link"), "F": ("wrench", "link")}


def order(text: str) -> list[Key]:
    return [Key(KINDS[word[0]][0], f"{KINDS[word[0]][1]}{word[1]}") for word in text.split()]


@pytest.mark.parametrize(
    ("known", "variables", "edges"),
    [
        (FORWARD, "F3 F2 F1 V3 V2 V1 a3 a2 a1", 22),
        (FORWARD, "F3 V3 a3 F2 V2 a2 F1 V1 a1", 18),
        (HYBRID, "t1 a2 a3 V3 F1 V1 F2 V2 F3", 14),
        (HYBRID, "t1 a2 a3 F1 V1 V3 F3 V2 F2", 14),
    ],
    ids=["crba", "aba", "md", "custom"],
)
def test_edges_are_those_of_the_figures_of_xie_and_dellaert(known, variables, edges):
    dag = sg.eliminate(sg.dynamics_graph(sg.load("rrr")).given(*known), order(variables))
    assert sum(map(len, dag.bayes_net.values())) == edges
    variables = set(map(str, dag.order))
    assert len([e for e in bayes_net_scene(dag).edges if {e.source, e.target} <= variables]) == edges


@pytest.mark.parametrize("name", ["rrr", "puma560", "five_bar", "four_bar_linkage"])
@pytest.mark.parametrize("ordering", ["rnea", "aba", "min_degree", "nested_dissection"])
def test_equations_use_no_more_than_the_neighbours(name, ordering):
    dag = sg.eliminate(sg.dynamics_graph(sg.load(name)).given("q", "qd", "tau"), ordering)
    assert dag.bayes_net.keys() == set(dag.order)
    if not dag.delayed:  # a scalar that waited may hang on one that is gone before it
        assert {(key, p) for key, parents in dag.bayes_net.items() for p in parents} >= set(dag.edges)


def test_a_factor_of_all_neighbours_is_left():
    a, b, c, d = (Key("qdd", name) for name in "abcd")
    net = make_bayes_net([(a, b), (a, c), (c, d), (b,)], [a, b, c, d])
    assert net == {a: (b, c), b: (c,), c: (d,), d: ()}
