"""Where values go in storage: one place each, or runs of places side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from screwgraph.compiler.kernels.dense import compile_places

LONG = 3.0
"""Runs of at least so many values, on average, are worth it."""


@dataclass(frozen=True, eq=False)
class ScatterTargets:
    """`at` is the place of each value; or, with `lengths`, that of the first one of each run."""

    at: Int[np.ndarray, " E"]
    lengths: Int[np.ndarray, " R"] | None

    def add(self, storage: Float[np.ndarray, " S"], values: Float[np.ndarray, " E"]) -> None:
        """Add values at their places."""
        code, out, at = compile_places(), storage.ctypes.data, self.at.ctypes.data
        if self.lengths is None:
            code.scatter(out, at, values.ctypes.data, self.at.size)
        else:
            code.scatter_runs(out, at, self.lengths.ctypes.data, values.ctypes.data, self.at.size)


def find_runs(places: Int[np.ndarray, " E"]) -> ScatterTargets:
    """Find runs in places."""
    firsts = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    if firsts.size == 0 or places.size < LONG * firsts.size:
        return ScatterTargets(places.astype(np.int32), None)
    lengths = np.diff(firsts, append=places.size)
    return ScatterTargets(places[firsts].astype(np.int32), lengths.astype(np.int32))
