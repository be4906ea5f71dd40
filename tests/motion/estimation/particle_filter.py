"""A particle filter of mechanisms of one degree of freedom, which shares no estimation with the program.

Positions, inertia I = 2 T / v^2 and potential energy V are tables over the crank's angle; its equation of motion is
Lagrange's, I a + I' v^2 / 2 + V' = torque. Resampling is systematic, and regularised: Musso, Oudjane & Le Gland (2001).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.interpolate import CubicSpline

from screwgraph.mechanics.mechanism import Mechanism, compile_mechanism, follow_branch, simulate_sensors
from screwgraph.model.mechanism.sensors import parse_sensors
from tests.motion.estimation.walking_torques import DT, Drawn

NODES = 721
SHRINK = 0.05
"""Width of the kernel with which particles are drawn anew, in the standard deviations of the cloud."""


@dataclass(frozen=True, eq=False)
class CrankTables:
    """Splines over a turn of the crank: I, V, and what each sensor reads of angular velocities per crank's."""

    inertia: CubicSpline
    potential: CubicSpline
    ratios: Mapping[str, CubicSpline]

    def acceleration(self, x: Float[np.ndarray, "3 N"]) -> Float[np.ndarray, " N"]:
        """Return the crank's acceleration at angles, velocities and torques."""
        angle, v, torque = x
        slope = 0.5 * self.inertia(angle, 1) * v * v + self.potential(angle, 1)
        return (torque - slope) / self.inertia(angle)


def tabulate(mechanism: Mechanism, gyroscopes: Mapping[str, dict]) -> CrankTables:
    """Return tables of a mechanism whose crank turns all around."""
    (slot,) = mechanism.freedom.independent
    theta = mechanism.home[slot] + np.linspace(0.0, 2.0 * np.pi, NODES)
    q = follow_branch(mechanism, mechanism.home, (slot,), theta[:, None])
    turn = np.zeros(mechanism.n)
    turn[list(mechanism.angle_slots)] = q[-1][list(mechanism.angle_slots)] - q[0][list(mechanism.angle_slots)]
    path = q - np.outer((theta - theta[0]) / (2.0 * np.pi), turn)
    path[-1] = path[0]
    qd = CubicSpline(theta, path, bc_type="periodic")(theta, 1) + turn / (2.0 * np.pi)
    energy = compile_mechanism(mechanism).energy(q, qd)
    states = {"q": q, "v": qd, "a": np.zeros_like(q)}
    read = simulate_sensors(mechanism, states, parse_sensors(mechanism, list(gyroscopes.values())))

    def periodic(values: np.ndarray) -> CubicSpline:
        return CubicSpline(theta, np.append(values[:-1], values[0]), bc_type="periodic")

    ratios = {name: periodic(values) for name, values in read.items()}
    return CrankTables(periodic(2.0 * energy[:, 0]), periodic(energy[:, 1]), ratios)


def filter_particles(drawn: Drawn, count: int, seed: int = 0) -> Float[np.ndarray, "N 3"]:
    """Return means of the crank's angle, velocity and torque after each instant, by so many particles."""
    rng, noise = np.random.default_rng(seed), drawn.noise
    spread = {s["sensor"]: s["sigma"] for s in drawn.sensors}
    gyros = {s["sensor"]: s for s in drawn.sensors if "gyroscope" in s}
    tables, start = tabulate(drawn.mechanism, gyros), drawn.mechanism.home[drawn.slot]
    x = np.array([start, 0.0, 0.0])[:, None] + np.array([noise.position, noise.velocity, noise.torque])[
        :, None
    ] * rng.standard_normal((3, count))
    log_weights, means = np.zeros(count), []
    for k in range(len(drawn.q)):
        if k:
            x = move(tables, x, noise.torque_rate * np.sqrt(DT) * rng.standard_normal(count))
        for name, value in drawn.readings(k).items():
            if np.isfinite(value):
                reading = tables.ratios[name](x[0]) * x[1] if name in gyros else x[0]
                log_weights -= 0.5 * ((reading - value) / spread[name]) ** 2
        weights = np.exp(log_weights - log_weights.max())
        weights /= weights.sum()
        means.append(x @ weights)
        if 1.0 / (weights @ weights) < 0.5 * count:
            x, log_weights = resample(x, weights, rng), np.zeros(count)
    return np.array(means)


def move(tables: CrankTables, x: Float[np.ndarray, "3 N"], change: Float[np.ndarray, " N"]) -> Float[np.ndarray, "3 N"]:
    """Return particles a step later, by Runge-Kutta's method; torques change evenly meanwhile."""

    def rate(part: float, at: np.ndarray) -> np.ndarray:
        torque = x[2] + part * change
        return np.array([at[1], tables.acceleration(np.array([at[0], at[1], torque]))])

    state = x[:2]
    k1 = rate(0.0, state)
    k2 = rate(0.5, state + 0.5 * DT * k1)
    k3 = rate(0.5, state + 0.5 * DT * k2)
    k4 = rate(1.0, state + DT * k3)
    return np.vstack([state + DT / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), x[2] + change])


def resample(
    x: Float[np.ndarray, "3 N"], weights: Float[np.ndarray, " N"], rng: np.random.Generator
) -> Float[np.ndarray, "3 N"]:
    """Return equally likely particles, drawn from a kernel around each with the mean and covariance of the cloud."""
    count = len(weights)
    mean = x @ weights
    covariance = ((x - mean[:, None]) * weights) @ (x - mean[:, None]).T
    chosen = np.searchsorted(np.cumsum(weights), (rng.random() + np.arange(count)) / count).clip(0, count - 1)
    kept = np.sqrt(1.0 - SHRINK**2)
    factor = np.linalg.cholesky(covariance + 1e-18 * np.eye(3))
    return mean[:, None] + kept * (x[:, chosen] - mean[:, None]) + SHRINK * factor @ rng.standard_normal((3, count))
