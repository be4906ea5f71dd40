"""Feet that slip: found where they do, and the rest is as if nothing had been said of them there."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import ModelNoise
from screwgraph.motion.estimation.slip_detection import deletion_residuals
from tests.motion.estimation.readings.test_missing_measurements import slider
from tests.motion.estimation.standing import FEET, read, sway
from tests.motion.estimation.test_contacts import lift

T = np.arange(0.0, 0.6, 0.02)
START, END = 0.2, 0.3


def slide(t, way):
    """How far a foot has slipped (m): at rest before and after, accelerations are continuous."""
    s = np.clip((t - START) / (END - START), 0.0, 1.0)
    return way * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def skidding(rng, way, **extras):
    """A body that stands, as a sensor of contact says; a ruler says that it slides by so much in between."""
    ruler = slide(T, way) + 1e-3 * rng.standard_normal(len(T))
    sensors = [
        {"sensor": "ruler", "joint_position": "x", "sigma": 1e-3},
        {"sensor": "on", "contact": "body", "sigma": 1e-2, "huber": 3.0, **extras},
    ]
    return sg.estimate(slider(), {"t": T, "ruler": ruler, "on": np.ones(len(T))}, sensors=sensors)


def test_a_body_that_skids_is_said_to_and_found_where_it_is():
    found = skidding(np.random.default_rng(0), 0.05, slip=5.0)
    (slip,) = found.slips
    assert slip.frame == "body"
    assert START - 1e-9 < slip.start < START + 0.04
    assert END - 0.04 < slip.end < END + 1e-9
    assert abs(slip.speed - 15.0 / 8.0 * 0.05 / (END - START)) < 0.1
    assert slip.deviations > 5.0
    away = (found.q[:, 0] - slide(T, 0.05)) / found.q_sigma[:, 0]
    assert np.mean(away**2) < 2.0
    # Where it slips, nothing was measured.
    slips = np.abs(T - 0.5 * (slip.start + slip.end)) < 0.5 * (slip.end - slip.start) + 1e-9
    assert (np.isnan(found.residuals["on_x"]) == slips).all()


def test_what_stands_does_not_slip():
    for seed in range(5):
        assert skidding(np.random.default_rng(seed), 0.0, slip=5.0).slips == ()


def test_nothing_slips_that_is_not_asked_for():
    found = skidding(np.random.default_rng(0), 0.05)
    assert found.slips == ()
    away = (found.q[:, 0] - slide(T, 0.05)) / found.q_sigma[:, 0]
    assert np.mean(away**2) > 2.0


def test_a_foot_of_which_nothing_else_is_known_stands():
    """Only the contact says how the body moves: it may be anywhere."""
    table = {"t": T, "force:body_x": 0.0 * T, "force:body_y": 0.0 * T, "force:body_z": 0.0 * T, "on": np.ones(len(T))}
    sensors = [
        {"sensor": "on", "contact": "body", "sigma": 1e-2, "slip": 3.0},
        {"sensor": "force:body", "force": "body", "sigma": 1.0},
    ]
    found = sg.estimate(slider(), table, sensors=sensors, noise=ModelNoise(position=0.1))
    assert found.slips == ()


def test_residuals_of_what_is_left_out_are_those_of_a_search_without_it():
    rng = np.random.default_rng(0)
    J, y = rng.standard_normal((5, 3, 4)), rng.standard_normal((5, 3))
    weight = np.array([1.0, 0.3, 0.7, 1.0, 0.0])

    def solved(of):
        """The weighted minimum with a prior, and its covariance."""
        H = np.eye(4) + sum(w * a.T @ a for w, a in zip(of, J, strict=True))
        g = sum(w * a.T @ b for w, a, b in zip(of, J, y, strict=True))
        return np.linalg.solve(H, g), np.linalg.inv(H)

    x, P = solved(weight)
    r = J @ x - y
    found = deletion_residuals(r, J @ P @ J.transpose(0, 2, 1), weight)
    for k in range(5):
        without, spread = solved(np.where(np.arange(5) == k, 0.0, weight))
        off = J[k] @ without - y[k]
        expected = np.sqrt(off @ np.linalg.solve(np.eye(3) + J[k] @ spread @ J[k].T, off))
        assert found[k] == pytest.approx(expected, rel=1e-9)


def test_the_terrain_says_how_high_a_foot_is():
    table = {"t": T, "height:body": np.where(T < 0.3, 0.4, np.nan), "contact:body": np.ones(len(T))}
    found = sg.estimate(lift(), table)
    assert np.allclose(found.q[:, 0], 0.4, atol=1e-3)


def test_only_contacts_slip():
    sensors = [{"sensor": "ruler", "joint_position": "x", "sigma": 1e-3, "slip": 3.0}]
    with pytest.raises(sg.InputError, match="sensor 'ruler' does not slip"):
        sg.estimate(slider(), {"t": T, "ruler": 0.0 * T}, sensors=sensors)


@pytest.mark.suite
def test_a_quadruped_whose_foot_slips_is_estimated_within_its_covariance():
    """A foot slips by 3 cm. Normalised errors behind that: 7 to 9 if the contact is taken at its word."""
    run, squares = sway(0.4, 0.02, slide=lambda t: slide(t, 0.03)), []
    difference, k = sg.difference(run.robot), len(run.t) - 3
    for seed in range(3):
        rng = np.random.default_rng(seed)
        sensors, table = read(run, rng, np.array([0.02] * 3 + [0.1] * 3) * rng.standard_normal(6))
        sensors = [{**s, "slip": 5.0} if "contact" in s else s for s in sensors]
        start = run.robot.manifold.retract(run.q[0], 1e-2 * rng.standard_normal(18))
        noise = ModelNoise(position=1e-2, velocity=0.3, force_rate=1e3)
        found = sg.estimate(run.robot, table, sensors=sensors, q0=start, noise=noise)
        (slip,) = found.slips
        assert slip.frame == FEET[0]
        assert START < slip.start < slip.end < END
        away = difference(found.q[k], run.q[k]) / found.q_sigma[k], (found.qd[k] - run.qd[k]) / found.qd_sigma[k]
        squares.append(np.mean(np.concatenate(away) ** 2))
    assert np.mean(squares) < 2.0
