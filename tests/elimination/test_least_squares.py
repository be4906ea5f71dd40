"""Graphs of more equations than unknowns: weighted least squares, against NumPy's on the stacked equations."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph import linear_rows
from screwgraph.ui.draw import draw_steps
from tests.oracle import pinocchio_model, to_pin_q

ORDERS = ["auto", *(name for name in sg.orderings.ORDERINGS if name != "quasi_definite")]


@sg.factor(linear=("x",), cites="a test")
def mixture(x, z, *, A):
    """A matrix times the unknowns is given."""
    return A @ np.concatenate(x) - z


@sg.factor(linear=("x",), cites="a test")
def scaled(x, q, z):
    """A sensor that sees nothing at q = 0."""
    return np.sin(q) * x - z


def random_graph(rng: np.random.Generator, exact: int, soft: int) -> tuple[sg.FactorGraph, list[sg.Factor]]:
    """Return a graph of six unknowns of up to three numbers, and factors of two rows of up to three unknowns each."""
    unknowns = [sg.Variable(sg.Key("x", str(i)), int(rng.integers(1, 4)), i) for i in range(6)]
    total = sum(v.dim for v in unknowns)
    inputs, factors = [], []
    while sum(f.rows for f in factors if f.sigma) < soft + total or len(factors) < exact:
        i = len(factors)
        chosen = [unknowns[j] for j in rng.choice(6, 3, replace=False)]
        z = sg.Variable(sg.Key("z", str(i)), 2, i)
        A = rng.standard_normal((2, sum(v.dim for v in chosen)))
        arguments = {"x": tuple(v.key for v in chosen), "z": z.key}
        sigma = () if i < exact else tuple(rng.uniform(0.1, 2.0, 2))
        factors.append(sg.Factor(mixture, arguments, 2, i, {"A": A}, sigma=sigma))
        inputs.append(z)
    graph = sg.FactorGraph({v.key: v for v in (*unknowns, *inputs)}, ())
    return graph.with_factors(*factors).given("z"), factors


def stacked(graph: sg.FactorGraph, factors: list[sg.Factor], values: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return matrix, right-hand side, and weights (NaN where exact) of all equations."""
    columns = [(v.key, i) for v in graph.unknowns for i in range(v.dim)]
    rows = [row for f in factors for row in linear_rows(f, values, graph.variables)]
    A = np.array([[row.terms.get(c, 0.0) for c in columns] for row in rows])
    sigma = [row.factor.sigma[row.number] if row.factor.sigma else np.nan for row in rows]
    return A, -np.array([row.constant for row in rows]), 1.0 / np.array(sigma)


def test_standard_deviations_that_are_an_argument():
    """They give what numbers in code give, and a law with an infinite one does not count."""
    robot, rng = sg.load("rrr"), np.random.default_rng(0)
    graph = sg.with_measurements(sg.dynamics_graph(robot).given("q", "qd"), "qdd", sigma="sigma_qdd")
    f = sg.compile(sg.with_measurements(graph, "tau", sigma="sigma_tau"), "qdd")
    graph = sg.with_measurements(sg.dynamics_graph(robot).given("q", "qd"), "qdd", sigma=0.5)
    same = sg.compile(sg.with_measurements(graph, "tau", sigma=0.1), "qdd")
    n = robot.nv
    q, qd, qdd, tau = robot.random(rng), *rng.standard_normal((3, n))
    given = {"q": q, "qd": qd, "measured_qdd": qdd, "measured_tau": tau}
    np.testing.assert_allclose(f(**given, sigma_qdd=np.full(n, 0.5), sigma_tau=np.full(n, 0.1)), same(**given))
    alone = f(**given, sigma_qdd=np.full(n, np.inf), sigma_tau=np.full(n, 0.1))
    np.testing.assert_allclose(alone, sg.forward_dynamics(robot)(q, qd, tau), rtol=1e-8)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(3)
def test_random_graphs_in_random_orders_are_numpys_least_squares(seed):
    rng = np.random.default_rng(seed)
    graph, factors = random_graph(rng, exact=seed % 3, soft=4)
    z = {v.key: rng.standard_normal(2) for v in graph.inputs}
    A, b, w = stacked(graph, factors, z)
    soft, n = ~np.isnan(w), A.shape[1]
    C, W = A[~soft], w[soft, None] * A[soft]
    kkt = np.block([[W.T @ W, C.T], [C, np.zeros((len(C), len(C)))]])
    expected = np.linalg.solve(kkt, np.concatenate([W.T @ (w * b)[soft], b[~soft]]))[:n]
    order = [v.key for v in graph.unknowns]
    for _ in range(2):
        rng.shuffle(order)
        found = sg.compile(graph, "x", ordering=list(order))(np.concatenate(list(z.values())))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.linalg.cond(kkt))


@pytest.fixture(scope="module")
def arm() -> sg.Robot:
    return sg.load("rrr")


