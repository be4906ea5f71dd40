"""Constraints that depend on time: driven points and angles, and the efforts that this takes."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem
from screwgraph.model.functions_of_time import interpolate_samples

SHAKEN = """
name: shaken
parameters: {A: 0.2, w: 5}
points: [{name: P, x: 0, y: 0}, {name: R, x: 0.6, y: -0.8}]
bodies: [{name: rod, points: [P, R], mass: 1.3, I0: 0.5, cog: [0.4, 0.1]}]
angles: [{angle: a, of: [P, R]}]
driven: {x:P: 0.1*t^2, y:P: A*sin(w*t)}
"""
"""A rod whose pivot is driven, in both directions."""


def test_a_rod_swings_about_a_driven_pivot_as_its_closed_form():
    run = sg.simulate(sg.load_mechanism(SHAKEN), time=0.6, dt=0.02, method="dop853")
    mass, inertia, g = 1.3, 0.5, np.array([0.0, -9.81])

    def arm(angle):
        return np.array([0.4 * np.cos(angle) - 0.1 * np.sin(angle), 0.4 * np.sin(angle) + 0.1 * np.cos(angle)])

    def pivot(t):
        return np.array([0.2 + 0.0 * t, -5.0 * np.sin(5.0 * t)])

    def rate(t, y):
        r, F = arm(y[0]), mass * (g - pivot(t))
        return [y[1], (r[0] * F[1] - r[1] * F[0]) / inertia]

    exact = solve_ivp(rate, (0.0, 0.6), [run.q[0, 4], run.qd[0, 4]], "DOP853", run.t, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(run.coordinate("a"), exact.y[0], atol=1e-9)
    np.testing.assert_array_equal(run.coordinate("y:P"), 0.2 * np.sin(5.0 * run.t))
    r, w, turning = arm(run.q[:, 4]), run.qd[:, 4], run.qdd[:, 4]
    force = mass * (pivot(run.t) + turning * np.array([-r[1], r[0]]) - w**2 * r - g[:, None])
    np.testing.assert_allclose(run.tau, force.T, atol=1e-9)
    assert [c.unit for c in run.model.columns["tau"]] == ["N", "N"]


def test_one_of_two_motors_is_driven_and_the_other_one_is_idle():
    """A double pendulum: its second motor has no torque, so that inverse dynamics needs none there."""
    model = sg.load_mechanism("pendulum_2")
    name, start = model.motors[0], model.home[model.motor_slots[0]]
    run = sg.simulate(model, time=0.1, dt=0.01, driven={name: lambda t: start + 0.2 * np.sin(3.0 * t)}, method="rk4")
    np.testing.assert_allclose(run.coordinate(name), start + 0.2 * np.sin(3.0 * run.t), atol=1e-14)
    torques = sg.inverse_dynamics(model)(run.q, run.qd, run.qdd)
    np.testing.assert_allclose(torques, run.tau, atol=1e-8 * np.abs(run.tau).max())
    assert run.tau[:, 0].any()
    assert not run.tau[:, 1:].any()


@pytest.mark.parametrize("method", ["rk4", "dop853", "trapezoidal", "radau5", "auto"])
def test_every_method_keeps_to_the_motion(method):
    model = sg.load_mechanism("four_bar_angle")
    start = model.home[-1]
    run = sg.simulate(
        model, time=0.2, dt=0.02, method=method, driven={"theta": f"{start} + 2*t + t^3".replace("^", "**")}
    )
    np.testing.assert_allclose(run.coordinate("theta"), start + 2 * run.t + run.t**3, rtol=1e-15)
    np.testing.assert_allclose(run.qd[:, -1], 2 + 3 * run.t**2, rtol=1e-15)
    np.testing.assert_allclose(run.qdd[:, -1], 6 * run.t, atol=1e-10)
    places = [position_problem(model, {"theta": angle}, q) for angle, q in zip(run.q[:, -1], run.q, strict=True)]
    np.testing.assert_allclose(run.q, places, atol=1e-11)
    np.testing.assert_allclose(run.energy_residual, 0.0, atol=1e-4)  # of the work between states


def test_joints_of_robots_are_driven_likewise():
    """The crank of a closed chain by a function, beside an arm two of whose joints follow samples."""
    robot = sg.load("four_bar_linkage")
    start = robot.close_loops(robot.neutral())[0]
    run = sg.simulate(robot, time=0.2, dt=0.02, driven={"joint1": f"{start} + t**2"})
    np.testing.assert_allclose(run.q[:, 0], start + run.t**2, rtol=1e-15)
    torque = sg.inverse_dynamics(robot, actuated=["joint1"])(run.q, run.qd, run.qdd)
    np.testing.assert_allclose(run.tau, torque, atol=1e-9)
    t = np.linspace(0.0, 0.2, 41)
    arm = sg.simulate(sg.load("rrr"), time=0.2, dt=0.02, driven={"t": t, "joint1": 0.3 * np.sin(2 * t), "joint3": 0.0})
    np.testing.assert_allclose(arm.q[:, 0], 0.3 * np.sin(2 * arm.t), atol=1e-12)
    torques = sg.inverse_dynamics(sg.load("rrr"))(arm.q, arm.qd, arm.qdd)
    np.testing.assert_allclose(arm.tau, torques, atol=1e-9 * np.abs(torques).max())
    assert not arm.tau[:, 1].any()


def test_rates_of_samples_are_those_of_their_spline():
    t = np.linspace(0.0, 1.0, 30)
    curve, at, h = interpolate_samples(t, np.exp(t), "exp"), np.array([0.1, 0.55, 0.9]), 1e-4
    np.testing.assert_allclose(curve(at), np.exp(at) * np.ones((3, 1)), rtol=1e-5)
    np.testing.assert_allclose(curve(t)[0], np.exp(t), rtol=1e-14)
    before, there, after = (curve(at + step)[0] for step in (-h, 0.0, h))
    np.testing.assert_allclose(curve(at)[1], (after - before) / (2 * h), rtol=1e-7)
    np.testing.assert_allclose(curve(at)[2], (after - 2 * there + before) / h**2, rtol=1e-6)


def test_a_file_may_hold_samples_and_is_read_again_from_a_saved_motion(tmp_path):
    times = np.linspace(0.0, 0.2, 11)
    samples = f"{{t: {times.tolist()}, values: {(0.1 * times**2).tolist()}}}"
    model = sg.load_mechanism(SHAKEN.replace("0.1*t^2", samples))
    run, other = (sg.simulate(m, time=0.2, dt=0.02, method="rk4") for m in (model, sg.load_mechanism(SHAKEN)))
    np.testing.assert_allclose(run.q, other.q, atol=1e-9)
    run.save(tmp_path / "run.npz")
    again = sg.simulation.read_trajectory(tmp_path / "run.npz")
    assert again.columns == run.columns
    np.testing.assert_array_equal(again.tau, run.tau)


REFUSED = {
    "an unknown coordinate": ({"b": "t"}, "no motor or joint of one coordinate is called 'b'"),
    "an unknown name": ({"theta": "t + x"}, "no parameter is called 'x'"),
    "no function": ({"theta": [0.0, 1.0]}, "theta is neither an expression in t nor a function"),
    "a function that branches": ({"theta": lambda t: t if t > 0 else -t}, "theta cannot be differentiated"),
    "a kink": ({"theta": "sqrt(t)"}, "has no finite value, rate and acceleration at t = 0 s"),
    "samples that end": (
        {"t": [0, 0.01, 0.02, 0.03], "theta": [0.785, 0.786, 0.787, 0.788]},
        "theta is not known at t = 0.04 s: its samples are from 0 to 0.03 s",
    ),
    "samples that go back": ({"t": [0, 2, 1, 3], "theta": [1, 1, 1, 1]}, "times must grow"),
    "a point in the place of a coordinate": ({"piston": "t"}, "no motor or joint"),
}


@pytest.mark.parametrize(("driven", "complaint"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_motion_is_refused_in_one_line(driven, complaint):
    with pytest.raises(sg.ScrewgraphError, match=complaint) as caught:
        sg.simulate(sg.load_mechanism("slider_crank"), time=0.1, dt=0.01, driven=driven)
    assert "\n" not in str(caught.value)


def test_a_motion_beyond_a_dead_centre_ends_with_its_time():
    text = (
        "{name: dyad,\n points: [{name: O, x: 0, y: 0, fixed: true}, {name: P, x: 1, y: 1}, {name: Q, x: 2, y: 0}, "
        "{name: G, x: 9, y: 0, fixed: true}], bodies: [{points: [O, P], mass: 1, I0: 1, cog: [0.5, 0]}, "
        "{points: [P, Q], mass: 1, I0: 1, cog: [0.5, 0]}], sliders: [{slider: s, point: Q, along: [O, G]}], "
        "driven: {x:Q: 2 + 4*t}}"
    )
    with pytest.raises(sg.InputError, match=r"driven motion of x:Q cannot go on at t = 0\.2"):
        sg.simulate(sg.load_mechanism(text), time=0.5, dt=0.01)


@pytest.mark.parametrize(("method", "order"), [("semi_implicit", 1), ("rosenbrock", 2), ("rk4", 2)])
def test_steps_follow_driven_coordinates_by_their_order(method, order):
    """Driven coordinates are exact at the ends of steps, accelerations in these constant: order 2 at most."""
    model = sg.load_mechanism(SHAKEN)
    exact = sg.simulate(model, time=0.4, dt=0.02, method="dop853", rtol=1e-11, atol=1e-11)
    errors = []
    for steps in (40, 80):
        simulator = sg.Simulator(model, 0.4 / steps, method=method)
        simulator.step(steps=steps)
        np.testing.assert_allclose(simulator.q[:2], [0.1 * 0.4**2, 0.2 * np.sin(2.0)], atol=1e-13)
        np.testing.assert_allclose(simulator.qd[:2], [0.08, np.cos(2.0)], atol=1e-13)
        errors.append(np.abs(simulator.q - exact.q[-1]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)
    assert errors[1] < 2e-2 * 10.0 ** (-2 * (order - 1))
    np.testing.assert_allclose(simulator.driving_efforts, exact.tau[-1], atol=1e-1 * 10.0 ** (-2 * (order - 1)))
    simulator.reset()
    np.testing.assert_allclose(simulator.q, exact.q[0], atol=1e-13)
    assert simulator.t == 0.0


def test_rollouts_follow_driven_coordinates_and_know_their_efforts():
    """Two pendulums that begin otherwise about a shaken pivot; the power of the pivot is what their energies gain."""
    model = sg.load_mechanism(SHAKEN)
    starts = np.array([position_problem(model, {"x:P": 0.0, "y:P": 0.0, "a": a}) for a in (-0.9, -1.4)])
    runs = sg.rollout(model, starts, time=0.4, dt=0.005, method="rk4")
    for i in range(2):
        run = runs[i]
        one = sg.simulate(model, starts[i], time=0.4, dt=0.005, method="dop853", rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(run.q, one.q, atol=3e-5)
        np.testing.assert_allclose(run.tau, one.tau, atol=2e-3)
        assert np.abs(run.energy_residual).max() < 1e-3


def test_a_driven_crank_takes_its_mechanism_along():
    """The only degree of freedom: the piston is where trigonometry puts it, after whole turns, too."""
    model = sg.load_mechanism("slider_crank")
    start = float(model.home[model.index("theta")])
    text = model.source.data.decode() + f"driven: {{theta: {start} + 9*t}}\n"
    simulator = sg.Simulator(sg.load_mechanism(text.replace("motors: [theta]", "motors: []")), 1e-2)
    simulator.step(steps=100)
    theta = start + 9.0
    x = 0.1 * np.cos(theta) + np.sqrt(0.35**2 - (0.1 * np.sin(theta)) ** 2)
    assert simulator.q[model.index("x:piston")] == pytest.approx(x, abs=1e-10)


def test_steps_refuse_efforts_of_what_is_driven():
    model = sg.load_mechanism(SHAKEN)
    simulator = sg.Simulator(model, 0.01)
    for ask in (
        lambda: simulator.step([1.0, 0.0]),
        lambda: sg.rollout(model, tau=[1.0, 0.0], time=0.1, dt=0.01),
        lambda: sg.rollout(model, tau=lambda t, q, qd: [1.0, 0.0], time=0.1, dt=0.01),
    ):
        with pytest.raises(sg.InputError, match="tau gives an effort to 'x:P', which is driven"):
            ask()
    with pytest.raises(sg.InputError, match="tau: expected numbers"):
        simulator.step([1.0])
    with pytest.raises(sg.InputError, match="coordinates that its file drives"):
        sg.Simulator(model, 0.01, parameters=["mass:rod"])


def test_what_has_no_law_for_driven_coordinates_says_so():
    model = sg.load_mechanism(SHAKEN)
    with pytest.raises(sg.InputError, match="whose x:P, y:P is driven by its file"):
        sg.simulate(model, time=0.1, dt=0.01, method="smoother")
    with pytest.raises(sg.InputError, match="tau gives an effort to 'x:P', which is driven"):
        sg.simulate(model, time=0.1, dt=0.01, tau=[1.0, 0.0])
    with pytest.raises(sg.InputError, match="qd0 gives 'y:P' the rate 0"):
        sg.simulate(model, qd0=np.zeros(5), time=0.1, dt=0.01)
    with pytest.raises(sg.ModelError, match="velocity of 'y:P': its motion is driven"):
        sg.load_mechanism(SHAKEN + "velocities: {y:P: 0}")
