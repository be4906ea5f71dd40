"""Smoothing splines: curves through samples that were measured or rounded, with velocities and accelerations.

A curve is an m-fold integrated Wiener process seen through white noise: a spline of degree 2m - 1 that gives up
sum (y - f)^2 / sigma^2 for the integral of (d^m f / dt^m)^2 (Wahba 1990, section 1.3). How much, how smooth (m), and
sigma itself where it is not known, are those under which the samples are likeliest (restricted maximum likelihood).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from jaxtyping import Float

ORDERS = (4, 6)
"""Derivatives that are kept small: the fourth for motions whose accelerations jump, the sixth for smooth ones."""
FREQUENCIES = tuple(60.0 * 0.5**j for j in range(64))
"""Cutoff frequencies of the smoother (rad per sample) that are tried; the first ones interpolate."""
LOWEST = 0.15
"""Product of cutoff frequency and distance of knots at which polynomials of degree m - 1 are left."""
ROUGHER = 25.0
"""Roughness over its median beyond which a curve may jump."""
MOST_JUMPS = 0.5
"""Part of the samples beside jumps, at most."""
EVIDENCE = 40.0
"""Of minus twice the log likelihood, by which jumps have to pay."""
BELOW_ROUNDING = (0.02, 0.75)
"""Of the noise of rounding: in between, what is found is that of stairs of equal samples, or of smaller ones only."""
DENSEST = 0.9
"""Product of cutoff frequency and distance of knots up to which a curve loses nothing."""
FEWEST = 8
"""Fewest samples that determine accelerations."""
AT_ENDS, SPARSE = 3, 0.1
"""Samples of half a path at each end that are less exact, and part of the largest acceleration that is doubted."""
LOUD = 0.02
"""Standard deviation (rad, m) beyond that of sensors."""
REFINEMENTS = 2
"""Solutions of the normal equations: residuals are those of the samples, so that no digits are lost to squaring."""


@dataclass(frozen=True, eq=False)
class SmoothedSamples:
    """Smoothed values, rates and accelerations (N, k), and the standard deviation of what was given (k,)."""

    values: Float[np.ndarray, "N k"]
    rates: Float[np.ndarray, "N k"]
    accelerations: Float[np.ndarray, "N k"]
    sigma: Float[np.ndarray, " k"]

    def select_columns(self, columns: list[int]) -> SmoothedSamples:
        """Return these columns."""
        values, rates, accelerations = (x[:, columns] for x in (self.values, self.rates, self.accelerations))
        return SmoothedSamples(values, rates, accelerations, self.sigma[columns])


def smooth_samples(
    given: Float[np.ndarray, "N k"], dt: float, sigma: Float[np.ndarray, " k"] | None = None
) -> SmoothedSamples:
    """Return smoothing splines through samples at equal distances dt (s), column by column.

    Args:
        given: N samples, 8 or more.
        dt: the distance (s).
        sigma: standard deviation of each column; 0 interpolates. NaN, or none, where it follows from the samples.
    """
    sigma = np.full(given.shape[1], np.nan) if sigma is None else sigma
    orders, found = np.zeros((3, *given.shape)), np.where(np.isnan(sigma), 0.0, sigma)
    orders[0] = given  # of what stands still
    moving, exact = np.ptp(given, axis=0) > 0.0, sigma == 0.0
    for k in np.flatnonzero(moving & exact):
        basis = SplineBasis.with_count(len(given), len(given), ORDERS[0])
        orders[:, :, k] = basis.derivatives(basis.interpolate(given[:, k]))
    noisy = np.flatnonzero(moving & ~exact)
    for k, fit in zip(noisy, _likeliest(given[:, noisy], sigma[noisy]), strict=True):
        if np.isnan(sigma[k]):
            rounded, level = _rounding(given[:, k]), fit.sigma * math.sqrt(12.0)
            if BELOW_ROUNDING[0] * rounded < level < BELOW_ROUNDING[1] * rounded:
                # Errors of neighbours on stairs are alike, which white noise of twice their size stands for.
                (fit,) = _likeliest(given[:, k : k + 1], np.array([rounded / math.sqrt(3.0)]))
        orders[:, :, k], found[k] = fit.basis.derivatives(fit.coefficients), fit.sigma
    return SmoothedSamples(orders[0], orders[1] / dt, orders[2] / dt**2, found)


def doubt_spacing(
    names: Sequence[str],
    given: Float[np.ndarray, "N k"],
    sigma: Float[np.ndarray, " k"],
    found: SmoothedSamples,
    t: Float[np.ndarray, " N"],
) -> tuple[str, ...]:
    """Return doubts about columns whose samples at times t (s) are too far apart for their motion.

    Every second sample gives other accelerations then (ends, of which fewer samples tell, are left out); or the motion
    is taken for noise, where its standard deviation `sigma` is estimated (NaN).
    """
    doubts = []
    for k in np.flatnonzero(np.ptp(given, axis=0) > 0.0).tolist():
        name, full = names[k], found.accelerations[:, k]
        if np.isnan(sigma[k]) and found.sigma[k] > LOUD:
            doubts.append(
                f"noise of {name} is estimated as {found.sigma[k]:.2g} (rad, m), more than sensors have: samples are "
                f"too far apart for the motion (give more, or noise={{{name!r}: ...}})"
            )
        elif (len(t) + 1) // 2 >= FEWEST:
            half = smooth_samples(given[::2, k : k + 1], 2.0 * float(t[1] - t[0]), sigma[k : k + 1])
            off = np.abs(half.accelerations[:, 0] - full[::2])[AT_ENDS:-AT_ENDS]
            share, worst = off.max() / np.abs(full).max(), 2 * (int(off.argmax()) + AT_ENDS)
            if share > SPARSE:
                doubts.append(
                    f"every second sample of {name} gives accelerations that differ by {100.0 * share:.2g} % of the "
                    f"largest near t = {t[worst]:.4g} s: samples are too far apart there, or accelerations jump"
                )
    return tuple(doubts)


@dataclass(frozen=True, eq=False)
class _Fit:
    """A spline with minus twice its log likelihood (up to a constant that all share)."""

    basis: SplineBasis
    frequency: float
    coefficients: Float[np.ndarray, " K"]
    sigma: float
    misfit: float


def _likeliest(given: Float[np.ndarray, "N k"], sigma: Float[np.ndarray, " k"]) -> list[_Fit]:
    """Return the likeliest fit of each column: of all orders, with jumps where these make it likelier by far."""
    found = [[] for _ in sigma]
    for order in ORDERS:
        if order > ORDERS[0] and len(given) < 4 * order:
            continue  # too few to tell a smoother curve from noise
        for k, fit in enumerate(_search_cutoff(given, sigma, order)):
            found[k].append(fit)
            weights = _jumps(fit, len(given))
            if (weights < 1.0).any() and (weights < 1.0).mean() < MOST_JUMPS:
                (fit,) = _search_cutoff(given[:, k : k + 1], sigma[k : k + 1], order, weights)
                found[k].append(replace(fit, misfit=fit.misfit + EVIDENCE))
    return [min(fits, key=_misfit) for fits in found]


def _misfit(fit: _Fit) -> float:
    return fit.misfit


def _jumps(fit: _Fit, samples: int) -> Float[np.ndarray, " N"]:
    """Return weights of roughness at each sample: 1, less beside places that are much rougher than the rest."""
    from scipy.ndimage import maximum_filter1d

    # The filter's response lasts 1 / frequency samples: two of these on both sides of a rough place.
    rough = fit.basis.roughness(fit.coefficients)
    allowed = ROUGHER * float(np.median(rough))
    beside = 1 + 2 * math.ceil(2.0 / (fit.frequency * fit.basis.spacing))
    largest = maximum_filter1d(rough, beside)
    weights = np.minimum(1.0, allowed / np.maximum(largest, max(allowed, np.finfo(float).tiny)))
    return np.interp(np.arange(float(samples)), fit.basis.middles, weights)


def _search_cutoff(
    given: Float[np.ndarray, "N k"],
    sigma: Float[np.ndarray, " k"],
    order: int,
    weights: Float[np.ndarray, " N"] | None = None,
) -> list[_Fit]:
    """Search the cutoff frequency of each column: those of FREQUENCIES, then the vertex of a parabola through three."""
    tried = list(_coarse(given, sigma, order, weights))
    found = []
    for k in range(given.shape[1]):
        fits = [fits[k] for fits in tried]
        i = min(range(len(fits)), key=lambda i: fits[i].misfit)
        if 0 < i < len(fits) - 1:
            before, at, after = (fit.misfit for fit in fits[i - 1 : i + 2])
            # Frequencies halve from one to the next: the parabola is in their logarithm.
            exponent = 0.5 * (after - before) / max(before - 2.0 * at + after, np.finfo(float).tiny)
            column = given[:, k : k + 1], sigma[k : k + 1]
            fits += _fit_columns(*column, fits[i - 1].basis, fits[i].frequency * 2.0**exponent)
        found.append(min(fits, key=_misfit))
    return found


def _coarse(
    given: Float[np.ndarray, "N k"],
    sigma: Float[np.ndarray, " k"],
    order: int,
    weights: Float[np.ndarray, " N"] | None,
) -> Iterator[list[_Fit]]:
    """Yield fits of all frequencies at which knots are close enough, as few as these need."""
    samples, basis = len(given), None
    for frequency in FREQUENCIES:
        count = max(math.ceil((samples - 1) / max(1.0, DENSEST / frequency)) + 1, 2 * order)
        if frequency * (samples - 1) < LOWEST * (count - 1):
            return
        if basis is None or basis.count != count:
            basis = SplineBasis.with_count(samples, count, order)
            if weights is not None:
                basis = basis.with_weights(np.interp(basis.middles, np.arange(float(samples)), weights))
        yield _fit_columns(given, sigma, basis, frequency)


def _fit_columns(
    given: Float[np.ndarray, "N k"], sigma: Float[np.ndarray, " k"], basis: SplineBasis, frequency: float
) -> list[_Fit]:
    """Return a fit of each column."""
    # A filter 1 / (1 + (w / frequency)^2m) in place of the cutoff: weight = frequency^-2m in units of samples.
    order, free = basis.order, len(given) - basis.order
    weight = basis.spacing * (frequency * basis.spacing) ** (-2 * order)
    coefficients, cost, log_determinant = basis.smooth(given, weight)
    # Doubles themselves are rounded.
    cost = np.maximum(cost, free * (np.finfo(float).eps * np.abs(given).max(axis=0) / 4.0) ** 2)
    level = np.where(np.isnan(sigma), np.sqrt(cost / free), sigma)
    # Minus twice the restricted log likelihood; the polynomials of degree m - 1 cost nothing and count as m parameters.
    misfit = log_determinant - (basis.count - order) * (math.log(weight) + basis.log_roughness)
    misfit = misfit + free * np.log(level**2) + cost / level**2
    columns = zip(coefficients.T, level.tolist(), misfit.tolist(), strict=True)
    return [_Fit(basis, frequency, *column) for column in columns]


def _rounding(y: Float[np.ndarray, " N"]) -> float:
    """Return the largest unit to which samples seem to have been rounded; 0 where to none."""
    return max(_equal_neighbours(y), _printed_digits(y))


def _equal_neighbours(y: Float[np.ndarray, " N"]) -> float:
    """Return the unit of counts, of which many neighbours are equal."""
    steps = np.abs(np.diff(y))
    moving = steps > 8.0 * np.finfo(float).eps * np.abs(y).max()
    if moving.mean() > 0.95:
        return 0.0
    unit = float(steps[moving].min())
    ratios = steps[moving] / unit
    return unit if (np.abs(ratios - np.round(ratios)) < 1e-3 * np.maximum(1.0, ratios)).all() else 0.0


def _printed_digits(y: Float[np.ndarray, " N"]) -> float:
    """Return the largest unit of last digits, over decades of ten samples or more, where nine digits are enough."""
    sizes = np.abs(y[y != 0.0])
    exponents = np.floor(np.log10(sizes))
    decades, counts = np.unique(exponents, return_counts=True)
    units = [0.0]
    for exponent in decades[counts >= 10]:
        decade = sizes[exponents == exponent]
        for unit in 10.0 ** (exponent - np.arange(9.0)):
            if (np.abs(decade / unit - np.round(decade / unit)) < 1e-6).all():
                units.append(float(unit))
                break
    return max(units)


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
