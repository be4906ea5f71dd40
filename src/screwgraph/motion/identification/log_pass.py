"""One reading of a log: blocks of equations, fitted by least squares.

Loops may contradict logs of closed chains: open positions are refused, other motions are warned of.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.model.model import Model
from screwgraph.motion.identification.applied_torques import Contact
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.filtering import Filter, MotionSamples
from screwgraph.motion.identification.least_squares import Fit, fit_parameters
from screwgraph.motion.identification.log import read_recordings
from screwgraph.motion.identification.models import IdentifiedModel
from screwgraph.motion.identification.motion_estimation import EstimatedMotions
from screwgraph.motion.identification.recording import Recording
from screwgraph.motion.identification.regressor_equations import EquationBlock, RegressorEquations
from screwgraph.motion.identification.robust_weights import robust_weights
from screwgraph.motion.identification.streamed_qr import LEAVES, TriangleAccumulator
from screwgraph.motion.simulation import coordinate_names

BLOCK = 500
"""Samples of a block of equations: as many as the fast memory holds."""

SHORTEST = 20
"""Samples of a block at least, so that blocks of time differ by noise of their own."""

PICTURED = 2000
"""Samples that pictures show."""

OPEN = 0.02
"""Displacement (rad, m) of all coordinates of a loop that its closure may need: offsets of encoders and play."""

NOISES = 5.0
"""Standard deviations of noise that it may need beyond that."""

MEDIAN = 0.954
"""Median size of the difference of two normal numbers of standard deviation one."""

ABOVE = 2.0
"""Dependent velocities and accelerations over the largest that loops give, from which on they are warned of.

