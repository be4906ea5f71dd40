"""A Panda that MuJoCo simulates, with 5 % torque noise: how near combinations come, and how often sigmas hold them."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.model.robot.parameters import parameters_of
from tests.motion.identification.motions import fourier
from tests.mujoco_oracle import MujocoOracle

RUNS = 100
STEP = 2.5e-4
EVERY = 8
"""Steps of the simulation a sample: a log at 500 Hz."""


def simulated(robot: sg.Robot, time: float) -> dict[str, np.ndarray]:
    """Return positions and torques of a robot that a controller moves along sums of sines, by MuJoCo (Runge-Kutta)."""
    oracle = MujocoOracle(robot)
    model, data = oracle.model, oracle.data
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    steps = round(time / STEP)
    _, q, qd, qdd = fourier(robot.nv, steps, STEP)
    feedforward = sg.inverse_dynamics(robot)(q, qd, qdd)
    data.qpos[:], data.qvel[:] = q[0], qd[0]
    rows = []
    for i in range(steps):
        tau = feedforward[i] + 100.0 * (q[i] - data.qpos) + 10.0 * (qd[i] - data.qvel)
        data.qfrc_applied[:] = tau
        if i % EVERY == EVERY // 2:  # torques are held over a step: their middle is at the sample
            rows.append((data.time, data.qpos.copy(), tau))
        mujoco.mj_step(model, data)
    found = [np.array(x) for x in zip(*rows, strict=True)]
    return {"t": found[0], "q": found[1], "tau": found[2]}


def information_bound(robot: sg.Robot, q: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return the least standard deviations of unbiased estimates: Cramer & Rao, by central differences of positions."""
    base = sg.base_parameters(robot)
    dt = STEP * EVERY
    qd = (q[2:] - q[:-2]) / (2.0 * dt)
    qdd = (q[2:] - 2.0 * q[1:-1] + q[:-2]) / dt**2
    Y = sg.regressor(robot)(q[1:-1], qd, qdd)[:, :, list(base.independent)] / noise[:, None]
    rows = Y.reshape(-1, base.rank)
    return np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))


@pytest.mark.suite
def test_sigmas_hold_the_truth():
    """No estimate can be within 1 % of every combination: of some, noise hides more than their values, which are small.

    All that the information bound lets be within 1 %, by three standard deviations, are.
    """
    robot = sg.load("panda")
    log = simulated(robot, 40.0)
    own = parameters_of(robot, linear_parameters(robot))
    pi = np.concatenate([p.nominal(robot) for p in own])
    truth = sg.base_parameters(robot).map @ pi
    rms, rng = np.sqrt((log["tau"] ** 2).mean(axis=0)), np.random.default_rng(0)
    bound = information_bound(robot, log["q"], 0.05 * rms)
    off, inside = [], []
    for _ in range(RUNS):
        noisy = log["tau"] + 0.05 * rms * rng.standard_normal(log["tau"].shape)
        found = sg.identify(robot, {**log, "tau": noisy}, held_out=0)
        off.append(found.base_values - truth)
        inside.append(np.abs(off[-1]) <= 3.0 * found.base_sigma)
    errors = np.linalg.norm(off, axis=1) / np.linalg.norm(truth)
    spread = np.sqrt((np.array(off) ** 2).mean(axis=0))
    shown = 3.0 * bound < 0.01 * np.abs(truth)
    within = (np.abs(off) <= 0.01 * np.abs(truth)).mean(axis=0)
    print(f"coverage {np.mean(inside):.4f}, least of a combination {np.mean(inside, axis=0).min():.2f}")
    print(f"error of all combinations: mean {errors.mean():.2e}, worst {errors.max():.2e}")
    print(f"errors over the bound: median {np.median(spread / bound):.3f}, largest {(spread / bound).max():.3f}")
    print(f"within 1 %, of those that the bound lets: {within[shown].mean():.4f} of {shown.sum()}")
    assert np.mean(inside) >= 0.99
    assert errors.max() < 0.01
    assert 0.9 < np.median(spread / bound) < 1.1
    assert within[shown].mean() > 0.99
