"""Mechanisms: combinations of masses, moments, springs and dampers from logs of motors' torques.

Torques of logs follow from energies, `linkages.make_log`, or are those of another number of motors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import follow_branch
from screwgraph.mechanics.mechanism.kinematics import acceleration_problem, velocity_problem
from screwgraph.model.mechanism.assembled_positions import draw_assembled_positions
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.models import MODELS
from tests.motion.identification.linkages import FOUR_BAR, TRUTH, combinations_of, make_log, swing

NOISE = 0.05
"""Of torques, relative to their standard deviation."""


@pytest.fixture(scope="module")
def exact() -> dict[str, np.ndarray]:
    """Return a log of the true four-bar linkage."""
    return make_log(sg.load_mechanism(FOUR_BAR, TRUTH), "crank", *swing(600, 0.01))


def noisy(log: dict[str, np.ndarray], seed: int) -> dict[str, np.ndarray]:
    tau = log["tau:crank"]
    return log | {"tau:crank": tau + NOISE * tau.std() * np.random.default_rng(seed).standard_normal(len(tau))}


def true_values(base: sg.BaseParameters) -> np.ndarray:
    return combinations_of(sg.load_mechanism(FOUR_BAR, TRUTH), base)


def test_exact_torques_give_the_true_combinations(exact):
    found = sg.identify(sg.load_mechanism(FOUR_BAR), exact)
    np.testing.assert_allclose(found.base_values, true_values(found.base), rtol=1e-6, atol=1e-8)
    assert found.doubts == ()
    assert found.unidentifiable == ("crank.m", "rocker.m")
    assert "damping:bearing" in found.identifiable
    assert found.noise["crank"] < 1e-6 * found.torque["crank"]
    assert found.robot_validation["crank"] < 1e-6 * found.torque["crank"]


def test_the_mechanism_that_was_found_has_the_torques_of_the_true_one(exact, tmp_path):
    """Of a faster motion, too; and as it is read from the file that was saved."""
    found = sg.identify(sg.load_mechanism(FOUR_BAR), exact)
    found.save(tmp_path / "found.yaml")
    again, other = sg.load_mechanism(tmp_path / "found.yaml"), swing(80, 0.01, size=1.4)
    expected = make_log(sg.load_mechanism(FOUR_BAR, TRUTH), "crank", *other)["tau:crank"]
    for model in (found.model, again):
        tau = make_log(model, "crank", *other)["tau:crank"]
        np.testing.assert_allclose(tau, expected, atol=1e-6 * np.abs(expected).max())
    assert all(body.mass > 0.0 and body.inertia > body.mass * body.com[0] ** 2 for body in found.model.bodies)


def test_sigmas_hold_the_truth(exact):
    """Of 5 logs with noise, errors have the size of their standard deviations; no right log is doubted."""
    model, z = sg.load_mechanism(FOUR_BAR), []
    for seed in range(5):
        found = sg.identify(model, noisy(exact, seed))
        assert found.doubts == ()
        z.append((found.base_values - true_values(found.base)) / found.base_sigma)
    assert 0.3 < np.mean(np.square(z)) < 2.5  # 45 values, of which each log's 9 depend on each other
    assert np.mean(np.abs(z) < 3.0) > 0.95


def test_coulomb_friction_is_doubted_and_found():
    truth = TRUTH | {"friction:bearing": 1.3}
    log, model = make_log(sg.load_mechanism(FOUR_BAR, truth), "crank", *swing(600, 0.01)), sg.load_mechanism(FOUR_BAR)
    (doubt, *_) = sg.identify(model, log).doubts
    assert "friction:bearing" in doubt
    names = ["crank", "coupler", "rocker", "damping:bearing", "friction:bearing"]
    found = sg.identify(model, log, names)
    expected = combinations_of(sg.load_mechanism(FOUR_BAR, truth), found.base)
    np.testing.assert_allclose(found.base_values, expected, rtol=1e-6, atol=1e-8)
    assert found.doubts == ()
    assert found.model.dampers[0].friction == pytest.approx(1.3, rel=1e-6)


def test_friction_is_called_as_the_damper_of_the_angle_else_as_another_of_the_file():
    """A parameter of that name exists; where a file has no damper, one of the angle's name is to be written."""
    elsewhere = FOUR_BAR.replace("bearing, angle: crank", "pin, between: [A, C]")
    without = "".join(line for line in FOUR_BAR.splitlines(keepends=True) if "damper" not in line)
    names = [MODELS["mechanism"](sg.load_mechanism(text)).frictions("crank") for text in (FOUR_BAR, elsewhere, without)]
    assert [own["friction"] for own in names] == ["friction:bearing", "friction:pin", "friction:crank"]


