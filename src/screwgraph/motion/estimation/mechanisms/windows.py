"""Windows of states over a mechanism's factor graph, with other independent coordinates where those become poor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism
from screwgraph.motion.estimation.mechanism_noise import Noise
from screwgraph.motion.estimation.mechanisms.forward_graph import FORCED, forward_graph
from screwgraph.motion.estimation.window_rules import extrapolate_state
from screwgraph.motion.simulation import Efforts, MechanismDynamics
from screwgraph.optimize import FixedLag, Problem, WindowStatus
from screwgraph.spatial.manifolds import Vector

TOLERANCE = 1e-10
"""Largest entry of the last step of each window (m, rad, and their rates)."""
OWN = dict(zip("zwb", "qva", strict=True))
"""Unknowns of independent coordinates, and those that they are entries of."""

Values = dict[str, np.ndarray]
Known = dict[str, dict[str, np.ndarray]]
STEEP = 2.0
"""How much faster than the independent coordinates others may move; angles count by the size of the mechanism."""
STEEP_ALONE = 1.05
"""The same of one coordinate that no file names: who comes back meets the same choice, and energy does not drift."""


@dataclass(frozen=True)
class WindowOptions:
    """Options that the code of windows depends on; `changing` says whether torques change over time."""

    steps: int
    dt: float
    coordinates: str
    integrator: str
    noise: Noise
    marginal: bool
    changing: bool


@dataclass(frozen=True, eq=False)
class MechanismWindows:
    """Windows of Figs 2 and 3 of Blanco-Claraco et al. (2021).

    Independent coordinates are those of the file, or well-conditioned ones; where they come near to not determining the
    others, others are chosen. `mechanism` has those chosen now, and `allowed` is how steep they may become.
    """

    dynamics: MechanismDynamics
    options: WindowOptions
    torques: np.ndarray | Efforts
    mechanism: Mechanism
    allowed: float = field(default=0.0)

    families = ("q", "v", "a")
    chunk = 250

    @property
    def steps(self) -> int:
        """States in a window."""
        return self.options.steps

    @property
    def is_independent(self) -> bool:
        """Whether independent coordinates are integrated."""
        return self.options.coordinates == "independent"

    def begun(self, first: tuple[Any, Any, Any], times: np.ndarray) -> tuple[MechanismWindows, FixedLag]:
        """Return windows with good independent coordinates, and a smoother of the first one."""
        windows = replace(self, allowed=steepness_limit(self.mechanism))
        if self.is_independent and compute_steepness(self.mechanism, first[0][None])[0] > windows.allowed:
            windows = self._chosen_at(first[0])
        start = _guess(windows.mechanism, self.options, first)
        known = dict.fromkeys(start, self.options.noise.prior) if self.options.marginal else None
        return windows, windows._smoother(start, times, known)

    def stretch(self, lag: FixedLag, times: np.ndarray) -> tuple[Values, list[WindowStatus], FixedLag]:
        """Solve windows up to times[1:], or as far as independent coordinates are not too steep, but one at least."""
        saved = lag.copy()
        record, ended = lag.run(len(times) - 1, self._coming(lag, times))
        if not self.is_independent:
            return record, ended, lag
        poor = ~(compute_steepness(self.mechanism, record["q"]) <= self.allowed)
        count = max(1, int(poor.argmax())) if poor.any() else len(ended)
        if count < len(ended):
            lag = saved
            record, ended = lag.run(count, self._coming(lag, times))
        return record, ended, lag

    def onward(self, lag: FixedLag, times: np.ndarray, is_whole: bool) -> tuple[MechanismWindows, FixedLag]:
        """Return what goes on after times of a window; with other coordinates where a stretch was not whole."""
        if is_whole or not self.is_independent:
            return self, lag
        other = self._chosen_at(lag.values["q"][-1])
        return other, other._taken_over(self, lag, times)

    def _chosen_at(self, q: np.ndarray) -> MechanismWindows:
        """Return windows whose independent coordinates are good ones at q."""
        original = self.dynamics.model
        mechanism = choose_coordinates(original, q)
        steep = max(1.0, compute_steepness(mechanism, q[None])[0])
        return replace(self, mechanism=mechanism, allowed=steepness_limit(original) * steep)

    def _taken_over(self, windows: MechanismWindows, lag: FixedLag, times: np.ndarray) -> FixedLag:
        """Return a smoother that goes on where one with other independent coordinates ended."""
        if self.mechanism is windows.mechanism:
            return lag
        values = _around(self.mechanism, self.options, lag.values)
        if not self.options.marginal:
            return self._smoother(values, times)
        names, n = [v.name for v in lag.problem.families], self.mechanism.n
        sizes = {name: values[name].shape[1] for name in names}
        ends = dict(zip(names, np.cumsum([sizes[name] for name in names]).tolist(), strict=True))
        turn = np.zeros((sum(sizes.values()),) * 2)  # from directions of the new unknowns to those of the old
        chosen = windows.mechanism.freedom.independent
        for name in names:
            rows, of = slice(ends[name] - sizes[name], ends[name]), OWN.get(name, name)
            entries = chosen if name in OWN else range(n)
            turn[rows, [ends[of] - n + i for i in entries]] = np.eye(sizes[name])
        information, vector = lag.prior
        return self._smoother(values, times, (turn.T @ information @ turn, turn.T @ vector))

    def _smoother(self, start: Values, times: np.ndarray, prior: Any = None) -> FixedLag:
        """Return a smoother of a window of states at some times; `prior` as `FixedLag` has it."""
        states = zip(times, start["q"], start["v"], strict=False)
        force = np.array([self._force(float(t), q, v) for t, q, v in states]) if self.options.changing else None
        constant = self._force(0.0, start["q"][0], start["v"][0]) if force is None else force
        problem = _problem(self.mechanism, self.options, constant)
        return _fresh(self.mechanism, self.options).restart(problem, start, prior)

    def _force(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return self.dynamics.force(self.torques(t, q, qd) if callable(self.torques) else self.torques)

    def _coming(self, lag: FixedLag, times: np.ndarray) -> Iterator[Known] | None:
        """Return the forces at times[1:], by factors: at the state, or half-way to it; none that do not change."""
        if not self.options.changing:
            return None

        def coming() -> Iterator[Known]:
            groups = {group.name for group in lag.problem.factors}
            last = self._force(float(times[0]), lag.values["q"][-1], lag.values["v"][-1])
            for t in times[1:]:
                q, v, _ = extrapolate_state(
                    self.dynamics.model.manifold, self.options.dt, *(lag.values[name][-1] for name in self.families)
                )
                now = self._force(float(t), q, v)
                middle, last = (last + now) / 2.0, now
                yield {name: {"force": middle if half else now} for name, half in FORCED.items() if name in groups}

        return coming()


def make_mechanism_windows(
    dynamics: MechanismDynamics,
    steps: int,
    dt: float,
    coordinates: str,
    integrator: str | None,
    noise: Noise,
    marginal: bool,
    torques: np.ndarray | Efforts,
) -> MechanismWindows:
    """Return the windows of a mechanism, with its own independent coordinates; by default steps are trapezoidal."""
    options = WindowOptions(steps, dt, coordinates, integrator or "trapezoidal", noise, marginal, callable(torques))
    return MechanismWindows(dynamics, options, torques, dynamics.model)


def _around(mechanism: Mechanism, options: WindowOptions, values: Mapping[str, np.ndarray]) -> Values:
    """Return values of all unknowns of a window, given positions, velocities and accelerations."""
    found, chosen = {name: values[name] for name in "qva"}, list(mechanism.freedom.independent)
    return found | ({z: found[x][:, chosen] for z, x in OWN.items()} if options.coordinates == "independent" else {})


def _guess(mechanism: Mechanism, options: WindowOptions, first: tuple[Any, Any, Any]) -> Values:
    """Return values of a window: the first state, and where constant accelerations lead."""
    t = options.dt * np.arange(options.steps)[:, None]
    q, v, a = extrapolate_state(Vector(mechanism.n), t, *first)
    return _around(mechanism, options, {"q": q, "v": v, "a": a})


def _problem(mechanism: Mechanism, options: WindowOptions, force: np.ndarray) -> Problem:
    own = (options.dt, options.coordinates, options.integrator)
    return forward_graph(mechanism, options.steps, *own, force=force, noise=options.noise)


@lru_cache(maxsize=8)
def _fresh(mechanism: Mechanism, options: WindowOptions) -> FixedLag:
    """Return a smoother that motions begin with, so that its code is looked up once; nobody moves it on."""
    rest = np.zeros(mechanism.n)
    spanning, independent = Vector(mechanism.n), Vector(mechanism.dof)
    problem = _problem(mechanism, options, np.zeros((options.steps, len(rest))) if options.changing else rest)

    def predict(*x: Any) -> tuple[Any, ...]:
        """Predict the unknowns of the next state: q, v, a, or q, z, v, w, a, b."""
        if options.coordinates != "independent":
            return extrapolate_state(spanning, options.dt, *x)
        pairs = zip(
            extrapolate_state(spanning, options.dt, *x[::2]),
            extrapolate_state(independent, options.dt, *x[1::2]),
            strict=True,
        )
        return tuple(value for pair in pairs for value in pair)

    start = _guess(mechanism, options, (rest, rest, rest))
    return FixedLag(problem, start, pinned=not options.marginal, predict=predict, tolerance=TOLERANCE)


def steepness_limit(mechanism: Mechanism) -> float:
    """Return how steep a mechanism may become before its independent coordinates are chosen anew."""
    return STEEP_ALONE if mechanism.dof == 1 and not mechanism.independent else STEEP


def compute_steepness(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> Float[np.ndarray, " N"]:
    """Return the largest entry of R at closed positions, infinite where these are not finite.

    Blanco-Claraco et al. (2021), eqs. (8), (10).
    """
    found, finite = np.full(len(q), np.inf), np.isfinite(q).all(axis=1)
    chosen = list(mechanism.freedom.independent)
    free = _free_motions(mechanism, q[finite])
    u, s, vt = np.linalg.svd(free[:, chosen])
    R = free @ (vt.swapaxes(1, 2) / np.maximum(s, 1e-300)[:, None, :]) @ u.swapaxes(1, 2)
    found[finite] = np.abs(R).max(axis=(1, 2), initial=0.0)
    return found


def choose_coordinates(mechanism: Mechanism, q: Float[np.ndarray, " n"]) -> Mechanism:
    """Return the mechanism with independent coordinates that move most at a closed position where all others follow."""
    from scipy.linalg import qr

    order: Any = qr(_free_motions(mechanism, q[None])[0].T, pivoting=True)[-1]
    chosen = tuple(sorted(int(i) for i in order[: mechanism.dof]))
    if chosen == mechanism.freedom.independent:
        return mechanism
    return _with_choice(mechanism, tuple(mechanism.coordinates[i] for i in chosen))


@lru_cache(maxsize=16)
def _with_choice(mechanism: Mechanism, independent: tuple[str, ...]) -> Mechanism:
    return replace(mechanism, independent=independent)


def _free_motions(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n f"]:
    """Return orthonormal bases of what the constraints leave free, angles lengths counting in the size."""
    kept = list(mechanism.freedom.kept)
    J = compile_mechanism(mechanism).closing.in_units(q)[1][:, kept]
    return np.linalg.qr(J.swapaxes(1, 2), mode="complete")[0][:, :, len(kept) :]
