"""Preintegrated inertial measurements, and the factor that they become. Forster et al. (2017)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from screwgraph.compiler import CompiledProgram, compile_program
from screwgraph.optimize.kernel_cache import KernelProgram, get_or_make_kernel
from screwgraph.optimize.manifold_code import number_names
from screwgraph.optimize.template_wrappers import Template
from screwgraph.spatial import concatenate, sqrt
from screwgraph.spatial.exponential import exp3, log3
from screwgraph.spatial.rotation_series import exponential_coefficients
from screwgraph.spatial.so3 import skew, squared_length
from screwgraph.tape import Tape, factor_out, program, reciprocal, without_unused_inputs

CHANGE = 16
"""Numbers of a change of motion: time (s), rotation (9, row by row), velocity, displacement, in the first axes."""
SLOPES = 45
"""Numbers of its derivatives by biases: of the rotation by the gyroscope's; of velocity and displacement by both."""
SIZE = CHANGE + SLOPES + 81
"""These, and the covariance (9, 9) of rotation, velocity, displacement."""
SIZE_WALKING = CHANGE + SLOPES + 225
"""The same with the covariance (15, 15) of these and of the change of the biases of gyroscope and accelerometer."""


def make_preintegration(is_walking: bool = False) -> np.ndarray:
    """Return a preintegration of nothing, (SIZE,), or (SIZE_WALKING,) with biases that walk."""
    found = np.zeros(SIZE_WALKING if is_walking else SIZE)
    found[[1, 5, 9]] = 1.0
    return found


def right_jacobian(w: Any) -> Any:
    """Return the right Jacobian of rotations (3, 3). Forster et al. (2017), eq. (8)."""
    _, b, c = exponential_coefficients(squared_length(w))
    W = skew(w)
    return np.eye(3) - b * W + c * (W @ W)


def integrate_reading(state: Any, reading: Any, bias: Any, dt: Any, variances: Any) -> Any:
    """Return a preintegration (SIZE,) that goes on by one reading, held for dt (s).

    Forster et al. (2017), eq. (35)-(37), (63), and the recursions of its appendix; positions take dt^2 / 2 of the
    acceleration at the beginning. Of a preintegration (SIZE_WALKING,), biases are a random walk in it: what they have
    walked acts on all readings behind, so that their change is correlated with that of the motion.

    Args:
        state: the preintegration so far.
        reading: angular velocity (rad/s), specific force (m/s^2).
        bias: of both, at which derivatives are taken.
        dt: s.
        variances: spectral densities of gyroscope (rad^2/s), accelerometer (m^2/s^3) and of integration (m^2/s); with
            biases that walk, those of their walks (6,) besides (rad^2/s^3, m^2/s^5).
    """
    R, v, p = state[1:10].reshape(3, 3), state[10:13], state[13:16]
    turned, v_gyro, v_force, p_gyro, p_force = state[CHANGE : CHANGE + SLOPES].reshape(5, 3, 3)
    n = 15 if len(state) == SIZE_WALKING else 9
    covariance = state[CHANGE + SLOPES :].reshape(n, n)
    w, a = (reading[:3] - bias[:3]) * dt, reading[3:] - bias[3:]
    step, Jr = exp3(w), right_jacobian(w)
    Ra, RA = R @ a, R @ skew(a)
    # Errors (rotation, velocity, displacement) of this reading: A times those before, B times the noise of the sensors.
    A, B = np.zeros((9, 9), dtype=object), np.zeros((9, 6), dtype=object)
    A[:3, :3], A[3:6, :3], A[6:, :3] = step.T, -dt * RA, -0.5 * dt * dt * RA
    A[3:6, 3:6] = A[6:, 6:] = np.eye(3)
    A[6:, 3:6] = dt * np.eye(3)
    B[:3, :3], B[3:6, 3:], B[6:, 3:] = dt * Jr, dt * R, 0.5 * dt * dt * R
    # A reading that is held for dt averages white noise: its variance is the spectral density / dt.
    density = np.array([variances[0]] * 3 + [variances[1]] * 3, dtype=object) / dt
    F, noise = np.eye(n, dtype=object), np.zeros((n, n), dtype=object)
    F[:9, :9], noise[:9, :9] = A, (B * density) @ B.T
    if n > 9:
        F[:9, 9:] = -B
    for i, walk in enumerate([variances[2]] * 3 + list(variances[3:]), 6):
        noise[i, i] = noise[i, i] + walk * dt
    added = F @ covariance @ F.T + noise
    slopes = [
        step.T @ turned - dt * Jr,
        v_gyro - dt * (RA @ turned),
        v_force - dt * R,
        p_gyro + dt * v_gyro - 0.5 * dt * dt * (RA @ turned),
        p_force + dt * v_force - 0.5 * dt * dt * R,
    ]
    parts = [[state[0] + dt], R @ step, v + dt * Ra, p + dt * v + 0.5 * dt * dt * Ra, *slopes, added]
    return np.concatenate([np.ravel(np.asarray(part, dtype=object)) for part in parts])


