"""Graphs with costs and inequalities beside dense programs in which nothing is eliminated."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import EliminationError, InputError
from screwgraph.graph import Key
from screwgraph.model.robot import constraint_jacobian
from screwgraph.optimize.stage.free_unknowns import MOVED, find_free_unknowns
from screwgraph.tape.verifier import list_faults
from tests.motion.control.robots import PLACES, arm, crouched, tripod_text

MOST = 20.0
FEET = [f"{side}_foot" for side in PLACES]


def arm_graph():
    """Return an arm whose torques are bounded and whose last link's acceleration is wanted."""
    graph = sg.with_measurements(sg.dynamics_graph(arm()).given("q", "qd"), "acceleration:bend_link", sigma=0.5)
    graph = sg.with_measurements(graph, "qdd", sigma=100.0)
    return sg.with_bounds(graph, "tau", lower=-MOST, upper=MOST)


@cache
def arm_function():
    return sg.compile(arm_graph(), ["tau", "qdd"])


def solve_densely(H, g, A, lower, upper):
    daqp = pytest.importorskip("daqp")
    x, _, flag, _ = daqp.solve(H, g, np.ascontiguousarray(A), upper, lower, np.zeros(len(A), dtype=np.int32))
    return x if flag == 1 else None


def test_an_arm_within_its_torques():
    robot, f, rng, bound = arm(), arm_function(), np.random.default_rng(0), 0
    assert [a.name for a in f.arguments] == ["q", "qd", "measured_acceleration", "measured_qdd", "active"]
    assert list_faults(f.body) == []
    J_of, drift_of = sg.frame_jacobian(robot, "bend_link"), sg.frame_acceleration(robot, "bend_link")
    active = np.zeros(3)
    for _ in range(40):
        q, qd, a, b = rng.uniform(-2, 2, 3), rng.standard_normal(3), 30 * rng.standard_normal(6), rng.standard_normal(3)
        tau, qdd, active, (status, _, violation) = f(q, qd, a, b, active)
        M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
        J, left = J_of(q), drift_of(q, qd, np.zeros(3)) - a
        H, g = J.T @ J / 0.25 + 1e-4 * np.eye(3), J.T @ left / 0.25 - 1e-4 * b
        x = solve_densely(H, g, M, -MOST - h, MOST - h)
        costs = [0.5 * y @ H @ y + g @ y for y in (qdd, x)]
        assert abs(costs[0] - costs[1]) < 1e-9 * (1.0 + left @ left)
        np.testing.assert_allclose(M @ qdd + h, tau, atol=1e-9)
        assert status == 0.0
        assert violation < 1e-8
        bound += np.abs(tau).max() > MOST - 1e-6
    assert 5 < bound < 35


def test_the_same_numbers_as_arguments():
    """Standard deviations and bounds that are arguments give what the numbers in code give; infinite ones bind none."""
    graph = sg.with_measurements(
        sg.dynamics_graph(arm()).given("q", "qd"), "acceleration:bend_link", sigma="sigma_hand"
    )
    graph = sg.with_measurements(graph, "qdd", sigma="sigma_qdd")
    graph = sg.with_bounds(graph, "tau", lower="least_tau", upper="most_tau")
    assert "within least_tau to most_tau" in str(graph)
    assert "sigma sigma_hand" in str(graph)
    f, rng = sg.compile(graph, ["tau", "qdd"]), np.random.default_rng(0)
    live = {"sigma_hand": np.full(6, 0.5), "sigma_qdd": np.full(3, 100.0)}
    bounds = {"least_tau": np.full(3, -MOST), "most_tau": np.full(3, MOST)}
    free = {name: np.inf * value for name, value in bounds.items()}
    for _ in range(20):
        state = {"q": rng.uniform(-2, 2, 3), "qd": rng.standard_normal(3), "active": np.zeros(3)}
        wanted = {"measured_acceleration": 30 * rng.standard_normal(6), "measured_qdd": rng.standard_normal(3)}
        for own, same in zip(f(**state, **wanted, **live, **bounds), arm_function()(**state, **wanted), strict=True):
            np.testing.assert_allclose(own, same, rtol=1e-9, atol=1e-9)
        _, qdd, active, solution = f(**state, **wanted, **live, **free)
        np.testing.assert_array_equal(active, 0.0)
        assert solution[0] == 0.0
        J = sg.frame_jacobian(arm(), "bend_link")(state["q"])
        left = sg.frame_acceleration(arm(), "bend_link")(state["q"], state["qd"], np.zeros(3))
        stacked = np.vstack([J / 0.5, np.eye(3) / 100.0])
        right = np.concatenate([(wanted["measured_acceleration"] - left) / 0.5, wanted["measured_qdd"] / 100.0])
        np.testing.assert_allclose(qdd, np.linalg.lstsq(stacked, right)[0], rtol=1e-8, atol=1e-7)


