"""A particle filter of mechanisms of one degree of freedom, which shares no estimation with the program.

Inertia I = 2 T / v^2 and potential energy V are tables over the crank's angle; its equation of motion is
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
from tests.motion.estimation.walking_torques import Drawn

NODES = 721
BESIDE = 0.2
"""Angle (rad) beside the motion, four standard deviations of its beginning, up to which tables reach."""
SHRINK = 0.05
"""Width of the kernel with which particles are drawn anew, in the standard deviations of the cloud."""


@dataclass(frozen=True, eq=False)
class CrankTables:
    """Splines over the crank's angle: I, V, and what each sensor reads of angular velocities per crank's."""

    inertia: CubicSpline
    potential: CubicSpline
    ratios: Mapping[str, CubicSpline]

    def acceleration(self, x: Float[np.ndarray, "3 N"]) -> Float[np.ndarray, " N"]:
        """Return the crank's acceleration at angles, velocities and torques."""
        angle, v, torque = x
        slope = 0.5 * self.inertia(angle, 1) * v * v + self.potential(angle, 1)
        return (torque - slope) / self.inertia(angle)


def tabulate(mechanism: Mechanism, gyroscopes: Mapping[str, dict], reach: tuple[float, float]) -> CrankTables:
    """Return tables of a mechanism over a range of its crank's angle, in which the assembled position is."""
    (slot,) = mechanism.freedom.independent
    theta, home = np.linspace(*reach, NODES), mechanism.home
    sides = [theta[theta < home[slot]][::-1], theta[theta >= home[slot]]]
    below, above = (follow_branch(mechanism, home, (slot,), side[:, None]) for side in sides)
    q = np.concatenate([below[::-1], above])
    qd = CubicSpline(theta, q)(theta, 1)
    energy = compile_mechanism(mechanism).energy(q, qd)
    states = {"q": q, "v": qd, "a": np.zeros_like(q)}
    read = simulate_sensors(mechanism, states, parse_sensors(mechanism, list(gyroscopes.values())))
    ratios = {name: CubicSpline(theta, values) for name, values in read.items()}
    return CrankTables(CubicSpline(theta, 2.0 * energy[:, 0]), CubicSpline(theta, energy[:, 1]), ratios)


def filter_particles(drawn: Drawn, count: int, seed: int = 0) -> Float[np.ndarray, "N 3"]:
    """Return means of the crank's angle, velocity and torque after each instant, by so many particles."""
    rng, noise = np.random.default_rng(seed), drawn.noise
    spread = {s["sensor"]: s["sigma"] for s in drawn.sensors}
    gyros = {s["sensor"]: s for s in drawn.sensors if "gyroscope" in s}
    angles, start = drawn.q[:, drawn.slot], drawn.mechanism.home[drawn.slot]
    tables = tabulate(drawn.mechanism, gyros, (min(start, angles.min()) - BESIDE, max(start, angles.max()) + BESIDE))
    x = np.array([start, 0.0, 0.0])[:, None] + np.array([noise.position, noise.velocity, noise.torque])[
        :, None
    ] * rng.standard_normal((3, count))
    log_weights, means = np.zeros(count), []
    for k in range(len(drawn.q)):
        if k:
            x = move(tables, x, drawn.dt, noise.torque_rate * np.sqrt(drawn.dt) * rng.standard_normal(count))
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


def move(
    tables: CrankTables, x: Float[np.ndarray, "3 N"], dt: float, change: Float[np.ndarray, " N"]
) -> Float[np.ndarray, "3 N"]:
    """Return particles a step later, by Runge-Kutta's method; torques change evenly meanwhile."""

    def rate(part: float, at: np.ndarray) -> np.ndarray:
        torque = x[2] + part * change
        return np.array([at[1], tables.acceleration(np.array([at[0], at[1], torque]))])

    state = x[:2]
    k1 = rate(0.0, state)
    k2 = rate(0.5, state + 0.5 * dt * k1)
    k3 = rate(0.5, state + 0.5 * dt * k2)
    k4 = rate(1.0, state + dt * k3)
    return np.vstack([state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), x[2] + change])


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
