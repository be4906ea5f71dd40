"""Windows of states over a mechanism's factor graph, and smoothers of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from screwgraph.mechanism.forward_graph import forward_graph
from screwgraph.mechanism.weights import Noise
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.optimize import FixedLag

TOLERANCE = 1e-10
"""Largest entry of the last step of each window (m, rad, and their rates)."""
OWN = dict(zip("zwb", "qva", strict=True))
"""Unknowns of independent coordinates, and those that they are entries of."""

Values = dict[str, np.ndarray]


@dataclass(frozen=True)
class Windows:
    """Windows of so many `steps`; `changing` says whether forces change over time. See `simulate_by_smoothing`."""

    mechanism: Mechanism
    steps: int
    dt: float
    coordinates: str
    integrator: str
    noise: Noise
    marginal: bool
    changing: bool

    @property
    def independent(self) -> bool:
        """Whether independent coordinates are integrated."""
        return self.coordinates == "independent"

    @property
    def chosen(self) -> list[int]:
        """Places of the independent coordinates in q."""
        return list(self.mechanism.freedom.independent)

    def around(self, values: Mapping[str, np.ndarray]) -> Values:
        """Return values of all unknowns of a window, given positions, velocities and accelerations."""
        found = {name: values[name] for name in "qva"}
        if self.independent:
            found |= {z: found[x][:, self.chosen] for z, x in OWN.items()}
        return found

    def guess(self, first: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Values:
        """Return values of a window: the first state, and where constant accelerations lead."""
        q, v, a = first
        t = self.dt * np.arange(self.steps)[:, None]
        return self.around({"q": q + t * v + t * t / 2.0 * a, "v": v + t * a, "a": np.tile(a, (self.steps, 1))})

    def smoother(self, start: Values, force: np.ndarray, prior: Any = None) -> FixedLag:
        """Return a smoother of these windows; `force` as `forward_graph` has it, `prior` as `FixedLag` has it."""
        problem = self._problem(force)
        return _fresh(self).restarted(problem, start, prior)

    def _problem(self, force: np.ndarray) -> Any:
        options = (self.dt, self.coordinates, self.integrator)
        return forward_graph(self.mechanism, self.steps, *options, force=force, noise=self.noise)

    def _predict(self, *x: Any) -> tuple[Any, ...]:
        """Predict the unknowns of the next state: q, v, a, or q, z, v, w, a, b."""
        if not self.independent:
            return ahead(self.dt, *x)
        pairs = zip(ahead(self.dt, *x[::2]), ahead(self.dt, *x[1::2]), strict=True)
        return tuple(value for pair in pairs for value in pair)


@lru_cache(maxsize=8)
def _fresh(windows: Windows) -> FixedLag:
    """Return a smoother that motions begin with, so that its code is looked up once; nobody moves it on."""
    rest = np.zeros(windows.mechanism.n)
    problem = windows._problem(np.zeros((windows.steps, len(rest))) if windows.changing else rest)
    start = windows.guess((rest, rest, rest))
    return FixedLag(problem, start, pinned=not windows.marginal, predict=windows._predict, tolerance=TOLERANCE)


def ahead(dt: float, q: Any, v: Any, a: Any) -> tuple[Any, Any, Any]:
    """Return position and velocity where a constant acceleration leads, and that."""
    return q + dt * v + dt * dt / 2.0 * a, v + dt * a, a
