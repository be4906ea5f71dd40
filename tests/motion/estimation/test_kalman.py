"""Where all laws are linear, an estimate is what a Kalman smoother in closed form says, with its covariances."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, tree
from screwgraph.model.robot.joints import Prismatic
from screwgraph.motion.estimation import ModelNoise
from tests.motion.simulation.robots import BODY

NOISE = ModelNoise(integration=1e-4, dynamics=0.5, position=0.3, velocity=0.7)
"""Models that err visibly: what estimates say of them must be right, too."""
DAMPING, H, STEPS = 0.8, 0.05, 40
RULER, SPEED = 1e-2, 5e-2


def slider():
    """A damped body that slides: a = (u - c v) / m."""
    joint = Joint("x", Prismatic((1.0, 0.0, 0.0)), "world", "body", damping=DAMPING)
    return tree("slider", [Link("world"), Link("body", BODY)], [joint])


def step():
    """Return F, G, U of z1 = F z + G n + U u: z = (q, v, w), n ~ N(0, diag), u at both ends of the step.

    w is what accelerations differ by from the law. Points of a Hermite-Simpson step obey
    x_m = x + h (5 x'/24 + 8 x_m'/24 - x_1'/24), x_1 = x + h (x' + 4 x_m' + x_1') / 6, each with an error of its own.
    """
    m, c = BODY.mass, DAMPING
    size = {"q": 0, "v": 1, "w": 2, "qm": 3, "vm": 4, "q1": 5, "v1": 6, "wm": 7, "w1": 8, "e": 9, "u": 13}
    E = np.eye(15)
    at = {name: E[i] for name, i in size.items()}
    push = {"": E[13], "m": (E[13] + E[14]) / 2.0, "1": E[14]}
    a = {end: (push[end] - c * at["v" + end]) / m + at["w" + end] for end in push}
    rows = []
    for j, (x, rate) in enumerate((("q", {e: at["v" + e] for e in push}), ("v", a))):
        middle = (5.0 * rate[""] + 8.0 * rate["m"] - rate["1"]) / 24.0
        whole = (rate[""] + 4.0 * rate["m"] + rate["1"]) / 6.0
        rows.append(at[x + "m"] - at[x] - H * middle - E[9 + 2 * j])
        rows.append(at[x + "1"] - at[x] - H * whole - E[10 + 2 * j])
    rows = np.array(rows)
    inner, given = [3, 4, 5, 6], [0, 1, 2, *range(7, 15)]
    found = -np.linalg.solve(rows[:, inner], rows[:, given])
    ends = np.vstack([found[2:], np.eye(15)[[8]][:, given]])
    return ends[:, :3], ends[:, 3:9], ends[:, 9:]


def smoothed(table, u):
    """Return means (N, 3) and covariances of z by Kalman's filter and the smoother of Rauch, Tung & Striebel (1965)."""
    F, G, U = step()
    Q = G @ np.diag([NOISE.dynamics**2] * 2 + [NOISE.integration**2] * 4) @ G.T
    mean, P = np.zeros(3), np.diag([NOISE.position, NOISE.velocity, NOISE.dynamics]) ** 2
    filtered, predicted = [], []
    for k in range(STEPS + 1):
        if k:
            mean, P = F @ mean + U @ u[k - 1 : k + 1], F @ P @ F.T + Q
        predicted.append((mean, P))
        for name, row, sigma in (("ruler", 0, RULER), ("speed", 1, SPEED)):
            if np.isfinite(table[name][k]):
                C = np.eye(3)[[row]]
                gain = P @ C.T / (C @ P @ C.T + sigma**2)
                mean, P = mean + gain @ (table[name][k] - C @ mean), (np.eye(3) - gain @ C) @ P
        filtered.append((mean, P))
    result = [filtered[-1]]
    for (mean, P), (ahead, P1) in zip(filtered[-2::-1], predicted[:0:-1], strict=True):
        later, P_later = result[-1]
        gain = P @ F.T @ np.linalg.inv(P1)
        result.append((mean + gain @ (later - ahead), P + gain @ (P_later - P1) @ gain.T))
    means, covariances = zip(*result[::-1], strict=True)
    return np.array(means), np.array(covariances)


@pytest.mark.parametrize("lost", [0.0, 0.6])
def test_a_linear_system_is_estimated_as_by_a_kalman_smoother(lost):
    rng, t = np.random.default_rng(1), H * np.arange(STEPS + 1)
    u = np.sin(3.0 * t)
    table = {"t": t, "tau:x": u}
    for name, sigma in (("ruler", RULER), ("speed", SPEED)):
        values = 0.2 * np.sin(t) + sigma * rng.standard_normal(len(t))
        table[name] = np.where(rng.random(len(t)) < lost, np.nan, values)
    sensors = [
        {"sensor": "ruler", "joint_position": "x", "sigma": RULER},
        {"sensor": "speed", "joint_velocity": "x", "sigma": SPEED},
    ]
    found = sg.estimate(slider(), table, sensors=sensors, noise=NOISE)
    means, covariances = smoothed(table, u)
    sigma = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    np.testing.assert_allclose(found.q_sigma[:, 0], sigma[:, 0], rtol=1e-6)
    np.testing.assert_allclose(found.qd_sigma[:, 0], sigma[:, 1], rtol=1e-6)
    assert (np.abs(found.q[:, 0] - means[:, 0]) < 1e-6 * sigma[:, 0]).all()
    assert (np.abs(found.qd[:, 0] - means[:, 1]) < 1e-6 * sigma[:, 1]).all()
