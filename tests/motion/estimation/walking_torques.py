"""Mechanisms that torques drive which change at random, with readings of them: what smoothers believe of both is so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.stats import chi2

import screwgraph as sg
from screwgraph.mechanics.mechanism import Mechanism, finite_displacement, simulate_sensors, velocity_problem
from screwgraph.model.mechanism.sensors import parse_sensors
from screwgraph.motion.estimation import ModelNoise, OnlineSmoother

DT = 0.005
NOISE = ModelNoise(position=0.05, velocity=0.5, torque=5.0, torque_rate=20.0)
SENSORS = (
    {"sensor": "encoder", "angle": "theta", "sigma": 1e-3},
    {"sensor": "gyro", "gyroscope": "coupler", "sigma": 1e-2},
)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A motion drawn from what `noise` says of its beginning and of its torque (N m), and noisy readings by column."""

    mechanism: Mechanism
    sensors: Sequence[dict[str, Any]]
    noise: ModelNoise
    q: Float[np.ndarray, "N n"]
    qd: Float[np.ndarray, "N n"]
    qdd: Float[np.ndarray, "N n"]
    tau: Float[np.ndarray, " N"]
    read: dict[str, Float[np.ndarray, " N"]]
    dt: float = DT

    @property
    def slot(self) -> int:
        """Place of the independent coordinate in q."""
        return self.mechanism.freedom.independent[0]

    def readings(self, k: int) -> dict[str, float]:
        """Return what was read at instant k."""
        return {name: float(values[k]) for name, values in self.read.items()}

    def smooth(self, mechanism: Mechanism | None = None, **options: Any) -> OnlineSmoother:
        """Return a smoother that has read all."""
        model = mechanism or self.mechanism
        found = OnlineSmoother(
            model, self.sensors, self.dt, inputs=model.motors, noise=self.noise, **{"window": 3, **options}
        )
        for k in range(len(self.q)):
            found.update(self.readings(k))
        return found

    def nees(self, smoother: OnlineSmoother, k: int = -1) -> float:
        """Return the normalised estimation error squared of position, velocity and torque: 3 degrees of freedom."""
        error = np.array([smoother.q[self.slot], smoother.qd[self.slot], smoother.tau[0]])
        error -= [self.q[k, self.slot], self.qd[k, self.slot], self.tau[k]]
        names = ("z", "zd", "tau") if "z" in smoother.families else ("q", "qd", "tau")
        return float(error @ np.linalg.solve(_of_independent(smoother.covariance(*names), self), error))


def _of_independent(joint: np.ndarray, drawn: Drawn) -> np.ndarray:
    """Return the covariance of the independent coordinate, its velocity and the torque."""
    n = drawn.mechanism.n
    places = [drawn.slot, n + drawn.slot, 2 * n] if len(joint) > 3 else [0, 1, 2]
    return joint[np.ix_(places, places)]


def draw(
    mechanism: Mechanism,
    seed: int,
    count: int,
    sensors: Sequence[dict[str, Any]] = SENSORS,
    noise: ModelNoise = NOISE,
    dt: float = DT,
) -> Drawn:
    """Return a motion of so many instants, dt (s) apart."""
    rng, (slot,) = np.random.default_rng(seed), mechanism.freedom.independent
    name, home = mechanism.coordinates[slot], mechanism.home
    q0 = finite_displacement(mechanism, home, {name: home[slot] + noise.position * rng.standard_normal()})[-1]
    qd0 = velocity_problem(mechanism, q0, {name: noise.velocity * rng.standard_normal()})
    steps = noise.torque_rate * np.sqrt(dt) * rng.standard_normal(count - 1)
    torque, t = noise.torque * rng.standard_normal() + np.concatenate([[0.0], np.cumsum(steps)]), dt * np.arange(count)
    options: dict[str, Any] = {"tau": lambda now, q, qd: [np.interp(now, t, torque)], "method": "rk4"}
    run = sg.simulate(mechanism, q0, qd0, time=dt * (count - 1), dt=dt, **options)
    states = {"q": run.q, "v": run.qd, "a": run.qdd}
    read = simulate_sensors(mechanism, states, parse_sensors(mechanism, sensors), rng)
    return Drawn(mechanism, sensors, noise, run.q, run.qd, run.qdd, torque, read, dt)


def within_bounds(squares: Sequence[float], degrees: int, part: float = 0.95) -> bool:
    """Return whether the mean of squares lies where that of chi-squared ones lies in such a part of all cases."""
    low, high = chi2.ppf([0.5 - 0.5 * part, 0.5 + 0.5 * part], degrees * len(squares)) / len(squares)
    return bool(low <= np.mean(squares) <= high)
