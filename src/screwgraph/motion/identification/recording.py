"""One run of a log: positions, torques or currents, and times, of which rows are read when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.motion.identification.applied_torques import AppliedTorques, Contact
from screwgraph.motion.simulation.motion_files import WRENCH

PIECE = 100_000
"""Times that are looked at together."""
EVEN = 1e-3
"""Part of a time step by which steps may differ where positions are filtered."""
LARGEST = 1e12
"""Size (SI units, A) beyond which a number is none that a robot's sensor reads: squares and sines of it are noise."""
LONGEST_STEP = 1.0
"""Time step (s) beyond which positions are not differentiated: times are in other units."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns side by side, or a number for all of one; rows become arrays when they are asked for."""

    parts: tuple[Any, ...]
    length: int
    ndim = 2

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, rows: slice) -> Float[np.ndarray, "n k"]:
        """Return some rows."""
        found = np.empty((len(range(*rows.indices(self.length))), len(self.parts)))
        for column, part in zip(found.T, self.parts, strict=True):
            column[:] = part if isinstance(part, float) else part[rows]
        return found

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.length, len(self.parts)


Rows = Float[np.ndarray, "N k"] | Columns


@dataclass(frozen=True, eq=False)
class Recording:
    """One run: N samples of positions (N, nq), torques or currents (N, nv); None is what was not recorded.

    `names` are those of columns by quantity. `scale` makes torques of `effort`: one, or motor constants; they are those
    of joints or, as `acting` says, of actuators. `wrenches` (moment, force) act at frames, in their axes.
    """

    where: str
    names: Mapping[str, list[str]]
    t: Float[np.ndarray, " N"] | None
    q: Rows
    qd: Rows | None
    qdd: Rows | None
    effort: Rows
    effort_name: str
    scale: Float[np.ndarray, " m"]
    wrenches: Mapping[str, Rows]
    contacts: tuple[Contact, ...]
    acting: AppliedTorques

    def loads(
        self, q: Float[np.ndarray, "n nq"], rows: slice
    ) -> tuple[Float[np.ndarray, "n nv"], Bool[np.ndarray, "n m"]]:
        """Return torques of some samples, what wrenches add to them included, and which components are unknown."""
        wrenches = {frame: np.asarray(F[rows], dtype=float) for frame, F in self.wrenches.items()}
        for frame, F in wrenches.items():
            self.check(F, f"{WRENCH}{frame}", rows.start or 0, may_be_missing=True)
        unknown = [
            np.isnan(wrenches[c.frame]) if c.frame in wrenches else np.tile(c.unknown, (len(q), 1))
            for c in self.contacts
        ]
        for frame, F in wrenches.items():
            if frame not in [c.frame for c in self.contacts] and np.isnan(F).any():
                raise InputError(
                    f"the wrench at {frame!r} of {self.where} is not known at all samples",
                    fix=f'eliminate it there by contacts=["{frame}"]',
                )
        effort = np.asarray(self.effort[rows], dtype=float)
        self.check(effort, self.effort_name, rows.start or 0, may_be_missing=True)
        tau = self.acting.torques(q, effort * self.scale, wrenches)
        return tau, np.concatenate([np.zeros((len(q), 0), dtype=bool), *unknown], axis=1)

    def check(self, array: Float[np.ndarray, "n k"], name: str, start: int, may_be_missing: bool = False) -> None:
        """Raise InputError where a number of some samples of a quantity is none that a sensor reads."""
        sound = np.abs(array) <= LARGEST
        if may_be_missing:
            sound |= np.isnan(array)
        if sound.all():
            return
        row, column = np.argwhere(~sound)[0]
        what = f"{name}:{self.names[name][column].removesuffix('[0]')}" if name in self.names else name
        raise InputError(
            f"{what} of {self.where} is {array[row, column]:g} at sample {start + row}",
            why=f"numbers up to {LARGEST:g} are read (SI units)"
            if np.isfinite(array[row, column])
            else "it is not finite",
            fix="write NaN where it was not measured"
            if may_be_missing
            else "correct it, or leave the sample out and split the run there: only torques may be missing",
        )

    @property
    def dt(self) -> float:
        """The time step (s). Raises InputError where times are missing or uneven."""
        if self.t is None:
            raise InputError(
                f"{self.where} has no times",
                why="velocities and accelerations are found from positions",
                fix='give "t" (s), or both "qd" and "qdd"',
            )
        if len(self.t) < 2:
            raise InputError(
                f"{self.where} has {len(self.t) or 'no'} sample{'' if len(self.t) else 's'}",
                why="velocities and accelerations are found from positions",
                fix='give a longer run, or "qd" and "qdd"',
            )
        first = np.diff(self.t[: PIECE + 1])
        middle = float(np.median(first[np.isfinite(first)])) if np.isfinite(first).any() else 0.0
        if middle > LONGEST_STEP:
            raise InputError(
                f"the times of {self.where} are {middle:g} s apart",
                why="positions are differentiated",
                fix="give times in seconds, of a log of some tens of samples a second or more",
            )
        for start in range(0, max(1, len(self.t) - 1), PIECE):
            times = self.t[start : start + PIECE + 1]
            if not np.isfinite(times).all():
                sample = start + int(np.argmin(np.isfinite(times)))
                raise InputError(f"t of {self.where} is not finite at sample {sample}", fix="leave the sample out")
            steps = np.diff(times)
            off = np.abs(steps - middle)
            if not middle > 0.0 or not (off <= EVEN * middle).all():
                back = len(steps) > 0 and float(steps.min()) <= 0.0
                k = start + (int(np.argmin(steps) if back else np.argmax(off)) if len(steps) else 0)
                kind = "do not increase" if back else "are not evenly spaced"
                raise InputError(
                    f"the times of {self.where} {kind} after sample {k}",
                    why="positions are filtered and differentiated",
                    fix="resample it, or give each run without a gap as a log of its own, in a list",
                )
        return middle