def test_what_cannot_be_kept_gives_way_by_priority():
    """Gravity asks for more than the torques that are allowed, and joints must not accelerate."""
    robot = arm()
    q, zero = np.array([0.0, 0.0, 0.0]), np.zeros(3)
    needed = sg.bias_forces(robot)(q, zero)
    assert abs(needed[1]) > 5.0
    for first, priority in (("tau", (1, 0)), ("qdd", (0, 1))):
        graph = sg.with_measurements(sg.dynamics_graph(robot).given("q", "qd"), "qdd", sigma=1.0)
        graph = sg.with_bounds(graph, "tau", lower=-5.0, upper=5.0, priority=priority[0])
        graph = sg.with_bounds(graph, "qdd", lower=0.0, upper=0.0, priority=priority[1])
        tau, qdd, _, (status, _, violation) = sg.compile(graph, ["tau", "qdd"])(q, zero, zero, np.zeros(6))
        assert status == 1.0
        assert violation > 0.1
        if first == "tau":
            assert np.abs(tau).max() < 5.0 + 1e-6
        else:
            np.testing.assert_allclose(qdd, 0.0, atol=1e-7)
            np.testing.assert_allclose(tau, needed, atol=1e-7)


def test_states_that_are_no_numbers_give_zeros():
    tau, qdd, _, solution = arm_function()(np.full(3, np.nan), np.zeros(3), np.zeros(6), np.zeros(3), np.zeros(3))
    assert solution[0] == 3.0
    np.testing.assert_array_equal([tau, qdd], 0.0)


def test_motions_too_fast_for_numbers_and_bounds_that_are_none_give_zeros():
    f, still = arm_function(), np.zeros(3)
    graph = sg.with_measurements(sg.dynamics_graph(arm()).given("q", "qd"), "qdd", sigma=1.0)
    live = sg.compile(sg.with_bounds(graph, "tau", lower="least", upper="most"), ("tau", "qdd"))
    with np.errstate(all="ignore"):
        calls = [f(still, [0.0, 1e160, 0.0], np.zeros(6), still, still)]
        calls += [
            live(still, still, still, least, most, still) for least, most in ((-still - 1, BAD), (BAD, still + 1))
        ]
    for tau, qdd, _, solution in calls:
        assert solution[0] == 3.0
        np.testing.assert_array_equal([tau, qdd], 0.0)


BAD = np.array([1.0, np.nan, 1.0])


def test_feet_determine_legs_and_the_base_is_free():
    """Legs of three joints follow from the base and their feet at each state; a base from some joints does not."""
    robot = body()
    graph = sg.dynamics_graph(robot, external_wrenches=FEET, poses=FEET).given("q", "qd")
    free = find_free_unknowns(sg.with_point_contacts(graph, *FEET).given())
    assert {key for key, _ in free if key.kind == "qdd"} == {Key("qdd", robot.joint_names[0])}


@cache
def body():
    """Return the tripod with frames at its feet."""
    feet = "".join(
        f'<link name="{side}_foot"/><joint name="{side}_tip" type="fixed"><parent link="{side}_knee_link"/>'
        f'<child link="{side}_foot"/><origin xyz="0 0 -0.2" rpy="0.3 0.2 0"/></joint>'
        for side in PLACES
    )
    return sg.load(tripod_text().replace("</robot>", f"{feet}</robot>"), base="floating")