@pytest.mark.suite
def test_sigmas_hold_the_truth_of_a_leg_of_eight_points():
    """Of 20 logs of a leg with a crank, a rod, two rockers and a foot."""
    leg = sg.load_mechanism(LEG)
    truth = sg.load_mechanism(LEG, {"mass:rod": 1.5, "mass:leg": 1.1, "I0:leg": 0.45, "cog_x:leg": -0.25})
    t, angle, rate, acceleration = swing(1000, 0.01, size=0.35)
    exact, z = make_log(truth, "crank", t, angle - 0.3, rate, acceleration), []
    for seed in range(20):
        found = sg.identify(leg, noisy(exact, seed))
        assert found.doubts == ()
        z.append((found.base_values - combinations_of(truth, found.base)) / found.base_sigma)
    assert 0.5 < np.mean(np.square(z)) < 1.7  # the 13 combinations of a log depend on each other
    assert np.mean(np.abs(z) < 3.0) > 0.975


LEG = """
name: leg
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: A, x: -0.58, y: -0.28, fixed: true}
  - {name: B, x: -0.62, y: 0.60, fixed: true}
  - {name: M, x: 0.22, y: 0.12}
  - {name: C, x: -0.50, y: 0.15}
  - {name: D, x: -1.05, y: 0.30}
  - {name: E, x: -1.15, y: 0.62}
  - {name: F, x: -1.45, y: -0.85}
bodies:
  - {name: crank, points: [O, M], mass: 0.5, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: rod, points: [M, C, D], mass: 1.2, I0: 0.6, cog: [0.6, 0.02]}
  - {name: rocker1, points: [A, C], mass: 0.9, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: leg, points: [D, E, F], mass: 1.5, I0: 0.5, cog: [-0.3, 0.1]}
  - {name: rocker2, points: [B, E], mass: 1.1, I0: mass*length^2/3, cog: [length/2, 0]}
angles: [{angle: crank, of: [O, M]}]
motors: [crank]
independent: [crank]
"""


def test_angles_alone_are_filtered_and_followed_by_all_points(exact):
    """A log of times, the motor's angle and its torque, as a file."""
    log = noisy({name: exact[name] for name in ("t", "q:crank", "tau:crank")}, 0)
    found = sg.identify(sg.load_mechanism(FOUR_BAR), log)
    z = (found.base_values - true_values(found.base)) / found.base_sigma
    assert np.abs(z).max() < 5.0
    assert found.doubts == ()


def test_positions_that_steps_do_not_close_are_followed(exact, monkeypatch):
    """Oracle: the log's exact angle leads along the branch, whichever positions Newton's steps leave open."""
    model, whole = sg.load_mechanism(FOUR_BAR), ClosedChainMotion.close
    angle = exact["q:crank"][::40]

    def leave_open(self, q):
        closed, is_closed = whole(self, q)
        is_closed[1::2], closed[1::2] = False, np.nan
        return closed, is_closed

    monkeypatch.setattr(ClosedChainMotion, "close", leave_open)
    found = np.asarray(MODELS["mechanism"](model).complete("q", {"crank": angle}))
    expected = follow_branch(model, model.home, (model.index("crank"),), angle[:, None])
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_noisy_angles_are_estimated_with_the_parameters(exact):
    """Noise of 0.01 rad is in the torques of filtered positions, and not in those of estimated ones."""
    log, rng = {name: exact[name] for name in ("t", "q:crank", "tau:crank")}, np.random.default_rng(1)
    log["tau:crank"] = log["tau:crank"] + 0.01 * exact["tau:crank"].std() * rng.standard_normal(len(log["t"]))
    log["q:crank"] = log["q:crank"] + 0.01 * rng.standard_normal(len(log["t"]))
    filtered, estimated = (
        sg.identify(sg.load_mechanism(FOUR_BAR), log, cutoff=8.0, motion=motion) for motion in ("filtered", "estimated")
    )
    assert estimated.noise["crank"] < 0.3 * filtered.noise["crank"]
    assert np.abs((estimated.base_values - true_values(estimated.base)) / estimated.base_sigma).max() < 5.0


