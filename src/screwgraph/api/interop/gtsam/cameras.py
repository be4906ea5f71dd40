"""Images of points in calibrated cameras, in cameras whose calibration is unknown, and in pairs of cameras."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.calibrations import CALIBRATIONS
from screwgraph.api.interop.gtsam.factor_reading import (
    POINT3,
    POSE3,
    Kind,
    Reader,
    Reading,
    archived_numbers,
    choose_reading,
)
from screwgraph.spatial import choose, rotation, translation, vector
from screwgraph.spatial.manifolds import SE3, FloatingPose, Vector, product


@dataclass(frozen=True)
class Projection:
    """Residual (pixels) of the image of a point, less its measurement z, of a camera mounted on a body.

    Points behind the camera cost what GTSAM lets them cost: a residual of twice the focal length that nothing changes.
    """

    calibration: str

    def __call__(self, T: Any, p: Any, *, z: Any, k: Any, sensor: Any) -> Any:
        """Return the residual (2,) of a body's pose T and a point p (m); the camera's pose in the body is `sensor`."""
        return see(self.calibration, T @ sensor, p, k, z, 2.0 * k[0])


@dataclass(frozen=True)
class SelfCalibration:
    """Residual (pixels) of the image of a point where pose and calibration are unknown; zero of points behind."""

    calibration: str

    def __call__(self, T: Any, p: Any, k: Any, *, z: Any) -> Any:
        """Return the residual (2,)."""
        return see(self.calibration, T, p, k, z, 0.0)


@dataclass(frozen=True)
class CameraSelfCalibration:
    """Residual as of `SelfCalibration` where one unknown is both: place, quaternion, numbers of the calibration."""

    calibration: str

    def __call__(self, camera: Any, p: Any, *, z: Any) -> Any:
        """Return the residual (2,)."""
        return see(self.calibration, FloatingPose().to_transform(camera[:7]), p, camera[7:], z, 0.0)


@dataclass(frozen=True)
class StereoProjection:
    """Residual (pixels) of the image of a point in two cameras side by side: columns left and right, row."""

    def __call__(self, T: Any, p: Any, *, z: Any, k: Any, sensor: Any) -> Any:
        """Return the residual (3,); `k` are a linear camera's numbers, less skew, and the cameras' distance (m)."""
        is_ahead, x, y, depth = _place_ahead(T @ sensor, p)
        u, v = k[0] * x + k[3], k[1] * y + k[4]
        r = vector([u, u - k[0] * k[5] / depth, v]) - z
        return vector([choose(is_ahead, entry, 2.0 * k[0]) for entry in r])


def see(calibration: str, T: Any, p: Any, k: Any, z: Any, behind: Any) -> Any:
    """Return the image of a point p less its measurement z, in a camera at T; of points behind it what is given."""
    is_ahead, x, y, _ = _place_ahead(T, p)
    r = CALIBRATIONS[calibration].image(k, x, y) - z
    return vector([choose(is_ahead, entry, behind) for entry in r])


def _place_ahead(T: Any, p: Any) -> tuple[Any, Any, Any, Any]:
    """Return whether a point is before a camera, its place in the plane at depth 1, and its depth (m)."""
    q = rotation(T).T @ (p - translation(T))
    is_ahead = q[2] > 0.0
    depth = choose(is_ahead, q[2], 1.0)
    return is_ahead, q[0] / depth, q[1] / depth, depth


def _read_mounted(template: Any, factor: Any, name: str, z: Any, k: np.ndarray) -> Reading:
    """Return the reading of a camera on a body: where the last of its numbers put it, or at the body's origin."""
    numbers, T = archived_numbers(factor, name)[-12:], SE3().random(np.random.default_rng(0))
    mount = np.vstack([np.column_stack([numbers[:9].reshape(3, 3), numbers[9:]]), [0.0, 0.0, 0.0, 1.0]])
    readings = [(template, (POSE3, POINT3), {"z": z, "k": k, "sensor": sensor}) for sensor in (mount, np.eye(4))]
    return choose_reading(factor, name, readings, lambda own: (T, (T @ own["sensor"] @ [0.2, 0.3, 2.0, 1.0])[:3]))


def _projection(calibration: str) -> Reader:
    def read(factor: Any, name: str) -> Reading:
        k = CALIBRATIONS[calibration].numbers(factor.calibration())
        return _read_mounted(Projection(calibration), factor, name, factor.measured(), k)

    return read


def _stereo(factor: Any, name: str) -> Reading:
    return _read_mounted(StereoProjection(), factor, name, factor.measured().vector(), factor.calibration().vector())


def _seen(template: Any, kinds: tuple[Kind, ...]) -> Reader:
    return lambda factor, name: (template, kinds, {"z": factor.measured()})


def _unknown(calibration: str) -> Kind:
    return calibration.lower(), Vector(CALIBRATIONS[calibration].size)


def _camera(calibration: str) -> Kind:
    return f"camera_{calibration.lower()}", product([FloatingPose(), Vector(CALIBRATIONS[calibration].size)])


CAMERAS: dict[str, Reader] = {
    **{f"GenericProjectionFactor{c}": _projection(c) for c in ("Cal3_S2", "Cal3DS2", "Cal3Unified", "Cal3Fisheye")},
    "GenericStereoFactor3D": _stereo,
    **{f"GeneralSFMFactor2{c}": _seen(SelfCalibration(c), (POSE3, POINT3, _unknown(c))) for c in CALIBRATIONS},
    **{f"GeneralSFMFactor{c}": _seen(CameraSelfCalibration(c), (_camera(c), POINT3)) for c in CALIBRATIONS},
}
