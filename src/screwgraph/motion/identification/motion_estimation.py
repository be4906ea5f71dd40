"""Motions that are estimated with the parameters: splines that explain positions and torques, each by its noise.

Filtered positions have errors that torques know of: least squares that take the motion for exact are biased by them
(errors in variables). Here independent coordinates are splines of degree 5, the most likely ones for the parameters
that were found last; a displacement of these splines is then eliminated from the equations of positions and torques
(variable projection), so that what is left is Gauss and Newton's step for motion and parameters together.
Golub & Pereyra (2003); Britt & Luecke (1973).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.identification.filtering import ENDS, Filter, MotionSamples
from screwgraph.motion.identification.manifold_curves import Motion
from screwgraph.motion.identification.recording import Recording
from screwgraph.motion.identification.regressor_equations import EquationBlock, RegressorEquations
from screwgraph.motion.identification.robust_weights import robust_weights
from screwgraph.motion.identification.splines import Basis
from screwgraph.spatial.manifolds import unwrap_quaternions

KNOTS = 2.0
"""Knots of the spline in a period of the cutoff frequency."""
MARGIN = 12
"""Knots beyond both ends of a piece: what is further away does not matter."""
NUMBERS = 2e7
"""Numbers of the linearised equations of a piece, of which the motion is estimated at once."""
SHORTEST, LONGEST = 400, 4000
"""Samples of a piece."""
STEPS = 2
"""Steps of Gauss and Newton for a motion, between two estimates of parameters."""
DIFFERENCES = (1e-5, 1e-5, 1.0)
"""Displacements (rad, m; a second, a second squared) by which torques are differenced; they are linear in the last."""
LEAST = 1e-9
"""Smallest noise of positions relative to their size."""


@dataclass(frozen=True, eq=False)
class MotionEstimator:
    """Code that estimates motions for parameters: what compares positions, and what moves them."""

    eqs: RegressorEquations
    filter: Filter
    loss: str | None
    between: Callable[..., Float[np.ndarray, "N nv"]]
    displaced: Callable[..., Motion]

    @classmethod
    def from_equations(cls, eqs: RegressorEquations, filter: Filter, loss: str | None) -> MotionEstimator:
        """Return the code. Raises InputError where motions cannot be displaced along the free coordinates."""
        return cls(eqs, filter, loss, eqs.model.difference(), eqs.model.displacement(eqs.free))

    def with_values(self, values: Float[np.ndarray, " rank"], noise: Float[np.ndarray, " n"]) -> EstimatedMotions:
        """Return what estimates motions for values of the combinations, and standard deviations of torques."""
        return EstimatedMotions(self, values, noise)


@dataclass(frozen=True, eq=False)
class EstimatedMotions:
    """Motions by the most likely spline, which passes frequencies up to that of the filter."""

    code: MotionEstimator
    values: Float[np.ndarray, " rank"]
    noise: Float[np.ndarray, " n"]

    def pieces(self, run: Recording) -> Iterator[EquationBlock]:
        """Yield the equations of a run at the motion that is most likely, those of positions last.

        Raises:
            InputError: as `Filter.pieces`, or loops that do not close.
        """
        dt, cutoff = run.dt, self.code.filter.frequency(run)
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
        size = self._piece()
        for start in range(ends, last, size):
            stop = min(start + size, last)
            low, high = max(0, start - margin), min(len(run.q), stop + margin)
            q = np.asarray(run.q[low:high], dtype=float)
            run.check(q, "q", low)
            own = slice(start - low, stop - low)
            yield self._equations(
                run,
                slice(low, high),
                unwrap_quaternions(self.code.eqs.model.subject.manifold, q),
                Basis.with_knots(len(q), dt, step),
            ).select_rows(own)

    def _piece(self) -> int:
        eqs = self.code.eqs
        each = (eqs.nv + len(eqs.rows)) * (6 * len(eqs.rows) + eqs.base.rank)
        return int(np.clip(NUMBERS / each, SHORTEST, LONGEST))

    def _equations(self, run: Recording, rows: slice, seen: Float[np.ndarray, "N nq"], basis: Basis) -> EquationBlock:
        """Return the equations of some samples, without what a displacement of the motion explains."""
        eqs = self.code.eqs
        n, nv = len(eqs.rows), eqs.nv
        c = basis.fit(seen)
        motion = self._close_motion(eqs.model.lift(*(basis.values(c, k) for k in range(3))), run, rows)
        seen = eqs.model.normalise(seen)
        left = self.code.between(motion[0], seen)
        sigma = np.sqrt((left**2).sum(axis=0) / max(1, len(seen) - basis.count))
        sigma = np.maximum(sigma, LEAST * np.abs(seen).max(initial=1e-3))
        for _ in range(STEPS):
            left, torque, slopes, weight = self._linearise(motion, run, rows, seen, sigma)
            c = basis.solve(slopes * weight[:, :, None, None], (np.hstack([left, torque]) * weight)[:, :, None])
            d = [np.zeros((len(seen), nv)) for _ in range(3)]
            for k in range(3):
                d[k][:, eqs.free] = basis.values(c[:, :, 0], k)
            d[0] = np.einsum("Nij,Nj->Ni", eqs.directions(motion[0]), d[0][:, eqs.free])
            motion = self._close_motion(self.code.displaced(*motion, *d), run, rows)
        left, torque, slopes, weight = self._linearise(motion, run, rows, seen, sigma)
        samples = self._samples(motion, run, rows)
        Y, tau = eqs.evaluate(samples)
        columns = np.zeros((len(seen), nv + n, Y.shape[2] + 1))
        columns[:, :nv, -1], columns[:, nv:, :-1], columns[:, nv:, -1] = left, Y, np.nan_to_num(tau)
        c = basis.solve(slopes * weight[:, :, None, None], columns * weight[:, :, None])
        for k in range(3):
            columns -= np.einsum("Nmj,Njk->Nmk", slopes[:, :, k], basis.values(c, k), optimize=True)
        columns[:, :nv] *= (self.noise.mean() / sigma)[:, None]  # of a size: noise of coordinates is compared
        columns = np.concatenate([columns[:, nv:], columns[:, :nv]], axis=1)
        columns[:, :n, -1][~np.isfinite(tau)] = np.nan
        return EquationBlock(samples, columns[:, :, :-1], columns[:, :, -1])

    def _linearise(
        self, motion: Motion, run: Recording, rows: slice, seen: np.ndarray, sigma: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Float[np.ndarray, "N m 3 n"], Float[np.ndarray, "N m"]]:
        """Return what is left of positions and torques, slopes by the free coordinates, and weights of these rows."""
        eqs = self.code.eqs
        nv, n, N = eqs.nv, len(eqs.rows), len(seen)
        G, slopes = eqs.directions(motion[0]), np.zeros((len(seen), nv + n, 3, n))
        slopes[:, :nv, 0] = G

        def torques(*d: np.ndarray) -> np.ndarray:
            return eqs.torque_residuals(self._samples(self.code.displaced(*motion, *d), run, rows), self.values)

        zero = np.zeros((N, nv))
        for j, place in enumerate(eqs.free):
            alone = np.zeros((N, nv))
            alone[:, place] = 1.0
            for k, h in enumerate(DIFFERENCES):
                d = [zero, zero, zero]
                d[k] = h * (G[:, :, j] if k == 0 else alone)
                change = torques(*d) - torques(*(-x for x in d))
                slopes[:, nv:, k, j] = np.nan_to_num(change) / (-2.0 * h)
        torque = eqs.torque_residuals(self._samples(motion, run, rows), self.values)
        known = np.isfinite(torque) / self.noise
        torque = np.nan_to_num(torque)
        if self.code.loss is not None:
            known = known * robust_weights(self.code.loss, torque * known)
        weight = np.concatenate([np.tile(1.0 / sigma, (N, 1)), known], axis=1)
        return self.code.between(motion[0], seen), torque, slopes, weight

    def _samples(self, motion: Motion, run: Recording, rows: slice) -> MotionSamples:
        assert run.t is not None, "the time step is known"
        return MotionSamples(np.asarray(run.t[rows]), *motion, *run.loads(motion[0], rows))

    def _close_motion(self, motion: Motion, run: Recording, rows: slice) -> Motion:
        closure = self.code.eqs.closure
        if closure is None:
            return motion
        q, is_closed = closure.close(motion[0])
        if not is_closed.all():
            raise InputError(
                f"the loops of {run.where} do not close near sample {rows.start + int(np.argmin(is_closed))}",
                why="a motion that is estimated is closed from its independent joints",
                fix="check the positions there, or choose other joints with robot.with_independent_joints(names)",
            )
        return q, motion[1], motion[2]
