"""A Panda that MuJoCo simulates, with 5 % torque noise: how near combinations come, and how often sigmas hold them."""

# pyright: reportAttributeAccessIssue=false
# MuJoCo's compiled module declares no types.

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.dynamics.regressor import linear_parameters
from screwgraph.robot.parameters import parameters_of
from tests.identification.motions import fourier
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


@pytest.mark.suite
def test_sigmas_hold_the_truth():
    robot = sg.load("panda")
    log = simulated(robot, 40.0)
    own = parameters_of(robot, linear_parameters(robot))
    pi = np.concatenate([p.nominal(robot) for p in own])
    truth = sg.base_parameters(robot).map @ pi
    rms, rng = np.sqrt((log["tau"] ** 2).mean(axis=0)), np.random.default_rng(0)
    inside, errors = [], []
    for _ in range(RUNS):
        noisy = log["tau"] + 0.05 * rms * rng.standard_normal(log["tau"].shape)
        found = sg.identify(robot, {**log, "tau": noisy})
        off = found.base_values - truth
        inside.append(np.abs(off) <= 3.0 * found.base_sigma)
        errors.append(np.linalg.norm(off) / np.linalg.norm(truth))
    print(f"coverage {np.mean(inside):.4f}, least of a combination {np.mean(inside, axis=0).min():.2f}")
    print(f"error of all combinations: mean {np.mean(errors):.2e}, worst {np.max(errors):.2e}")
    assert np.mean(inside) >= 0.99
    assert np.max(errors) < 0.01