def body_graph(friction, schedule="", sigma=0.3):
    """Return the tripod on its feet: its trunk's acceleration is wanted, forces and accelerations cost little."""
    robot = body()
    base, motors = robot.joint_names[0], [f"tau:{name}" for name in robot.joint_names[1:]]
    graph = sg.dynamics_graph(robot, external_wrenches=FEET, poses=FEET).given("q", "qd", f"tau:{base}")
    graph = sg.with_point_contacts(graph, *FEET, friction=friction, schedule=schedule)
    graph = sg.with_measurements(graph, "acceleration:body", sigma=sigma)
    graph = sg.with_measurements(graph, "external_wrenches", sigma=30.0)
    graph = sg.with_measurements(graph, *(f"qdd:{name}" for name in robot.joint_names[1:]), sigma=300.0)
    return sg.with_bounds(graph, *motors, lower=-MOST_OF_LEGS, upper=MOST_OF_LEGS)


MOST_OF_LEGS = 40.0


@cache
def live_body():
    """Return the tripod's function whose friction, stances and weights are arguments."""
    return sg.compile(body_graph("friction", "stance", "sigma_trunk"), ["tau", "external_wrenches", "qdd"])


def check_body(call, rng, mu, on, sigma, straight=()):
    """Compare a controlled tripod at a random state with a dense program; return whether a bound is met.

    The knees of the legs that are named by number are straight.
    """
    robot, n, k = body(), body().nv, 9
    J_of = [sg.frame_jacobian(robot, foot) for foot in FEET]
    drift_of = [sg.frame_acceleration(robot, foot) for foot in FEET]
    pose_of = [sg.forward_kinematics(robot, foot) for foot in FEET]
    q, qd, a = crouched(robot), 0.5 * rng.standard_normal(n), 4.0 * rng.standard_normal(6)
    q[7:] += rng.uniform(-0.3, 0.3, 9)
    q[[9 + 3 * leg for leg in straight]] = 0.0
    tau, wrenches, qdd, _, (status, *_) = call(q, qd, a)
    wrenches = wrenches.reshape(3, 6)
    np.testing.assert_allclose(wrenches[:, :3], 0.0, atol=1e-10)
    M, h = sg.mass_matrix(robot)(q), sg.bias_forces(robot)(q, qd)
    J = np.vstack([J(q)[3:] for J in J_of])
    # The acceleration of a point is that of its twist, and omega x v.
    drift = []
    for jacobian, rate in zip(J_of, drift_of, strict=True):
        V = jacobian(q) @ qd
        drift.append(rate(q, qd, np.zeros(n))[3:] + np.cross(V[:3], V[3:]))
    rests = np.repeat(np.array(on) > 0.5, 3)
    held = np.hstack([J, np.zeros((k, k))])
    held[~rests] = np.hstack([np.zeros((k, n)), np.eye(k)])[~rests]
    E = np.vstack([np.hstack([M[:6], -J.T[:6]]), held])
    e = np.concatenate([-h[:6], np.where(rests, -np.concatenate(drift), 0.0)])
    # The trunk's acceleration in the graph is that of its twist, in its own axes: the first six of qdd.
    H = np.diag([*np.full(6, sigma**-2.0), *np.full(n - 6, 300.0**-2.0), *np.full(k, 1.0 / 900.0)])
    g = np.concatenate([-a / sigma**2, np.zeros(n - 6 + k)])
    A, lower, upper = (
        [np.hstack([M[6:], -J.T[6:]])],
        [-MOST_OF_LEGS - h[6:]],
        [MOST_OF_LEGS - h[6:]],
    )
    for c, pose in enumerate(pose_of):
        R = np.zeros((3, n + k))
        R[:, n + 3 * c : n + 3 * c + 3] = pose(q)[:3, :3]
        share = mu / np.sqrt(2.0)
        A.append(np.array([share * R[2] + s * R[i] for i in (0, 1) for s in (1, -1)] + [R[2]]))
        lower.append(np.zeros(5))
        upper.append(np.full(5, np.inf))
    A, lower, upper = np.vstack(A), np.concatenate(lower), np.concatenate(upper)
    x0 = np.linalg.lstsq(E, e, rcond=None)[0]
    Z = np.linalg.svd(E)[2][len(E) :].T
    z = solve_densely(Z.T @ H @ Z, Z.T @ (H @ x0 + g), A @ Z, lower - A @ x0, upper - A @ x0)
    if z is None:
        return False
    own, best = np.concatenate([qdd, wrenches[:, 3:].ravel()]), x0 + Z @ z
    np.testing.assert_allclose(E @ own, e, atol=1e-8)
    costs = [0.5 * x @ H @ x + g @ x for x in (own, best)]
    assert abs(costs[0] - costs[1]) < 1e-8 * (1.0 + a @ a / sigma**2)
    np.testing.assert_allclose(tau, M[6:] @ qdd + h[6:] - J.T[6:] @ own[n:], atol=1e-8)
    assert status == 0.0
    counts = np.concatenate([np.ones(9, dtype=bool), np.repeat(rests[::3], 5)])
    return np.minimum(A @ own - lower, upper - A @ own)[counts].min() < 1e-6


