"""J'J and J'r of a window as a chain of fronts, one a step: solution and covariances."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.smoothers.fronts import compile_fronts
from screwgraph.optimize.smoothers.window import Window

TINY = 1e-15
"""Pivots that are left of their diagonal, relative: less is rounding."""


@dataclass(frozen=True, eq=False)
class FrontChain:
    """Fronts of a window whose entries of J'J stand at `rows` and `columns`, directions of its problem.

    Entries that concern a first step that is held fast are left out.
    """

    window: Window
    rows: Int[np.ndarray, " e"]
    columns: Int[np.ndarray, " e"]
    _buffer: np.ndarray = field(init=False)
    _d: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_buffer", np.zeros(self.count * self._size + 1))
        object.__setattr__(self, "_d", np.zeros((self.count + 1) * self.own + self.shared))

    def gather(self, entries: np.ndarray, gradient: np.ndarray, prior: tuple[np.ndarray, np.ndarray] | None) -> None:
        """Begin with values of J'J and J'r, and with the information and the vector of a prior."""
        fronts = self._buffer
        fronts[:] = 0.0
        places, rows = self._places, self._gradient
        code = compile_fronts().functions["gather_fronts"]
        code(
            fronts.ctypes.data,
            entries.ctypes.data,
            places.ctypes.data,
            len(places),
            gradient.ctypes.data,
            rows.ctypes.data,
            len(rows),
        )
        if prior is not None:
            held, vector = self._prior_places
            fronts[held] += prior[0][self._lower]
            fronts[vector] += prior[1]

    def eliminate(self, damping: float = 0.0) -> bool:
        """Factor what was gathered, its diagonal multiplied by 1 + damping; return whether all pivots are positive."""
        code = compile_fronts().functions["eliminate_fronts"]
        return code(self._buffer.ctypes.data, self.count, self.own, self.shared, float(damping), TINY) < 0

    def solution(self) -> Float[np.ndarray, " n"]:
        """Return d of H d = -g in the directions of the problem, zero where they are held fast."""
        self._d[self.count * self.own : (self.count + 1) * self.own] = 0.0
        code = compile_fronts().functions["substitute_fronts"]
        code(self._buffer.ctypes.data, self._d.ctypes.data, self.count, self.own, self.shared)
        found = np.zeros(self.window.problem.layout.size)
        found[self._free] = self._d[self._places_of_free]
        return found

    def spread(self, rows: Float[np.ndarray, "m n"]) -> Float[np.ndarray, "m m"]:
        """Return J P J', P the covariance of the last step and what is shared, J by the first n directions of these.

        NaN where nothing was eliminated.
        """
        from scipy.linalg import solve_triangular

        wanted = np.zeros((self.own + self.shared, len(rows)))
        wanted[: rows.shape[1]] = rows.T
        try:
            half = solve_triangular(self._last_root(), wanted, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            half = np.full_like(wanted, np.nan)
        return half.T @ half

    def _last_root(self) -> Float[np.ndarray, "n n"]:
        """Return the lower triangle L of the last step and what is shared: their information is L L'."""
        D, S = self.own, self.shared
        last = self._buffer[(self.count - 1) * self._size : -1].reshape(self.width, self.width + 1)[:, :-1].T
        here = np.r_[0:D, 2 * D : 2 * D + S]
        return last[np.ix_(here, here)]

    def copy(self) -> FrontChain:
        """Return one with memory of its own; what places of entries are is shared."""
        other = copy(self)
        for name in ("_buffer", "_d"):
            object.__setattr__(other, name, getattr(self, name).copy())
        return other

    def covariances(self) -> Float[np.ndarray, "steps n n"]:
        """Return the joint covariance of each free step and what is shared, from what was eliminated."""
        from scipy.linalg import solve_triangular

        D, S = self.own, self.shared
        fronts = self._buffer[:-1].reshape(self.count, self.width, self.width + 1)
        found = np.empty((self.count, D + S, D + S))
        root = solve_triangular(self._last_root(), np.eye(D + S), lower=True)
        found[-1] = root.T @ root
        for k in range(self.count - 2, -1, -1):
            L = np.tril(fronts[k][:D, :-1].T)
            inverse = solve_triangular(L[:D], np.eye(D), lower=True)
            gain = L[D:] @ inverse  # own = -gain' rest + noise
            tied = -gain.T @ found[k + 1]
            found[k][:D, :D] = inverse.T @ inverse - tied @ gain
            found[k][:D, D:] = tied[:, D:]
            found[k][D:, :D] = tied[:, D:].T
            found[k][D:, D:] = found[-1][D:, D:]
        return found

    @cached_property
    def own(self) -> int:
        """Directions of a step."""
        return sum(self._dims[name] for name, _ in self.window.of_step(0))

    @cached_property
    def shared(self) -> int:
        """Directions of what is shared."""
        return sum(self._dims[name] for name, _ in self.window.shared)

    @property
    def count(self) -> int:
        """Steps that are free."""
        return self.window.steps - self.window.pinned

    @property
    def width(self) -> int:
        """Columns of a front."""
        return 2 * self.own + self.shared

    @property
    def _size(self) -> int:
        return self.width * (self.width + 1)

    @cached_property
    def _dims(self) -> dict[str, int]:
        return {v.name: v.manifold.dim for v in self.window.problem.families}

    @cached_property
    def _direction_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Step of each direction, counted from the first free one, -1 if it is shared; its place in a front of it."""
        layout = self.window.problem.layout
        step, local = np.full(layout.size, -1), np.zeros(layout.size, dtype=np.int64)
        at, behind = 0, 2 * self.own
        for v in layout.families:
            where, dim = layout.directions[v.name], v.manifold.dim
            first = at if v.count > 1 else behind
            local[where] = np.tile(np.arange(first, first + dim), v.count)
            if v.count > 1:
                step[where] = np.repeat(np.arange(v.count), dim) - self.window.pinned
                at += dim
            else:
                behind += dim
        return step, local

    @cached_property
    def _fixed_directions(self) -> np.ndarray:
        """Which directions are held fast."""
        fixed = np.zeros(self.window.problem.layout.size, dtype=bool)
        for name, _ in self.window.of_step(0) if self.window.pinned else []:
            first = self.window.problem.layout.directions[name].start
            fixed[first : first + self._dims[name]] = True
        return fixed

    @cached_property
    def _places(self) -> Int[np.ndarray, " e"]:
        """Places of entries; the buffer's last number takes those that are left out."""
        step, local = self._direction_places
        i, j = self.rows, self.columns
        # Shared directions join the step that they are tied to; what concerns only them, the last one.
        a, b = (np.where(step[x] < 0, self.count, step[x]) for x in (i, j))
        front = np.minimum(np.minimum(a, b), self.count - 1)
        places = [local[x] + np.where((step[x] >= 0) & (step[x] > front), self.own, 0) for x in (i, j)]
        found = self._entry(front, np.maximum(*places), np.minimum(*places))
        return np.where(self._fixed_directions[i] | self._fixed_directions[j], len(self._buffer) - 1, found).astype(
            np.int64
        )

    @cached_property
    def _gradient(self) -> Int[np.ndarray, " n"]:
        step, local = self._direction_places
        found = self._entry(np.where(step < 0, self.count - 1, step), self.width, local)
        return np.where(self._fixed_directions, len(self._buffer) - 1, found).astype(np.int64)

    @cached_property
    def _prior_places(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the prior: its lower triangle and its vector, to the first front."""
        local = np.r_[0 : self.own, 2 * self.own : self.width]
        i, j = self._lower
        return self._entry(0, local[i], local[j]), self._entry(0, self.width, local)

    @cached_property
    def _lower(self) -> tuple[np.ndarray, np.ndarray]:
        return np.tril_indices(self.own + self.shared)

    @cached_property
    def _free(self) -> np.ndarray:
        return np.flatnonzero(~self._fixed_directions)

    @cached_property
    def _places_of_free(self) -> np.ndarray:
        step, local = (x[self._free] for x in self._direction_places)
        return np.where(step < 0, (self.count - 1) * self.own + local, step * self.own + local)

    def _entry(self, front, row, column):
        return front * self._size + column * (self.width + 1) + row
