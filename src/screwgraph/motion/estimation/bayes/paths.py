"""Paths: coordinates that are known at consecutive steps, of which velocities and accelerations follow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.motion.estimation.bayes.known_names import Known
from screwgraph.motion.estimation.bayes.network_model import NetworkModel, Part
from screwgraph.motion.estimation.readings.smoothing_spline import SmoothedSamples, smooth_samples
from screwgraph.motion.estimation.readings.trajectory_tables import FEWEST
from screwgraph.spatial.manifolds import Vector, unwrap_quaternions

DERIVATIVES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"qd": ("qdd",), "zd": ("zdd",), "q": ("qd", "qdd"), "z": ("zd", "zdd")}
)
"""Kinds that follow from a kind that is known along time; those of velocities come first, as they are nearer."""
SHORTEST = 3
"""Fewest steps of a path: a parabola has an acceleration."""

OVERESTIMATED = 1.0 / 30.0
"""Part of the estimated noise: samples are taken for exact where their differences allow for less noise than that."""


@dataclass(frozen=True)
class Path:
    """A `part` of a kind that is known at consecutive steps, and what follows from it where torques are unknown.

    The trapezoidal rule alone tells the accelerations of a path but for alternating ones that grow from step to step:
    each error of a velocity changes its sign with the step, and comes back in accelerations as twice the error over dt.
    """

    kind: str
    part: Part
    steps: tuple[int, ...]
    derived: tuple[Known, ...]

    def smooth(self, samples: Float[np.ndarray, "N columns"], dt: float) -> SmoothedSamples:
        """Return the path and its derivatives: a smoothing spline, of few samples a polynomial through them.

        Rates and accelerations (N, rows) are velocities of the part and their rates.
        """
        if isinstance(self.part.manifold, Vector):
            return _smooth_column(samples, dt)
        curves = [_smooth_column(column[:, None], dt) for column in unwrap_quaternions(self.part.manifold, samples).T]
        x, rate, second = (
            np.concatenate([getattr(curve, name) for curve in curves], axis=1)
            for name in ("values", "rates", "accelerations")
        )
        x = np.array([self.part.manifold.normalise(row) for row in x])
        v, a = (np.array(rows) for rows in zip(*map(self._velocity, x, rate, second), strict=True))
        return SmoothedSamples(x, v, a, np.full(v.shape[1], max(float(curve.sigma[0]) for curve in curves)))

    def _velocity(self, x: np.ndarray, rate: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return velocity and acceleration where values x have first and second derivatives in time."""
        manifold = self.part.manifold
        E = np.stack([np.asarray(manifold.rate(x, unit), dtype=float) for unit in np.eye(manifold.dim)], axis=1)
        v = np.linalg.lstsq(E, rate, rcond=None)[0]
        turned = np.imag(np.asarray(manifold.rate(x + 1e-30j * rate, v), dtype=complex)) / 1e-30
        return v, np.linalg.lstsq(E, second - turned, rcond=None)[0]


def _smooth_column(samples: Float[np.ndarray, "N 1"], dt: float) -> SmoothedSamples:
    if len(samples) >= FEWEST:
        found = smooth_samples(samples, dt)
        is_exact = _largest_noise(samples[:, 0]) < OVERESTIMATED * found.sigma[0]
        return smooth_samples(samples, dt, np.zeros(1)) if is_exact else found
    at = np.arange(float(len(samples)))
    curve = np.polynomial.Polynomial.fit(at, samples[:, 0], len(samples) - 1)
    rates, accelerations = (curve.deriv(k)(at)[:, None] / dt**k for k in (1, 2))
    return SmoothedSamples(samples, rates, accelerations, np.zeros(1))


def find_paths(
    model: NetworkModel, steps: int, known: Sequence[Known], free: Bool[np.ndarray, " steps"]
) -> tuple[Path, ...]:
    """Return the paths among what is known. Derivatives count as known where torques are `free`, unless they are given.

    Of each kind these are as many coordinates as there are degrees of freedom, independent ones first: the others
    follow from the constraints, which two splines would contradict.
    """
    kinds = {kind for kind, further in DERIVATIVES.items() for kind in (kind, *further) if kind in model.parts}
    given = {kind: np.zeros((steps, sum(len(p.rows) for p in model.parts[kind])), dtype=bool) for kind in kinds}
    for own in known:
        if own.kind in given:
            given[own.kind][np.ix_(own.steps, own.entries)] = True
    taken, found = {kind: mask.copy() for kind, mask in given.items()}, []
    for kind, further in DERIVATIVES.items():
        if kind not in kinds:
            continue
        counts = select_first_independent(model, given[kind]) & free[:, None]
        for part in model.parts[kind]:
            rows = list(part.rows)
            for run in _runs(np.asarray(given[kind][:, rows].all(axis=1))):
                derived = []
                for derivative in further:
                    at = tuple(k for k in run if counts[k, rows].all() and not taken[derivative][k, rows].any())
                    if at:
                        taken[derivative][np.ix_(at, rows)] = True
                        name = f"{derivative} of {kind}_{run[0]}..{run[-1]}:{part.label}"
                        derived.append(Known(name, derivative, at, part.rows, part.rows, False, Vector(len(rows))))
                if derived:
                    found.append(Path(kind, part, run, tuple(derived)))
    return tuple(found)


def select_first_independent(model: NetworkModel, given: Bool[np.ndarray, "steps n"]) -> Bool[np.ndarray, "steps n"]:
    """Return which known entries count at each step: as many as degrees of freedom, independent coordinates first."""
    n, independent = given.shape[1], model.independent
    ranked = sorted(range(n), key=lambda i: (n == model.nv and i not in independent, i))
    chosen = np.zeros_like(given)
    chosen[:, ranked] = given[:, ranked] & (np.cumsum(given[:, ranked], axis=1) <= model.dof)
    return chosen


def _runs(mask: Bool[np.ndarray, " steps"]) -> Iterator[tuple[int, ...]]:
    """Yield the consecutive places that are true, where these are enough for a path."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    for start, end in edges.reshape(-1, 2).tolist():
        if end - start >= SHORTEST:
            yield tuple(range(start, end))


def _largest_noise(samples: Float[np.ndarray, " N"]) -> float:
    """Return the standard deviation of the white noise that the smallest of the differences of all orders may hold.

    The k-th differences of white noise have the variance (2k)! / k!^2; those of a smooth curve fall with k.
    """
    orders = range(3, len(samples) // 2 + 1)
    return min(float(np.sqrt(np.mean(np.diff(samples, n=k) ** 2) / math.comb(2 * k, k))) for k in orders)
