"""Mechanisms estimated update by update, from an encoder and a gyroscope."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path
from time import process_time

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import OnlineSmoother
from screwgraph.motion.estimation.online import window
from tests.motion.estimation.particle_filter import filter_particles
from tests.motion.estimation.walking_torques import DT, NOISE, SENSORS, Drawn, draw, within_bounds
from tests.robots import shared_file

LEG = (
    {"sensor": "encoder", "angle": "crank", "sigma": 1e-3},
    {"sensor": "gyro", "gyroscope": "leg", "sigma": 1e-2},
)
SLOW = replace(NOISE, torque=1.0, torque_rate=3.0)
"""Torques of a leg that is light: in fast steps of its foot, trapezoidal integration would be off by more."""


@pytest.fixture(scope="module")
def linkage() -> sg.Mechanism:
    return sg.load_mechanism("four_bar_angle")


@pytest.fixture(scope="module")
def motions(linkage: sg.Mechanism) -> list[Drawn]:
    return [draw(linkage, seed, 80) for seed in range(8)]


def test_errors_are_as_large_as_covariances_say(motions: list[Drawn]):
    """Eight runs; the suite has a hundred. The mean of 8 squares of 3 lies here in all but 1e-3 of the cases."""
    smoothers = [drawn.smooth() for drawn in motions]
    assert within_bounds([d.nees(s) for d, s in zip(motions, smoothers, strict=True)], 3, 1.0 - 1e-3)
    assert not any(s.doubts for s in smoothers)


def test_dependent_and_independent_coordinates_tell_the_same(motions: list[Drawn]):
    drawn = motions[0]
    one, other = drawn.smooth(), drawn.smooth(coordinates="spanning", window=2)
    sigma = one.sigma()
    for name in ("q", "qd"):
        assert (np.abs(getattr(one, name) - getattr(other, name)) < 0.02 * sigma[name].max()).all(), name
        assert other.sigma()[name] == pytest.approx(sigma[name], rel=0.02, abs=1e-6)
    assert other.tau == pytest.approx(one.tau, abs=0.02 * sigma["tau"][0])


def test_updates_in_one_call_are_those_of_the_window(motions: list[Drawn], monkeypatch: pytest.MonkeyPatch):
    compiled = motions[0].smooth()
    monkeypatch.setattr(window.OnlineWindow, "is_judged", True)
    stepped = motions[0].smooth()
    sigma = stepped.sigma()
    for name in ("q", "qd", "qdd", "tau"):
        assert (np.abs(getattr(compiled, name) - getattr(stepped, name)) < 1e-4 * sigma[name].max()).all(), name
    assert compiled.misfit == pytest.approx(stepped.misfit, rel=1e-4)


def test_dropouts_are_bridged(motions: list[Drawn]):
    """Nothing is read for 15 instants: the mechanism moves on, standard deviations grow, errors stay within them."""
    squares = list[float]()
    for drawn in motions:
        lost = {name: np.where(np.arange(80) >= 65, np.nan, x) for name, x in drawn.read.items()}
        blind, seeing = replace(drawn, read=lost).smooth(), drawn.smooth()
        assert blind.sigma()["q"][drawn.slot] > 3.0 * seeing.sigma()["q"][drawn.slot]
        squares.append(drawn.nees(blind))
    assert within_bounds(squares, 3, 1.0 - 1e-3)


def test_a_wrong_model_is_doubted(linkage: sg.Mechanism):
    """Known torques: a coupler that is heavier by a tenth, or a gyroscope of another scale, does not fit."""
    drawn = draw(linkage, 0, 160, noise=replace(NOISE, torque=1e-9, torque_rate=1e-9))
    heavier = sg.load_mechanism("four_bar_angle", {"mass:coupler": 2.2})
    for model, scale, is_right in ((linkage, 1.0, True), (heavier, 1.0, False), (linkage, 1.5, False)):
        smoother = OnlineSmoother(model, SENSORS, DT, window=3, noise=NOISE)
        for k in range(160):
            read = drawn.readings(k)
            smoother.update(read | {"gyro": scale * read["gyro"]})
        assert (smoother.doubts == ()) == is_right
        assert all("standard deviations" in doubt for doubt in smoother.doubts)


def test_a_leg_bridges_dropouts_and_doubts_a_wrong_model():
    """A Klann leg: errors after 15 blind instants are as large as said; bars of twice the mass are doubted."""
    file, squares = str(shared_file("strangers", "klann.yaml")), list[float]()
    leg = sg.load_mechanism(file)
    for seed in range(4):
        drawn = draw(leg, seed, 80, LEG, SLOW, 0.002)
        lost = {name: np.where(np.arange(80) >= 65, np.nan, x) for name, x in drawn.read.items()}
        squares.append(drawn.nees(replace(drawn, read=lost).smooth()))
    assert within_bounds(squares, 3, 1.0 - 1e-3)
    free = draw(leg, 0, 240, LEG, replace(SLOW, torque=1e-9, torque_rate=1e-9), 0.002)
    for rho, is_right in ((2.0, True), (4.0, False)):
        smoother = OnlineSmoother(sg.load_mechanism(file, {"rho": rho}), LEG, 0.002, window=3, noise=SLOW)
        for k in range(240):
            smoother.update(free.readings(k))
        assert (smoother.doubts == ()) == is_right, (rho, smoother.misfit)


def test_an_unknown_mass_and_a_bias_are_found_while_the_loop_runs(linkage: sg.Mechanism):
    truth = sg.load_mechanism("four_bar_angle", {"mass:coupler": 2.3})
    drawn = draw(truth, 1, 200, noise=replace(NOISE, torque=1e-9, torque_rate=1e-9))
    sensors = [SENSORS[0], {**SENSORS[1], "bias": 0.1}]
    smoother = OnlineSmoother(linkage, sensors, DT, parameters=["mass:coupler"], noise=replace(NOISE, parameters=0.2))
    for k in range(200):
        read = drawn.readings(k)
        smoother.update(read | {"gyro": read["gyro"] + 0.05})
    sigma = smoother.sigma()
    assert abs(smoother.parameters["mass:coupler"] - 2.3) < 4.0 * sigma["parameters"][0] < 0.2
    assert abs(smoother.offsets["gyro"][0] - 0.05) < 4.0 * sigma["offset gyro"][0] < 0.02


def test_a_stiffness_that_drifts_is_followed():
    """A spring about the crank gets stiffer by a third within a second; another parameter stays."""
    text = resources.files("screwgraph").joinpath("model/zoo/mechanisms/four_bar_angle.yaml").read_text()
    text += "springs: [{spring: coil, angle: theta, stiffness: 60, rest: 0.5}]\n"
    mechanism, rng, t = sg.load_mechanism(text), np.random.default_rng(2), DT * np.arange(201)
    stiffness = 60.0 + 20.0 * t
    slot = mechanism.index("theta")

    def more(now: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [-20.0 * now * (q[slot] - 0.5)]

    run = sg.simulate(mechanism, time=t[-1], dt=DT, tau=more)
    names, noise = ["stiffness:coil", "mass:crank"], replace(NOISE, parameters=0.3)
    rates = {"stiffness:coil": 30.0}
    smoother = OnlineSmoother(mechanism, SENSORS[:1], DT, parameters=names, noise=noise, parameter_rates=rates)
    for k in range(len(t)):
        smoother.update({"encoder": run.q[k, slot] + 1e-3 * rng.standard_normal()})
    sigma = smoother.sigma()["parameters"]
    assert abs(smoother.parameters["stiffness:coil"] - stiffness[-1]) < 3.0 * sigma[0] < 30.0
    assert abs(smoother.parameters["mass:crank"] - 1.0) < 3.0 * sigma[1]
    with pytest.raises(sg.InputError, match="no unknown parameter is called 'mass:rocker'"):
        OnlineSmoother(mechanism, SENSORS[:1], DT, parameters=names, parameter_rates={"mass:rocker": 1.0})


def test_one_that_was_saved_goes_on(motions: list[Drawn], tmp_path: Path):
    drawn = motions[1]
    part = replace(drawn, q=drawn.q[:40]).smooth()
    part.save(tmp_path / "smoother.npz")
    fresh = OnlineSmoother(drawn.mechanism, SENSORS, DT, window=3, inputs=["theta"], noise=NOISE)
    other = fresh.loaded(tmp_path / "smoother.npz")
    for k in range(40, 80):
        part.update(drawn.readings(k))
        other.update(drawn.readings(k))
    assert (other.q == part.q).all()
    assert (other.tau == part.tau).all()


def test_what_cannot_be_estimated_is_refused(linkage: sg.Mechanism):
    with pytest.raises(sg.InputError, match="'slanted'"):
        OnlineSmoother(linkage, SENSORS, DT, coordinates="slanted")
    with pytest.raises(sg.InputError, match="no independent coordinates"):
        OnlineSmoother(linkage, SENSORS, DT, coordinates="independent", integrator="hermite_simpson")
    with pytest.raises(sg.InputError, match="no motor is called 'phi'"):
        OnlineSmoother(linkage, SENSORS, DT, inputs=["phi"])
    with pytest.raises(sg.InputError, match="robots have no independent coordinates"):
        OnlineSmoother(sg.load("rr"), [], DT, coordinates="independent")


@pytest.mark.suite
@pytest.mark.parametrize("name", ["four_bar_angle", "klann"])
def test_a_hundred_runs_are_consistent_and_as_good_as_ten_thousand_particles(name: str):
    """NEES within 95 % bounds; beside a particle filter, errors are no larger, and updates take 1 % of its time."""
    mechanism = sg.load_mechanism(str(shared_file("strangers", "klann.yaml")) if name == "klann" else name)
    sensors, noise, dt = (LEG, SLOW, 0.002) if name == "klann" else (SENSORS, NOISE, DT)
    drawn = [draw(mechanism, seed, 200, sensors, noise, dt) for seed in range(100)]
    smoothers = [d.smooth() for d in drawn]
    squares = [d.nees(s) for d, s in zip(drawn, smoothers, strict=True)]
    assert within_bounds(squares, 3), np.mean(squares)
    errors, seconds = {"smoother": [], "particles": []}, dict.fromkeys(("smoother", "particles"), 0.0)
    for d in drawn[:10]:
        truth = np.column_stack([d.q[:, d.slot], d.qd[:, d.slot], d.tau])
        smoother, now = OnlineSmoother(mechanism, sensors, dt, window=3, inputs=mechanism.motors, noise=noise), []
        for k in range(200):
            read, began = d.readings(k), process_time()
            smoother.update(read)
            seconds["smoother"] += process_time() - began if k >= 20 else 0.0  # code is made before
            now.append([smoother.q[d.slot], smoother.qd[d.slot], smoother.tau[0]])
        began = process_time()
        means = filter_particles(d, 10_000)
        seconds["particles"] += process_time() - began
        errors["smoother"].append(np.array(now)[50:] - truth[50:])
        errors["particles"].append(means[50:] - truth[50:])
    sizes = {kind: np.sqrt(np.mean(np.square(found), axis=(0, 1))) for kind, found in errors.items()}
    print(name, np.mean(squares), sizes, seconds)
    assert (sizes["smoother"] <= 1.02 * sizes["particles"]).all()
    assert seconds["particles"] / 200.0 > 100.0 * seconds["smoother"] / 180.0
