"""How well sensors of a loop of fixed rate agree with the model: residuals of readings as they leave the window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.motion.estimation.online.update_inputs import Readings
from screwgraph.optimize import FixedLag

REMEMBERED = 200
"""Updates after which a residual counts less by a factor of e."""
ENOUGH = 50
"""Readings before which nothing is said."""
DOUBTFUL = 1.5
"""Root mean square of so many residuals, in standard deviations, beyond which a model or a sensor is in doubt.

Of 50 independent readings, the probability of such a one is 1e-7 (chi-squared distribution).
"""
BUFFERED = 64


class OnlineMisfit:
    """Mean squares of whitened residuals of each group of sensors, the last updates' most."""

    def __init__(self, readings: Readings, lag: FixedLag) -> None:
        """Begin with none; `lag` is a window of these readings."""
        self._readings, groups = readings, [f.name for f in lag.problem.factors]
        self._groups = [name for name, own in readings.groups.items() if not own[0].entry.is_contact]
        self._places = np.array([groups.index(name) for name in self._groups], dtype=int)
        self._sums = np.zeros((2, len(self._groups)))
        self._waiting: list[tuple[np.ndarray, np.ndarray]] = []

    def take(self, costs: Float[np.ndarray, " f"], read: Float[np.ndarray, " c"]) -> None:
        """Take costs of the factors that left the window, see `FixedLag.advance`, and what was read."""
        self._waiting.append((costs, read))
        if len(self._waiting) >= BUFFERED:
            self._count()

    @property
    def sizes(self) -> dict[str, float]:
        """Root mean squares in standard deviations, by the names of the sensors of a group; of enough readings."""
        self._count()
        squares, counts = self._sums
        names = {name: ", ".join(s.name for s in self._readings.groups[name]) for name in self._groups}
        triples = zip(self._groups, squares, counts, strict=True)
        return {names[name]: float(np.sqrt(square / n)) for name, square, n in triples if n > ENOUGH}

    def _count(self) -> None:
        """Add what waits to the sums."""
        if not self._waiting:
            return
        costs, read = (np.array(x) for x in zip(*self._waiting, strict=True))
        fading = np.exp(-np.arange(len(costs), 0.0, -1.0) / REMEMBERED)
        there = np.isfinite(read)
        counts = np.column_stack([np.sum([there[:, c].all(axis=1) for c in rows], axis=0) for rows in self._rows])
        self._sums *= fading[0]
        self._sums += fading @ (2.0 * costs[:, self._places]), fading @ counts
        self._waiting.clear()

    @cached_property
    def _rows(self) -> Sequence[Sequence[list[int]]]:
        """Of each group, the columns that each row of its residual needs."""
        at = {c: i for i, c in enumerate(self._readings.names)}
        sensors = [self._readings.groups[name] for name in self._groups]
        return [[[at[c] for c in needed] for s in own for needed in s.rows.values()] for own in sensors]