def test_wrong_logs_and_models_are_doubted(exact):
    model = sg.load_mechanism(FOUR_BAR)

    def doubts(log: dict[str, np.ndarray], **options: Any) -> str:
        return " ".join(sg.identify(model, log, **options).doubts)

    good = noisy(exact, 2)
    assert "other sign" in doubts(good | {"tau:crank": -good["tau:crank"]})
    assert "velocities of crank" in doubts(good | {"qd:crank": good["qd:crank"][::-1]})
    bodies = ["crank", "coupler", "rocker"]
    assert "are damping:bearing parameters?" in doubts(good, parameters=bodies)
    spring = good["tau:crank"] + 12.0 * (good["q:crank"] - 0.5)
    assert "residuals of crank change as slowly" in doubts(good | {"tau:crank": spring})


def test_priors_and_names_of_parameters(exact):
    model = sg.load_mechanism(FOUR_BAR, {name: x for name, x in TRUTH.items() if not name.endswith("coupler")})
    found = sg.identify(model, exact, ["coupler"])
    assert found.base.labels == ("coupler.m", "coupler.mx", "coupler.my", "coupler.I0")
    np.testing.assert_allclose(found.values, [1.9, 1.9 * 0.42, 1.9 * 0.11, 0.6], rtol=1e-5)
    near = sg.identify(model, exact, ["coupler"], priors={"coupler": [3.0, 1.2, 0.3, 0.9]})
    np.testing.assert_allclose(near.values, found.values, rtol=1e-4)
    with pytest.raises(sg.InputError, match="that of no real body"):
        sg.identify(model, exact, ["coupler"], priors={"coupler": [3.0, 1.2, 0.3, 0.4]})


def accelerated(model: sg.Mechanism, samples: int, seed: int) -> dict[str, np.ndarray]:
    """Return random motions: assembled positions, velocities and accelerations that constraints allow."""
    rng = np.random.default_rng(seed)
    q, names = draw_assembled_positions(model, samples, rng), model.independent_coordinates
    qd, qdd = np.zeros(q.shape), np.zeros(q.shape)
    for i, x in enumerate(q):
        qd[i] = velocity_problem(model, x, dict(zip(names, rng.standard_normal(len(names)), strict=True)))
        qdd[i] = acceleration_problem(model, x, qd[i], dict(zip(names, rng.standard_normal(len(names)), strict=True)))
    return {"q": q, "qd": qd, "qdd": qdd}


def test_a_spatial_linkage():
    """Crank, coupler and rocker with spherical joints: torques of other bodies give their combinations."""
    model, truth = (
        sg.load_mechanism("rssr"),
        sg.load_mechanism("rssr", {"mass:coupler": 2.5, "cog_x:coupler": 0.6, "I0:coupler": 1.7}),
    )
    log = accelerated(model, 300, 0)
    found = sg.identify(model, log | {"tau": sg.inverse_dynamics(truth)(*log.values())})
    expected = combinations_of(truth, found.base)
    np.testing.assert_allclose(found.base_values, expected, rtol=1e-5, atol=1e-6)
    assert found.robot_validation["theta"] < 1e-4 * found.torque["theta"]


@pytest.mark.parametrize("motors", [("theta1",), ("theta1", "theta2", "theta3")])
def test_motors_that_are_fewer_or_as_many_as_degrees_of_freedom(motors):
    """Equations of coordinates without a motor count, with torques of zero: motions are those that follow."""
    model, values = replace(sg.load_mechanism("pendulum_3"), motors=motors), {"mass:rod2": 1.6, "cog_x:rod3": 0.3}
    truth = replace(sg.load_mechanism("pendulum_3", values), motors=motors)
    log, rng = accelerated(model, 400, 1), np.random.default_rng(2)
    tau = 5.0 * rng.standard_normal((400, len(motors)))
    qdd = sg.forward_dynamics(truth)(log["q"], log["qd"], tau)
    found = sg.identify(model, log | {"qdd": qdd, "tau": tau})
    np.testing.assert_allclose(found.base_values, combinations_of(truth, found.base), rtol=1e-6, atol=1e-7)


