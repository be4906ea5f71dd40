"""B-splines of odd degree over samples at equal distances, and the roughness of the curves that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from jaxtyping import Float

DENSEST = 0.9
"""Product of cutoff frequency and distance of knots up to which a curve loses nothing."""
REFINEMENTS = 2
"""Solutions of the normal equations: residuals are those of the samples, so that no digits are lost to squaring."""


@dataclass(frozen=True, eq=False)
class SplineBasis:
    """Splines of degree 2m - 1 with `count` coefficients over N samples, knots `spacing` samples apart.

    `values` (N, K) are the splines at the samples, `rough` (n, K) rows whose squares sum up to the integral of the
    squared m-th derivative, by knots; `gram` and `penalty` are values'values and rough'rough, as lower bands.
    `log_roughness` is the logarithm of the determinant of the latter, for each coefficient, of splines without ends.
    """

    order: int
    count: int
    spacing: float
    knots: Float[np.ndarray, " n"]
    values: Any
    rough: Any
    gram: Float[np.ndarray, "b K"]
    penalty: Float[np.ndarray, "b K"]
    log_roughness: float

    @classmethod
    def with_count(cls, samples: int, count: int, order: int) -> SplineBasis:
        """Return the splines of `count` coefficients over so many samples (no more coefficients than these)."""
        return _basis(samples, count, order)

    @property
    def middles(self) -> Float[np.ndarray, " n"]:
        """Middles of the intervals between knots, in samples."""
        ends = np.unique(self.knots)
        return (ends[1:] + ends[:-1]) / 2.0

    def roughness(self, c: Float[np.ndarray, " K"]) -> Float[np.ndarray, " n"]:
        """Return the integral of the squared m-th derivative over each interval."""
        return ((self.rough @ c) ** 2).reshape(-1, self.order).sum(axis=1)

    def with_weights(self, weights: Float[np.ndarray, " n"]) -> SplineBasis:
        """Return these splines with a weight on the roughness of each interval."""
        from scipy.sparse import diags_array

        rough = (diags_array(np.repeat(np.sqrt(weights), self.order)) @ self.rough).tocsr()
        log_roughness = self.log_roughness + float(np.log(weights).mean())
        penalty = _lower_band(rough, 2 * self.order)
        return replace(self, rough=rough, penalty=penalty, log_roughness=log_roughness)

    def interpolate(self, y: Float[np.ndarray, " N"]) -> Float[np.ndarray, " K"]:
        """Return the coefficients of the spline through as many samples as there are coefficients."""
        from scipy.interpolate import make_interp_spline

        return make_interp_spline(np.arange(float(len(y))), y, k=2 * self.order - 1).c

    def smooth(
        self, given: Float[np.ndarray, "N k"], weight: float
    ) -> tuple[Float[np.ndarray, "K k"], Float[np.ndarray, " k"], float]:
        """Return the coefficients C of least |given - values C|^2 + weight |rough C|^2, column by column.

        With these sums, and the logarithm of the determinant of their matrix.
        """
        from scipy.linalg import cho_solve_banded, cholesky_banded

        factor = cholesky_banded(self.gram + weight * self.penalty, lower=True, check_finite=False)
        C, left, bent = np.zeros((self.count, given.shape[1])), given, np.zeros((self.rough.shape[0], given.shape[1]))
        for _ in range(REFINEMENTS):
            C = C + cho_solve_banded((factor, True), self.values.T @ left - weight * (self.rough.T @ bent))
            left, bent = given - self.values @ C, self.rough @ C
        cost = (left**2).sum(axis=0) + weight * (bent**2).sum(axis=0)
        return C, cost, 2.0 * float(np.log(factor[0]).sum())

    def derivatives(self, c: Float[np.ndarray, " K"]) -> list[Float[np.ndarray, " N"]]:
        """Return values, first and second derivatives (by samples) of a spline at the samples."""
        from scipy.interpolate import BSpline

        spline, at = BSpline(self.knots, c, 2 * self.order - 1), np.arange(float(self.values.shape[0]))
        return [self.values @ c, spline(at, 1), spline(at, 2)]


@lru_cache(maxsize=32)
def _basis(samples: int, count: int, order: int) -> SplineBasis:
    from scipy.interpolate import BSpline

    degree = 2 * order - 1
    at = np.linspace(0.0, samples - 1.0, count)
    knots = np.concatenate([np.full(degree + 1, at[0]), at[order : count - order], np.full(degree + 1, at[-1])])
    spacing = float(at[1] - at[0])
    values = BSpline.design_matrix(np.arange(float(samples)), knots, degree).tocsr()
    rough = _rough(knots, order, spacing)
    gram, penalty = (_lower_band(X, degree + 1) for X in (values, rough))
    return SplineBasis(order, count, spacing, knots, values, rough, gram, penalty, _log_roughness(order))


def _rough(knots: Float[np.ndarray, " n"], order: int, spacing: float) -> Any:
    """Return rows whose squares sum up to the integral of the squared derivative, by Gauss's quadrature."""
    from scipy.interpolate import BSpline
    from scipy.sparse import diags_array

    ends = np.unique(knots)
    nodes, weights = np.polynomial.legendre.leggauss(order)
    half = np.diff(ends)[:, None] / 2.0
    x, w = (ends[:-1, None] + half * (1.0 + nodes)).ravel(), (half * weights).ravel()
    degree = 2 * order - 1
    coefficients, inner = cast(Any, diags_array(np.ones(len(knots) - degree - 1))), knots
    for k in range(degree, degree - order, -1):
        # Derivatives of splines are splines of one degree less (de Boor 1978, chapter X).
        n = coefficients.shape[0]
        slope = k * spacing / (inner[k + 1 : k + n] - inner[1:n])
        bands = cast(Any, diags_array([-slope, slope], offsets=cast(Any, [0, 1]), shape=(n - 1, n)))
        coefficients, inner = bands @ coefficients, inner[1:-1]
    derivative = BSpline.design_matrix(x, inner, degree - order) @ coefficients
    return cast(Any, diags_array(np.sqrt(w / spacing)) @ derivative).tocsr()


def _lower_band(X: Any, width: int) -> Float[np.ndarray, "b K"]:
    """Return the lower band of X'X."""
    gram = (X.T @ X).tocoo()
    band, below = np.zeros((width, X.shape[1])), gram.row >= gram.col
    band[gram.row[below] - gram.col[below], gram.col[below]] = gram.data[below]
    return band


@lru_cache(maxsize=8)
def _log_roughness(order: int) -> float:
    """Return the mean logarithm of the spectrum of the penalty of splines without ends.

    It is |2 sin(w / 2)|^(2m) times the spectrum of B-splines of degree 2m - 1 at integers; the first has mean 0.
    """
    from scipy.interpolate import BSpline

    spline = BSpline.basis_element(np.arange(-float(order), order + 1.0))
    w = (np.arange(4096) + 0.5) * np.pi / 4096
    spectrum = spline(0.0) + 2.0 * sum(spline(float(j)) * np.cos(j * w) for j in range(1, order))
    return float(np.log(spectrum).mean())
