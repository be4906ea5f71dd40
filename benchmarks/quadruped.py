"""An A1 that stands, estimated update by update: all joints, dynamics, forces on the feet, biases."""

from __future__ import annotations

from time import process_time

import numpy as np
from jaxtyping import Float

import screwgraph as sg
from screwgraph.motion.estimation import ModelNoise, OnlineSmoother

FEET = tuple(f"{side}_foot" for side in ("FR", "FL", "RR", "RL"))
RATE = 500


def updates(window: int, count: int) -> Float[np.ndarray, " count"]:
    """Return CPU seconds of updates behind the first ones."""
    a1, rng = sg.load("a1", base="floating"), np.random.default_rng(0)
    q = sg.neutral(a1)
    q[7:] = np.tile([0.0, 0.8, -1.6], 4)
    jacobians = [sg.frame_jacobian(a1, foot, reference="local_world_aligned")(q)[3:] for foot in FEET]
    J, needed = np.vstack(jacobians), sg.bias_forces(a1)(q, np.zeros(a1.nv))
    tau = needed - J.T @ np.linalg.lstsq(J[:, :6].T, needed[:6])[0]
    joints = a1.joint_names[1:]
    sensors: list[dict] = [{"sensor": j, "joint_position": j, "sigma": 1e-3} for j in joints]
    sensors += [{"sensor": "gyro", "gyroscope": "trunk", "sigma": 1e-2, "bias": 0.05}]
    sensors += [{"sensor": "acc", "accelerometer": "trunk", "sigma": 0.1, "bias": 0.5}]
    sensors += [{"sensor": f"on {foot}", "contact": foot, "sigma": 1e-3, "huber": 3.0} for foot in FEET]
    noise = ModelNoise(position=1e-2, velocity=0.3, dynamics=1e-2)
    smoother, taken = OnlineSmoother(a1, sensors, 1.0 / RATE, window=window, q0=q, noise=noise), []
    for _ in range(50 + count):
        readings = dict(zip(joints, q[7:] + 1e-3 * rng.standard_normal(12), strict=True))
        for name, felt in (("gyro", (0.0, 0.0, 0.0)), ("acc", (0.0, 0.0, 9.81))):
            noisy = np.array(felt) + 1e-2 * rng.standard_normal(3)
            readings |= {f"{name}_{axis}": x for axis, x in zip("xyz", noisy, strict=True)}
        readings |= {f"on {foot}": 1.0 for foot in FEET}
        began = process_time()
        smoother.update(readings, tau)
        taken.append(process_time() - began)
    return np.array(taken[50:])
