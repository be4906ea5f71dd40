"""A quadruped that sways on four feet: motion, torques and forces at the feet, and what its sensors read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from jaxtyping import Float

import screwgraph as sg
from tests.oracle import pinocchio_model, to_pin_a, to_pin_q, to_pin_v

FEET = tuple(f"{side}_foot" for side in ("FR", "FL", "RR", "RL"))
H = 1e-4


@dataclass(frozen=True, eq=False)
class Sway:
    """States at times, and forces on the feet in the world (N)."""

    robot: sg.Robot
    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    qdd: Float[np.ndarray, "N nv"]
    tau: Float[np.ndarray, "N nv"]
    forces: Float[np.ndarray, "N 4 3"]


def sway(time: float, dt: float, lifted: float = np.inf, slide: Callable[[float], float] | None = None) -> Sway:
    """Sway by some centimetres; the first foot carries nothing from `lifted` on (s). Dynamics are Pinocchio's.

    `slide` is how far the first foot has slipped forwards at a time (m).
    """
    robot = sg.load("a1", base="floating")
    feet, jacobians = sg.forward_kinematics(robot, FEET), [_jacobian(robot, foot) for foot in FEET]
    q = sg.neutral(robot)
    q[7:] = np.tile([0.0, 0.8, -1.6], 4)
    q[2] -= feet(q)[:, 2, 3].min()
    places, middle = feet(q)[:, :3, 3], q[:3].copy()

    def posture(t: float, q: np.ndarray) -> np.ndarray:
        q = q.copy()
        q[:3] = middle + np.array([0.02 * np.sin(7.0 * t), 0.015 * np.sin(5.0 * t), 0.02 * np.sin(9.0 * t)])
        for _ in range(20):
            off = (feet(q)[:, :3, 3] - places - slipped(t)).ravel()
            q[7:] -= np.linalg.solve(np.vstack([J(q)[3:, 6:] for J in jacobians]), off)
        return q

    def slipped(t: float) -> np.ndarray:
        found = np.zeros((4, 3))
        found[0, 0] = 0.0 if slide is None else slide(t)
        return found

    model, data = pinocchio_model(robot)
    times = np.arange(round(time / dt) + 1) * dt
    found, difference = [], sg.difference(robot)
    for t in times:
        before, q, after = (posture(t + h, q) for h in (-H, 0.0, H))
        qd = difference(before, after) / (2.0 * H)
        qdd = (difference(q, after) - difference(before, q)) / H**2
        state = (to_pin_q(robot, q), to_pin_v(robot, q, qd), to_pin_a(robot, q, qd, qdd))
        needed = pin.rnea(model, data, *state)
        J = np.vstack([j(q)[3:] for j in jacobians])
        loaded = np.ones(12)
        loaded[:3] = 0.0 if t >= lifted else 1.0
        # The base's rows, angular part first, are the wrench on the trunk in its axes.
        base = np.concatenate([needed[3:6], needed[:3]])
        force = loaded * np.linalg.lstsq(J[:, :6].T * loaded, base, rcond=None)[0]
        tau = np.concatenate([np.zeros(6), needed[6:] - J[:, 6:].T @ force])
        found.append((q, qd, qdd, tau, force.reshape(4, 3)))
    return Sway(robot, times, *(np.array(x) for x in zip(*found, strict=True)))


def _jacobian(robot: sg.Robot, foot: str):
    return sg.frame_jacobian(robot, foot, reference="local_world_aligned")


def read(run: Sway, rng: np.random.Generator, bias: np.ndarray, *, encoder=1e-3, gyro=1e-2, force=0.1, slip=1e-3):
    """Return sensors of joints, an inertial sensor in the trunk with biases, and contacts; and what they read."""
    sensors, table = [], {"t": run.t}
    for i, joint in enumerate(run.robot.joint_names[1:]):
        sensors.append({"sensor": joint, "joint_position": joint, "sigma": encoder})
        table[joint] = run.q[:, 7 + i] + encoder * rng.standard_normal(len(run.t))
        table[f"tau:{joint}"] = run.tau[:, 6 + i]
    model, data = pinocchio_model(run.robot)
    felt = []
    for q, qd, qdd in zip(run.q, run.qd, run.qdd, strict=True):
        robot = run.robot
        pin.forwardKinematics(model, data, to_pin_q(robot, q), to_pin_v(robot, q, qd), to_pin_a(robot, q, qd, qdd))
        pin.updateFramePlacements(model, data)
        frame, local = model.getFrameId("trunk"), pin.ReferenceFrame.LOCAL
        acceleration = pin.getFrameClassicalAcceleration(model, data, frame, local).linear
        turning = pin.getFrameVelocity(model, data, frame, local).angular
        felt.append([*turning, *(acceleration - data.oMf[frame].rotation.T @ np.array(robot.gravity))])
    noise = np.array([gyro] * 3 + [force] * 3)
    felt = np.array(felt) + bias + noise * rng.standard_normal((len(run.t), 6))
    for name, kind, sigma, columns in (
        ("gyro", "gyroscope", gyro, felt.T[:3]),
        ("acc", "accelerometer", force, felt.T[3:]),
    ):
        sensors.append({"sensor": name, kind: "trunk", "sigma": sigma, "bias": 0.5})
        table |= {name + axis: values for axis, values in zip(("_x", "_y", "_z"), columns, strict=True)}
    for k, foot in enumerate(FEET):
        sensors.append({"sensor": f"on {foot}", "contact": foot, "sigma": slip, "huber": 3.0})
        table[f"on {foot}"] = np.array(np.linalg.norm(run.forces[:, k], axis=1) > 0.0, dtype=float)
    return sensors, table
