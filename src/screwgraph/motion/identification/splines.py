"""B-splines of degree 5 in even times: values, and least squares with banded matrices."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from scipy.interpolate import BSpline
from scipy.linalg import solveh_banded

DEGREE = 5
RIDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Basis:
    """B-splines of N even times: in the interval `place` (N,) six are not zero, `table` (3, N, 6) and derivatives."""

    place: np.ndarray
    table: Float[np.ndarray, "3 N 6"]
    count: int

    @classmethod
    def with_knots(cls, samples: int, dt: float, step: float) -> Basis:
        """Return the splines with a knot each `step` of samples each `dt`."""
        at = np.arange(samples) * dt / step
        place = np.floor(at).astype(int)
        one = BSpline.basis_element(np.arange(DEGREE + 2.0))
        local = (at - place)[:, None] + DEGREE - np.arange(DEGREE + 1)
        table = [one.derivative(k)(local) / step**k if k else one(local) for k in range(3)]
        return cls(place, np.array(table), int(place[-1]) + DEGREE + 1)

    def values(self, c: Float[np.ndarray, "count ..."], order: int) -> Float[np.ndarray, "N ..."]:
        """Return the splines of coefficients c, or their derivatives."""
        found = np.zeros((len(self.place), *c.shape[1:]))
        for a in range(DEGREE + 1):
            found += self.table[order][:, a].reshape(-1, *[1] * (c.ndim - 1)) * c[self.place + a]
        return found

    def fit(self, x: Float[np.ndarray, "N k"]) -> Float[np.ndarray, "count k"]:
        """Return the coefficients of the splines nearest to x, column by column."""
        return self.solve(np.ones((len(x), 1, 1, 1)), x[:, None])[:, 0]

    def solve(
        self, rows: Float[np.ndarray, "N m orders n"], columns: Float[np.ndarray, "N m k"]
    ) -> Float[np.ndarray, "count n k"]:
        """Return the coefficients of n splines that explain k columns each, by least squares.

        `rows` are derivatives of what is explained by positions, or by velocities and accelerations, too.
        """
        n, orders = rows.shape[3], rows.shape[2]
        width = n * (DEGREE + 1)
        band, b = np.zeros((width, self.count * n)), np.zeros((self.count * n, columns.shape[2]))
        starts = np.searchsorted(self.place, np.arange(self.count - DEGREE + 1))
        for i, (low, high) in enumerate(pairwise(starts.tolist())):
            if low == high:
                continue
            own = np.einsum("kNa,Nmkn->Nman", self.table[:orders, low:high], rows[low:high], optimize=True)
            A = own.reshape(-1, width)
            gram = A.T @ A
            b[i * n : i * n + width] += A.T @ columns[low:high].reshape(len(A), -1)
            for j in range(width):
                band[: width - j, i * n + j] += gram[j:, j]
        band[0] += RIDGE * band[0].max()
        return solveh_banded(band, b, lower=True).reshape(self.count, n, -1)
