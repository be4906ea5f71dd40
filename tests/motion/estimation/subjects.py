"""Models whose motions, parameters and readings are drawn as an estimate's priors and noise say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from screwgraph.motion.estimation import ModelNoise
from screwgraph.motion.integration_rules import RK4, take_step

DT, STEPS = 0.01, 30
LOST = 0.3
"""Share of the samples of a sensor that drop out, where any do."""
NOISE = replace(
    ModelNoise(),
    dynamics=1e-4,
    parameters=0.04,
    position=0.01,
    velocity=0.04,
    torque=0.2,
    torque_rate=1.0,
)
"""True motions follow the model: what it may be off by is well below what sensors leave open. Priors are those by which
truth is drawn: so small that laws are nearly linear within them, as covariances suppose. With these and the noise of
sensors five times larger, a mass that hardly anything but a prior determines has a NEES of 1.5."""
SUBSTEPS = 5
"""Steps of RK4 between samples: 2 ms leave errors of some 1e-11."""
Readings = Mapping[str, Mapping[str, tuple[np.ndarray, float]]]
"""By sensor and column: what it reads without noise (N,), and the standard deviation of its noise."""


@dataclass(frozen=True)
class Run:
    """States and torques at times t (s)."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray


@dataclass(frozen=True)
class Subject:
    """A model as its file says, and what is needed to draw a true motion of it.

    `start` is the mean of the initial position and velocity. `parameters` are nominal values of those that are unknown,
    `accelerations` is a function of their values that returns one of q, qd, tau. `actuated` are the names of all
    torques, in their order, `drive` amplitudes of those that are driven; of these, those of `inputs` are unknown.
    `tangent` (nv, f) spans the velocities that constraints allow at a position, `closed` returns the position on the
    constraints near one that is nearly so. `independent` positions determine all others.
    """

    model: Any
    start: tuple[np.ndarray, np.ndarray]
    sensors: Sequence[Mapping[str, Any]]
    readings: Callable[[Run], Readings]
    parameters: Mapping[str, float]
    accelerations: Callable[[Mapping[str, float]], Callable[..., np.ndarray]]
    actuated: Sequence[str]
    drive: Mapping[str, float]
    inputs: Sequence[str]
    tangent: Callable[[np.ndarray], np.ndarray]
    closed: Callable[[np.ndarray], np.ndarray]
    independent: Sequence[int]


@dataclass(frozen=True)
class Draw:
    """A true motion with true parameters, and the table of what was measured."""

    run: Run
    parameters: Mapping[str, float]
    table: Mapping[str, np.ndarray]


def draw(of: Subject, rng: np.random.Generator) -> Draw:
    """Draw parameters, the initial state and unknown torques from their priors, and measure what comes of them."""
    parameters = {n: x * (1.0 + NOISE.parameters * rng.standard_normal()) for n, x in of.parameters.items()}
    q, qd = _start(of, rng)
    t = DT * np.arange(STEPS + 1)
    torques = {name: size * np.cos(6.0 * t) for name, size in of.drive.items()}
    for name in of.inputs:  # a random walk, linear between samples
        change = NOISE.torque_rate * np.sqrt(DT) * rng.standard_normal(STEPS)
        torques[name] = NOISE.torque * rng.standard_normal() + np.r_[0.0, np.cumsum(change)]
    tau = np.array([torques.get(name, np.zeros(len(t))) for name in of.actuated]).T
    run = _moved(of.accelerations(parameters), of.model.manifold, q, qd, t, tau)
    known = {f"tau:{name}": torques[name] for name in of.drive if name not in of.inputs}
    return Draw(run, parameters, {"t": t, **known, **_measured(of.readings(run), rng)})


def _moved(acceleration: Any, manifold: Any, q: np.ndarray, qd: np.ndarray, t: np.ndarray, tau: np.ndarray) -> Run:
    states, h = [(q, qd)], DT / SUBSTEPS
    for first, last in pairwise(tau):
        for i in range(SUBSTEPS):

            def moving(part: float, q: np.ndarray, qd: np.ndarray, i: int = i, a: Any = first, b: Any = last) -> Any:
                return acceleration(q, qd, a + (b - a) * (i + part) / SUBSTEPS)

            q, qd = take_step(RK4, manifold, moving, h, q, qd)
        states.append((q, qd))
    rates = [acceleration(*state, torques) for state, torques in zip(states, tau, strict=True)]
    return Run(t, *map(np.array, zip(*states, strict=True)), np.array(rates), tau)


def _start(of: Subject, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw an initial state: normal in the directions that the constraints allow."""
    mean, rate = of.start
    manifold = of.model.manifold
    away = NOISE.position * rng.standard_normal(len(rate))
    q = of.closed(manifold.retract(mean, _projected(of.tangent(mean), away)))
    return q, _projected(of.tangent(q), rate + NOISE.velocity * rng.standard_normal(len(rate)))


def _projected(tangent: np.ndarray, x: np.ndarray) -> np.ndarray:
    basis = np.linalg.qr(tangent)[0]
    return basis @ (basis.T @ x)


def _measured(readings: Readings, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return noisy readings: some drop out, some come at a lower rate, which NaN says, or times of their own."""
    found, lossy = {}, rng.random() < 0.5
    t = DT * np.arange(STEPS + 1)
    for k, (sensor, columns) in enumerate(readings.items()):
        every = int(rng.integers(1, 4)) if k else 1
        kept = (np.arange(len(t)) % every == 0) & (rng.random(len(t)) >= (LOST if lossy else 0.0))
        has_own_times = k > 0 and rng.random() < 0.5
        noisy = {name: x + sigma * rng.standard_normal(len(t)) for name, (x, sigma) in columns.items()}
        if has_own_times:
            found |= {f"t:{sensor}": t[kept], **{name: x[kept] for name, x in noisy.items()}}
        else:
            found |= {name: np.where(kept, x, np.nan) for name, x in noisy.items()}
    return found
