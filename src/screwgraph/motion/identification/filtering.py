"""Velocities and accelerations from positions: a zero-phase low-pass filter, then differences of order 4."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.signal import butter, sosfiltfilt

from screwgraph.base.errors import InputError
from screwgraph.motion.identification.models import IdentifiedModel
from screwgraph.motion.identification.recording import Recording
from screwgraph.spatial.manifolds import unwrap_quaternions

ORDER = 4
"""Of the Butterworth filter, which runs forward and backward."""
PIECE = 20_000
"""Samples that are filtered at once."""
DECAY = 9.0
"""Periods of the cutoff frequency after which the filter's response is below 1e-9 of its size."""
ENDS = 2.0
"""Periods of the cutoff frequency that are left out at both ends of a run: there the filter has no neighbours."""
ABOVE = 10.0
"""The cutoff frequency over the highest one of the motion. Gautier, Janot & Vandanjon (2013), section IV."""
POWER = 0.999
"""Part of the power of positions that lies below the highest frequency of the motion."""
NYQUIST = 0.8
"""Part of the Nyquist frequency beyond which a filter has nothing to do."""


class MotionSamples(NamedTuple):
    """N samples of a motion, its torques, NaN where not measured, and which components of wrenches are unknown."""

    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    qdd: Float[np.ndarray, "N nv"]
    tau: Float[np.ndarray, "N nv"]
    unknown: Bool[np.ndarray, "N m"]


@dataclass(frozen=True)
class Filter:
    """A zero-phase Butterworth filter: `cutoff` (Hz), None where it follows from the motion."""

    cutoff: float | None = None

    def pieces(self, model: IdentifiedModel, run: Recording) -> Iterator[MotionSamples]:
        """Yield the samples of a run with velocities and accelerations, some thousand at a time.

        Raises:
            InputError: times that are missing or uneven, where they are needed, or a run that is too short.
        """
        if run.qd is not None and run.qdd is not None and self.cutoff is None:
            return _iterate_recording(run)
        return self._filter_recording(model, run, run.dt)

    def frequency(self, run: Recording) -> float:
        """Return the cutoff frequency (Hz) for a run; infinite where nothing is filtered."""
        rate = 1.0 / run.dt
        cutoff = self.cutoff
        if cutoff is None:
            q = np.asarray(run.q[: 4 * PIECE], dtype=float)
            run.check(q, "q", 0)
            cutoff = ABOVE * _highest(q, rate)
        return cutoff if cutoff < NYQUIST * rate / 2.0 else math.inf

    def _filter_recording(self, model: IdentifiedModel, run: Recording, dt: float) -> Iterator[MotionSamples]:
        cutoff = self.frequency(run)
        ends = max(4, 0 if math.isinf(cutoff) else math.ceil(ENDS / (cutoff * dt)))
        margin = 4 + (0 if math.isinf(cutoff) else math.ceil(DECAY / (cutoff * dt)))
        last = len(run.q) - ends
        if last <= ends:
            raise InputError(
                f"{run.where} has {len(run.q)} samples",
                why=f"filtering takes {ends} at each end",
                fix="give a longer run, or a higher cutoff",
            )
        smooth = _smoother(cutoff, dt)
        for start in range(ends, last, PIECE):
            stop = min(start + PIECE, last)
            low, high = max(0, start - margin), min(len(run.q), stop + margin)
            own = slice(start - low, stop - low)
            q = np.asarray(run.q[low:high], dtype=float)
            run.check(q, "q", low)
            s = smooth(unwrap_quaternions(model.subject.manifold, q))
            q, qd, qdd = model.lift(s, _slopes(s, dt), _curvatures(s, dt))
            if run.qd is not None:
                qd = np.asarray(run.qd[low:high], dtype=float)
                run.check(qd, "qd", low)
                qd = smooth(qd)
                qdd = _slopes(qd, dt)
            if run.qdd is not None:
                qdd = np.asarray(run.qdd[low:high], dtype=float)
                run.check(qdd, "qdd", low)
                qdd = smooth(qdd)
            assert run.t is not None, "the time step is known"
            t = np.asarray(run.t[start:stop])
            yield MotionSamples(t, q[own], qd[own], qdd[own], *run.loads(q[own], slice(start, stop)))


def _iterate_recording(run: Recording) -> Iterator[MotionSamples]:
    assert run.qd is not None, "the caller looked"
    assert run.qdd is not None, "the caller looked"
    for start in range(0, len(run.q), PIECE):
        own = slice(start, start + PIECE)
        t = np.arange(len(run.q[own]), dtype=float) + start if run.t is None else np.asarray(run.t[own])
        q, qd, qdd = (np.asarray(x[own], dtype=float) for x in (run.q, run.qd, run.qdd))
        for name, array in (("t", t[:, None]), ("q", q), ("qd", qd), ("qdd", qdd)):
            run.check(array, name, start)
        yield MotionSamples(t, q, qd, qdd, *run.loads(q, own))


def _highest(q: Float[np.ndarray, "N nq"], rate: float) -> float:
    """Return the frequency (Hz) below which nearly all of the power of positions lies, of the fastest coordinate."""
    x = (q - q.mean(axis=0)) * np.hanning(len(q))[:, None]
    power = np.cumsum(np.abs(np.fft.rfft(x, axis=0)) ** 2, axis=0)
    moving = power[-1] > 1e-12 * power[-1].max(initial=0.0)
    if not moving.any():
        return rate
    found = (power[:, moving] < POWER * power[-1, moving]).sum(axis=0).max()
    return float((found + 1) * rate / len(x))


def _smoother(cutoff: float, dt: float) -> Callable[[np.ndarray], np.ndarray]:
    if math.isinf(cutoff):
        return lambda x: x
    sections = butter(ORDER, 2.0 * cutoff * dt, output="sos")

    def smooth(x: Float[np.ndarray, "N k"]) -> Float[np.ndarray, "N k"]:
        pad = min(len(x) - 1, math.ceil(DECAY / (cutoff * dt)))
        return sosfiltfilt(sections, x, axis=0, padlen=pad)

    return smooth


def _slopes(x: Float[np.ndarray, "N k"], dt: float) -> Float[np.ndarray, "N k"]:
    found = np.zeros_like(x)
    found[2:-2] = (8.0 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12.0 * dt)
    return found


def _curvatures(x: Float[np.ndarray, "N k"], dt: float) -> Float[np.ndarray, "N k"]:
    found = np.zeros_like(x)
    found[2:-2] = (16.0 * (x[3:-1] + x[1:-3]) - 30.0 * x[2:-2] - (x[4:] + x[:-4])) / (12.0 * dt * dt)
    return found
