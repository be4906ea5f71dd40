"""Dynamics of mechanisms by their graph: queries against linear algebra, finite differences and each other."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, velocity_problem
from screwgraph.model.mechanism.read import read_mechanism
from tests.mechanics.mechanism.oracle import motor_torques, reduced
from tests.suites import in_suites

NAMES = ("double_pendulum", "four_bar_angle", "slider_crank", "gear_train", "parallel_robot")
MASSLESS = b"""
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: A, x: 0.6, y: 0.1}
  - {name: B, x: 1.2, y: -0.3}
  - {name: C, x: 1.9, y: 0.2, fixed: true}
bodies:
  - {name: arm, points: [O, A], mass: 2, I0: 0.3, cog: [0.2, 0.1]}
  - {name: rod, points: [A, B]}
  - {name: link, points: [B, C]}
angles: [{angle: a, of: [O, A]}, {angle: b, of: [C, B]}]
springs: [{spring: s, between: [B, O], stiffness: 20, rest: 0.7}]
motors: [a]
independent: [a]
"""


def states(model, count=3, spread=0.1):
    """Assembled states beside the home position, motors' torques, and the accelerations that these cause."""
    rng, found = np.random.default_rng(7), []
    for _ in range(count):
        z = model.independent_coordinates
        q = position_problem(model, {c: model.home[model.index(c)] + spread * rng.standard_normal() for c in z})
        found.append((q, velocity_problem(model, q, {c: rng.standard_normal() for c in z})))
    q, qd = (np.array(x) for x in zip(*found, strict=True))
    tau = rng.standard_normal((count, len(model.motors)))
    return q, qd, tau, sg.forward_dynamics(model)(q, qd, tau)


@pytest.fixture(params=[*NAMES, "massless"])
def name(request):
    return request.param


@pytest.fixture
def model(name):
    return loaded(name)


@cache
def loaded(name):
    return read_mechanism(MASSLESS, "massless.yaml") if name == "massless" else sg.load_mechanism(name)


@pytest.mark.sampled(2)
def test_forward_dynamics_solves_the_reduced_equations(model):
    q, qd, tau, qdd = states(model)
    force = np.zeros_like(q)
    force[:, list(model.motor_slots)] = tau
    r, z = reduced(model, q, qd, force), list(model.freedom.independent)
    scale = np.abs(qdd).max()
    np.testing.assert_allclose(qdd[:, z], r.acceleration, atol=1e-9 * scale)
    np.testing.assert_allclose(qdd, r.Sc + (r.R @ r.acceleration[..., None])[..., 0], atol=1e-9 * scale)
    both = sg.forward_dynamics(model, coordinates="independent")(q, qd[:, z], tau)
    np.testing.assert_allclose(both, qdd[:, z], atol=1e-9 * scale)


@pytest.mark.sampled(3)
def test_inverse_dynamics_gives_back_the_torques(model):
    q, qd, tau, qdd = states(model)
    scale = np.abs(qdd).max()
    np.testing.assert_allclose(sg.inverse_dynamics(model)(q, qd, qdd), tau, atol=1e-9 * scale)
    np.testing.assert_allclose(motor_torques(model, q, qd, qdd), tau, atol=1e-9 * scale)
    z = list(model.freedom.independent)
    of_independent = sg.inverse_dynamics(model, coordinates="independent")(q, qd[:, z], qdd[:, z])
    np.testing.assert_allclose(of_independent, tau, atol=1e-9 * scale)


@pytest.mark.sampled(3)
def test_hybrid_dynamics_is_inverse_for_some_motors_and_forward_for_the_others(model):
    q, qd, tau, qdd = states(model)
    names, slots = list(model.motors), list(model.motor_slots)
    for named in (names[:1], names, []):
        chosen = np.array([name in named for name in names], dtype=bool)
        given, expected = np.where(chosen, qdd[:, slots], tau), np.where(chosen, tau, qdd[:, slots])
        found = sg.hybrid_dynamics(model, named)(q, qd, given)
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(qdd).max())


@pytest.mark.sampled(3)
def test_mass_matrix_and_bias_forces_give_the_torques(model):
    q, qd, _, _ = states(model)
    z = list(model.freedom.independent)
    r = reduced(model, q, qd)
    M, h = (f(model, coordinates="independent") for f in (sg.mass_matrix, sg.bias_forces))
    np.testing.assert_allclose(M(q), r.mass, atol=1e-9 * np.abs(r.mass).max())
    np.testing.assert_allclose(h(q, qd[:, z]), -r.force, atol=1e-9 * max(1.0, np.abs(r.force).max()))
    energy = 0.5 * np.einsum("ki,kij,kj->k", qd[:, z], M(q), qd[:, z])
    whole = 0.5 * np.einsum("ki,kij,kj->k", qd, np.broadcast_to(sg.mass_matrix(model)(q), (3, model.n, model.n)), qd)
    np.testing.assert_allclose(energy, whole, rtol=1e-10)


