"""Impossible orders and singular problems are named."""

from __future__ import annotations

import pytest

import screwgraph as sg


@pytest.fixture(scope="module")
def arm() -> sg.Robot:
    return sg.load("rrr")


def test_an_underdetermined_problem_names_the_variables(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd:joint1", "qdd:joint2")
    with pytest.raises(sg.EliminationError, match=r"underdetermined: no equation determines .*(tau|qdd):joint3"):
        sg.eliminate(graph, sg.orderings.rnea())


def test_an_overdetermined_problem_names_the_equations(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd", "tau:joint2")
    with pytest.raises(sg.EliminationError, match=r"overdetermined: .* equation 'torque 2' is left"):
        sg.eliminate(graph, sg.orderings.rnea())


def test_an_order_that_leaves_out_a_variable_is_refused(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd")
    with pytest.raises(sg.EliminationError, match="the order leaves out acceleration:link1"):
        sg.eliminate(graph, ["tau", "wrench", "acceleration:link3", "acceleration:link2"])


def test_an_order_that_names_a_known_or_repeats_is_refused(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd")
    with pytest.raises(sg.EliminationError, match="names qdd:joint1, which is no unknown"):
        sg.eliminate(graph, ["qdd:joint1", "tau", "wrench", "acceleration"])
    with pytest.raises(sg.EliminationError, match="names tau:joint1 twice"):
        sg.eliminate(graph, ["tau", "tau:joint1", "wrench", "acceleration"])


def test_an_unknown_ordering_suggests_the_nearest(arm):
    with pytest.raises(sg.InputError, match=r"no ordering is called 'abba' \(did you mean .*aba"):
        sg.orderings.find_ordering("abba")


def test_what_is_not_linear_has_to_be_given():
    with pytest.raises(sg.EliminationError, match="declare it as given"):
        sg.eliminate(sg.dynamics_graph(sg.load("rr")), "aba")
