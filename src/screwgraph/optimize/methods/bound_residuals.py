"""Costs and residuals without slopes, for points that are only tried; see `kernel_calls.py`."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.kernel_calls import BoundCalls, KernelCall


class BoundResiduals:
    """A problem's costs, and residuals of equalities (m,) and inequalities (k,), in arrays that are used again."""

    def __init__(self, assembly: Assembly) -> None:
        layout, batches = assembly.layout, assembly.soft
        self.x = np.empty(sum(place.stop - place.start for place in layout.places.values()))
        self.equal, self.unequal = (np.empty(rows.count) for rows in (assembly.equalities, assembly.inequalities))
        ends = np.cumsum([0, *map(len, batches)])
        self._costs = np.empty((ends[-1], 1))
        costs = zip(batches, ends[:-1], ends[1:], strict=True)
        calls = [
            *assembly.equalities.bind_residuals(self.equal),
            *assembly.inequalities.bind_residuals(self.unequal),
            *(KernelCall(b.factors.kernels.cost, b, (self._costs[first:end],)) for b, first, end in costs),
        ]
        self._evaluate = BoundCalls(calls, self.x, layout.views(self.x))

    def evaluate(self, x: Float[np.ndarray, " s"]) -> float:
        """Write residuals at x; return the sum of all costs."""
        self.x[:] = x
        self._evaluate()
        return float(self._costs.sum())