@pytest.mark.sampled(3)
def test_constraint_forces_close_the_balance_of_all_coordinates(model):
    q, qd, tau, qdd = states(model)
    graph = sg.dynamics_graph(model)
    multipliers = sg.compile(graph.given("q", "qd", "tau"), "lambda")(q, qd, tau)
    h, M = sg.bias_forces(model)(q, qd), sg.mass_matrix(model)(q[0])
    missing = qdd @ M + h
    missing[:, list(model.motor_slots)] -= tau
    J = np.stack([model.closing_program.interpreter(x)[1][list(model.freedom.kept)] for x in q])
    held = -np.einsum("kmi,km->ki", J, multipliers)
    np.testing.assert_allclose(missing, held, atol=1e-8 * max(1.0, np.abs(held).max()))


@pytest.mark.parametrize("name", [*NAMES[:-1], in_suites(NAMES[-1]), "massless"], indirect=True)
@pytest.mark.parametrize("query", ["forward", "inverse"])
@pytest.mark.sampled(6)
def test_derivatives_are_those_of_central_differences(model, query):
    q, qd, tau, qdd = (x[0] for x in states(model, 1))
    f = sg.forward_dynamics(model) if query == "forward" else sg.inverse_dynamics(model)
    at = [q, qd, tau if query == "forward" else qdd]
    for place, argument in enumerate(f.arguments):
        columns, h = [], 1e-6
        for e in np.eye(len(at[place])):
            ahead, behind = ([*at[:place], at[place] + s * h * e, *at[place + 1 :]] for s in (1, -1))
            columns.append((f(*ahead) - f(*behind)) / (2 * h))
        found = f.jacobian(argument.name)(*at)
        np.testing.assert_allclose(found, np.array(columns).T, atol=1e-5 * max(1.0, np.abs(found).max()))


@pytest.mark.sampled(3)
def test_other_orders_give_the_same_accelerations(model):
    q, qd, tau, qdd = states(model)
    graph = sg.dynamics_graph(model).given("q", "qd", "tau")
    for order in ("auto", "greedy", "min_degree"):
        found = sg.compile(graph, "qdd", ordering=order)(q, qd, tau)
        np.testing.assert_allclose(found, qdd, atol=1e-8 * np.abs(qdd).max(), err_msg=order)


def test_external_forces_act_on_points_and_angles():
    model = sg.load_mechanism("four_bar_angle")
    q, qd, tau, _ = states(model)
    force = np.random.default_rng(2).standard_normal((3, 3))
    pushed = sg.forward_dynamics(model, external_wrenches=("P2", "theta"))(q, qd, tau, force)
    whole = np.zeros_like(q)
    whole[:, [2, 3, 4]] = force
    whole[:, 4] += tau[:, 0]
    np.testing.assert_allclose(pushed[:, 4], reduced(model, q, qd, whole).acceleration[:, 0], rtol=1e-10)
    back = sg.inverse_dynamics(model, external_wrenches=("P2", "theta"))(q, qd, pushed, force)
    np.testing.assert_allclose(back, tau, atol=1e-10)


