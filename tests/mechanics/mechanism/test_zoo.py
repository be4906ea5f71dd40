"""Every built-in mechanism by factor graphs: motions as by direct integration, torques that were put in come out."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.equations import mass_matrix

LARGE = "parallel_robot"
"""Its window takes a quarter of a minute to compile; `tests/test_examples.py` follows the paper with it."""
SMALL = [name for name in sg.mechanism_names() if name != LARGE]


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.sampled(8)
def test_smoothed_motions_are_those_of_direct_integration(name):
    mechanism = sg.load_mechanism(name)
    mechanism_is_closed(mechanism)
    smoothed = sg.simulate(mechanism, time=0.2, dt=5e-4, method="smoother")
    direct = sg.simulate(mechanism, time=0.2, dt=5e-4, method="dop853", rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(smoothed.q, direct.q, atol=2e-5)
    assert smoothed.violation.max() < 1e-12
    assert smoothed.energy_drift < 1e-4 * max(1.0, np.ptp(direct.energy - direct.work), abs(direct.energy[0]))


def mechanism_is_closed(mechanism):
    residual, _ = compile_mechanism(mechanism).closing(mechanism.home)
    assert np.abs(residual).max(initial=0.0) < 1e-10


@pytest.mark.parametrize("name", ["double_pendulum", "slider_crank"])
@pytest.mark.sampled(2)
def test_the_inverse_graph_finds_the_torques_of_a_motion(name):
    mechanism = sg.load_mechanism(name)
    steps, dt, motors = 201, 1e-3, len(mechanism.motors)
    size = 0.1 * mass_matrix(mechanism).max()

    def torques(t):
        return np.stack([size * np.sin(5.0 * t + k) for k in range(motors)], axis=-1)

    options = {"time": (steps - 1) * dt, "dt": dt, "method": "dop853", "rtol": 1e-13, "atol": 1e-13}
    run = sg.simulate(mechanism, tau=lambda t, q, qd: torques(t), **options)
    wanted = {z: run.coordinate(z) for z in mechanism.independent_coordinates}
    answer = sg.inverse_trajectory(mechanism, {"t": run.t, **wanted})
    np.testing.assert_allclose(answer.run.q, run.q, atol=1e-9)
    scale = np.abs(torques(run.t)).max() + np.abs(compile_mechanism(mechanism).rates(run.q, run.qd)).max()
    np.testing.assert_allclose(answer.tau[3:-3], torques(run.t)[3:-3], atol=1e-6 * scale)


@pytest.mark.parametrize(("integrator", "drift"), [("trapezoidal", 2e-3), ("hermite_simpson", 1e-6)])
def test_a_smoothed_minute_passes_without_drift(integrator, drift):
    run = sg.simulate(sg.load_mechanism("four_bar_angle"), time=60.0, dt=1e-3, method="smoother", integrator=integrator)
    off = np.abs(run.energy - run.energy[0])
    assert run.violation.max() < 1e-12
    assert off.max() < drift
    assert off[-10_000:].max() < 1.5 * off[:10_000].max()