@pytest.mark.suite
def test_a_body_on_feet_that_do_not_slip():
    f, rng = sg.compile(body_graph(0.6), ["tau", "external_wrenches", "qdd"]), np.random.default_rng(1)
    nought = np.zeros(18), np.zeros(9), np.zeros(24)

    def call(q, qd, a):
        return f(q, qd, np.zeros(6), a, *nought)

    assert sum(check_body(call, rng, 0.6, (1, 1, 1), 0.3) for _ in range(25)) > 3


def give_others(f, named):
    """Return a function of a state and a measured acceleration, other arguments being given."""
    return lambda q, qd, a: f(**(named | {"q": q, "qd": qd, "measured_acceleration": a}))


def test_feet_friction_and_weights_that_are_arguments():
    """Feet are lifted without new code, and the same function has other friction, and other weights."""
    f, rng, touched = live_body(), np.random.default_rng(1), 0
    named = {a.name: np.zeros(a.shape) for a in f.arguments}
    for on in ((1, 1, 1), (1, 0, 1), (0, 1, 0), (0, 0, 0)):
        for mu, sigma in ((0.6, 0.3), (0.3, 2.0)):
            own = {"friction": np.full(3, mu), "stance": np.array(on, dtype=float), "sigma_trunk": np.full(6, sigma)}
            touched += sum(check_body(give_others(f, named | own), rng, mu, on, sigma) for _ in range(5))
    assert touched > 3


def test_legs_that_are_straight():
    """Feet do not determine how straight legs move; the answer is that of a dense program nevertheless, to 1e-8."""
    f, rng = live_body(), np.random.default_rng(3)
    numbers = {"friction": np.full(3, 0.6), "sigma_trunk": np.full(6, 0.3)}
    named = {a.name: np.zeros(a.shape) for a in f.arguments} | numbers
    for on in ((1, 1, 1), (1, 0, 1), (0, 1, 0), (0, 0, 0)):
        for straight in ((0,), (1, 2), (0, 1, 2)):
            own = named | {"stance": np.array(on, dtype=float)}
            check_body(give_others(f, own), rng, 0.6, on, 0.3, straight)


def test_efforts_are_free_where_motions_follow_from_them():
    graph = body_graph(0.6, "stance")
    exact = replace(graph, inequalities=()).without(*(factor for factor in graph.factors if factor.sigma)).given()
    motors = [Key("tau", name) for name in body().joint_names[1:]]
    assert sorted(find_free_unknowns(exact, MOVED)) == sorted((motor, 0) for motor in motors)