@pytest.mark.suite
def test_more_motors_than_degrees_of_freedom_share_the_work():
    text = b"""
    points:
      - {name: O, x: 0, y: 0, fixed: true}
      - {name: A, x: 0.3, y: 0.6}
      - {name: B, x: 1.3, y: 0.8}
      - {name: C, x: 1.2, y: 0, fixed: true}
    bodies:
      - {points: [O, A], mass: 1, I0: 0.2, cog: [0.3, 0]}
      - {points: [A, B], mass: 2, I0: 0.7, cog: [0.5, 0.1]}
      - {points: [B, C], mass: 1.5, I0: 0.4, cog: [0.4, 0]}
    angles: [{angle: a, of: [O, A]}, {angle: b, of: [C, B]}, {angle: c, of: [A, B], from: [O, A]}]
    motors: [a, b, c]
    independent: [a]
    """
    model = read_mechanism(text, "m.yaml")
    q, qd, _, _ = states(model)
    one = replace(model, motors=("a",))
    qdd = sg.forward_dynamics(one)(q, qd, np.array([[0.7], [-0.2], [0.1]]))
    np.testing.assert_allclose(sg.inverse_dynamics(model)(q, qd, qdd), motor_torques(model, q, qd, qdd), atol=1e-10)
    weights = {"a": 4.0, "c": 0.25}
    shared = sg.inverse_dynamics(model, weights=weights)(q, qd, qdd)
    alone = sg.inverse_dynamics(model, actuated=["a"])(q, qd, qdd)
    np.testing.assert_allclose(sg.forward_dynamics(model)(q, qd, shared), qdd, atol=1e-9)
    w = np.array([4.0, 1.0, 0.25])
    assert ((w * shared**2).sum(axis=1) <= w[0] * alone[:, 0] ** 2 + 1e-12).all()
    # W tau is a velocity that constraints allow: one number times the rates of the angles.
    rates = reduced(model, q, qd).R[:, list(model.angle_slots), 0]
    np.testing.assert_allclose(np.cross(w * shared, rates), 0.0, atol=1e-9)


def test_functions_are_differentiable_code_for_other_programs():
    model = sg.load_mechanism("slider_crank")
    q, qd, tau, qdd = (x[0] for x in states(model, 1))
    f = sg.forward_dynamics(model)
    np.testing.assert_allclose(np.array(f.casadi(q, qd, tau)).ravel(), qdd, rtol=1e-12, atol=1e-12)
    assert "sqrt" not in f.c_source()
    assert "const double qdd" not in f.c_header()
    assert len(f.algorithm(definitions=False).splitlines()) == len(f.dag.blocks) == model.n + len(model.constraints)
    assert f.operations.total < 200
    assert "common factors" in f.report()


def test_the_graph_can_be_edited_and_eliminated_in_parts():
    model = sg.load_mechanism("four_bar_angle")
    graph = sg.dynamics_graph(model)
    assert len(graph.variables) == 3 * model.n + 1 + len(model.constraints)
    dag = sg.eliminate(graph.given("q", "qd", "tau"), "quasi_definite")
    assert not dag.elimination.unsafe_pivots
    assert not dag.delayed


@pytest.mark.parametrize("coordinates", ["spanning", "independent"])
@pytest.mark.parametrize(("name", "point"), [("slider_crank", "piston"), ("rssr", "B")])
def test_bias_forces_under_external_ones_are_what_motors_hold(name, point, coordinates):
    """All components count, in space three: virtual work."""
    model, rng = sg.load_mechanism(name), np.random.default_rng(3)
    q, z = sg.random(model, 4, seed=2), list(model.freedom.independent)
    force, qd = rng.standard_normal((4, model.dimension)), rng.standard_normal((4, model.n))
    picked = np.eye(model.n)[[model.index(f"{axis}:{point}") for axis in "xyz"[: model.dimension]]]
    push = force @ picked
    if coordinates == "independent":
        qd = qd[:, z]
        slopes = [velocity_problem(model, x, {model.coordinates[z[0]]: 1.0}) for x in q]
        push = (push * np.array(slopes)).sum(axis=1, keepdims=True)
    with_force = sg.bias_forces(model, coordinates=coordinates, external_wrenches=[point])
    alone = sg.bias_forces(model, coordinates=coordinates)(q, qd)
    np.testing.assert_allclose(with_force(q, qd, force), alone - push, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda m: sg.inverse_dynamics(m("four_bar")), "has no motors"),
        (lambda m: sg.inverse_dynamics(m("double_pendulum"), actuated="elbow"), "cannot drive all motions"),
        (lambda m: sg.inverse_dynamics(m("slider_crank"), actuated=["knee"]), "knee"),
        (lambda m: sg.inverse_dynamics(m("slider_crank"), weights={"theta": 0.0}), "no positive"),
        (lambda m: sg.hybrid_dynamics(m("slider_crank"), ["x:P1"]), "x:P1"),
        (lambda m: sg.forward_dynamics(m("slider_crank"), coordinates="dependent"), "there are no coordinates"),
        (lambda m: sg.forward_dynamics(m("slider_crank"), external_wrenches=["nose"]), "nose"),
        (lambda m: sg.bias_forces(m("slider_crank"), external_wrenches=["theta", "theta"]), "twice"),
    ],
)
def test_what_mechanics_does_not_allow_is_refused_in_one_line(ask, text):
    with pytest.raises(sg.InputError, match=text) as caught:
        ask(sg.load_mechanism)
    assert "\n" not in str(caught.value)
