"""Networks of independent coordinates (Fig. 1b of Blanco-Claraco et al., 2021) given arbitrary knowns."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import bayes_network, forward_graph
from screwgraph.optimize import solve
from tests.motion.estimation.bayes.test_instant import NAMES, close, moving

NETWORK = bayes_network(1, "independent")
STEPS, DT = 9, 0.01


def chosen(model, *vectors):
    """Values of the independent coordinates."""
    at = [model.index(c) for c in model.independent_coordinates]
    return tuple(vector[..., at] for vector in vectors)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(4)
def test_independent_coordinates_determine_all_others(name):
    model, q, qd, qdd = moving(name)
    z, zd, zdd = chosen(model, q, qd, qdd)
    found = NETWORK.given(model, "z", "zd", "zdd", solve=["qdd"])({"z": z, "zd": zd, "zdd": zdd})
    for kind, expected in (("q", q), ("qd", qd), ("qdd", qdd)):
        close(found[kind], expected)
    alone = NETWORK.given(model, "q", "qd", solve=["zd"])({"q": q, "qd": qd})
    close(alone["z"], z)
    close(alone["zd"], zd)


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.sampled(3)
def test_forces_and_accelerations_follow_from_each_other(name):
    model, q, qd, qdd = moving(name)
    z, zd, zdd = chosen(model, q, qd, qdd)
    torques = sg.inverse_dynamics(model)(q, qd, qdd)
    close(NETWORK.given(model, "z", "zd", "zdd")({"z": z, "zd": zd, "zdd": zdd})["Q"], torques)
    found = NETWORK.given(model, "z", "zd", "Q")({"z": z, "zd": zd, "Q": torques})
    close(found["zdd"], zdd)
    close(found["qdd"], qdd)


@pytest.mark.parametrize("integrator", ["trapezoidal", "hermite_simpson"])
def test_over_time_they_make_the_graph_of_forward_dynamics(integrator):
    model = sg.load_mechanism("slider_crank")
    start, force = model.home, np.zeros((STEPS, model.n))
    force[:, model.index("theta")] = 0.5
    problem = forward_graph(model, STEPS, DT, "independent", integrator, (start, np.zeros(model.n)), force)
    known = {"z_0": chosen(model, start)[0], "zd_0": 0.0, "Q": 0.5}
    found = bayes_network(STEPS, "independent").given(model, *known, dt=DT, integrator=integrator)(known)
    guess = {family: found[kind] for kind, family in (("q", "q"), ("qd", "v"), ("z", "z"), ("zd", "w"))}
    expected = solve(problem, guess, method="gauss_newton")
    assert expected.success
    for kind, family in (("q", "q"), ("qd", "v"), ("qdd", "a"), ("z", "z"), ("zd", "w"), ("zdd", "b")):
        scale = max(1.0, np.abs(expected.values[family]).max())
        np.testing.assert_allclose(found[kind], expected.values[family], atol=1e-7 * scale)


def test_steps_join_independent_coordinates_alone():
    """The trapezoidal rule holds for z and zd, while points move on circles, for which it errs."""
    model = sg.load_mechanism("four_bar_angle")
    known = {"z_0": chosen(model, model.home)[0], "zd_0": 3.0, "Q": 1.0}
    found = bayes_network(STEPS, "independent").given(model, *known, dt=DT)(known)
    z, zd, zdd = (found[kind] for kind in ("z", "zd", "zdd"))
    np.testing.assert_allclose(np.diff(z, axis=0), DT / 2.0 * (zd[1:] + zd[:-1]), atol=1e-9)
    np.testing.assert_allclose(np.diff(zd, axis=0), DT / 2.0 * (zdd[1:] + zdd[:-1]), atol=1e-8)
    q, qd = found["q"], found["qd"]
    assert np.abs(np.diff(q, axis=0) - DT / 2.0 * (qd[1:] + qd[:-1])).max() > 1e-6
    np.testing.assert_allclose(z, chosen(model, q)[0], atol=1e-9)
