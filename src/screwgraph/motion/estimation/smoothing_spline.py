"""Smoothing splines: curves through samples that were measured or rounded, with velocities and accelerations.

A curve is an m-fold integrated Wiener process seen through white noise: a spline of degree 2m - 1 that gives up
sum (y - f)^2 / sigma^2 for the integral of (d^m f / dt^m)^2 (Wahba 1990, section 1.3). How much, how smooth (m), and
sigma itself where it is not known, are those under which the samples are likeliest (restricted maximum likelihood).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.motion.estimation.spline_basis import DENSEST, SplineBasis

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
    order, free = basis.order, len(given) - basis.order
    weight = basis.spacing * (frequency * basis.spacing) ** (-2 * order)
    coefficients, cost, log_determinant = basis.smooth(given, weight)
    # Doubles themselves are rounded.
    cost = np.maximum(cost, free * (np.finfo(float).eps * np.abs(given).max(axis=0) / 4.0) ** 2)
    level = np.where(np.isnan(sigma), np.sqrt(cost / free), sigma)
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
