"""Conformance of every law: linear where it says so, the same on NumPy, CasADi and tape scalars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import casadi_of
from screwgraph.graph import (
    TEMPLATES,
    EditedModel,
    Factor,
    Key,
    Variable,
    dynamics_graph,
    graph_of,
    linear_rows,
    projection_graph,
    redundant_motors_graph,
    with_redundant_actuation,
)
from screwgraph.model.robot import Coupling, Transmission
from screwgraph.tape import Tape
from tests.graph.closed_robots import LOOP_TYPES, SLIDER
from tests.model.robot.closed_instances import two_arms

OF_CLOSED_CHAINS = ("loop", "coupling", "tied_velocities", "minimum_torque", "augmented_multiplier")
OF_MECHANISMS = (
    "force_balance",
    "constraint_acceleration",
    "constraint_velocity",
    "constraint_step",
    "least_change",
    "shared_balance",
    "pin_force",
)


def a_robot(law: str) -> tuple[sg.Robot, tuple[str, ...]]:
    """Return a robot with every feature that a law may meet, and frames on which wrenches act."""
    if law not in OF_CLOSED_CHAINS:
        return sg.load("rrr"), ("tool",)
    return replace(two_arms(LOOP_TYPES["universal"]), couplings=(SLIDER,)), ()


def a_graph(law: str) -> sg.FactorGraph:
    """Return a graph in which a law occurs."""
    if law in OF_MECHANISMS:
        mechanism = sg.load_mechanism("four_bar_angle")
        graphs = (
            dynamics_graph(mechanism, ("P1",)),
            projection_graph(mechanism),
            redundant_motors_graph(mechanism, {"theta": 2.0}),
            sg.with_pin_forces(dynamics_graph(mechanism)),
        )
        return next(g for g in graphs if any(f.template.name == law for f in g.factors))
    robot, wrenches = a_robot(law)
    graph = sg.dynamics_graph(robot, external_wrenches=wrenches, poses=wrenches)
    if law == "minimum_torque":
        graph = with_redundant_actuation(graph, robot, dict.fromkeys(robot.joint_names, 2.0))
    if law == "augmented_multiplier":
        graph = graph_of(EditedModel(robot, weights=dict.fromkeys(robot.joint_names, 2.0), given_motion=True))
    if law in ("transmission", "minimum_effort"):
        motors = (Transmission(Coupling("m", {"joint1": 2.0, "joint3": -1.0})),)
        graph = graph_of(EditedModel(replace(robot, actuators=motors), actuators=("m",), weights={"m": 2.0}))
    if law == "measurement":
        graph = sg.with_measurements(graph, "tau", sigma=2.0)
    if law in ("held_point", "pure_force", "friction_pyramid"):
        graph = sg.with_point_contacts(graph, "tool", normal=(0.1, 0.2, 0.9))
    if law == "switched_point":
        graph = sg.with_point_contacts(graph, "tool", friction="friction", schedule="stance")
    if law == "free_coordinates":
        bound = {"x": (Key("qdd", "joint1"), Key("wrench", "link2")), "free": Key("free", "stage")}
        chosen = Factor(TEMPLATES[law], bound, 2, 0, {"places": ((0, 0), (1, 4))})
        graph = graph.with_variables(Variable(Key("free", "stage"), 2)).with_factors(chosen)
    return graph


def a_factor(law: str):
    """Return a graph of such a model, a factor of that law in it, and random values."""
    graph = a_graph(law)
    every = (*graph.factors, *(one.factor for one in graph.inequalities))
    factor = [f for f in every if f.template.name == law][-1]
    rng = np.random.default_rng(1)
    return graph, factor, {key: graph.variables[key].manifold.random(rng) for key in factor.keys}


@pytest.mark.parametrize("law", TEMPLATES)
def test_a_law_cites_its_source(law):
    assert TEMPLATES[law].cites
    assert TEMPLATES[law].function.__doc__


@pytest.mark.parametrize("law", TEMPLATES)
def test_rows_reproduce_the_residual(law):
    graph, factor, values = a_factor(law)
    unknown = [key for key in factor.keys if factor.is_linear_in(key)]
    known = {key: value for key, value in values.items() if key not in unknown}
    rows = linear_rows(factor, known, graph.variables)
    residual = factor.residual(values)
    assert len(rows) == factor.rows == len(residual)
    for row, expected in zip(rows, residual, strict=True):
        total = row.constant + sum(c * values[key][i] for (key, i), c in row.terms.items())
        assert total == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("law", TEMPLATES)
def test_linear_coefficients_equal_the_complex_step_derivative(law):
    graph, factor, values = a_factor(law)
    linear = [key for key in factor.keys if factor.is_linear_in(key)]
    assert linear
    for key in linear:
        others = {k: v for k, v in values.items() if k != key}
        rows = linear_rows(factor, others, graph.variables)
        for i in range(graph.variables[key].dim):
            step = np.zeros(graph.variables[key].dim, dtype=complex)
            step[i] = 1e-20j
            derivative = np.imag(factor.residual({**values, key: values[key] + step})) / 1e-20
            coefficients = [float(row.terms.get((key, i), 0.0)) for row in rows]
            np.testing.assert_allclose(coefficients, derivative, atol=1e-12)


@pytest.mark.parametrize("law", TEMPLATES)
def test_casadi_and_numpy_agree(law):
    _, factor, values = a_factor(law)
    shapes = [value.shape for value in values.values()]
    function = casadi_of(lambda *x: factor.residual(dict(zip(values, x, strict=True))), *shapes)
    result = np.array(function(*values.values())).ravel()
    np.testing.assert_allclose(result, factor.residual(values), atol=1e-12)


def test_a_product_of_unknowns_is_refused():
    graph, factor, values = a_factor("wrench")
    twist = next(key for key in values if key.kind == "twist")
    known = {key: value for key, value in values.items() if key != twist}
    with pytest.raises(sg.EliminationError, match="not linear"):
        linear_rows(factor, known, graph.variables)


def test_tape_scalars_flow_through_a_law():
    graph, factor, values = a_factor("twist")
    tape = Tape()
    q = np.array([tape.input("q", np.linspace(0.1, 3.0, 68).tolist())], dtype=object)
    key = next(k for k in values if k.kind == "q")
    rows = linear_rows(factor, {key: q}, graph.variables)
    assert any(name == "sin" for name, *_ in tape.nodes)
    assert all(Key("twist", "link3") in {column[0] for column in row.terms} for row in rows)
