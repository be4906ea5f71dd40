"""Calibrations of cameras: what image coordinates (pixels) a point of the image plane has, by their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.base.errors import InputError
from screwgraph.spatial import atan2, choose, sqrt, vector


@dataclass(frozen=True)
class Calibration:
    """Calibration with `size` numbers k: the image (2,) of the point (x, y) of the plane at depth 1.

    `numbers` reads GTSAM's, `made` makes it of numbers.
    """

    size: int
    image: Callable[[Any, Any, Any], Any]
    numbers: Callable[[Any], np.ndarray]
    made: Callable[[np.ndarray], Any]


def _see_linearly(k: Any, x: Any, y: Any) -> Any:
    """Focal lengths, skew, principal point: (fx, fy, s, u0, v0)."""
    return vector([k[0] * x + k[2] * y + k[3], k[1] * y + k[4]])


def _see_distorted(k: Any, x: Any, y: Any) -> Any:
    """Two radial, two tangential coefficients (k1, k2, p1, p2) follow. Brown (1971)."""
    square, product = x * x + y * y, x * y
    radial = 1.0 + square * (k[5] + square * k[6])
    u = radial * x + 2.0 * k[7] * product + k[8] * (square + 2.0 * x * x)
    v = radial * y + 2.0 * k[8] * product + k[7] * (square + 2.0 * y * y)
    return _see_linearly(k, u, v)


def _see_over_a_mirror(k: Any, x: Any, y: Any) -> Any:
    """The distance xi of the centre of projection from the unit sphere's follows. Mei & Rives (2007)."""
    scale = 1.0 / (1.0 + k[9] * sqrt(1.0 + x * x + y * y))
    return _see_distorted(k, scale * x, scale * y)


def _see_by_fisheye(k: Any, x: Any, y: Any) -> Any:
    """Four coefficients of the angle from the axis follow. Kannala & Brandt (2006), equation 6."""
    square = x * x + y * y
    near = square < 1e-6
    r = sqrt(choose(near, 1.0, square))
    ratio = choose(near, 1.0 - square * (1.0 / 3.0 - 0.2 * square), atan2(r, 1.0) / r)
    bend = square * ratio * ratio
    scale = ratio * (1.0 + bend * (k[5] + bend * (k[6] + bend * (k[7] + bend * k[8]))))
    return _see_linearly(k, scale * x, scale * y)


def _see_as_bundler(k: Any, x: Any, y: Any) -> Any:
    """Focal length and two radial coefficients (f, k1, k2). Snavely et al. (2006)."""
    square = x * x + y * y
    radial = k[0] * (1.0 + square * (k[1] + square * k[2]))
    return vector([radial * x, radial * y])


def _numbers(*names: str) -> Callable[[Any], np.ndarray]:
    """Return how to read the five numbers of a linear camera, and more."""

    def read(K: Any) -> np.ndarray:
        linear = [K.fx(), K.fy(), K.skew(), K.px(), K.py()]
        return np.array([*linear, *(getattr(K, name)() for name in names)])

    return read


def _bundler_numbers(K: Any) -> np.ndarray:
    if K.px() != 0.0 or K.py() != 0.0:
        raise InputError("a Cal3Bundler with a principal point", why="it is no unknown there", fix="subtract it")
    return np.array([K.fx(), K.k1(), K.k2()])


BROWN = ("k1", "k2", "p1", "p2")
CALIBRATIONS: dict[str, Calibration] = {
    "Cal3_S2": Calibration(5, _see_linearly, _numbers(), lambda k: import_gtsam().Cal3_S2(k)),
    "Cal3DS2": Calibration(9, _see_distorted, _numbers(*BROWN), lambda k: import_gtsam().Cal3DS2(k)),
    "Cal3Unified": Calibration(10, _see_over_a_mirror, _numbers(*BROWN, "xi"), lambda k: import_gtsam().Cal3Unified(k)),
    "Cal3Fisheye": Calibration(
        9, _see_by_fisheye, _numbers("k1", "k2", "k3", "k4"), lambda k: import_gtsam().Cal3Fisheye(k)
    ),
    "Cal3Bundler": Calibration(
        3, _see_as_bundler, _bundler_numbers, lambda k: import_gtsam().Cal3Bundler(*k.tolist(), 0.0, 0.0)
    ),
}
"""By GTSAM's name."""
