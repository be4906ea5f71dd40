"""What all writers need: inertias as mass, centre of mass and inertia about it, and the limits that limit."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from screwgraph.model.formats.diagnostics import LARGEST
from screwgraph.model.robot import Limits
from screwgraph.spatial import SpatialInertia, skew

_DIGITS, _STEPS = 15, 3


def is_writable(inertia: SpatialInertia) -> bool:
    """Whether mass and centre of mass describe an inertia; regrouped links may have any ten parameters."""
    return inertia.mass > 0.0 or (inertia.mass == 0.0 and not inertia.first_moment.any())


def keeps_digits(inertia: SpatialInertia) -> bool:
    """Whether the inertia about the origin survives the detour over the centre of mass, as of every real body."""
    h = inertia.first_moment
    return h @ h <= 10.0 * abs(inertia.mass) * np.abs(inertia.about_origin).max()


def body_inertia_entries(inertia: SpatialInertia) -> tuple[float, Float[np.ndarray, "3"], Float[np.ndarray, "3 3"]]:
    """Return mass (kg), centre of mass (m) and inertia about it (kg m^2), from which the same inertia is read.

    They are without the noise of computing them where that is the same inertia to the last bit: zeros and equal entries
    save operations, and links that are lumped together may have these where rounding would take them away.
    """
    short = _short_entries(inertia)
    if _is_same(inertia, *short[1:]):
        return short
    com = _exact_quotients(inertia.first_moment, inertia.mass)
    about_com = inertia.about_origin + inertia.mass * skew(com) @ skew(com)
    for _ in range(_STEPS):
        about_com = about_com + (inertia.about_origin - _read_again(inertia, com, about_com).about_origin)
    return (inertia.mass, com, about_com) if _is_same(inertia, com, about_com) else short


def _read_again(
    inertia: SpatialInertia, com: Float[np.ndarray, "3"], about_com: Float[np.ndarray, "3 3"]
) -> SpatialInertia:
    """Return the inertia that is read from entries."""
    return SpatialInertia.of_body(inertia.mass, com, about_com)


def _is_same(inertia: SpatialInertia, com: Float[np.ndarray, "3"], about_com: Float[np.ndarray, "3 3"]) -> bool:
    return bool((_read_again(inertia, com, about_com).parameters == inertia.parameters).all())


def _exact_quotients(products: Float[np.ndarray, "3"], factor: float) -> Float[np.ndarray, "3"]:
    """Return numbers whose products with a factor are these to the last bit, where there are such; else the nearest."""
    nearest = products / factor if factor else np.zeros(3)
    for other in (np.nextafter(nearest, np.inf), np.nextafter(nearest, -np.inf)):
        nearest = np.where((factor * nearest != products) & (factor * other == products), other, nearest)
    return nearest


def _short_entries(inertia: SpatialInertia) -> tuple[float, Float[np.ndarray, "3"], Float[np.ndarray, "3 3"]]:
    """Return entries of 15 digits.

    The inertia about the centre of mass is a difference; digits below the rounding of its terms mean nothing.
    """
    com = np.array([float(f"{entry:.{_DIGITS}g}") for entry in inertia.com])
    scale = float(np.abs(inertia.about_origin).max())
    decimals = _DIGITS - math.ceil(math.log10(scale)) if scale else 0
    about_com = np.array([[round(float(entry), decimals) for entry in row] for row in inertia.about_com])
    return inertia.mass, com, about_com


def finite_limits(limits: Limits) -> dict[str, float]:
    """Return the limits that limit anything, by name."""
    return {key: float(value) for key, value in vars(limits).items() if value is not None and abs(value) <= LARGEST}
