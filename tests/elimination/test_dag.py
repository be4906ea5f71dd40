"""DAGs of the RRR arm are those of Xie & Dellaert (2019); counts and cliques are what the theory says."""

from __future__ import annotations

import pytest

import screwgraph as sg


@pytest.fixture(scope="module")
def arm() -> sg.Robot:
    return sg.load("rrr")


def edges(dag: sg.Dag) -> set[tuple[str, str]]:
    """Return (variable, parent) pairs as the papers write them."""
    label = {key: v.label for key, v in dag.graph.variables.items()}
    return {(label[a], label[b]) for a, b in dag.edges}


def inverse(robot: sg.Robot) -> sg.FactorGraph:
    return sg.dynamics_graph(robot).given("q", "qd", "qdd")


def forward(robot: sg.Robot) -> sg.FactorGraph:
    return sg.dynamics_graph(robot).given("q", "qd", "tau")


def test_rnea_order_gives_figure_5d_edge_by_edge(arm):
    dag = sg.eliminate(inverse(arm), sg.orderings.rnea())
    assert edges(dag) == {
        ("τ1", "F1"),
        ("τ2", "F2"),
        ("τ3", "F3"),
        ("F1", "V̇1"),
        ("F1", "F2"),
        ("F2", "V̇2"),
        ("F2", "F3"),
        ("F3", "V̇3"),
        ("V̇3", "V̇2"),
        ("V̇2", "V̇1"),
    }
    assert dag.fill_in == 0


def test_rnea_order_prints_algorithm_1():
    arm = sg.load("rrr", gravity=(0, 0, 0))
    text = sg.eliminate(inverse(arm), sg.orderings.rnea()).algorithm()
    assert text.splitlines() == [
        "    V1 = [Ad_T1,0(θ1)] V0 + A1 θ̇1 ;",
        "    V2 = [Ad_T2,1(θ2)] V1 + A2 θ̇2 ;",
        "    V3 = [Ad_T3,2(θ3)] V2 + A3 θ̇3 ;",
        "  1 V̇1 = [Ad_T1,0(θ1)] V̇0 + [ad_V1] A1 θ̇1 + A1 θ̈1 ;",
        "  2 V̇2 = [Ad_T2,1(θ2)] V̇1 + [ad_V2] A2 θ̇2 + A2 θ̈2 ;",
        "  3 V̇3 = [Ad_T3,2(θ3)] V̇2 + [ad_V3] A3 θ̇3 + A3 θ̈3 ;",
        "  4 F3 = G3 V̇3 − [ad_V3]ᵀ G3 V3 ;",
        "  5 F2 = [Ad_T3,2(θ3)]ᵀ F3 + G2 V̇2 − [ad_V2]ᵀ G2 V2 ;",
        "  6 F1 = [Ad_T2,1(θ2)]ᵀ F2 + G1 V̇1 − [ad_V1]ᵀ G1 V1 ;",
        "  7 τ1 = F1ᵀ A1 ;",
        "  8 τ2 = F2ᵀ A2 ;",
        "  9 τ3 = F3ᵀ A3 ;",
    ]


def test_crba_has_more_edges_than_aba(arm):
    crba = sg.eliminate(forward(arm), sg.orderings.crba())
    aba = sg.eliminate(forward(arm), sg.orderings.aba())
    assert len(crba.edges) > len(aba.edges)


def test_aba_hands_one_six_vector_from_link_to_link(arm):
    dag = sg.eliminate(forward(arm), sg.orderings.aba())
    assert edges(dag) == {
        ("F3", "V̇3"),
        ("V̇3", "V̇2"),
        ("V̇3", "θ̈3"),
        ("θ̈3", "V̇2"),
        ("F2", "V̇2"),
        ("V̇2", "V̇1"),
        ("V̇2", "θ̈2"),
        ("θ̈2", "V̇1"),
        ("F1", "V̇1"),
        ("V̇1", "θ̈1"),
    }
    assert dag.cliques.width == 13


def test_steps_of_figure_5_are_kept(arm):
    dag = sg.eliminate(inverse(arm), sg.orderings.rnea())
    assert len(dag.states) == 10
    left = [{name for name, _ in state.factors} for state in dag.states]
    assert left[3] == {f"{law} {i}" for law in ("acceleration", "wrench") for i in (1, 2, 3)}
    assert left[6] == {"acceleration 1", "acceleration 2", "acceleration 3"}
    assert left[9] == set()


def test_what_is_left_never_holds_an_eliminated_variable():
    robot = sg.load("puma560")
    dag = sg.eliminate(forward(robot), sg.orderings.min_degree())
    for state in dag.states:
        assert not {key for _, keys in state.factors for key in keys} & set(state.eliminated)


@pytest.mark.parametrize("order", ["aba", "crba", "colamd", "nested_dissection", "min_degree"])
def test_clique_trees_have_the_running_intersection_property(order):
    robot = sg.load("a1", base="floating")
    dag = sg.eliminate(forward(robot), sg.orderings.find_ordering(order))
    tree = dag.cliques
    frontals = [key for clique in tree.cliques for key in clique.frontals]
    assert sorted(frontals) == sorted(v.key for v in dag.graph.unknowns)
    for number, clique in enumerate(tree.cliques):
        assert clique.parent is None or clique.parent < number
        if clique.parent is None:
            assert clique.separator == ()
        else:
            parent = tree.cliques[clique.parent]
            assert set(clique.separator) <= {*parent.frontals, *parent.separator}


def test_every_variable_and_its_parents_share_a_clique():
    robot = sg.load("puma560")
    dag = sg.eliminate(forward(robot), sg.orderings.crba())
    cliques = [{*c.frontals, *c.separator} for c in dag.cliques.cliques]
    for block in dag.blocks:
        assert any({block.key, *block.parents} <= clique for clique in cliques)
