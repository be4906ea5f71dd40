"""Priors give way to precise torques, and standard deviations of parameters hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.model.robot.parameters import parameters_of, particle
from screwgraph.motion.identification import Identified
from screwgraph.motion.identification.models.robot import apply_parameters
from screwgraph.spatial import SpatialInertia
from tests.motion.identification.motions import fourier, projected_torques, smooth

SLIDER = "gravity: [0, 0, 0]\nbodies:\n  - {link: b, joint: x, type: prismatic, axis: x, mass: 1}\n"
DAMPED = SLIDER.replace("mass: 1", "mass: 1, damping: 0.5")
NAMES = ["x.damping", "x.friction"]


def rubbed(text: str, d: float, level: float, noise: float, seed: int, scale: float = 1.0) -> Identified:
    """Identify damping and friction of a slider of 1 kg from 30 s of exact motions and noisy forces."""
    robot, rng = sg.load(text), np.random.default_rng(seed)
    t, q, qd, qdd = fourier(1, 3000, 0.01, seed=seed)
    tau = scale * (d * qd + level * np.tanh(qd / 0.01) + noise * rng.standard_normal(qd.shape)) + qdd
    return sg.identify(robot, {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau}, NAMES)


def deviations(found: Identified, truth: np.ndarray) -> np.ndarray:
    return (found.values - truth) / np.array(list(found.sigma.values()))


@pytest.mark.parametrize(("text", "pull"), [(SLIDER, 0.1), (DAMPED, 0.5)], ids=["unknown", "wrong"])
def test_damping_is_not_pulled_to_the_prior(text, pull):
    """A file that knows nothing, and one whose damping is 80 times too small, by its prior's own share at most."""
    for seed, d in enumerate((0.5, 4.0, 40.0)):
        for noise in (0.1, 0.3, 1.0, 3.0):
            found = rubbed(text, d, 3.0, noise, seed)
            assert list(found.parameters) == list(found.sigma) == list(found.combinations) == NAMES
            assert (np.abs(deviations(found, np.array([d, 3.0]))) < 4.0).all()
            gap = found.values - found.base_values
            assert (np.abs(gap) < pull * found.base_sigma).all()
            assert found.robot.joint("x").damping == found.parameters["x.damping"]


@pytest.mark.parametrize("scale", [1e-5, 1e5])
def test_damping_of_small_and_large_machines(scale):
    """Units of a micromanipulator and of a press; friction that vanishes has the standard deviation of the noise."""
    found = rubbed(SLIDER, 4.0, 0.0, 0.3, 0, scale)
    off = deviations(found, scale * np.array([4.0, 0.0]))
    assert np.abs(off).max() < 4.0
    np.testing.assert_allclose(list(found.sigma.values()), found.base_sigma, rtol=0.05)


def test_standard_deviations_hold_the_truth():
    """Of 40 logs: the mean square of deviations is 1 within its own spread (sqrt(2 / 80)), four times."""
    rng = np.random.default_rng(0)
    off = [
        deviations(rubbed(SLIDER, d, level, noise, seed), np.array([d, level]))
        for seed in range(40)
        for d, level, noise in [(rng.choice([0.0, 0.5, 40.0]), rng.choice([0.0, 3.0]), rng.choice([0.1, 3.0]))]
    ]
    assert 0.3 < np.mean(np.square(off)) < 1.0 + 4.0 * np.sqrt(2.0 / 80.0)
    assert np.abs(off).max() < 4.0


@pytest.mark.parametrize("name", ["rr", "five_bar"])
def test_exact_torques_of_other_bodies_are_explained(name):
    """Bodies that differ from the file's by up to twice: their torques leave a narrow curved valley."""
    robot, rng = sg.load(name), np.random.default_rng(3)
    own = parameters_of(robot, linear_parameters(robot))
    truth = np.concatenate([p.nominal(robot) * np.exp(0.3 * rng.standard_normal()) for p in own])
    t, q, qd, qdd = smooth(robot, 400, 0.01, size=0.2)
    tau = projected_torques(apply_parameters(robot, own, truth), q, qd, qdd)
    found = sg.identify(robot, {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau})
    size = np.abs(found.base_values).max()
    np.testing.assert_allclose(found.base.map @ found.values, found.base.map @ truth, atol=1e-6 * size)
    assert not found.doubts


def test_a_heavy_payload_of_which_nothing_is_known():
    """100 kg within a ball of 1 m, half a metre away: 1000 and more times the moments of the prior's body."""
    robot = sg.load("rrr")
    body = np.array([100.0, 50.0, -20.0, 10.0, 60.0, 90.0, 80.0, 4.0, 5.0, -3.0])
    tip = robot.links[-1].name
    rng, (_, q, qd, qdd) = np.random.default_rng(0), fourier(3, 1000, 0.01)
    f = sg.inverse_dynamics(robot, parameters=["payload"], payload=tip)
    tau = f(q, qd, qdd, np.tile(body, (len(q), 1)))
    noisy = tau + 0.05 * np.sqrt((tau**2).mean(axis=0)) * rng.standard_normal(tau.shape)
    found = sg.identify(robot, {"q": q, "qd": qd, "qdd": qdd, "tau": noisy}, ["payload"], payload=tip)
    truth = found.base.map @ body
    assert (np.abs(found.base.map @ found.values - truth) < 4.0 * found.base_sigma).all()
    shown = [name in found.identifiable for name in found.base.labels]
    assert any(shown)
    assert np.abs(deviations(found, body))[shown].max() < 4.0


def test_a_mass_alone_is_identified():
    """Torques are linear in a mass whose centre and rotational inertia about it are those of the file."""
    for name in ("rr", "five_bar"):
        robot = sg.load(name)
        t, q, qd, qdd = smooth(robot, 300, 0.01)
        heavier = 2.5 * robot.link("link2").inertia.mass
        truth = parameters_of(robot, ["link2.mass"])[0].assign_values(robot, np.array([heavier]))
        tau = projected_torques(truth, q, qd, qdd)
        found = sg.identify(robot, {"t": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau}, ["link2.mass"])
        assert list(found.combinations) == ["link2.mass"]
        np.testing.assert_allclose(found.base_values, [heavier], rtol=1e-8)
        np.testing.assert_allclose(found.robot.link("link2").inertia.mass, heavier, rtol=1e-6)


@pytest.mark.parametrize("beside", [[], ["link2"]], ids=["alone", "beside a link"])
def test_masses_show_what_links_show(beside):
    """Beside a link's ten numbers, the mass of the next one is in its combinations."""
    robot = sg.load("puma560")
    names = beside or [f"{link.name}.mass" for link in robot.links[1:] if link.inertia.mass]
    names = [*names, "link3.mass"] if beside else names
    q, qd, qdd = np.random.default_rng(0).standard_normal((3, 40, 6))
    Y = np.concatenate(sg.regressor(robot, parameters=names)(q, qd, qdd))
    base = sg.base_parameters(robot, parameters=names)
    assert beside or base.labels == tuple(names)
    assert base.rank == np.linalg.matrix_rank(Y, tol=1e-9 * np.abs(Y).max())
    np.testing.assert_allclose(Y[:, list(base.independent)] @ base.map, Y, atol=1e-9 * np.abs(Y).max())


def test_a_particle_has_the_numbers_of_a_small_body():
    c = np.array([0.3, -0.2, 0.5])
    body = SpatialInertia.of_body(1.0, c, np.zeros((3, 3)))
    np.testing.assert_allclose(particle(c), body.parameters, atol=1e-15)
