"""Motions that excite all joints, and the torques that independent dynamics give them."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from tests.mujoco_oracle import MujocoOracle


def fourier(n: int, samples: int, dt: float, seed: int = 0, size: float = 0.4) -> tuple[np.ndarray, ...]:
    """Return t, q, qd, qdd of n joints, each a sum of five sines."""
    rng, t = np.random.default_rng(seed), np.arange(samples) * dt
    q, qd, qdd = np.zeros((3, samples, n))
    for k in range(1, 6):
        w, (a, b) = 2.0 * np.pi * 0.1 * k, rng.uniform(-size, size, (2, n))
        sine, cosine = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q += sine * a + cosine * b
        qd += w * (cosine * a - sine * b)
        qdd -= w * w * (sine * a + cosine * b)
    return t, q, qd, qdd


def mujoco_torques(robot: sg.Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return torques (N, nv) by MuJoCo's mass matrices and bias forces."""
    M, bias = MujocoOracle(robot).equations(q, qd)
    return (M @ qdd[:, :, None])[:, :, 0] + bias
