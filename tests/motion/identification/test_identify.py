"""Identification of simulated robots: by MuJoCo's torques, with noise, outliers, friction, payloads and loops."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.signal import lfilter

import screwgraph as sg
from screwgraph.model.robot import (
    closed_states,
    constraint_jacobian,
    independent_coordinates,
)
from tests.motion.identification.motions import fourier, mujoco_torques, truth_of


@cache
def arm() -> tuple[sg.Robot, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    robot = sg.load("panda")
    t, q, qd, qdd = fourier(7, 600, 0.015)
    return robot, t, q, qd, qdd, mujoco_torques(robot, q, qd, qdd)


def test_exact_torques_give_the_parameters():
    robot, t, q, qd, qdd, tau = arm()
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    truth = truth_of(robot, found)
    np.testing.assert_allclose(found.base_values, truth, atol=1e-9 * np.abs(truth).max())
    np.testing.assert_allclose(found.base.map @ found.values, truth, atol=1e-9 * np.abs(truth).max())
    filtered = sg.identify(robot, {"t": t, "q": q, "tau": tau})
    # The cutoff is ten times the highest frequency, and (1/10)^8 of the motion is lost; so is (w dt)^4 / 30.
    np.testing.assert_allclose(filtered.base_values, truth, atol=2e-5 * np.abs(truth).max())


def test_noise_of_five_percent_and_its_covariance():
    robot, t, q, qd, qdd, tau = arm()
    rng = np.random.default_rng(3)
    noise = 0.05 * np.sqrt((tau**2).mean(axis=0))
    noisy = tau + noise * rng.standard_normal(tau.shape)
    found = sg.identify(robot, {"t": t, "q": q, "tau": noisy})
    exact = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    errors = (found.base_values - exact.base_values) / found.base_sigma
    assert np.abs(errors).max() < 4.0
    assert 0.6 < np.sqrt((errors**2).mean()) < 1.5
    np.testing.assert_allclose(list(found.noise.values()), noise, rtol=0.1)
    np.testing.assert_allclose(list(found.validation.values()), noise, rtol=0.2)


@pytest.mark.suite
def test_sigmas_hold_where_noise_is_correlated():
    """Noise of a first-order process, 0.8 from sample to sample: white noise of its size would promise a third."""
    robot, rng = sg.load("rr"), np.random.default_rng(0)
    _, q, qd, qdd = fourier(2, 8000, 0.005)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    errors = []
    for _ in range(12):
        noise = lfilter([0.05], [1.0, -0.8], rng.standard_normal(tau.shape), axis=0)
        found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau + noise})
        errors.append((found.base_values - truth_of(robot, found)) / found.base_sigma)
    assert 0.6 < np.sqrt(np.mean(np.square(errors))) < 1.4


def test_what_no_torque_shows_is_named():
    robot, _, q, qd, qdd, tau = arm()
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    first = robot.links[1].name
    assert f"{first}.m" in found.unidentifiable
    assert set(found.identifiable) | set(found.combined) | set(found.unidentifiable) == set(found.base.labels)
    unit = np.eye(len(found.base.labels))
    for name in found.identifiable:
        row = unit[found.base.labels.index(name)]
        assert np.abs(np.linalg.lstsq(found.base.map.T, row, rcond=None)[0] @ found.base.map - row).max() < 1e-6


def test_a_robot_at_rest_shows_moments_of_gravity_alone():
    robot, rng = sg.load("puma560"), np.random.default_rng(0)
    f, still = sg.inverse_dynamics(robot), np.zeros((300, 6))
    first_moments = {f"{link.name}.{name}" for link in robot.links for name in ("m", "hx", "hy", "hz")}
    for q, most in ((rng.uniform(-1.0, 1.0, (300, 6)), 10), (still, 5)):
        tau = f(q, still, still) + 0.1 * rng.standard_normal(q.shape)
        found = sg.identify(robot, {"q": q, "qd": still, "qdd": still, "tau": tau})
        claimed = np.isfinite(found.base_sigma)
        assert 0 < claimed.sum() <= most
        errors = (found.base_values - truth_of(robot, found))[claimed] / found.base_sigma[claimed]
        assert np.abs(errors).max() < 4.0
        for text in np.array(found.base.expressions)[claimed]:
            assert {word for word in text.split() if "." in word and not word[0].isdigit()} <= first_moments


def test_bodies_are_real_and_near_the_prior():
    robot, _, q, qd, qdd, tau = arm()
    rng = np.random.default_rng(0)
    noisy = tau + 0.3 * np.sqrt((tau**2).mean(axis=0)) * rng.standard_normal(tau.shape)
    wrong = {link.name: 1.5 * link.inertia.parameters for link in robot.links[2:4]}
    found = sg.identify(robot, {"q": q[:300], "qd": qd[:300], "qdd": qdd[:300], "tau": noisy[:300]}, priors=wrong)
    for link in found.robot.links[1:]:
        moments = np.linalg.eigvalsh(link.inertia.about_com)
        assert link.inertia.mass > 0.0
        assert moments[0] > 0.0
        assert moments[0] + moments[1] > moments[2]
    gap = found.base.map @ found.values - found.base_values
    assert (np.abs(gap) < 6.0 * found.base_sigma + 1e-3).all()


def test_friction_of_joints():
    robot, _, q, qd, qdd, tau = arm()
    level = 0.5 + np.arange(7) / 4.0
    tau = tau + level * np.tanh(qd / 0.01)
    names = [f"{joint.name}.friction" for joint in robot.joints]
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau}, names)
    np.testing.assert_allclose(found.base_values, level, atol=1e-6)
    np.testing.assert_allclose([joint.friction for joint in found.robot.joints], level, rtol=1e-4)


def test_payload():
    robot, _, q, qd, qdd, tau = arm()
    body = np.array([1.2, 0.02, -0.03, 0.1, 0.02, 0.03, 0.025, 0.001, 0.002, -0.001])
    loaded = sg.inverse_dynamics(robot, parameters=["payload"], payload=robot.links[-1].name)
    tau = tau + loaded(q, qd, qdd, np.tile(body, (len(q), 1))) - loaded(q, qd, qdd, np.zeros((len(q), 10)))
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau}, ["payload"], payload=robot.links[-1].name)
    np.testing.assert_allclose(found.base_values, found.base.map @ body, atol=1e-8)
    np.testing.assert_allclose(found.values, body, atol=1e-6)
    np.testing.assert_allclose(found.robot.mass, robot.mass + 1.2, atol=1e-6)


def test_outliers():
    robot = sg.load("rrr")
    _, q, qd, qdd = fourier(3, 600, 0.015)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    rng = np.random.default_rng(1)
    scale = np.sqrt((tau**2).mean(axis=0))
    noisy = tau + 0.02 * scale * rng.standard_normal(tau.shape)
    noisy[rng.uniform(size=len(q)) < 0.05] += 5.0 * scale
    log = {"q": q, "qd": qd, "qdd": qdd, "tau": noisy}
    exact = sg.identify(robot, {**log, "tau": tau}).base_values
    plain = np.abs(sg.identify(robot, log).base_values - exact)
    robust = np.abs(sg.identify(robot, log, loss="cauchy").base_values - exact)
    assert np.sqrt((robust**2).mean()) < 0.2 * np.sqrt((plain**2).mean())


def test_logs_are_files_motions_and_streams(tmp_path):
    robot = sg.load("rr")
    t, q, qd, qdd = fourier(2, 400, 0.02)
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    whole = {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau}
    expected = sg.identify(robot, whole).base_values
    np.savez(tmp_path / "log.npz", **whole)
    heading = ["t", *(f"{kind}:{j.name}" for kind in ("q", "qd", "qdd", "tau") for j in robot.joints)]
    table = np.column_stack([t, q, qd, qdd, tau])
    np.savetxt(tmp_path / "log.csv", table, delimiter=",", header=",".join(heading), comments="", fmt="%.17g")
    parts = ({name: x[i : i + 100] for name, x in whole.items()} for i in range(0, 400, 100))
    current = {**{name: whole[name] for name in ("q", "qd", "qdd")}, "i": tau / np.array([2.0, 4.0])}
    constants = dict(zip(robot.joint_names, (2.0, 4.0), strict=True))
    for log in (str(tmp_path / "log.npz"), tmp_path / "log.csv", parts):
        np.testing.assert_allclose(sg.identify(robot, log).base_values, expected, atol=1e-10)
    found = sg.identify(robot, current, motor_constants=constants)
    np.testing.assert_allclose(found.base_values, expected, atol=1e-10)
    run = sg.simulate(robot, time=2.0, dt=0.01, q0=[0.5, 0.5])
    assert sg.identify(robot, run).samples > 100


def test_torques_that_were_not_measured():
    robot, _, q, qd, qdd, tau = arm()
    tau = tau.copy()
    tau[:300, 2], tau[:, 0] = np.nan, np.nan
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    exact = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": arm()[-1]})
    seen = np.isfinite(found.base_sigma)
    assert found.unexcited
    np.testing.assert_allclose(found.base_values[seen], exact.base_values[seen], atol=1e-8)


def test_floating_base_in_flight():
    robot = sg.load("acrobot", base="floating")
    rng, t = np.random.default_rng(0), np.arange(2000) * 0.005
    joints = fourier(robot.nv - 6, 2000, 0.005)
    q, qd, qdd = np.zeros((2000, robot.nq)), np.zeros((2000, robot.nv)), np.zeros((2000, robot.nv))
    rates = rng.uniform(-1, 1, (3, 6))
    for k, rate in enumerate(rates, 1):  # twists of the base; its positions follow from them
        w = 2.0 * np.pi * 0.2 * k
        qd[:, :6] += rate * np.sin(w * t)[:, None]
        qdd[:, :6] += w * rate * np.cos(w * t)[:, None]
    q[:, 7:], qd[:, 6:], qdd[:, 6:] = joints[1], joints[2], joints[3]
    q[0, 6] = 1.0
    step = sg.integrate(robot)
    for i in range(1, len(q)):
        middle = 0.5 * (qd[i - 1] + qd[i])
        q[i, :7] = step(q[i - 1], 0.005 * middle)[:7]
    tau = sg.inverse_dynamics(robot)(q, qd, qdd)
    exact = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    np.testing.assert_allclose(exact.base_values, truth_of(robot, exact), atol=1e-7)
    flipped = q.copy()
    flipped[1000:, 3:7] *= -1.0
    filtered = sg.identify(robot, {"t": t, "q": flipped, "tau": tau})
    np.testing.assert_allclose(filtered.base_values, exact.base_values, atol=5e-2)


def test_closed_chain_with_more_motors_than_freedoms():
    robot, rng = sg.load("four_bar_linkage"), np.random.default_rng(0)
    free = independent_coordinates(robot)
    q = np.array(closed_states(robot, 100))
    qd, qdd = rng.standard_normal((2, len(q), robot.nv))
    kept = list(robot.mobility.kept)
    tau_free = sg.inverse_dynamics(robot, coordinates="independent")(q, qd[:, free], qdd[:, free])
    tau = np.zeros((len(q), robot.nv))
    tau[:, free] = tau_free
    for i, x in enumerate(q):  # forces of loops, and motors that work against each other, do no work
        K = constraint_jacobian(robot, x)[kept]
        tau[i] += K.T @ rng.standard_normal(len(kept))
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    single = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": tau_free})
    np.testing.assert_allclose(found.base_values, single.base_values, atol=1e-7)
    np.testing.assert_allclose(found.base_values, truth_of(robot, found), atol=1e-6)


def test_progress_says_phase_and_share():
    robot, told = sg.load("rr"), []
    _, q, qd, qdd = fourier(2, 400, 0.02)
    log = {"q": q, "qd": qd, "qdd": qdd, "tau": sg.inverse_dynamics(robot)(q, qd, qdd)}
    with sg.progress(lambda doing: told.append((doing.what, doing.done))):
        sg.identify(robot, [log, log], loss="huber")
    shares = [share for phase, share in told if phase == "reading the log"]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert 0.9 < shares[-1] < 1.0
    phases = list(dict.fromkeys(phase for phase, _ in told))
    own = ["making equations", "reading the log", "reading the log again (1)"]
    assert [phase for phase in phases if phase in own] == own
    assert phases[-1] == "finding real bodies"


@cache
def flight() -> tuple[sg.Robot, dict[str, np.ndarray]]:
    """A floating base with an arm, at random states: no filter looks at them."""
    robot, rng = sg.load("rrr", base="floating"), np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(400)])
    qd, qdd = rng.standard_normal((2, 400, robot.nv))
    return robot, {"q": q, "qd": qd, "qdd": qdd, "tau": sg.inverse_dynamics(robot)(q, qd, qdd)}


@pytest.mark.suite
def test_wrenches_that_were_measured_or_are_unknown():
    robot, log = flight()
    rng, frame = np.random.default_rng(1), robot.links[-1].name
    F = rng.standard_normal((400, 6))
    pushed = {**log, "tau": log["tau"] - np.einsum("Nij,Ni->Nj", sg.frame_jacobian(robot, frame)(log["q"]), F)}
    exact = sg.identify(robot, log).base_values
    measured = sg.identify(robot, {**pushed, f"wrench:{frame}": F})
    np.testing.assert_allclose(measured.base_values, exact, atol=1e-8)
    unknown = sg.identify(robot, pushed, contacts=[frame])
    seen = np.isfinite(unknown.base_sigma)
    assert 0 < seen.sum() < len(seen)  # of the link on which an unknown wrench acts nothing is known
    np.testing.assert_allclose(unknown.base_values[seen], exact[seen], atol=1e-6)
    stands = np.where(np.arange(400)[:, None] < 200, np.nan, F)
    partly = sg.identify(robot, {**pushed, f"wrench:{frame}": stands}, contacts=[frame])
    np.testing.assert_allclose(partly.base_values, exact, atol=1e-7)
    assert np.abs(sg.identify(robot, pushed).base_values - exact).max() > 1e-3
    F[:, :3] = 0.0
    point = {**log, "tau": log["tau"] - np.einsum("Nij,Ni->Nj", sg.frame_jacobian(robot, frame)(log["q"]), F)}
    found = sg.identify(robot, point, contacts=[f"{frame}.force"])
    seen = np.isfinite(found.base_sigma)
    np.testing.assert_allclose(found.base_values[seen], exact[seen], atol=1e-6)
    with pytest.raises(sg.InputError, match="not known at all samples"):
        sg.identify(robot, {**pushed, f"wrench:{frame}": stands})


def at(row: int, column: int, value: float) -> np.ndarray:
    """Return numbers of two joints at 200 samples, one of which is bad."""
    found = np.random.default_rng(0).standard_normal((200, 2))
    found[row, column] = value
    return found


@pytest.mark.parametrize(
    ("change", "more", "match"),
    [
        ({"q": None}, {}, "has no positions"),
        ({"tau": None}, {}, "has no torques or currents"),
        ({"t": None, "qd": None}, {}, "has no times"),
        ({"t": -0.02 * np.arange(200), "qd": None}, {}, "do not increase after sample"),
        ({"t": 0.001 * np.arange(200) ** 2, "qd": None}, {}, "not evenly spaced after sample"),
        ({"t": 20.0 * np.arange(200), "qd": None}, {}, "are 20 s apart"),
        ({"t": np.full(200, np.nan), "qd": None}, {}, "t of the log is not finite at sample 0"),
        (dict.fromkeys(("t", "q", "tau"), np.zeros(1)) | {"qd": None}, {}, "q of the log has the shape"),
        ({"t": np.zeros(1), "q": np.zeros((1, 2)), "tau": np.zeros((1, 2)), "qd": None, "qdd": None}, {}, "1 sample"),
        ({"tau": np.full((200, 2), np.inf)}, {}, "tau:joint1 of the log is inf at sample 0"),
        ({"q": np.zeros((200, 2), dtype=complex)}, {}, "does not hold real numbers"),
        ({"qd": np.full((200, 2), np.nan)}, {}, "qd:joint1 of the log is nan at sample 0"),
        ({"q": at(17, 1, 1e300)}, {}, r"q:joint2 of the log is 1e\+300 at sample 17"),
        ({"q": at(17, 1, -np.inf), "qd": None, "qdd": None}, {}, "q:joint2 of the log is -inf at sample 17"),
        ({"qdd": at(199, 0, 1e300)}, {}, r"qdd:joint1 of the log is 1e\+300 at sample 199"),
        ({"qd": at(40, 0, 1e300), "qdd": None}, {}, r"qd:joint1 of the log is 1e\+300 at sample 40"),
        ({"tau": at(3, 1, 1e300)}, {}, r"tau:joint2 of the log is 1e\+300 at sample 3"),
        ({"t": at(9, 0, np.nan)[:, 0]}, {}, "t of the log is nan at sample 9"),
        ({"wrench:link2": np.full((200, 6), 1e300)}, {}, r"wrench:link2:mx of the log is 1e\+300 at sample 0"),
        ({"q": at(17, 1, 1e300), "qd": None}, {"motion": "estimated"}, r"q:joint2 of the log is 1e\+300 at sample 17"),
        (dict.fromkeys(("t", "qd", "qdd")) | {"q": np.zeros((2, 2)), "tau": np.zeros((2, 2))}, {}, "has no times"),
        ({k: np.zeros((2, 2)) for k in ("q", "qd", "qdd", "tau")} | {"t": None}, {}, "4 equations for 6 combinations"),
        ({"q": np.zeros((200, 5))}, {}, "q of the log has 5 columns"),
        ({}, {"loss": "none"}, "no robust loss"),
        ({}, {"held_out": 1}, "held_out is 1"),
        ({}, {"motion": "guessed"}, "no motion 'guessed'"),
        ({"t": None}, {"motion": "estimated"}, "has no times"),
        ({}, {"contacts": ["nowhere"]}, "nowhere"),
        ({"wrench:link2": np.zeros((200, 5))}, {}, "wrench:link2 of the log has the shape"),
        ({}, {"cutoff": -1.0}, "cutoff frequency is -1 Hz"),
        ({}, {"cutoff": 0.0}, "cutoff frequency is 0 Hz"),
        ({}, {"prior_weight": 0.0}, "prior_weight is 0"),
        ({}, {"priors": {"link1": np.zeros(3)}}, "is not 10 numbers"),
        ({}, {"motor_constants": {"joint9": 1.0}}, "joint9"),
        ({}, {"motor_constants": {"joint1": 2.0}}, "no current of the log.*as i:joint1"),
        ({}, {"motor_constants": {"joint1": None}}, "no current of the log.*as i:joint1"),
        ({}, {"parameters": ["joint1.origin"]}, "torques are not linear in"),
        ({"tau": None, "i": np.zeros((200, 2))}, {"motor_constants": {"joint1": 2.0}}, "not all motor constants"),
        ({"tau": None, "i": np.zeros((200, 2))}, {"motor_constants": {"joint2": 2.0}}, "not all motor constants"),
    ],
)
def test_what_is_refused(change, more, match):
    robot = sg.load("rr")
    t, q, qd, qdd = fourier(2, 200, 0.02)
    log = {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": np.zeros_like(q), **change}
    with pytest.raises(sg.InputError, match=match):
        sg.identify(robot, {name: x for name, x in log.items() if x is not None}, **more)
