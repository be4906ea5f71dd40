"""How sure factors are: standard deviations and covariances become parameters that whiten residuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.optimize.parameters import Each, validate_array

INVERSE_SIGMA = "1/sigma"
WHITENING = "sqrt(information)"
"""Names of the parameters; no template can have such names."""


def make_noise_parameters(name: str, sigma: Any, covariance: Any, sqrt_information: Any) -> dict[str, Any]:
    """Return the parameter that whitens a residual; none where its covariance is 1.

    Raises:
        InputError: two are given, or what is given is no standard deviation, covariance or matrix.
    """
    if sum(given is not None for given in (sigma, covariance, sqrt_information)) > 1:
        raise InputError(f"{name}: noise is given twice", fix="give sigma, covariance or sqrt_information")
    if sigma is not None:
        values = _values(f"{name}: sigma", sigma)
        if not (values > 0.0).all():
            raise InputError(f"{name}: sigma must be positive", fix="use `equality` for what must hold exactly")
        return {INVERSE_SIGMA: _like(sigma, 1.0 / values)}
    if covariance is not None:
        return {WHITENING: _like(covariance, _roots(name, _values(f"{name}: covariance", covariance)))}
    if sqrt_information is not None:
        _square(name, "sqrt_information", _values(f"{name}: sqrt_information", sqrt_information))
        return {WHITENING: sqrt_information}
    return {}


def whiten_residual(r: Any, parameters: dict[str, Any]) -> Any:
    """Return a residual (m,) of any kind of numbers divided by its noise."""
    inverse, root = parameters.get(INVERSE_SIGMA), parameters.get(WHITENING)
    if inverse is not None:
        return r * inverse
    return r if root is None else root @ r


def _values(what: str, given: Any) -> np.ndarray:
    return validate_array(what, given.values if isinstance(given, Each) else given)


def _like(given: Any, values: np.ndarray) -> Any:
    return Each(values) if isinstance(given, Each) else values


def _square(name: str, what: str, matrices: np.ndarray) -> None:
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise InputError(f"{name}: {what} has the shape {matrices.shape}", fix="give square matrices")


def _roots(name: str, covariance: np.ndarray) -> np.ndarray:
    """Return W with W'W the inverse of a covariance."""
    _square(name, "covariance", covariance)
    symmetric = np.abs(covariance - np.swapaxes(covariance, -1, -2)) <= 1e-9 * np.abs(covariance).max()
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        symmetric = symmetric & False
        lower = covariance
    if not symmetric.all():
        raise InputError(f"{name}: covariance is not symmetric and positive definite")
    return np.linalg.inv(lower)