def inertial_residual(
    Ri: Any, vi: Any, pi: Any, Rj: Any, vj: Any, pj: Any, bias: Any, *, change: Any, gravity: Any
) -> Any:
    """Residual (9,) of rotation (rad), velocity, position between two instants. Forster et al. (2017), eq. (45).

    `change` is (CHANGE + SLOPES + 6,): what was preintegrated, and the biases at which it was.
    """
    dt, R, v, p = change[0], change[1:10].reshape(3, 3), change[10:13], change[13:16]
    turned, v_gyro, v_force, p_gyro, p_force = change[CHANGE : CHANGE + SLOPES].reshape(5, 3, 3)
    off = bias - change[CHANGE + SLOPES :]
    gyro, force = off[:3], off[3:]
    return concatenate(
        log3((R @ exp3(turned @ gyro)).T @ (Ri.T @ Rj)),
        Ri.T @ (vj - vi - dt * gravity) - (v + v_gyro @ gyro + v_force @ force),
        Ri.T @ (pj - pi - dt * vi - 0.5 * dt * dt * gravity) - (p + p_gyro @ gyro + p_force @ force),
    )


def predict_state(R: Any, v: Any, p: Any, bias: Any, change: Any, gravity: Any) -> tuple[Any, Any, Any]:
    """Return rotation, velocity and position at which `inertial_residual` vanishes."""
    dt, off = change[0], bias - change[CHANGE + SLOPES :]
    turned, v_gyro, v_force, p_gyro, p_force = change[CHANGE : CHANGE + SLOPES].reshape(5, 3, 3)
    gyro, force = off[:3], off[3:]
    return (
        R @ change[1:10].reshape(3, 3) @ exp3(turned @ gyro),
        v + dt * gravity + R @ (change[10:13] + v_gyro @ gyro + v_force @ force),
        p + dt * v + 0.5 * dt * dt * gravity + R @ (change[13:16] + p_gyro @ gyro + p_force @ force),
    )


def _whitening(covariance: Any) -> Any:
    """Return W, lower triangular, with W'W the inverse of a covariance: the inverse of its Cholesky factor."""
    n = len(covariance)
    L, W = np.zeros((n, n), dtype=object), np.zeros((n, n), dtype=object)
    for j in range(n):
        root = sqrt(covariance[j, j] - sum(L[j, k] * L[j, k] for k in range(j)))
        L[j, j], W[j, j] = root, reciprocal(root)
        for i in range(j + 1, n):
            L[i, j] = (covariance[i, j] - sum(L[i, k] * L[j, k] for k in range(j))) * W[j, j]
    for j in range(n):
        for i in range(j + 1, n):
            W[i, j] = -W[i, i] * sum(L[i, k] * W[k, j] for k in range(j, i))
    return W


@cache
def compile_integration(is_walking: bool = False) -> CompiledProgram:
    """Return `integrate_reading` as machine code."""
    of = {"state": (SIZE_WALKING,), "variances": (9,)} if is_walking else {"state": (SIZE,), "variances": (3,)}
    sizes = {"state": of["state"], "reading": (6,), "bias": (6,), "dt": (1,), "variances": of["variances"]}
    return compile_expressions("imu_step", sizes, lambda s, r, b, dt, n: [integrate_reading(s, r, b, dt[0], n)])


@cache
def compile_whitening(n: int = 9) -> CompiledProgram:
    """Return what makes the whitening (n, n) of `inertial_residual`, with biases below it, from a covariance (n, n)."""
    return compile_expressions("imu_whitening", {"covariance": (n, n)}, lambda c: [_whitening(c)])


@cache
def compile_prediction() -> CompiledProgram:
    """Return `predict_state` as machine code: rotation row by row, velocity, position."""
    sizes = {"R": (3, 3), "v": (3,), "p": (3,), "bias": (6,), "change": (CHANGE + SLOPES + 6,), "gravity": (3,)}
    return compile_expressions("imu_prediction", sizes, lambda *given: list(predict_state(*given)))


def compile_expressions(name: str, sizes: dict[str, tuple[int, ...]], write: Template) -> CompiledProgram:
    """Compile what `write` returns of inputs of these shapes: one vector, array after array."""

    def make_program() -> KernelProgram:
        tape = Tape(merge="form")
        inputs = [tape.inputs(n, shape) for n, shape in sizes.items()]
        values = [x for part in write(*inputs) for x in np.ravel(np.asarray(part, dtype=object)).tolist()]
        return KernelProgram(factor_out(without_unused_inputs(program(tape, values))), ((len(values),),))

    found = get_or_make_kernel((name, sizes, write), make_program)
    arguments = [(shape, number_names(n, shape)) for n, shape in sizes.items()]
    return compile_program(name, found.code, arguments, found.shapes, batches=False)