def test_a_closed_chain_within_its_torques():
    robot, rng = sg.load("five_bar"), np.random.default_rng(2)
    passive = [f"tau:{name}" for name in ("joint3", "joint4")]
    graph = sg.dynamics_graph(robot).given("q", "qd", *passive)
    graph = sg.with_measurements(graph, "qdd:joint3", "qdd:joint4", sigma=1.0)
    graph = sg.with_bounds(graph, "tau:joint1", "tau:joint2", lower=-30.0, upper=30.0)
    f = sg.compile(graph, ["tau", "qdd"])
    for _ in range(10):
        q = robot.close_loops(0.2 * rng.standard_normal(4))
        tau, qdd, _, (status, *_) = f(q, np.zeros(4), np.zeros(2), 40.0 * rng.standard_normal(2), np.zeros(2))
        K = constraint_jacobian(robot, q)[list(robot.mobility.kept)]
        assert status == 0.0
        np.testing.assert_allclose(K @ qdd, 0.0, atol=1e-9)
        np.testing.assert_allclose(sg.forward_dynamics(robot)(q, np.zeros(4), [*tau, 0.0, 0.0]), qdd, atol=1e-8)
        assert np.abs(tau).max() < 30.0 + 1e-7


def test_graphs_that_are_wrong():
    graph = sg.dynamics_graph(arm())
    with pytest.raises(InputError, match=r"the priority of tau is 9"):
        sg.with_bounds(graph, "tau", upper=1.0, priority=9)
    for call, what in (
        (lambda: sg.with_bounds(graph, upper=1.0), "bounds of nothing"),
        (lambda: sg.with_point_contacts(graph), "contacts of nothing"),
        (lambda: sg.with_measurements(graph, sigma=1.0), "measurements of nothing"),
        (lambda: sg.with_bounds(graph, "tau"), "bounds of tau: there are none"),
        (lambda: sg.with_bounds(graph, "tau", lower=[-np.inf] * 3, upper=np.inf), "bounds of tau: there are none"),
        (lambda: sg.with_bounds(graph, "tau", lower=np.inf), "of tau:turn are inf and inf: no number is between"),
        (lambda: sg.with_bounds(graph, "tau", upper=[1.0, -np.inf, 1.0]), "of tau:lift are -inf and -inf"),
        (lambda: sg.with_inequality(graph, graph.factors[0], lower=-np.inf), "there are none"),
        (lambda: sg.with_inequality(graph, graph.factors[0], lower=2.0, upper=1.0), "are 2 and 1"),
    ):
        with pytest.raises(InputError, match=what):
            call()
    with pytest.raises(InputError, match=r"the bounds of tau:turn are 1 and -1 "):
        sg.with_bounds(graph, "tau", lower=1.0, upper=-1.0)
    with pytest.raises(InputError, match=r"the bounds of tau:lift are 3 and 2 "):
        sg.with_bounds(graph, "tau", lower=[0.0, 3.0, 0.0], upper=2.0)
    with pytest.raises(InputError, match=r"or 3 of these"):
        sg.with_bounds(graph, "tau", upper=[1.0, 2.0])
    with pytest.raises(InputError, match="no variable is called 'torque'"):
        sg.with_bounds(graph, "torque", upper=1.0)
    bounded = sg.with_bounds(graph.given("q", "qd"), "tau", upper=1.0)
    assert "within -inf to 1, priority 0" in str(bounded)
    with pytest.raises(EliminationError, match="soft factors do not determine qdd:"):
        sg.compile(bounded, "tau")
    with pytest.raises(EliminationError, match="equations determine all unknowns"):
        sg.compile(sg.with_bounds(graph.given("q", "qd", "qdd"), "tau", upper=1.0), "tau")
    with pytest.raises(InputError, match="'q' is given"):
        sg.compile(arm_graph(), "q")
    with pytest.raises(InputError, match="'twist:bend_link' follows from what is given"):
        sg.compile(arm_graph(), "twist:bend_link")
    with pytest.raises(InputError, match="elimination solves equations"):
        sg.eliminate(bounded, "composite", ["wrench"])
    with pytest.raises(InputError, match="no external wrench and pose of 'tip'"):
        sg.with_point_contacts(graph, "tip")
    with pytest.raises(InputError, match="an argument called 'tau'"):
        sg.with_measurements(graph, "qdd", sigma="tau")
    with pytest.raises(InputError, match=r"most_qdd:turn is in the graph already"):
        sg.with_bounds(sg.with_bounds(graph, "qdd", upper="most_qdd"), "qdd", lower="most_qdd")
    with pytest.raises(InputError, match="contacts of friction -1"):
        sg.with_point_contacts(graph, "tip", friction=-1.0)
