"""Excitation: slopes of its cost, limits, what it gains, and what it refuses."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import excitation as own
from tests.motion.identification.motions import fourier


def conditioned(robot, q, qd, qdd, base) -> float:
    effort = np.array([joint.limits.effort for joint in robot.joints])
    Y = sg.regressor(robot)(q, qd, qdd)[:, :, list(base.independent)] / effort[:, None]
    Y = Y.reshape(-1, base.rank)
    return float(np.linalg.cond(Y / np.linalg.norm(Y, axis=0)))


@pytest.mark.parametrize("name", own.OBJECTIVES)
def test_slopes_of_the_cost(name):
    robot, rng = sg.load("rr"), np.random.default_rng(0)
    base = sg.base_parameters(robot)
    limits, series = own._limits(robot, 2.0, 5.0), own._series(4.0, 3, 30)
    slopes, free = sg.regressor(robot), list(base.independent)
    search = own._Search(
        lambda *at: slopes(*at)[:, :, free], sg.inverse_dynamics(robot), series, limits,
        np.array([1.0, 2.0]), np.ones(base.rank), name, np.array([5.0, 1.0]),
    )  # fmt: skip
    x, d, h = *rng.standard_normal((2, 2 * (series.values.shape[1] + 1))), 1e-5
    expected = (search.cost(x + h * d)[0] - search.cost(x - h * d)[0]) / (2.0 * h)
    np.testing.assert_allclose(search.cost(x)[1] @ d, expected, rtol=1e-6)


def test_a_panda_is_excited_within_its_limits():
    robot = sg.load("panda")
    found = sg.excitation(robot, objective="condition", acceleration=8.0, period=6.0, harmonics=3, points=400)
    run, limits = found.run, [joint.limits for joint in robot.joints]
    assert (run.q >= [x.lower for x in limits]).all()
    assert (run.q <= [x.upper for x in limits]).all()
    assert (np.abs(run.qd) <= [x.velocity for x in limits]).all()
    assert (np.abs(run.tau) <= [x.effort for x in limits]).all()
    assert np.abs(run.qdd).max() <= 8.0
    np.testing.assert_allclose(run.qd[[0, -1]], 0.0, atol=1e-12)
    np.testing.assert_allclose(run.qdd[[0, -1]], 0.0, atol=1e-11)
    np.testing.assert_allclose(np.gradient(run.q, run.t, axis=0)[2:-2], run.qd[2:-2], atol=1e-3)
    np.testing.assert_allclose(found.condition, conditioned(robot, run.q, run.qd, run.qdd, found.base), rtol=1e-6)
    _, q, qd, qdd = fourier(7, 500, 0.02)
    assert found.condition < 0.5 * conditioned(robot, q, qd, qdd, found.base)
    tau = run.tau + 0.05 * run.tau.std(axis=0) * np.random.default_rng(0).standard_normal(run.tau.shape)
    log = {"q": run.q, "qd": run.qd, "qdd": run.qdd, "tau": tau}
    assert sg.identify(robot, log).condition < 100.0


def test_information_grows():
    robot = sg.load("rr")
    options = {"period": 4.0, "harmonics": 3, "velocity": 2.0, "points": 200}
    best = sg.excitation(robot, objective="information", **options)
    assert best.information > sg.excitation(robot, objective="condition", **options).information


@pytest.mark.parametrize(
    ("name", "more", "match"),
    [
        ("five_bar", {}, "loops or couplings tie its joints"),
        ("acrobot", {"base": "floating"}, "several coordinates"),
        ("rr", {}, "has no velocity limit"),
        ("rr", {"velocity": -1.0}, "velocity is -1"),
        ("rr", {"velocity": 1.0, "objective": "best"}, "no objective 'best'"),
        ("rr", {"velocity": 1.0, "harmonics": 1}, "harmonics is 1"),
    ],
)
def test_what_is_refused(name, more, match):
    robot = sg.load(name, **{"base": more.pop("base")} if "base" in more else {})
    with pytest.raises(sg.InputError, match=match):
        sg.excitation(robot, **more)
