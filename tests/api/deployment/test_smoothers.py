"""Windows of a fixed lag as libraries: an update is that of Python, and C computes what it does."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import ModelNoise, OnlineSmoother
from screwgraph.optimize import SE3, FixedLag, Huber, Problem, Variables, Vector, each, soft
from tests.api.deployment.tools import WARNINGS, done, found
from tests.motion.estimation.readings.test_missing_measurements import slider
from tests.motion.estimation.test_contacts import lift

DT, WINDOW = 0.02, 3


def poses(pinned: bool = False) -> FixedLag:
    """Return a window of poses and a bias that all steps share; a sensor sees points in their frames, with a loss."""
    T, bias = Variables("T", SE3(), WINDOW), Variables("bias", Vector(3))
    mark = np.array([0.3, -0.2, 0.5])

    def seen(T, bias, *, z):
        return T[:3, :3].T @ (mark - T[:3, 3]) + bias - z

    def moved(a, b, *, shift):
        return np.concatenate(
            [b[:3, 3] - a[:3, 3] - shift, (a[:3, :3].T @ b[:3, :3] - np.eye(3))[[2, 0, 1], [1, 2, 0]]]
        )

    z, shift = each(np.tile(mark, (WINDOW, 1))), each(np.zeros((WINDOW - 1, 3)))
    factors = [
        soft(seen, T, bias, z=z, sigma=0.05, loss=Huber(1.5)),
        soft(moved, T[:-1], T[1:], shift=shift, sigma=0.1),
    ]
    start = {"T": np.tile(np.eye(4), (WINDOW, 1, 1))}
    lag = FixedLag(Problem(factors), start, prior=None if pinned else {"T": 0.3, "bias": 0.1}, pinned=pinned)
    lag.solve()
    return lag


@pytest.mark.parametrize("pinned", [False, True])
def test_an_update_of_poses_is_that_of_the_window(pinned):
    lag, rng = poses(pinned), np.random.default_rng(2)
    made = lag.functions()
    state = made["start"]()
    for k in range(12):
        z = np.array([0.3, -0.2, 0.5]) + 0.05 * rng.standard_normal(3) + (k == 7)
        shift = 0.02 * rng.standard_normal(3)
        lag.advance(parameters={"seen": {"z": z}, "moved": {"shift": shift}})
        ended = lag.step()
        state, T, bias, cost = made["update"](state, z, shift)
        np.testing.assert_allclose(T, lag.values["T"][-1], rtol=0, atol=1e-9)
        np.testing.assert_allclose(bias, lag.values["bias"][-1], rtol=0, atol=1e-9)
        assert cost == pytest.approx(ended.cost, rel=1e-9)


def test_c_updates_in_place_of_nothing_but_its_arrays(tmp_path):
    compiler = found("gcc", "clang", "cc")
    sg.export_library(poses().functions(), tmp_path, prefix="pose")
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "test/pose_test.c", "pose.c", "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)


def test_a_step_that_is_not_finite_is_left_out():
    lag = poses()
    update, state = lag.functions()["update"], lag.functions()["start"]()
    with np.errstate(invalid="ignore"):
        after, T, *_ = update(state, np.full(3, np.nan), np.zeros(3))
    assert np.isfinite(T).all()
    assert np.isnan(after).sum() == 3  # the reading itself, until it leaves the window
    lag.advance()
    np.testing.assert_allclose(T, lag.values["T"][-1], rtol=0, atol=1e-12)


def smoothers():
    """Return smoothers of robots with what they read: delays, biases, contacts, inputs and parameters; a pendulum."""
    ruler = {"sensor": "ruler", "joint_position": "x", "sigma": 1e-2}
    speed = {"sensor": "speed", "joint_velocity": "x", "sigma": 2e-2, "bias": 0.1}
    noise = ModelNoise(position=0.1, velocity=0.1)
    yield OnlineSmoother(slider(), [ruler, {**speed, "delay": DT}], DT, window=WINDOW, noise=noise)
    yield OnlineSmoother(slider(), [ruler], DT, window=WINDOW, inputs=["x"], noise=noise)
    standing = [
        {"sensor": "z", "joint_position": "z", "sigma": 1e-3},
        {"sensor": "on", "contact": "body", "sigma": 1e-2, "slip": 0.0},
    ]
    yield OnlineSmoother(lift(), standing, DT, window=WINDOW, noise=noise)
    arm = sg.load("rr")
    joints = [{"sensor": f"p {name}", "joint_position": name, "sigma": 1e-3} for name in arm.joint_names]
    yield OnlineSmoother(arm, joints, DT, window=2, parameters=[f"{arm.links[-1].name}.mass"], noise=noise)


@pytest.mark.parametrize("case", range(4))
@pytest.mark.sampled(4)
def test_an_update_of_a_robot_is_that_of_the_smoother(case, tmp_path):
    smoother, rng = list(smoothers())[case], np.random.default_rng(case)
    while smoother.count < smoother.window:
        smoother.update(dict.fromkeys(smoother.columns, 0.0))
    made = smoother.functions()
    update, state = made["update"], made["start"]()
    _, readings, *tau = update.arguments
    driven = [n.removeprefix("tau:") for a in tau for n in a.names]
    for _ in range(8):
        values = 1e-2 * rng.standard_normal(len(readings.names))
        values[[n == "on" for n in readings.names]] = 1.0
        values[rng.random(len(values)) < 0.2] = np.nan
        torques, torque = np.zeros(smoother.model.nv), rng.standard_normal(len(driven))
        torques[[smoother.torques.index(n) for n in driven]] = torque
        smoother.update(dict(zip(readings.names, values, strict=True)), torques)
        results = dict(
            zip((r.name for r in update.results), update(state, values, *([torque] if tau else [])), strict=True)
        )
        state, sigma = results["next_state"], smoother.sigma()
        for name in ("q", "qd", "qdd"):
            assert (np.abs(results[name] - getattr(smoother, name)) <= 1e-4 * sigma[name]).all(), name
        if "parameters" in results:
            off = np.abs(results["parameters"] - list(smoother.parameters.values()))
            assert (off <= 1e-4 * sigma["parameters"]).all()
        if "forces" in results:
            np.testing.assert_allclose(results["forces"], smoother.forces["body"], atol=1e-4 * sigma["forces"].max())
    compiler = found("gcc", "clang", "cc")
    sg.export_library(made, tmp_path, prefix="lag")
    done(compiler, "-std=c99", *WARNINGS, "-O0", "-I.", "test/lag_test.c", "lag.c", "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)


def test_what_is_no_straight_line_is_refused():
    joints = [{"sensor": f"p {name}", "joint_position": name, "sigma": 1e-3} for name in sg.load("panda").joint_names]
    smoother = OnlineSmoother(sg.load("panda"), joints, DT, window=20)
    with pytest.raises(sg.InputError, match="nothing is estimated yet"):
        smoother.functions()
    for _ in range(20):
        smoother.update({})
    with pytest.raises(sg.InputError, match="it is no code without loops"):
        smoother.functions()
    slips = OnlineSmoother(lift(), [{"sensor": "on", "contact": "body", "sigma": 1e-2, "slip": 5.0}], DT, window=2)
    for _ in range(2):
        slips.update({})
    with pytest.raises(sg.InputError, match="judged slipping"):
        slips.functions()
