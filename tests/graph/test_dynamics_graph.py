"""The dynamics graph has the variables and laws of Xie & Dellaert (2019), Fig. 1, and simplifies to its Figs 3-9."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import Key, to_dot, to_json


def unknowns_of(graph: sg.FactorGraph) -> dict[str, set[str]]:
    """Return {factor: labels of its unknowns}."""
    return {f.name: {graph.variables[k].label for k in graph.unknown_keys(f)} for f in graph.factors}


@pytest.fixture(scope="module")
def arm() -> sg.Robot:
    return sg.load("rrr")


def test_figure_1_has_seven_kinds_of_variables_and_four_laws_for_each_joint(arm):
    graph = sg.dynamics_graph(arm)
    kinds = [key.kind for key in graph.variables if key.kind != "gravity"]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "twist": 4,
        "acceleration": 4,
        "wrench": 3,
        "q": 3,
        "qd": 3,
        "qdd": 3,
        "tau": 3,
    }
    laws = [f.template.name for f in graph.factors]
    assert [laws.count(law) for law in ("twist", "acceleration", "wrench", "torque")] == [3, 3, 3, 3]
    assert laws.count("prior") == 3


def test_gravity_adds_no_variable_where_there_is_none():
    graph = sg.dynamics_graph(sg.load("rrr", gravity=(0, 0, 0)))
    assert all(key.kind != "gravity" for key in graph.variables)


def test_inverse_problem_is_figure_4a(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd")
    assert unknowns_of(graph) == {
        "acceleration 1": {"V̇1"},
        "acceleration 2": {"V̇1", "V̇2"},
        "acceleration 3": {"V̇2", "V̇3"},
        "wrench 1": {"V̇1", "F1", "F2"},
        "wrench 2": {"V̇2", "F2", "F3"},
        "wrench 3": {"V̇3", "F3"},
        "torque 1": {"F1", "τ1"},
        "torque 2": {"F2", "τ2"},
        "torque 3": {"F3", "τ3"},
    }


def test_forward_problem_is_figure_6a(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "tau")
    found = unknowns_of(graph)
    assert found["acceleration 2"] == {"V̇1", "V̇2", "θ̈2"}
    assert found["torque 2"] == {"F2"}
    assert len(graph.unknowns) == len(graph.factors) == 9


def test_hybrid_problem_is_figure_9a(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd:joint1", "tau:joint2", "tau:joint3")
    found = unknowns_of(graph)
    assert found["torque 1"] == {"F1", "τ1"}
    assert found["torque 2"] == {"F2"}
    assert found["acceleration 1"] == {"V̇1"}
    assert found["acceleration 3"] == {"V̇2", "V̇3", "θ̈3"}


def test_twists_are_solved_in_advance_and_stay_as_parameters(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd")
    assert {str(d.key) for d in graph.derived if d.key.kind == "twist"} == {
        "twist:base",
        "twist:link1",
        "twist:link2",
        "twist:link3",
    }
    assert {v.key.kind for v in graph.inputs} == {"q", "qd", "qdd"}


def test_a_tree_has_a_wrench_balance_with_all_children():
    robot = sg.load("a1", base="floating")
    graph = sg.dynamics_graph(robot)
    trunk = next(f for f in graph.factors if f.template.name == "wrench" and f.index == 1)
    assert len(trunk.arguments["F_children"]) == 4


def test_damping_and_rotor_join_the_torque_factor_only_where_they_are():
    robot = sg.load("rrr")
    plain = next(f for f in sg.dynamics_graph(robot).factors if f.template.name == "torque")
    assert set(plain.arguments) == {"F", "tau"}


def test_external_wrenches_are_variables_of_their_links_balance(arm):
    graph = sg.dynamics_graph(arm, external_wrenches=("tool",))
    balance = next(f for f in graph.factors if f.name == "wrench 3")
    assert Key("external_wrenches", "tool") in balance.keys


def test_every_law_holds_at_a_consistent_motion(arm):
    """Residuals vanish when all variables take the values that elimination computes."""
    graph = sg.dynamics_graph(arm)
    rng = np.random.default_rng(3)
    values = {v.key: v.manifold.random(rng) for v in graph.variables.values() if v.key.kind in ("q", "qd", "qdd")}
    dag = sg.eliminate(graph.given("q", "qd", "qdd"), sg.orderings.rnea(), constants=values)
    values |= dag.equations.values
    for (key, i), number in dag.solution.items():
        values.setdefault(key, np.zeros(graph.variables[key].dim))[i] = number
    for factor in graph.factors:
        residual = np.array([float(x) for x in factor.residual(values)])
        assert np.abs(residual).max() < 1e-12, factor.name


def test_unknown_names_are_refused_with_an_example(arm):
    with pytest.raises(sg.InputError, match=r"no variable is called 'theta': the graph has the kinds twist"):
        sg.dynamics_graph(arm).given("theta")


def test_unknown_positions_are_refused_because_the_laws_are_nonlinear(arm):
    with pytest.raises(sg.EliminationError, match=r"q:joint1 is unknown, and .* is not linear in it"):
        sg.dynamics_graph(arm).given("qd", "qdd")


def test_factors_and_variables_can_be_added(arm):
    from screwgraph.graph import Factor, vector_variable
    from screwgraph.graph.factors import prior

    graph = sg.dynamics_graph(arm).with_variables(vector_variable("lambda", "loop", 2, 3, None))
    extra = Factor(prior, {"x": Key("lambda", "loop")}, 2, 3, {"value": np.zeros(2)})
    assert graph.with_factors(extra).factors[-1] is extra
    stray = Factor(prior, {"x": Key("lambda", "other")}, 2, 3, {"value": np.zeros(2)})
    with pytest.raises(sg.InputError, match="lambda:other, which is not in the graph"):
        graph.with_factors(stray)


def test_graphs_export_as_json_and_dot(arm):
    import json

    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd")
    data = json.loads(to_json(graph))
    roles = {v["key"]: v["role"] for v in data["variables"]}
    assert (roles["tau:joint1"], roles["q:joint1"], roles["twist:link1"]) == ("unknown", "input", "derived")
    assert len(data["factors"]) == 9
    dot = to_dot(graph)
    assert dot.startswith("graph")
    assert dot.count(" -- ") == sum(len(f.keys) for f in graph.factors)
    assert "torque 1" in str(graph)
