"""A legged smoother's window: events, footholds and sightings come in, machine code estimates them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.linalg import solve_triangular

from screwgraph.compiler.kernels import loop_of
from screwgraph.errors import InputError, ScrewgraphError
from screwgraph.estimation.legged import tables as t
from screwgraph.estimation.legged.inertial_faults import doubted_covariance, loosened_whitening
from screwgraph.estimation.legged.normal import moving, seeing, starting, turning
from screwgraph.estimation.legged.tables import NAVIGATION_NUMBERS, Sizes, Tables
from screwgraph.estimation.legged.updates import ARGUMENTS, ROW, updates

BEGINNING = 32
"""Events that tables hold at first."""


class Machine:
    """Events in turn, each with a base, footholds that begin there, and sightings of feet that stand."""

    def __init__(
        self, feet: int, base: Float[np.ndarray, "15"], root: Any, bias: Any, *, robust: bool, walking: bool
    ) -> None:
        """Begin with a base.

        Args:
            feet: how many there are.
            base: rotation row by row, velocity, position.
            root: of the base's information, (9, 9).
            bias: information of biases (6,).
            robust: whether large errors of contacts weigh less.
            walking: whether each event has biases of its own.
        """
        self.sizes = Sizes(walking)
        self.tables = Tables(BEGINNING, BEGINNING * feet, 3 * feet, self.sizes)
        self.free = list(range(self.tables.sights))
        header = self.tables.header
        header[t.START_X : t.START_ROOT], header[t.START_BIAS : t.START_AT] = base, bias
        header[t.START_ROOT : t.START_ROOT + 81] = np.ravel(root)
        self._kernels = [starting(self.sizes), moving(self.sizes), seeing(robust, self.sizes), turning(self.sizes)]
        self._calling = [np.zeros(ARGUMENTS, dtype=np.int64), np.ones(1, dtype=np.int64)]
        self._calling.append(np.repeat(np.array([0, ROW], dtype=np.int64), ARGUMENTS))
        self.first, self.last = 0, -1
        self._here = self._standing = 0
        self._bind()
        self.add_event(0.0, base)

    def _bind(self) -> None:
        tables = self.tables
        of = (tables.header, tables.event, tables.stand, tables.sight, tables.work)
        self._at = np.array([x.ctypes.data for x in of], dtype=np.int64)
        arrays = [x.ctypes.data for x in (*tables.arrays, self._at, *self._calling)]
        cells = [ctypes.addressof(loop_of(kernel.ufunc)) for kernel in self._kernels]
        self._update = partial(updates(self.sizes).functions["updated"], *arrays, *cells)

    @property
    def header(self) -> Float[np.ndarray, " n"]:
        """Numbers that are one for all; see `tables`."""
        return self.tables.header

    @property
    def last_event(self) -> Float[np.ndarray, " n"]:
        """Numbers of the newest event."""
        return self.tables.event[self.last % self.tables.events]

    def add_event(self, time: float, base: Float[np.ndarray, "15"]) -> None:
        """Go on to another base; biases stay."""
        n, k = self.sizes.constants, self.last + 1
        if k - self.first + 2 > self.tables.events:
            self._grow()
        tables = self.tables
        row, own = tables.event[k % tables.events], tables.events_of[k % tables.events]
        end = tables.events_of[(k - 1) % tables.events, t.END_SIGHT] if k else 0
        row[:NAVIGATION_NUMBERS], row[NAVIGATION_NUMBERS : n["D"]] = base, self.bias[: n["D"] - NAVIGATION_NUMBERS]
        row[n["D"] : n["TIME"]], row[n["TIME"]] = 0.0, time
        own[t.KEPT], own[t.STALE], own[t.FIRST_SIGHT], own[t.END_SIGHT], own[t.NEW] = 0, 1, end, end, 0
        self.last, self._here = k, self._standing
        tables.numbers[t.COUNT] = k + 1
        self._again(k - 1)

    def lead(self, change: Float[np.ndarray, "67"], whitening: Float[np.ndarray, " n"]) -> None:
        """Say what was measured on the way to the last event."""
        row, n = self.last_event, self.sizes.constants
        row[n["CHANGE_AT"] : n["WHITE"]], row[n["WHITE"] : n["MOVE_AT"]] = change, whitening

    def loosen(self, motion: Float[np.ndarray, "6"]) -> None:
        """Let what was measured on the way to each event be less certain: off by a rotation and displacement."""
        n = self.sizes.constants
        own = n["OWN"]
        for k in range(self.first + 1, self.last + 1):
            row = self.tables.event[k % self.tables.events]
            added = doubted_covariance(motion, row[n["CHANGE_AT"]])
            white = row[n["WHITE"] : n["MOVE_AT"]]
            white[:] = loosened_whitening(white.reshape(own, own), added).ravel()
            self.tables.events_of[k % self.tables.events, t.STALE] = 1
        self._again(self.first)

    def add_stand(self, p: Float[np.ndarray, "3"], information: Float[np.ndarray, "3 3"]) -> int:
        """Begin a foothold at the last event; return its number.

        Raises:
            InputError: feet were set down too often at one instant.
        """
        if not self.free:
            self._grow()
        tables = self.tables
        if self._here == tables.most:
            raise InputError("feet are set down again and again at one instant", fix="call `predict` between updates")
        s, own = self.free.pop(), tables.events_of[self.last % tables.events]
        row = tables.stand[s]
        row[t.P : t.EXPECTED] = row[t.EXPECTED : t.AWAY] = p
        row[t.AWAY : t.INFORMATION], row[t.INFORMATION :] = 0.0, information.ravel()
        tables.stands_of[s] = (-1, 0, 0)
        own[t.NEW_STANDS + own[t.NEW]] = s
        own[t.NEW] += 1
        self._here += 1
        self._standing += 1
        return s

    def leave(self, stand: int) -> None:
        """Say that a foot leaves its foothold after the last event."""
        self.tables.stands_of[stand, t.LEFT] = self.last
        self._standing -= 1

    def see(self, stands: Sequence[int], points: Float[np.ndarray, "n 3"], height: float, weight: float) -> None:
        """Say where feet on footholds are seen at the last event; the weight of heights is 1 / sigma^2, or 0."""
        start = self.tables.events_of[self.first % self.tables.events, t.FIRST_SIGHT]
        end = int(self.tables.events_of[self.last % self.tables.events, t.END_SIGHT])
        while end + len(stands) - start > self.tables.sights:
            self._grow()
        tables = self.tables
        for stand, point in zip(stands, points, strict=True):
            o = end % tables.sights
            row, own = tables.sight[o], tables.sights_of[o]
            row[:3] = point
            row[t.HEIGHT], row[t.HEIGHT_WEIGHT], own[t.OF], own[t.OLD] = height, weight, stand, 1
            end += 1
        tables.events_of[self.last % tables.events, t.END_SIGHT] = end

    def estimate(self, before: float, times: int) -> None:
        """Estimate, linearising so often at most, and let events older than `before` go.

        Raises:
            ScrewgraphError: there is no solution.
        """
        tables, head = self.tables, self.first
        self._again(self.last)
        done = self._update(times, before)
        self.first = int(tables.numbers[t.HEAD])
        for k in range(head, self.first):
            front = tables.fronts_of[k % tables.events]
            self.free += front[t.STANDS : t.STANDS + front[t.LIFTED]].tolist()
        if not done:
            raise ScrewgraphError(
                "the motion is not determined", why="measurements and what is known of the start do not suffice"
            )

    def stand(self, s: int | list[int]) -> Float[np.ndarray, "*n 3"]:
        """Position of an estimated foothold (m), or of each of several."""
        row = self.tables.stand[s]
        return row[..., t.P : t.EXPECTED] + row[..., t.AWAY : t.INFORMATION]

    def event(self, k: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Time, linearisation (15,) or (21,), and displacement (9,) or (15,) of an event."""
        row, n = self.tables.event[k % self.tables.events], self.sizes.constants
        return float(row[n["TIME"]]), row[: n["D"]], row[n["D"] : n["TIME"]]

    @property
    def now(self) -> Float[np.ndarray, "15"]:
        """The last base, where it was estimated."""
        return self.tables.header[t.NOW : t.NOW_BIAS].copy()

    @property
    def bias(self) -> Float[np.ndarray, "6"]:
        """Of gyroscope (rad/s) and accelerometer (m/s^2)."""
        return self.tables.header[t.NOW_BIAS : t.HEADER].copy()

    @property
    def covariance(self) -> Float[np.ndarray, "15 15"]:
        """Of the last base and the biases."""
        k = self.last % self.tables.events
        own = self.tables.fronts_of[k]
        M, base = int(own[t.COLUMNS]), 3 * int(own[t.LIFTED])
        L = np.tril(self.tables.front[k, : M * (M + 1)].reshape(M, M + 1)[:, :M].T)
        chosen = solve_triangular(L, np.eye(M)[:, base : base + t.NAVIGATION + t.BIASES], lower=True)
        return chosen.T @ chosen

    def _again(self, k: int) -> None:
        """Have fronts eliminated anew from k on."""
        numbers = self.tables.numbers
        if numbers[t.PENDING] > k:
            numbers[t.PENDING] = max(k, 0)

    def _grow(self) -> None:
        self.free += range(self.tables.sights, 2 * self.tables.sights)
        self.tables = self.tables.grown()
        self._bind()
