"""Paths: coordinates that are known at consecutive steps, of which velocities and accelerations follow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.model.mechanism import Mechanism
from screwgraph.motion.estimation.bayes.known_names import Known, label_entries
from screwgraph.motion.estimation.smoothing_spline import SmoothedSamples, smooth_samples
from screwgraph.motion.estimation.trajectory_tables import FEWEST

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
    """An `entry` of a kind that is known at consecutive steps, and what follows from it where torques are unknown.

    The trapezoidal rule alone tells the accelerations of a path but for alternating ones that grow from step to step:
    each error of a velocity changes its sign with the step, and comes back in accelerations as twice the error over dt.
    """

    kind: str
    entry: int
    steps: tuple[int, ...]
    derived: tuple[Known, ...]

    def smooth(self, samples: Float[np.ndarray, " N"], dt: float) -> SmoothedSamples:
        """Return the path (N, 1) and its derivatives: a smoothing spline, of few samples a polynomial through them."""
        if len(samples) >= FEWEST:
            found = smooth_samples(samples[:, None], dt)
            is_exact = _largest_noise(samples) < OVERESTIMATED * found.sigma[0]
            return smooth_samples(samples[:, None], dt, np.zeros(1)) if is_exact else found
        at = np.arange(float(len(samples)))
        curve = np.polynomial.Polynomial.fit(at, samples, len(samples) - 1)
        rates, accelerations = (curve.deriv(k)(at)[:, None] / dt**k for k in (1, 2))
        return SmoothedSamples(samples[:, None], rates, accelerations, np.zeros(1))


def find_paths(
    mechanism: Mechanism, steps: int, known: Sequence[Known], free: Bool[np.ndarray, " steps"]
) -> tuple[Path, ...]:
    """Return the paths among what is known. Derivatives count as known where torques are `free`, unless they are given.

    Of each kind these are as many coordinates as there are degrees of freedom, independent ones first: the others
    follow from the constraints, which two splines would contradict.
    """
    kinds = {kind for kind, further in DERIVATIVES.items() for kind in (kind, *further)}
    given = {kind: np.zeros((steps, len(label_entries(mechanism, kind))), dtype=bool) for kind in kinds}
    for own in known:
        if own.kind in given:
            given[own.kind][np.ix_(own.steps, own.entries)] = True
    taken, found = {kind: mask.copy() for kind, mask in given.items()}, []
    for kind, further in DERIVATIVES.items():
        counts = select_first_independent(mechanism, given[kind]) & free[:, None]
        for entry, label in enumerate(label_entries(mechanism, kind)):
            for run in _runs(given[kind][:, entry]):
                derived = []
                for derivative in further:
                    at = tuple(k for k in run if counts[k, entry] and not taken[derivative][k, entry])
                    if at:
                        taken[derivative][at, entry] = True
                        name = f"{derivative} of {kind}_{run[0]}..{run[-1]}:{label}"
                        derived.append(Known(name, derivative, at, (entry,), False))
                if derived:
                    found.append(Path(kind, entry, run, tuple(derived)))
    return tuple(found)


def select_first_independent(mechanism: Mechanism, given: Bool[np.ndarray, "steps n"]) -> Bool[np.ndarray, "steps n"]:
    """Return which known entries count at each step: as many as degrees of freedom, independent coordinates first."""
    n, independent = given.shape[1], mechanism.freedom.independent
    ranked = sorted(range(n), key=lambda i: (n == mechanism.n and i not in independent, i))
    chosen = np.zeros_like(given)
    chosen[:, ranked] = given[:, ranked] & (np.cumsum(given[:, ranked], axis=1) <= mechanism.dof)
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
