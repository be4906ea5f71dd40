"""The window of a loop of fixed rate: its factors, what it is known by at first, and where its search begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot import Robot
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.dynamics_noise import compute_dynamics_sigma
from screwgraph.motion.estimation.factors import soft_equality
from screwgraph.motion.estimation.initial_position import find_initial_position
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.estimation.online_sensors import Known, Readings
from screwgraph.motion.estimation.robot_motion_graph import Motion, Sigmas
from screwgraph.motion.estimation.sensors import Walk, list_walks
from screwgraph.motion.estimation.window_rules import decay_rates
from screwgraph.optimize import Factors, FixedLag, Problem, soft

BROAD = 1e4
"""Standard deviation of accelerations (rad/s^2, m/s^2) and of multipliers of loops before anything is measured."""

FIRST_STEPS = 100
"""Steps that the search for the first window takes, at most."""


@dataclass(frozen=True, eq=False)
class OnlineWindow:
    """Instants `dt` (s) apart of a robot's motion with its readings, before the first update.

    `start` are a position (nq,) and a velocity (nv,), of which `noise` says how well they are known.
    """

    robot: Robot
    dt: float
    noise: ModelNoise
    motion: Motion
    readings: Readings
    start: tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]]

    def begun(self, known: Sequence[Known], guess: Float[np.ndarray, " nq"]) -> FixedLag:
        """Return a smoother of the first window, which is searched for from a guess of its positions."""
        motion, noise, (q0, qd0), own = self.motion, self.noise, self.start, self.motion.parameters
        biases, walks = [(s, x) for s, x in self.readings.biases.values() if not s.walk], self._walks()
        states = [x for node in (0, *motion.inner) for x in motion.states(node)]
        families, shared = [*states, *(x for x, _, _ in walks)], [x for _, x in biases]
        start = dict[str, Any]()
        for q, qd, *_ in (motion.states(node) for node in (0, *motion.inner)):
            start |= {q.name: np.tile(q0, (motion.count, 1)), qd.name: np.tile(qd0, (motion.count, 1))}
        prior: dict[str, Any] = dict.fromkeys((v.name for v in families), BROAD)
        prior |= {"q": noise.position, "qd": noise.velocity, **{x.name: size for x, size, _ in walks}}
        prior |= {x.name: s.bias for s, x in biases}
        if own.names:
            shared, start["parameters"] = [*shared, motion.shared], (own.values / own.scale)[None]
            prior["parameters"] = noise.parameters
        there = {motion.states(node)[0].name: np.tile(guess, (motion.count, 1)) for node in (0, *motion.inner)}
        options: dict[str, Any] = {"guess": start | there, "iterations": FIRST_STEPS}
        problem = Problem(self._factors(known), [*families, *shared])
        return FixedLag(problem, start, prior=prior, predict=self._ahead, **options)

    def first_position(
        self, sensors: Sequence[Sensor], read: Sequence[Mapping[str, float]]
    ) -> Float[np.ndarray, " nq"]:
        """Return where readings of the first window, by column, say that it begins."""
        table = {c: np.array([float(own.get(c, np.nan)) for own in read]) for c in self.readings.names}
        return find_initial_position(self.motion.mechanics, sensors, table, self.start[0], self.noise.position)

    def _factors(self, known: Sequence[Known]) -> list[Factors]:
        """Return laws of motion, changes of forces and torques, and sensors as they were read."""
        motion, noise = self.motion, self.noise
        spread = compute_dynamics_sigma(motion.mechanics, motion.pushed, self.start[0], self.dt, noise)
        sigma = Sigmas(noise.integration, (noise.constraints, noise.constraints, noise.dynamics), spread)
        factors = motion.factors(self.dt, np.array([k["dynamics"]["tau"] for k in known]), sigma)
        for x, _, rate in self._walks():
            change = rate * np.sqrt(self.dt)
            factors.append(soft(soft_equality, x[:-1], x[1:], sigma=change, name=f"change of {x.name}"))
        return factors + self.readings.factors(known, noise.released)

    def _walks(self) -> list[Walk]:
        return list_walks(self.motion, self.readings.sensors, self.noise)

    @cached_property
    def _decay(self) -> Float[np.ndarray, " nv"]:
        return decay_rates(self.robot, self.start[0])

    def _ahead(self, q: Any, qd: Any, qdd: Any, *more: Any) -> tuple[Any, ...]:
        """Predict the next instant, and the inner points before it: forces and torques stay."""
        motion = self.motion
        loops, walking = more[: len(motion.states()) - 3], more[len(motion.states()) * (1 + len(motion.inner)) - 3 :]
        return (*motion.predicted(self.dt, self._decay, q, qd, qdd, *loops), *walking)
