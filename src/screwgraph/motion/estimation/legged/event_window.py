"""A legged smoother's window: events, footholds and sightings come in, machine code estimates them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.linalg import solve_triangular

from screwgraph.base.errors import InputError, ScrewgraphError
from screwgraph.compiler.kernels import loop_address
from screwgraph.motion.estimation.legged.inertial_faults import doubted_covariance, loosened_whitening
from screwgraph.motion.estimation.legged.normal_equations import (
    compile_base_retraction,
    compile_contact_equations,
    compile_inertial_equations,
    compile_prior_equations,
)
from screwgraph.motion.estimation.legged.smoother_tables import (
    BIASES,
    NAVIGATION,
    NAVIGATION_NUMBERS,
    Sizes,
    Window,
    grown,
    new_tables,
)
from screwgraph.motion.estimation.legged.update_code import ARGUMENTS, ROW, compile_updates

BEGINNING = 32
"""Events that tables hold at first."""


class EventWindow:
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
        self.tables = new_tables(BEGINNING, BEGINNING * feet, 3 * feet, self.sizes)
        self.free = list(range(BEGINNING * feet))
        header = self.tables.header[0]
        header["start_base"], header["start_bias_information"], header["start_root"] = base, bias, np.ravel(root)
        self._kernels = [
            compile_prior_equations(self.sizes),
            compile_inertial_equations(self.sizes),
            compile_contact_equations(robust, self.sizes),
            compile_base_retraction(self.sizes),
        ]
        self._calling = [np.zeros(ARGUMENTS, dtype=np.int64), np.ones(1, dtype=np.int64)]
        self._calling.append(np.repeat(np.array([0, ROW], dtype=np.int64), ARGUMENTS))
        self.first, self.last = 0, -1
        self._here = self._standing = 0
        self._bind()
        self.add_event(0.0, base)

    def _bind(self) -> None:
        tables = self.tables
        self._events, self._header = len(tables.events), tables.header[0]
        self._now, self._bias = self._header["now"], self._header["now_bias"]
        self._window = {name: tables.window[name] for name in Window.dtype.names or ()}
        # NumPy writes to rows of numbers five times as fast as to those of structured arrays.
        self._sightings = tables.sightings.view(np.float64).reshape(len(tables.sightings), -1)
        self._sighting_states = tables.sighting_states.view(np.int64).reshape(len(tables.sightings), -1)
        self._footholds = tables.footholds.view(np.float64).reshape(len(tables.footholds), -1)
        of = (tables.header, tables.event, tables.footholds, tables.sightings, tables.work)
        self._at = np.array([x.ctypes.data for x in of], dtype=np.int64)
        cells = [ctypes.addressof(loop_address(kernel.ufunc)) for kernel in self._kernels]
        calls = [*cells, *(x.ctypes.data for x in (self._at, *self._calling))]
        self._update = partial(compile_updates(self.sizes).functions["update_window"], *tables.addresses, *calls)

    @property
    def header(self) -> Any:
        """Numbers that are one for all, by the names of `tables.Header`."""
        return self._header

    @property
    def last_event(self) -> Float[np.ndarray, " n"]:
        """Numbers of the newest event."""
        return self.tables.event[self.last % self._events]

    def add_event(self, time: float, base: Float[np.ndarray, "15"]) -> None:
        """Go on to another base; biases stay."""
        n, k = self.sizes.constants, self.last + 1
        if k - self.first + 2 > self._events:
            self._grow()
        tables = self.tables
        row = tables.event[k % self._events]
        end = tables.events["end_sighting"][(k - 1) % self._events] if k else 0
        row[:NAVIGATION_NUMBERS], row[NAVIGATION_NUMBERS : n["D"]] = base, self.bias[: n["D"] - NAVIGATION_NUMBERS]
        row[n["D"] : n["TIME"]], row[n["TIME"]] = 0.0, time
        tables.events[k % self._events] = (0, 1, end, end, 0)  # in the order of `EventState`
        self.last, self._here = k, self._standing
        self._window["count"][0] = k + 1
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
            row = self.tables.event[k % self._events]
            added = doubted_covariance(motion, row[n["CHANGE_AT"]])
            white = row[n["WHITE"] : n["MOVE_AT"]]
            white[:] = loosened_whitening(white.reshape(own, own), added).ravel()
            self.tables.events["stale"][k % self._events] = 1
        self._again(self.first)

    def add_stand(self, p: Float[np.ndarray, "3"], information: Float[np.ndarray, "3 3"]) -> int:
        """Begin a foothold at the last event; return its number.

        Raises:
            InputError: feet were set down too often at one instant.
        """
        if not self.free:
            self._grow()
        tables = self.tables
        slot = self.last % self._events
        if self._here == tables.touchdowns.shape[1]:
            raise InputError("feet are set down again and again at one instant", fix="call `predict` between updates")
        s, counts = self.free.pop(), tables.events["touchdowns"]
        row = self._footholds[s]
        row[:3], row[3:6], row[6:9], row[9:] = p, p, 0.0, information.ravel()  # in the order of `Foothold`
        tables.foothold_states[s] = (-1, 0, 0)
        tables.touchdowns[slot, counts[slot]] = s
        counts[slot] += 1
        self._here += 1
        self._standing += 1
        return s

    def leave(self, stand: int) -> None:
        """Say that a foot leaves its foothold after the last event."""
        self.tables.foothold_states["left"][stand] = self.last
        self._standing -= 1

    def see(self, stands: Sequence[int], points: Float[np.ndarray, "n 3"], height: float, weight: float) -> None:
        """Say where feet on footholds are seen at the last event; the weight of heights is 1 / sigma^2, or 0."""
        start = self.tables.events["first_sighting"][self.first % self._events]
        end = int(self.tables.events["end_sighting"][self.last % self._events])
        while end + len(stands) - start > len(self.tables.sightings):
            self._grow()
        tables, count = self.tables, len(self.tables.sightings)
        seen, states, o = self._sightings, self._sighting_states, end % count
        for stand, point in zip(stands, points, strict=True):
            seen[o, :3], seen[o, 3], seen[o, 4] = point, height, weight  # in the order of `Sighting`
            states[o] = stand, 1  # in the order of `SightingState`
            o = (o + 1) % count
        tables.events["end_sighting"][self.last % self._events] = end + len(stands)

    def estimate(self, before: float, times: int) -> None:
        """Estimate, linearising so often at most, and let events older than `before` go.

        Raises:
            ScrewgraphError: there is no solution.
        """
        tables, head = self.tables, self.first
        self._again(self.last)
        done = self._update(times, before)
        self.first = int(self._window["head"][0])
        for k in range(head, self.first):
            slot = k % self._events
            self.free += tables.lifted[slot, : tables.fronts["lifted"][slot]].tolist()
        if not done:
            raise ScrewgraphError(
                "the motion is not determined", why="measurements and what is known of the start do not suffice"
            )

    def stand(self, s: int | list[int]) -> Float[np.ndarray, "*n 3"]:
        """Position of an estimated foothold (m), or of each of several."""
        rows = self._footholds[s]
        return rows[..., :3] + rows[..., 6:9]

    def event(self, k: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Time, linearisation (15,) or (21,), and displacement (9,) or (15,) of an event."""
        row, n = self.tables.event[k % self._events], self.sizes.constants
        return float(row[n["TIME"]]), row[: n["D"]], row[n["D"] : n["TIME"]]

    @property
    def now(self) -> Float[np.ndarray, "15"]:
        """The last base, where it was estimated."""
        return self._now.copy()

    @property
    def bias(self) -> Float[np.ndarray, "6"]:
        """Of gyroscope (rad/s) and accelerometer (m/s^2)."""
        return self._bias.copy()

    @property
    def covariance(self) -> Float[np.ndarray, "15 15"]:
        """Of the last base and the biases."""
        k = self.last % self._events
        own = self.tables.fronts[k]
        M, base = int(own["columns"]), 3 * int(own["lifted"])
        L = np.tril(self.tables.front[k, : M * (M + 1)].reshape(M, M + 1)[:, :M].T)
        chosen = solve_triangular(L, np.eye(M)[:, base : base + NAVIGATION + BIASES], lower=True)
        return chosen.T @ chosen

    def _again(self, k: int) -> None:
        """Have fronts eliminated anew from k on."""
        pending = self._window["pending"]
        if pending[0] > k:
            pending[0] = max(k, 0)

    def _grow(self) -> None:
        sightings = len(self.tables.sightings)
        self.free += range(sightings, 2 * sightings)
        self.tables = grown(self.tables, self.sizes)
        self._bind()