@pytest.mark.parametrize("ordering", ORDERS)
def test_measured_torques_and_accelerations_of_an_arm(arm, ordering):
    graph = sg.with_measurements(sg.dynamics_graph(arm).given("q", "qd"), "qdd", sigma=0.5)
    graph = sg.with_measurements(graph, "tau", sigma=[0.1])
    f = sg.compile(graph, ("qdd", "tau"), ordering=ordering)
    assert [a.name for a in f.arguments] == ["q", "qd", "measured_qdd", "measured_tau"]
    q, qd, seen_qdd, seen_tau = np.random.default_rng(3).standard_normal((4, 3))
    M, h = dynamics(arm, q, qd)
    A, b = np.vstack([np.eye(3) / 0.5, M / 0.1]), np.concatenate([seen_qdd / 0.5, (seen_tau - h) / 0.1])
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    qdd, tau = f(q, qd, seen_qdd, seen_tau)
    np.testing.assert_allclose(qdd, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(tau, M @ expected + h, rtol=1e-9, atol=1e-9)


def dynamics(robot: sg.Robot, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Pinocchio's mass matrix and nonlinear effects."""
    import pinocchio as pin  # pyright: ignore[reportAttributeAccessIssue]

    model, data = pinocchio_model(robot)
    at = to_pin_q(robot, q, model)
    M = pin.crba(model, data, at).copy()  # pyright: ignore[reportAttributeAccessIssue]
    return np.triu(M) + np.triu(M, 1).T, pin.nonLinearEffects(model, data, at, qd).copy()  # pyright: ignore[reportAttributeAccessIssue]


def test_consistent_measurements_give_the_motion_itself_of_a_closed_chain():
    robot = sg.load("five_bar")
    rng = np.random.default_rng(0)
    q = robot.random(rng)
    tau = rng.standard_normal(robot.nv)
    qd = np.zeros(robot.nv)
    qdd = sg.forward_dynamics(robot)(q, qd, tau)
    graph = sg.with_measurements(sg.dynamics_graph(robot).given("q", "qd"), "qdd", sigma=0.1)
    f = sg.compile(sg.with_measurements(graph, "tau", sigma=1.0), ("qdd", "tau"))
    found, torques = f(q, qd, qdd, tau)
    np.testing.assert_allclose(found, qdd, rtol=1e-8, atol=1e-8 * np.abs(qdd).max())
    np.testing.assert_allclose(torques, tau, rtol=1e-8, atol=1e-8)


def test_a_law_that_holds_nearly(arm):
    """Torques are measured, and motor 2 follows its law with a doubt: accelerations trade one for the other."""
    graph = sg.with_measurements(sg.dynamics_graph(arm).given("q", "qd", "tau"), "qdd", sigma=0.3)
    graph = sg.with_soft(graph, "torque:joint2", sigma=2.0)
    q, qd, tau, seen = np.random.default_rng(4).standard_normal((4, 3))
    M, h = dynamics(arm, q, qd)
    exact, soft = [0, 2], [1]
    r = tau - h
    x0 = np.linalg.lstsq(M[exact], r[exact], rcond=None)[0]
    N = np.linalg.svd(M[exact])[2][2:].T
    A, b = np.vstack([np.eye(3) / 0.3, M[soft] / 2.0]), np.concatenate([seen / 0.3, r[soft] / 2.0])
    expected = x0 + N @ np.linalg.lstsq(A @ N, b - A @ x0, rcond=None)[0]
    np.testing.assert_allclose(sg.compile(graph, "qdd")(q, qd, tau, seen), expected, rtol=1e-9)


def test_every_motor_may_be_in_doubt(arm):
    """The first joint's, too, whose link passes give another name."""
    graph = sg.with_measurements(sg.dynamics_graph(arm).given("q", "qd", "tau"), "qdd", sigma=0.3)
    for name in arm.joint_names:
        graph = sg.with_soft(graph, f"torque:{name}", sigma=2.0)
    q, qd, tau, seen = np.random.default_rng(4).standard_normal((4, 3))
    M, h = dynamics(arm, q, qd)
    A, b = np.vstack([np.eye(3) / 0.3, M / 2.0]), np.concatenate([seen / 0.3, (tau - h) / 2.0])
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    np.testing.assert_allclose(sg.compile(graph, "qdd")(q, qd, tau, seen), expected, rtol=1e-9)


def test_what_is_refused_says_how_to_go_on(arm):
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd", "tau:joint2")
    with pytest.raises(sg.EliminationError, match=r"overdetermined.*sg\.with_soft\(graph, 'torque:link2', sigma="):
        sg.compile(graph, "tau")
    f = sg.compile(sg.with_soft(graph, "torque:joint2"), "tau")
    q, qd, qdd = np.random.default_rng(0).standard_normal((3, 3))
    torques = sg.inverse_dynamics(arm)(q, qd, qdd)
    np.testing.assert_allclose(f(q, qd, qdd, [0.0]), torques[[0, 2]], rtol=1e-12)


def sensors(sees_nothing_at_zero: int) -> sg.FactorGraph:
    x, q = sg.Variable(sg.Key("x", "a"), 1), sg.Variable(sg.Key("angle", "q"), 1)
    z = [sg.Variable(sg.Key("z", str(i)), 1) for i in range(2)]
    graph = sg.FactorGraph({v.key: v for v in (x, q, *z)}, ()).given("z", "angle")
    for i, v in enumerate(z):
        plain = sg.Factor(mixture, {"x": (x.key,), "z": v.key}, 1, i, {"A": np.eye(1)}, sigma=(1.0,))
        blind = sg.Factor(scaled, {"x": x.key, "q": q.key, "z": v.key}, 1, i, sigma=(1.0,))
        graph = graph.with_factors(blind if i < sees_nothing_at_zero else plain)
    return graph


def test_no_number_where_no_sensor_sees_the_unknown():
    f = sg.compile(sensors(2), "x")
    np.testing.assert_allclose(f([0.5], [1.0, 2.0]), 1.5 / np.sin(0.5), rtol=1e-12)
    for blind in (0.0, np.pi):
        with pytest.warns(RuntimeWarning, match="the equations do not determine the answer"):
            assert np.isnan(f([blind], [1.0, 2.0])).all()
    np.testing.assert_allclose(sg.compile(sensors(1), "x")([0.0], [1.0, 2.0]), 2.0)


def test_what_no_equation_tells_is_named(arm):
    graph = sg.with_measurements(sg.dynamics_graph(arm).given("q", "qd"), "qdd:joint1", "tau:joint1", sigma=1.0)
    with pytest.raises(sg.EliminationError, match=r"no equation determines (tau|qdd):joint"):
        sg.compile(graph, "qdd")


def test_what_partial_elimination_leaves_is_as_sure(arm):
    graph = sg.with_measurements(sg.dynamics_graph(arm).given("q", "qd"), "qdd", "tau", sigma=0.7)
    dag = sg.eliminate(graph, "crba", ["tau", "wrench", "acceleration"])
    state = np.random.default_rng(1).standard_normal((4, 3))
    expected = sg.compile(graph, "qdd")(*state)
    np.testing.assert_allclose(sg.compile(dag.remaining, "qdd")(*state), expected, rtol=1e-9)
    dag = sg.eliminate(graph, "crba", ["tau", "wrench", "acceleration", "qdd:joint2"])
    found = sg.compile(dag.remaining, "qdd")(*state)
    np.testing.assert_allclose(found, expected[[0, 2]], rtol=1e-9)


def test_it_is_shown(arm):
    graph = sg.with_measurements(sg.dynamics_graph(arm).given("q", "qd"), "qdd", "tau", sigma=0.7)
    assert "sigma 0.7" in str(graph)
    dag = sg.eliminate(graph, "crba")
    assert "least squares of" in dag.algorithm()
    draw_steps(dag)


@pytest.mark.parametrize("sigma", [0.0, -1.0, np.inf, np.nan, [1.0, 2.0]])
def test_bad_sigmas_are_refused(arm, sigma):
    with pytest.raises(sg.InputError, match="sigma"):
        sg.with_measurements(sg.dynamics_graph(arm), "qdd", sigma=sigma)
    with pytest.raises(sg.InputError, match="sigma"):
        sg.with_soft(sg.dynamics_graph(arm), "torque:joint2", sigma=sigma)


def test_one_variable_is_measured_once(arm):
    graph = sg.with_measurements(sg.dynamics_graph(arm), "qdd", sigma=1.0)
    with pytest.raises(sg.InputError, match="measured twice"):
        sg.with_measurements(graph, "qdd:joint1", sigma=1.0)


@sg.factor(linear=("x",), cites="a test")
def mixing(x, q, k, z):
    """Two sensors of gain k, each of the sum of two unknowns, the first by the sine of an angle of its own."""
    return k[0] * np.array([np.sin(q[i]) * x[0] + x[1] - z[i] for i in range(2)])


@pytest.mark.parametrize("gain", [1e-6, 1.0, 1e9])
def test_no_number_where_two_sensors_see_the_same_whatever_their_gain(gain):
    names, sizes = ("x", "q", "k", "z"), (2, 2, 1, 2)
    variables = [sg.Variable(sg.Key(name, "1"), size) for name, size in zip(names, sizes, strict=True)]
    graph = sg.FactorGraph({v.key: v for v in variables}, ())
    seen = sg.Factor(mixing, {v.key.kind: v.key for v in variables}, 2, 0, sigma=(0.3, 0.3))
    f = sg.compile(graph.with_factors(seen).given("q", "k", "z"), "x")
    x = np.array([0.7, -0.2])
    for q in ([0.3, 1.1], [-0.8, 0.4]):
        np.testing.assert_allclose(f(q, [gain], np.sin(q) * x[0] + x[1]), x, rtol=1e-9)
    for angle in (0.3, 0.5, 0.9, 1.1):
        with pytest.warns(RuntimeWarning, match="the equations do not determine the answer"):
            assert np.isnan(f([angle, angle], [gain], [1.0, 1.0])).any()
