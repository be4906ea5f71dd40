"""Motions by direct integration: exact solutions, energy, exudyn."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import screwgraph as sg
from tests.mechanics.mechanism.four_bar import exact_four_bar
from tests.reference import reference


def test_a_pendulum_swings_by_elliptic_functions():
    """A slender rod of length 1 falls from the horizontal: a mathematical pendulum of length 2/3."""
    run = sg.simulate(sg.load_mechanism("single_pendulum"), time=3.0, dt=1e-3)
    m = np.sin(np.pi / 4.0) ** 2
    _, cn, dn, _ = ellipj(np.sqrt(9.81 / (2.0 / 3.0)) * run.t, m)
    below = 2.0 * np.arcsin(np.sqrt(m) * cn / dn)
    np.testing.assert_allclose(run.coordinate("theta"), below - np.pi / 2.0, atol=1e-9)


@pytest.mark.parametrize(("method", "error"), [("rk4", 1e-8), ("dop853", 1e-8), ("trapezoidal", 1e-4)])
def test_the_four_bar_moves_as_the_reference_does(method, error):
    known = reference("four_bar_free_motion")
    run = sg.simulate(sg.load_mechanism("four_bar"), time=5.0, dt=1e-3, method=method, rtol=1e-12, atol=1e-12)
    for t, *_, x1, y1, x2, y2 in known["rows"]:
        at = round(t / 1e-3)
        np.testing.assert_allclose(run.path("P1")[at], [x1, y1], atol=error)
        np.testing.assert_allclose(run.path(2)[at], [x2, y2], atol=error)


def test_the_four_bar_moves_as_its_equation_of_one_coordinate_says():
    run = sg.simulate(sg.load_mechanism("four_bar_angle"), time=2.0, dt=1e-3, method="rk4")
    np.testing.assert_allclose(run.coordinate("theta"), exact_four_bar(run.t)[:, 0], atol=2e-9)


@pytest.mark.parametrize("name", ["four_bar_angle", "parallel_robot"])
def test_steps_in_machine_code_are_those_in_python(name):
    """Constant torques are stepped by machine code, functions of time in Python."""
    mechanism = sg.load_mechanism(name)
    tau = np.full(len(mechanism.motors), 0.3)
    constant = sg.simulate(mechanism, time=0.3, dt=1e-3, method="rk4", tau=tau)
    function = sg.simulate(mechanism, time=0.3, dt=1e-3, method="rk4", tau=lambda t, q, qd: tau)
    np.testing.assert_allclose(constant.q, function.q, atol=1e-10)
    np.testing.assert_allclose(constant.qd, function.qd, atol=1e-8)


def test_a_minute_passes_without_drift():
    run = sg.simulate(sg.load_mechanism("four_bar"), time=60.0, dt=2e-3)
    assert run.energy_drift < 1e-6 * run.energy[0]
    assert run.violation.max() < 1e-10


@pytest.mark.parametrize("name", [*sg.mechanism_names(), "pendulum_3"])
@pytest.mark.sampled(2)
def test_energy_is_conserved_and_constraints_hold(name):
    run = sg.simulate(sg.load_mechanism(name), time=0.5, dt=1e-3)
    assert run.energy_drift < 1e-7 * max(1.0, np.abs(run.energy).max())
    assert run.violation.max() < 1e-10
    assert np.abs(run.qd).max() > 0.1


def test_a_double_pendulum_moves_by_lagranges_equations():
    L1, L2, m1, m2, g = 1.0, 0.8, 1.0, 0.5, 9.81

    def rate(t, y):
        a, b, ad, bd = y
        c, s = 0.5 * m2 * L1 * L2 * np.cos(a - b), 0.5 * m2 * L1 * L2 * np.sin(a - b)
        M = [[(m1 / 3 + m2) * L1**2, c], [c, m2 * L2**2 / 3]]
        right = [-s * bd**2 - g * L1 * (m1 / 2 + m2) * np.cos(a), s * ad**2 - g * L2 * m2 / 2 * np.cos(b)]
        return [ad, bd, *np.linalg.solve(M, right)]

    run = sg.simulate(sg.load_mechanism("double_pendulum"), time=1.0, dt=1e-3)
    exact = solve_ivp(rate, (0, 1), [0, np.pi / 2, 0, 0], method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1]
    assert run.q[-1, -2] == pytest.approx(exact[0], abs=1e-8)
    assert run.q[-1, -2] + run.q[-1, -1] == pytest.approx(exact[1], abs=1e-8)


SPRING = """
parameters: {k: 80, c: 1.5, m: 2}
points: [{x: 0, y: 0, fixed: true}, {x: 1.0, y: 0}, {x: 2, y: 0, fixed: true}, {x: 1.0, y: 1}]
bodies: [{points: [1, 3], length: 1, mass: m, I0: m/3, cog: [0.5, 0]}]
sliders: [{slider: a, point: 1, along: [0, 2]}]
angles: [{angle: upright, of: [1, 3]}]
springs: [{spring: s, between: [0, 1], stiffness: k, rest: 0.7}]
dampers: [{damper: d, between: [0, 1], damping: c}]
forces: [{force: f, at: 1, value: [3, 0]}]
"""


def test_springs_dampers_and_forces_make_a_damped_oscillator(tmp_path):
    path = tmp_path / "oscillator.yaml"
    path.write_text(SPRING.replace("m/3", "1e6"))  # too heavy to turn
    run = sg.simulate(sg.load_mechanism(path), time=1.0, dt=1e-3)
    k, c, m, rest, F = 80.0, 1.5, 2.0, 0.7, 3.0
    decay, omega = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    end = rest + F / k
    x = end + np.exp(-decay * run.t) * (1.0 - end) * (np.cos(omega * run.t) + decay / omega * np.sin(omega * run.t))
    np.testing.assert_allclose(run.coordinate("x:1"), x, atol=1e-5)
    assert run.energy_drift < 1e-6


def test_torque_of_a_motor_and_on_a_body_turn_a_rod_alike(tmp_path):
    source = """
    gravity: [0, 0]
    points: [{x: 0, y: 0, fixed: true}, {x: 1, y: 0}]
    bodies: [{name: rod, points: [0, 1], mass: 3, I0: 1, cog: [0.5, 0]}]
    angles: [{angle: theta, of: [0, 1]}]
    motors: [theta]
    velocities: {theta: -1}
    """
    for extra, tau in (("", [2.0]), ("torques: [{torque: T, body: rod, value: 2}]", None)):
        path = tmp_path / "rod.yaml"
        path.write_text(source + extra)
        run = sg.simulate(sg.load_mechanism(path), time=1.0, dt=1e-3, tau=tau)
        np.testing.assert_allclose(run.coordinate("theta"), -run.t + run.t**2, atol=1e-9)
        assert run.energy_drift < 1e-8


def test_gears_turn_by_their_teeth():
    run = sg.simulate(sg.load_mechanism("gear_train"), time=0.5, dt=1e-3)
    pinion, wheel = run.coordinate("pinion"), run.coordinate("wheel")
    np.testing.assert_allclose(pinion * 12, wheel * 18, atol=1e-10)


def test_a_run_is_saved_as_a_table(tmp_path):
    run = sg.simulate(sg.load_mechanism("four_bar_angle"), time=0.01, dt=1e-3)
    run.save(tmp_path / "run.csv")
    table = np.genfromtxt(tmp_path / "run.csv", delimiter=",", names=True, deletechars="")
    np.testing.assert_array_equal(table["q:theta"], run.coordinate("theta"))
    run.save(tmp_path / "run.npz")
    np.testing.assert_array_equal(np.load(tmp_path / "run.npz")["qdd"], run.qdd)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.extra
def test_exudyn_moves_the_slider_crank_alike():
    exudyn = pytest.importorskip("exudyn")
    from tests.mechanics.mechanism.exudyn_oracle import slider_crank

    run = sg.simulate(sg.load_mechanism("slider_crank"), time=0.5, dt=1e-3)
    np.testing.assert_allclose(run.coordinate("theta")[-1], slider_crank(exudyn, 0.5)[0], atol=2e-6)
    driven = sg.simulate(sg.load_mechanism("slider_crank"), time=0.5, dt=0.01, driven={"theta": "pi/4 + 16*t**3"})
    angle, torque = slider_crank(exudyn, 0.5, lambda t: 16 * t**3)
    np.testing.assert_allclose(driven.coordinate("theta")[-1], angle, atol=1e-9)
    np.testing.assert_allclose(driven.tau[-1], -torque, atol=1e-5)  # a force on the connector
