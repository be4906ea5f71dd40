"""Motions that are estimated with the parameters: splines that explain positions and torques, each by its noise.

Filtered positions have errors that torques know of: least squares that take the motion for exact are biased by them
(errors in variables). Here the motion is a spline of degree 5, the most likely one for the parameters that were found
last, and parameters are found for that motion, in turn: what both minimise is the same sum of squares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.interpolate import BSpline
from scipy.linalg import solveh_banded

from screwgraph.compiler import Function
from screwgraph.errors import InputError
from screwgraph.identification.filtering import ENDS, Filter, Samples, check_finite
from screwgraph.identification.log import Recording
from screwgraph.robot import Robot

DEGREE = 5
KNOTS = 2.0
"""Knots of the spline in a period of the cutoff frequency."""
PIECE = 4000
"""Samples of which the motion is estimated at once."""
MARGIN = 12
"""Knots beyond both ends of a piece: what is further away does not matter."""
STEPS = 2
"""Steps of Gauss and Newton for a motion, between two estimates of parameters."""
RIDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Estimated:
    """Motions by the most likely spline: `slopes` are of torques by q, qd and qdd, `torques` themselves.

    Both take the numbers `values` of the parameters; `noise` (n,) are standard deviations of torques. The spline passes
    frequencies up to that of `filter`.
    """

    filter: Filter
    torques: Function
    slopes: Function
    values: Float[np.ndarray, " k"]
    noise: Float[np.ndarray, " n"]

    def pieces(self, robot: Robot, run: Recording) -> Iterator[Samples]:
        """Yield the samples of a run with the motion that is most likely. Raises InputError as `Filter.pieces`."""
        dt, cutoff = run.dt, self.filter.frequency(run)
        cutoff = 0.4 / dt if math.isinf(cutoff) else cutoff
        ends = max(4, math.ceil(ENDS / (cutoff * dt)))
        step, last = 1.0 / (KNOTS * cutoff), len(run.q) - ends
        margin = math.ceil(MARGIN * step / dt)
        if last <= ends:
            raise InputError(
                f"{run.where} has {len(run.q)} samples",
                why=f"splines take {ends} at each end",
                fix="give a longer run, or a higher cutoff",
            )
        assert run.t is not None, "the time step is known"
        for start in range(ends, last, PIECE):
            stop = min(start + PIECE, last)
            low, high = max(0, start - margin), min(len(run.q), stop + margin)
            q = np.asarray(run.q[low:high], dtype=float)
            check_finite(q, "q", run, low)
            tau, unknown = run.loads(q, slice(low, high))
            q, qd, qdd = self._motion(q, tau, _Basis.of(len(q), dt, step))
            own, t = slice(start - low, stop - low), np.asarray(run.t[start:stop])
            yield Samples(t, q[own], qd[own], qdd[own], tau[own], unknown[own])

    def _motion(
        self, seen: Float[np.ndarray, "N n"], tau: Float[np.ndarray, "N n"], basis: _Basis
    ) -> tuple[Float[np.ndarray, "N n"], ...]:
        """Return q, qd, qdd of the spline that explains positions and torques best."""
        n, count = seen.shape[1], len(seen)
        c = basis.solved(*basis.gathered(seen[:, :, None], np.broadcast_to(np.eye(n), (count, n, n))[:, :, None]))
        left = seen - basis.values(c, 0)
        sigma = np.sqrt((left**2).sum(axis=0) / max(1, count - basis.count))
        sigma = np.maximum(sigma, 1e-9 * np.abs(seen).max(initial=1e-3))
        values = np.broadcast_to(self.values, (count, len(self.values)))
        known = np.isfinite(tau) / self.noise
        places = np.broadcast_to(np.eye(n) / sigma, (count, n, n))
        for _ in range(STEPS):
            motion = tuple(basis.values(c, k) for k in range(3))
            left = np.nan_to_num(tau - self.torques(*motion, values)) * known
            by = [slope * known[:, :, None] for slope in self.slopes(*motion, values)]
            zero = np.zeros_like(places)
            rows = [np.concatenate([a, b], axis=1) for a, b in zip((places, zero, zero), by, strict=True)]
            residual = np.concatenate([(seen - motion[0]) / sigma, left], axis=1)
            c = c + basis.solved(*basis.gathered(residual[:, :, None], np.stack(rows, axis=2)))
        return tuple(basis.values(c, k) for k in range(3))


@dataclass(frozen=True, eq=False)
class _Basis:
    """B-splines of N even times: in the interval `place` (N,) six are not zero, `values` (3, N, 6) and derivatives."""

    place: np.ndarray
    table: Float[np.ndarray, "3 N 6"]
    count: int

    @classmethod
    def of(cls, samples: int, dt: float, step: float) -> _Basis:
        at = np.arange(samples) * dt / step
        place = np.floor(at).astype(int)
        one = BSpline.basis_element(np.arange(DEGREE + 2.0))
        local = (at - place)[:, None] + DEGREE - np.arange(DEGREE + 1)
        table = [one.derivative(k)(local) / step**k if k else one(local) for k in range(3)]
        return cls(place, np.array(table), int(place[-1]) + DEGREE + 1)

    def values(self, c: Float[np.ndarray, "count n"], order: int) -> Float[np.ndarray, "N n"]:
        """Return the splines of coefficients c, or their derivatives."""
        around = c[self.place[:, None] + np.arange(DEGREE + 1)]
        return np.einsum("Na,Nan->Nn", self.table[order], around)

    def gathered(
        self, residual: Float[np.ndarray, "N m 1"], rows: Float[np.ndarray, "N m orders n"]
    ) -> tuple[Float[np.ndarray, "I w w"], Float[np.ndarray, "I w"]]:
        """Return A'A and A'r of each interval, by its six coefficients of all coordinates.

        `rows` are derivatives of what explains residuals, by positions, or by velocities and accelerations, too.
        """
        orders = rows.shape[2]
        A = np.einsum("kNa,Nmkn->Nman", self.table[:orders], rows).reshape(len(rows), rows.shape[1], -1)
        A = np.concatenate([A, residual], axis=2)
        starts = np.searchsorted(self.place, np.arange(self.count - DEGREE))
        most = int(np.diff(np.append(starts, len(A))).max())
        padded = np.zeros((len(starts), most, *A.shape[1:]))
        padded[self.place, np.arange(len(A)) - starts[self.place]] = A
        stacked = padded.reshape(len(starts), -1, A.shape[2])
        whole = stacked.swapaxes(1, 2) @ stacked
        return whole[:, :-1, :-1], whole[:, :-1, -1]

    def solved(
        self, blocks: Float[np.ndarray, "I w w"], right: Float[np.ndarray, "I w"]
    ) -> Float[np.ndarray, "count n"]:
        """Return the coefficients that solve the sum of all blocks: a banded matrix."""
        width = blocks.shape[1]
        n = width // (DEGREE + 1)
        band, b = np.zeros((width, self.count * n)), np.zeros(self.count * n)
        at = np.arange(len(blocks)) * n
        for i in range(width):
            b[at + i] += right[:, i]
            for j in range(i, width):
                band[j - i, at + i] += blocks[:, i, j]
        band[0] += RIDGE * band[0].max()
        return solveh_banded(band, b, lower=True).reshape(self.count, n)
