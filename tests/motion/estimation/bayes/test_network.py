"""Bayesian networks of Blanco-Claraco et al. (2021), Fig. 1, and the factor graphs that they become."""

from collections import Counter

import pytest

import screwgraph as sg
from screwgraph.motion.estimation import Quantity, bayes_network


def names(factor):
    return {str(x) for x in factor.variables}


def test_the_dependent_network_factorises_as_equation_16():
    network = bayes_network(3, observed=True)
    q, qd, qdd, Q, o = (Quantity(kind, 2) for kind in ("q", "qd", "qdd", "Q", "o"))
    assert network.parents[q] == (Quantity("q", 1), Quantity("qd", 1))
    assert network.parents[qd] == (Quantity("qd", 1), Quantity("qdd", 1))
    assert network.parents[qdd] == (q, qd, Q)
    assert network.parents[o] == (q, qd, qdd)
    assert network.parents[Quantity("q", 0)] == ()


def test_known_forces_leave_the_graph_of_forward_dynamics():
    """Fig. 2, but for the constraints, which the network of spanning coordinates does not show."""
    graph = bayes_network(4).factor_graph(["Q"])
    assert Counter(factor.kind for factor in graph) == {"prior": 2, "integrator": 6, "dynamics": 4}
    dynamics = [factor for factor in graph if factor.kind == "dynamics"]
    assert names(dynamics[2]) == {"q_2", "qd_2", "qdd_2"}


def test_unknown_forces_leave_that_of_inverse_dynamics():
    network = bayes_network(2)
    dynamics = [factor for factor in network.factor_graph() if factor.kind == "dynamics"]
    assert names(dynamics[1]) == {"q_1", "qd_1", "qdd_1", "Q_1"}
    assert Quantity("Q", 1) in network.unknowns()


def test_known_observations_stay_as_factors_and_are_no_variables():
    network = bayes_network(2, "independent", observed=True)
    graph = network.factor_graph(["o", "Q", "C"])
    assert {"o", "Q", "C"}.isdisjoint(x.kind for x in network.unknowns(["o", "Q", "C"]))
    seen = [factor for factor in graph if factor.kind == "observation"]
    assert [names(factor) for factor in seen] == [{f"q_{i}", f"qd_{i}", f"qdd_{i}"} for i in range(2)]
    positions = [factor for factor in graph if names(factor) == {"q_1", "z_1"}]
    assert [factor.kind for factor in positions] == ["constraints"]


def test_what_is_known_altogether_leaves_nothing():
    network = bayes_network(2)
    assert network.factor_graph(["q", "qd", "qdd", "Q"]) == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bayes_network(0), "steps = 0 is not a positive"),
        (lambda: bayes_network(2, "relative"), "no kind of coordinates is called 'relative'"),
        (lambda: bayes_network(2).factor_graph(["F"]), "no kind of quantity is called 'F'"),
        (lambda: bayes_network(2).factor_graph([Quantity("q", 7)]), "no quantity of the network is called 'q_7'"),
    ],
)
def test_bad_questions_are_refused(call, message):
    with pytest.raises(sg.InputError, match=message):
        call()
