"""The window of a loop of fixed rate: its factors, what it is known by at first, and where its search begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.initial_guess import Unknowns
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.online.update_inputs import Known, Readings
from screwgraph.motion.estimation.readings.sensors import Walk, list_walks
from screwgraph.optimize import Factors, FixedLag, Problem, Status

FIRST_STEPS = 100
"""Steps that the search for the first window takes, at most."""
STILL = 1e-6
"""Relative change in the root of a second of parameters that do not drift, where others do."""
FULL_STEPS, SETTLED = 20, 1e-8
"""Full steps that are tried where damped ones fail, and the largest entry of the last of them (SI units)."""


@dataclass(frozen=True, eq=False)
class OnlineWindow:
    """Instants `dt` (s) apart of a model's motion with its readings, before the first update.

    `start` are a position (nq,) and a velocity (nv,), of which `noise` says how well they are known; `rates` by how
    much unknown parameters change at random in the root of a second (SI units).
    """

    dt: float
    noise: ModelNoise
    unknowns: Unknowns
    readings: Readings
    start: tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]
    rates: Mapping[str, float] = field(default_factory=dict)

    def begun(
        self, known: Sequence[Known], torques: Float[np.ndarray, "W nt"], guess: Float[np.ndarray, " nq"]
    ) -> FixedLag:
        """Return a smoother of the first window, which is searched for from a guess of its positions.

        `known` is what its updates read, `torques` are those that were known then.
        """
        unknowns, noise, (q0, qd0), own = self.unknowns, self.noise, self.start, self.unknowns.parameters
        biases, walks = [(s, x) for s, x in self.readings.biases.values() if not s.walk], self._walks()
        families, shared = [*unknowns.families, *(walk.variables for walk in walks)], [x for _, x in biases]
        start: dict[str, Any] = unknowns.window_values(q0, qd0)
        prior = {**unknowns.window_prior(noise), **{walk.variables.name: walk.sigma for walk in walks}}
        prior |= {x.name: s.bias for s, x in biases}
        if own.names:
            start["parameters"] = np.tile(own.values / own.scale, (unknowns.shared.count, 1))
            shared += [] if unknowns.drifting else [unknowns.shared]
            prior["parameters"] = noise.parameters
        there = unknowns.window_values(guess, qd0)
        problem = Problem(self._factors(known, torques), [*families, *shared])
        options: dict[str, Any] = {"guess": start | there, "iterations": FIRST_STEPS, "is_unrolled": self.is_judged}
        return FixedLag(problem, start, prior=prior, predict=self._ahead, **options)

    def search(self, lag: FixedLag) -> tuple[FixedLag, bool]:
        """Return the first window where its search ended, and whether it converged.

        Laws that hold nearly exactly are narrow valleys of the cost, which bend: where damped steps creep along them,
        full ones leave them for a while, and may converge at once. Unknown parameters, which a few instants hardly
        determine, would go astray by full steps.
        """
        fresh = lag.copy()
        if lag.solve().status is Status.CONVERGED:
            return lag, True
        if not self.unknowns.parameters.names and any(fresh.step().step <= SETTLED for _ in range(FULL_STEPS)):
            return fresh, True
        return lag, False

    @property
    def is_judged(self) -> bool:
        """Whether contacts may slip, which takes more than one step in some updates."""
        return any(s.slip for s in self.readings.contacts)

    def first_position(
        self, sensors: Sequence[Sensor], read: Sequence[Mapping[str, float]]
    ) -> Float[np.ndarray, " nq"]:
        """Return where readings of the first window, by column, say that it begins."""
        table = {c: np.array([float(own.get(c, np.nan)) for own in read]) for c in self.readings.names}
        return self.unknowns.first_position(sensors, table, self.start[0], self.noise.position)

    def _factors(self, known: Sequence[Known], torques: Float[np.ndarray, "W nt"]) -> list[Factors]:
        """Return laws of motion, changes of forces and torques, and sensors as they were read."""
        steps = np.full(self.unknowns.count - 1, self.dt)
        factors = self.unknowns.model_factors(steps, torques, self.start[0], self.noise)
        for walk in self._walks():
            factors += walk.change_factors(walk.rate * np.sqrt(self.dt))
        return factors + self.readings.factors(known, self.noise.released)

    def _walks(self) -> list[Walk]:
        found = list_walks(self.unknowns, self.readings.sensors, self.noise)
        own = self.unknowns.parameters
        if not self.unknowns.drifting:
            return found
        rates = np.array(
            [max(self.rates.get(name, 0.0), STILL * size) for name, size in zip(own.names, own.scale, strict=True)]
        )
        return [*found, Walk(self.unknowns.shared, self.noise.parameters, rates / own.scale)]

    def _ahead(self, *values: Any) -> tuple[Any, ...]:
        """Predict the next instant, and the inner points before it: forces and torques stay."""
        own = len(self.unknowns.families)
        return (*self._predict(*values[:own]), *values[own:])

    @cached_property
    def _predict(self) -> Callable[..., list[Any]]:
        return self.unknowns.make_prediction(self.dt, self.start[0])
