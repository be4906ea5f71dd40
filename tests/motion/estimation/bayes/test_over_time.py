"""Networks over time given arbitrary knowns, against graphs and queries that are special cases of them."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import Sensor, position_problem, simulate_sensors
from screwgraph.motion.estimation import ModelNoise, Noise, bayes_network, forward_graph
from screwgraph.optimize import solve

STEPS, DT = 11, 0.01


@pytest.fixture(scope="module")
def crank():
    return sg.load_mechanism("slider_crank")


@pytest.fixture(scope="module")
def motion(crank):
    start = position_problem(crank, {"theta": 0.4})
    return sg.simulate(crank, start, time=(STEPS - 1) * DT, dt=DT, tau=[0.5], method="dop853", rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("integrator", ["trapezoidal", "hermite_simpson"])
def test_a_known_start_and_forces_make_the_graph_of_forward_dynamics(crank, motion, integrator):
    q0, qd0, force = motion.q[0], motion.qd[0], np.zeros((STEPS, crank.n))
    force[:, crank.index("theta")] = 0.5
    problem = forward_graph(crank, STEPS, DT, integrator=integrator, start=(q0, qd0), force=force)
    expected = solve(problem, {"q": motion.q, "v": motion.qd}, method="gauss_newton")
    assert expected.success
    network = bayes_network(STEPS).given(crank, "q_0", "qd_0", "Q", dt=DT, integrator=integrator)
    found = network({"q_0": q0, "qd_0": qd0, "Q": 0.5}, guess={"q": motion.q, "qd": motion.qd})
    for kind, family in (("q", "q"), ("qd", "v"), ("qdd", "a")):
        scale = max(1.0, np.abs(expected.values[family]).max())
        np.testing.assert_allclose(found[kind], expected.values[family], atol=1e-9 * scale)


def test_a_known_motion_tells_the_torques_that_made_it(crank, motion):
    known = {"q:theta": motion.q[:, crank.index("theta")], "qd:theta": motion.qd[:, crank.index("theta")]}
    network = bayes_network(STEPS).given(crank, *known, "qdd:theta", dt=DT)
    qdd = sg.forward_dynamics(crank)(motion.q, motion.qd, np.full((STEPS, 1), 0.5))
    found = network(known | {"qdd:theta": qdd[:, crank.index("theta")]}, guess={"q": motion.q})
    np.testing.assert_allclose(found["Q"], sg.inverse_dynamics(crank)(motion.q, motion.qd, qdd), atol=1e-4)
    np.testing.assert_allclose(found["Q"], 0.5, atol=1e-4)


def test_two_positions_and_the_forces_are_a_boundary_value_problem(crank, motion):
    i, angle = crank.index("theta"), motion.q[:, crank.index("theta")]
    last = f"q_{STEPS - 1}:theta"
    network = bayes_network(STEPS).given(crank, "q_0:theta", last, "Q", dt=DT, integrator="hermite_simpson")
    guess = np.linspace(motion.q[0], motion.q[-1], STEPS)
    found = network({"q_0:theta": angle[0], last: angle[-1], "Q": 0.5}, guess={"q": guess})
    np.testing.assert_allclose(found["q"][:, i], angle, atol=1e-5)
    np.testing.assert_allclose(found["qd"][0, i], motion.qd[0, i], atol=1e-3)


def test_the_smoother_solves_the_network_of_a_known_start_window_by_window():
    bar = sg.load_mechanism("four_bar_angle")
    run = sg.simulate(bar, time=0.05, dt=DT, tau=[5.0], method="smoother")
    network = bayes_network(6).given(bar, "q_0", "qd_0", "Q", dt=DT)
    found = network({"q_0": bar.home, "qd_0": 0.0, "Q": 5.0}, guess={"q": run.q, "qd": run.qd})
    np.testing.assert_allclose(found["q"], run.q, atol=1e-6)
    np.testing.assert_allclose(found["qd"], run.qd, atol=1e-5)


@pytest.mark.suite
def test_known_observations_make_the_graph_of_estimation():
    """The same laws, integrators and sensors; the priors of `sg.estimate` are made weak, as networks have none."""
    bar = sg.load_mechanism("four_bar_angle")
    run = sg.simulate(bar, time=(STEPS - 1) * DT, dt=DT)
    sensors = [*bar.sensors, Sensor("angle", "angle", 0, (1e-3,))]
    bar = replace(bar, sensors=tuple(sensors))
    rng = np.random.default_rng(1)
    read = simulate_sensors(bar, {"q": run.q, "v": run.qd, "a": run.qdd}, rng=rng)
    noise = ModelNoise(position=1e4, velocity=1e4)
    expected = sg.estimate(bar, {"t": run.t} | read, noise=noise)
    laws = Noise(integration=noise.integration, constraints=noise.constraints, dynamics=noise.dynamics)
    network = bayes_network(STEPS, observed=True).given(bar, "Q", "o", dt=DT, integrator="hermite_simpson", noise=laws)
    values = {f"o:{sensor.name}": read[sensor.name] for sensor in bar.sensors}
    found = network({"Q": 0.0} | values, guess={"q": run.q, "qd": run.qd, "qdd": run.qdd})
    np.testing.assert_allclose(found["q"], expected.q, atol=1e-6)
    np.testing.assert_allclose(found["qd"], expected.qd, atol=1e-5)
    assert np.abs(expected.q - run.q).max() > 1e-4  # noise does move the estimate


@pytest.mark.parametrize(
    ("known", "count"),
    [
        (("q_0", "Q"), "1 degree of freedom is"),
        (("Q",), "2 degrees of freedom are"),
        (("q_0:theta", "q_5:theta"), "11 degrees of freedom are"),
    ],
)
def test_too_few_knowns_are_refused(crank, motion, known, count):
    """What starts a motion is free, position and velocity, and so are unknown torques."""
    angle = motion.q[:, crank.index("theta")]
    values = {"q_0": motion.q[0], "Q": 0.5, "q_0:theta": angle[0], "q_5:theta": angle[5]}
    network = bayes_network(STEPS).given(crank, *known, dt=DT)
    with pytest.raises(sg.InputError, match=rf"^{count}.* left undetermined .*such as [qQ]d?d?_\d+:"):
        network({name: values[name] for name in known}, guess={"q": motion.q, "qd": motion.qd})
