"""Windows of states over a robot's factor graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.mechanism_noise import Noise
from screwgraph.motion.estimation.robots.motion_graph import Motion, Sigmas, get_mechanics
from screwgraph.motion.estimation.window_rules import choose_rule, decay_rates, extrapolate_state, find_rule
from screwgraph.motion.integration_rules import TRAPEZOIDAL, Rule
from screwgraph.motion.simulation import Efforts, RobotDynamics
from screwgraph.optimize import FixedLag, Problem, WindowStatus, each

Values = dict[str, np.ndarray]
Known = dict[str, dict[str, Any]]
State = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class RobotWindows:
    """Windows of so many `steps`. The equations of motion are one factor an instant: compiled inverse dynamics.

    Raises:
        InputError: an integrator or coordinates that robots do not have.
    """

    dynamics: RobotDynamics
    steps: int
    dt: float
    coordinates: str
    integrator: str | None
    noise: Noise
    marginal: bool
    torques: np.ndarray | Efforts
    begin: np.ndarray
    """Position at which the motion begins (nq,)."""

    families = ("q", "qd", "qdd")
    chunk = 100

    def __post_init__(self) -> None:
        if self.coordinates != "spanning":
            raise InputError(
                f"the smoother of robots has no {self.coordinates} coordinates",
                why="it integrates those of all joints, which also hold singular positions of loops",
                fix="leave coordinates= out",
            )
        find_rule(self.integrator)

    @cached_property
    def rule(self) -> Rule:
        """How steps are integrated: where nothing else is asked for, as dampers need it."""
        return find_rule(self.integrator) or choose_rule(self.dynamics.model, self.begin, self.dt, TRAPEZOIDAL)

    @cached_property
    def decay(self) -> np.ndarray:
        """How fast dampers take velocities to rest (1/s)."""
        return decay_rates(self.dynamics.model, self.begin)

    @cached_property
    def motion(self) -> Motion:
        """The unknowns of a window."""
        return Motion(get_mechanics(self.dynamics.model), self.steps, self.rule, is_window=True)

    def begun(self, first: State, times: np.ndarray) -> tuple[RobotWindows, FixedLag]:
        """Return a smoother of the first window."""
        certain = dict[str, float]()
        if self.marginal:  # inner points before the first instant have no factors: their prior says nothing
            certain = {v.name: self.noise.prior for v in self.motion.states()[:3]}
            certain |= {v.name: 1.0 for node in self.motion.inner for v in self.motion.states(node)}
        problem, values = self._problem(times, first), self._guess(first)
        return self, FixedLag(problem, values, prior=certain, pinned=not self.marginal, predict=self._predict)

    def stretch(self, lag: FixedLag, times: np.ndarray) -> tuple[Values, list[WindowStatus], FixedLag]:
        """Solve windows up to times[1:]."""
        coming = self._coming(lag, times, self.torques) if callable(self.torques) else None
        record, ended = lag.run(len(times) - 1, coming)
        return record, ended, lag

    def onward(self, lag: FixedLag, times: np.ndarray, is_whole: bool) -> tuple[RobotWindows, FixedLag]:
        """Return what goes on: the same."""
        return self, lag

    def _problem(self, times: np.ndarray, first: State) -> Problem:
        """Return the first window; torques that change are those where the first accelerations lead."""
        motion, forces, model = self.motion, self.torques, self.dynamics.model
        noise, families = self.noise, [v for node in (0, *motion.inner) for v in motion.states(node)]
        sigma = Sigmas(
            noise.integration,
            (noise.constraints, noise.constraints, noise.constraints),
            np.full(model.nv, noise.dynamics),
        )
        if not callable(forces):
            return Problem(motion.factors(self.dt, forces, sigma), families)
        states = [
            (float(t), extrapolate_state(self.dynamics.model.manifold, float(t), *first, self.decay))
            for t in times[: motion.count - 1]
        ]
        steps = [self._torques(t, self.dt, state, forces) for t, state in states]
        problem = Problem(motion.factors(self.dt, np.zeros((motion.count, len(first[1]))), sigma), families)
        known = {name: {"tau": each([step[name]["tau"] for step in steps])} for name in steps[0]}
        known["dynamics"] = {"tau": each([forces(0.0, *first[:2]), *(step["dynamics"]["tau"] for step in steps)])}
        return problem.with_parameters(known)

    def _guess(self, first: State) -> Values:
        """Return values of a window: the first state, and where constant accelerations lead."""
        motion, found = self.motion, {}
        for node in (0, *motion.inner):
            for v in motion.states(node):
                found[v.name] = np.zeros((v.count, *v.manifold.shape))
            names = [v.name for v in motion.states(node)[:3]]
            for k in range(motion.count):
                part = k - 1.0 + self.rule.nodes[node] if node else k
                reached = extrapolate_state(self.dynamics.model.manifold, max(part, 0.0) * self.dt, *first, self.decay)
                for name, value in zip(names, reached, strict=True):
                    found[name][k] = np.asarray(value, dtype=float).ravel()
        return found

    def _predict(self, q: Any, v: Any, a: Any, *more: Any) -> tuple[Any, ...]:
        """Predict the unknowns of the next instant, and of the inner points before it."""
        loops = more[:1] if self.dynamics.model.is_closed else ()
        return tuple(self.motion.predict_states(self.dt, self.decay, q, v, a, *loops))

    def _coming(self, lag: FixedLag, times: np.ndarray, efforts: Efforts) -> Iterator[Known]:
        """Yield the torques of the steps to times[1:], from the state that the window ends with then."""
        for t, dt in zip(times[:-1].tolist(), np.diff(times).tolist(), strict=True):
            values = lag.values
            yield self._torques(t, dt, (values["q"][-1], values["qd"][-1], values["qdd"][-1]), efforts)

    def _torques(self, t: float, dt: float, state: State, efforts: Efforts) -> Known:
        """Return the torques at the end of a step, and at its inner points, where constant accelerations lead there."""
        found: Known = {}
        for node in (0, *self.motion.inner):
            h = self.rule.nodes[node or -1] * dt
            q, v, _ = extrapolate_state(self.dynamics.model.manifold, h, *state, self.decay)
            name = f"dynamics.{node}" if node else "dynamics"
            found[name] = {"tau": efforts(t + h, np.asarray(q, dtype=float).ravel(), v)}
        return found
