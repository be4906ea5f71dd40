"""Excitation: slopes of its cost, limits, what it gains, and what it refuses."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.identification import excitation as own
from screwgraph.motion.identification.models import MODELS
from tests.motion.identification.linkages import FOUR_BAR, TRUTH, combinations_of
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
    limits, series = own._limits(MODELS["robot"](robot).limits(), 2.0, 5.0), own._series(4.0, 3, 30)
    slopes, free = sg.regressor(robot), list(base.independent)
    search = own._Search(
        lambda *at: slopes(*at)[:, :, free], sg.inverse_dynamics(robot), series, limits,
        np.array([1.0, 2.0]), np.ones(base.rank), name, np.array([5.0, 1.0]),
    )  # fmt: skip
    x, d, h = *rng.standard_normal((2, 2 * (series.values.shape[1] + 1))), 1e-5
    expected = (search.cost(x + h * d)[0] - search.cost(x - h * d)[0]) / (2.0 * h)
    np.testing.assert_allclose(search.cost(x)[1] @ d, expected, rtol=1e-6)


@pytest.mark.parametrize("times", [1, 3])
def test_more_samples_are_of_the_same_motion(times):
    robot, harmonics = sg.load("rr"), 3
    limits = own._limits(MODELS["robot"](robot).limits(), 2.0, 5.0)
    x = np.random.default_rng(0).standard_normal((2, 2 * harmonics - 1))
    t, coarse = own._motion_at(x, 4.0, harmonics, None, limits)
    fine_t, fine = own._motion_at(x, 4.0, harmonics, times * (len(t) - 1) + 1, limits)
    np.testing.assert_allclose(fine_t[::times], t, atol=1e-12)
    for found, expected in zip(fine, coarse, strict=True):
        np.testing.assert_allclose(found[::times], expected, atol=1e-9)


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


def test_a_linkage_is_excited_where_it_turns():
    """A crank that turns round, at limited rates: loops are closed, torques tell more than those of swings."""
    model, truth = sg.load_mechanism(FOUR_BAR), sg.load_mechanism(FOUR_BAR, TRUTH)
    found = sg.excitation(model, period=4.0, harmonics=3, velocity=6.0, acceleration=40.0)
    run, place = found.run, model.index("crank")
    assert run.violation.max() < 1e-9
    assert np.abs(run.qd[:, place]).max() <= 6.0
    assert np.abs(run.qdd[:, place]).max() <= 40.0
    np.testing.assert_allclose(run.qd[[0, -1]], 0.0, atol=1e-9)
    tau = sg.inverse_dynamics(truth)(run.q, run.qd, run.qdd)
    log = {"t": run.t, "q": run.q, "qd": run.qd, "qdd": run.qdd, "tau": tau}
    again = sg.identify(model, log, held_out=0)
    np.testing.assert_allclose(again.base_values, combinations_of(truth, again.base), rtol=1e-6, atol=1e-8)
    angle = run.q[0, place] + np.linspace(0.0, 1.0, len(run.t))[:, None] ** 2 * [2.0]
    assert found.information > information_of(model, run.q[:, place] * 0.5 + 0.5 * angle[:, 0], run.t)


def information_of(model: sg.Mechanism, angle: np.ndarray, t: np.ndarray) -> float:
    """Return the logarithm of the determinant of the information matrix of a motion of the crank."""
    rate = np.gradient(angle, t, edge_order=2)
    follow, base = MODELS["mechanism"](model).follower(), sg.base_parameters(model)
    motion = follow(angle[:, None], rate[:, None], np.gradient(rate, t, edge_order=2)[:, None])
    Y = sg.regressor(model)(*motion)[:, 0, list(base.independent)]
    size = np.abs(sg.inverse_dynamics(model)(*motion)).max()
    return float(np.linalg.slogdet(Y.T @ Y / size**2)[1])


def test_a_linkage_with_dead_points_and_what_is_refused():
    """A rocker drives: it swings between its dead points, and stays away from them."""
    text = FOUR_BAR.replace("{angle: crank, of: [A, B]}", "{angle: crank, of: [A, B]}, {angle: rocker, of: [D, C]}")
    model = sg.load_mechanism(text.replace("motors: [crank]", "motors: [rocker]"))
    found = sg.excitation(model, ["coupler"], period=4.0, harmonics=2, velocity=3.0)
    assert found.run.violation.max() < 1e-9
    assert np.abs(found.run.qd).max() < 100.0
    for motors, message in (("[]", "has no motors"), ("[crank, rocker]", "not as many as its 1 degrees of freedom")):
        with pytest.raises(sg.InputError, match=message):
            sg.excitation(sg.load_mechanism(text.replace("motors: [crank]", f"motors: {motors}")), velocity=1.0)
    with pytest.raises(sg.InputError, match="motor 'crank' has no velocity limit"):
        sg.excitation(sg.load_mechanism(FOUR_BAR))