Noise beside singular positions makes those that loops give larger, and not those of the log.
"""


@dataclass(frozen=True)
class Options:
    """How a log is read and fitted: its filter, every which block is held out, the robust loss.

    With `estimates_motion`, the motion is estimated with the parameters, beginning with the filtered one.
    """

    filter: Filter
    held_out: int = 5
    loss: str | None = None
    prior_weight: float = 1.0
    estimates_motion: bool = False


@dataclass(frozen=True, eq=False)
class LogPass:
    """How a log is read once: with filtered positions, or with an estimated `motion`."""

    model: IdentifiedModel
    log: Any
    constants: Mapping[str, float]
    contacts: tuple[Contact, ...]
    eqs: RegressorEquations
    options: Options
    motion: EstimatedMotions | None = None
    phase: str = "reading the log"

    def fit(
        self, before: Fit | None, start: Float[np.ndarray, " rank"]
    ) -> tuple[Fit, TriangleAccumulator, MotionSamples]:
        """Fit all blocks; where something was found `before`, by the weights that a robust loss gives residuals."""
        acc, kept = TriangleAccumulator(self._columns(), self.options.held_out), list[MotionSamples]()
        for share, block in self.blocks():
            Y, tau = block.Y, block.tau
            if before is not None and self.options.loss is not None:
                n = len(self.eqs.rows)
                weight = np.ones_like(tau)
                left = (tau - Y @ before.values)[:, :n] / before.noise[:n]
                weight[:, :n] = robust_weights(self.options.loss, left)
                Y, tau = Y * weight[:, :, None], tau * weight
            acc.add(Y, tau)
            kept.append(MotionSamples(*(x[:: max(1, len(x) // 20)] for x in block.samples)))
            if len(kept) * 20 > 2 * PICTURED:
                kept = kept[::2]
            report_progress(self.phase, share)
        leaves = acc.finish()
        count = sum(sum(leaf.counts[: len(self.eqs.rows)]) for leaf in leaves)
        if count <= self.eqs.base.rank:
            raise InputError(
                f"the log gives {count} equations for {self.eqs.base.rank} combinations of parameters",
                fix="give a longer log, or fewer parameters",
            )
        whole = MotionSamples(*(np.concatenate(x) for x in zip(*kept, strict=True)))
        return fit_parameters(leaves, acc.columns, start), acc, whole

    def samples(self) -> Iterator[tuple[float | None, MotionSamples]]:
        """Yield blocks of filtered samples, and the share of the log before each, where its length is known."""
        for run, shares in self._runs():
            start = 0
            for piece in self.options.filter.pieces(self.model, run):
                self._check(piece, run, start)
                start += len(piece.t)
                for rows in _slices(len(piece.t), len(run.q)):
                    yield shares(len(piece.t[rows])), MotionSamples(*(x[rows] for x in piece))

    def blocks(self) -> Iterator[tuple[float | None, EquationBlock]]:
        """Yield blocks of equations, and the share of the log before each."""
        if self.motion is None:
            for share, samples in self.samples():
                yield share, EquationBlock(samples, *self.eqs.evaluate(samples))
            return
        for run, shares in self._runs():
            for piece in self.motion.pieces(run):
                for rows in _slices(len(piece.tau), len(run.q)):
                    yield shares(len(piece.tau[rows])), piece.select_rows(rows)

    def _check(self, piece: MotionSamples, run: Recording, start: int) -> None:
        """Say where loops contradict a log: positions, and velocities and accelerations where it has both."""
        if self.eqs.closure is None:
            return
        check_positions(self.eqs.closure, piece, run, start)
        if run.qd is not None and run.qdd is not None:
            warn_of_motion(self.model.subject, self.eqs.closure, piece, run, start)

    def _runs(self) -> Iterator[tuple[Any, Any]]:
        """Yield runs, and what says the share of the log that was read, and counts the samples that come."""
        runs = len(self.log) if isinstance(self.log, Sequence) and not isinstance(self.log, str) else 1
        total = None if isinstance(self.log, Iterator) else float(runs)
        for number, run in enumerate(read_recordings(self.model, self.log, self.constants, self.contacts)):
            yield run, _Shares(number, len(run.q), total).share_before

    def _columns(self) -> tuple[np.ndarray, ...]:
        """Return on which combinations each row depends; torques themselves last.

        Rows of positions come after those of torques; without an estimated displacement, all depend on all.
        """
        if self.motion is None:
            return tuple(np.append(seen, True) for seen in self.eqs.seen)
        return tuple(np.ones((len(self.eqs.rows) + self.model.subject.nv, self.eqs.base.rank + 1), dtype=bool))


def check_positions(closure: ClosedChainMotion, samples: MotionSamples, run: Recording, start: int) -> None:
    """Raise InputError where most positions leave a loop open by more than their noise.

    Gaps are relative to the sum of |K| of their row: no displacement of the coordinates that is smaller closes them,
    also at singular positions. Noise is estimated from steps between samples.
    """
    reach = np.abs(closure.jacobian(samples.q)).reshape(len(samples.q), len(closure.follow), -1).sum(axis=2)
    needed = closure.residual(samples.q) / np.where(reach > 0.0, reach, 1.0)
    noise = np.median(np.abs(np.diff(needed, axis=0)), axis=0) / MEDIAN if len(needed) > 1 else 0.0
    size = np.abs(needed)
    if (np.median(size, axis=0) > OPEN + NOISES * noise).any():
        worst = int(np.argmax(size.max(axis=1)))
        raise InputError(
            f"the positions of {run.where} do not close the loops, by {size.max():.2g} rad or m at sample "
            f"{start + worst}",
            why="torques are projected on the motions that closed loops allow",
            fix="check units, signs and columns of dependent joints, or find them with sg.closed_positions",
        )


def warn_of_motion(
    model: Model, closure: ClosedChainMotion, samples: MotionSamples, run: Recording, start: int
) -> None:
    """Warn where dependent velocities or accelerations are larger than all that loops give by independent ones."""
    made = closure.complete_motion(samples.q, samples.qd, samples.qdd, closure.velocities(samples.q))
    given = samples.qd, samples.qdd
    for what, unit, x, own in zip(("velocities", "accelerations"), ("", "^2"), given, made, strict=True):
        most = np.nanmax(np.abs(own), initial=0.0)
        i, j = np.unravel_index(int(np.argmax(np.abs(x))), x.shape)
        if np.abs(x[i, j]) > ABOVE * most:
            warnings.warn(
                f"{what} of {run.where} do not satisfy the loops: at sample {start + i}, that of "
                f"{coordinate_names(model)['qd'][j].removesuffix('[0]')} is {x[i, j]:.3g}, and those that follow from "
                f"independent joints are at most {most:.3g} rad/s{unit} (m/s{unit})",
                RuntimeWarning,
                stacklevel=2,
            )


@dataclass(eq=False)
class _Shares:
    number: int
    length: int
    total: float | None
    read: int = 0

    def share_before(self, count: int) -> float | None:
        """Return the share of the log that was read before so many more samples."""
        found = None if self.total is None else (self.number + self.read / self.length) / self.total
        self.read += count
        return found


def _slices(count: int, length: int) -> Iterator[slice]:
    size = int(np.clip(length // LEAVES, SHORTEST, BLOCK))
    for low in range(0, count, size):
        yield slice(low, low + size)