def test_more_motors_than_degrees_of_freedom():
    """Torques of two motors of a four-bar linkage count by the work that both do."""
    text = FOUR_BAR.replace("angles: [{angle: crank, of: [A, B]}]", ANGLES).replace(
        "motors: [crank]", "motors: [crank, rocker]"
    )
    model, truth = sg.load_mechanism(text), sg.load_mechanism(text, TRUTH)
    log, rng = accelerated(model, 300, 3), np.random.default_rng(4)
    tau = rng.standard_normal((300, 2))
    qdd = sg.forward_dynamics(truth)(log["q"], log["qd"], tau)
    found = sg.identify(model, log | {"qdd": qdd, "tau": tau})
    np.testing.assert_allclose(found.base_values, combinations_of(truth, found.base), rtol=1e-5, atol=1e-6)


ANGLES = "angles: [{angle: crank, of: [A, B]}, {angle: rocker, of: [D, C]}]"


def test_forces_on_points_are_measured_or_eliminated():
    """A force on the tip of a double pendulum: in the log, or unknown along what it can push."""
    model = sg.load_mechanism("pendulum_2")
    truth = sg.load_mechanism("pendulum_2", {"mass:rod1": 1.7, "cog_x:rod2": 0.2})
    log, force = accelerated(model, 400, 5), np.random.default_rng(6).standard_normal((400, 2))
    tau = sg.inverse_dynamics(truth, external_wrenches=["1"])(*log.values(), force)
    measured = sg.identify(model, log | {"tau": tau, "wrench:1": force})
    unknown = sg.identify(model, log | {"tau": tau}, contacts=["1"])
    np.testing.assert_allclose(measured.base_values, combinations_of(truth, measured.base), rtol=1e-5, atol=1e-6)
    seen = unknown.base_sigma < np.inf
    np.testing.assert_allclose(
        unknown.base_values[seen], combinations_of(truth, unknown.base)[seen], rtol=1e-4, atol=1e-5
    )


def test_currents(exact):
    log = {name: x for name, x in exact.items() if not name.startswith("tau")} | {"i:crank": exact["tau:crank"] / 0.6}
    found = sg.identify(sg.load_mechanism(FOUR_BAR), log, motor_constants={"crank": 0.6})
    np.testing.assert_allclose(found.base_values, true_values(found.base), rtol=1e-6, atol=1e-8)


def test_what_is_refused(exact):
    model, no_currents = sg.load_mechanism(FOUR_BAR), "no current of the log: its tau is .* as i:crank"
    currents = {name.replace("tau", "i"): x for name, x in exact.items()}
    cases: tuple[tuple[dict[str, np.ndarray], dict[str, Any], str], ...] = (
        (exact, {"parameters": ["no"]}, "no body, damping, friction or stiffness is called 'no'"),
        (exact, {"parameters": ["crank", "crank"]}, "'crank' is named twice"),
        (exact, {"payload": "C"}, "a mechanism carries no payload"),
        (exact, {"contacts": ["A"]}, "point 'A' stands still"),
        (exact, {"motor_constants": {"rocker": 1.0}}, "no motor is called 'rocker'"),
        (exact, {"motor_constants": {"crank": None}}, no_currents),
        (exact, {"motor_constants": {"crank": 0.6}}, no_currents),
        (exact | {"i:crank": exact["t"]}, {"motor_constants": {"crank": 0.6}}, no_currents),
        (currents, {"motor_constants": {"crank": None}}, "the motor constant of 'crank' cannot be unknown"),
        ({"t": exact["t"], "q:x:B": exact["t"], "tau:crank": exact["t"]}, {}, "cannot follow the positions of x:B"),
        ({"t": exact["t"], "tau:crank": exact["t"]}, {}, "the log has no positions"),
        ({"t": exact["t"], "q:crank": exact["t"]}, {}, "the log has no torques or currents"),
    )
    for log, options, message in cases:
        with pytest.raises(sg.InputError, match=message):
            sg.identify(model, log, **options)
    with pytest.raises(sg.InputError, match="has no motors"):
        sg.identify(sg.load_mechanism("four_bar"), exact)


def test_positions_that_leave_the_linkage_open(exact):
    model = sg.load_mechanism(FOUR_BAR)
    q = follow_branch(model, model.home, (model.index("crank"),), exact["q:crank"][:, None])
    whole = {"t": exact["t"], "q": q, "tau": exact["tau:crank"][:, None]}
    assert sg.identify(model, whole).doubts == ()
    q = q.copy()
    q[:, model.index("x:C")] += 0.2
    with pytest.raises(sg.InputError, match="do not close the loops"):
        sg.identify(model, whole | {"q": q})
