"""GTSAM's preintegrated inertial measurements: on the tangent space, with corrections of biases of the first order.

Forster et al. (2017); Lupton & Sukkarieh (2012). GTSAM adds corrections to a vector (rotation, displacement, velocity).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.factor_reading import POINT3, POSE3, Reading, choose_reading
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.api.interop.gtsam.value_types import BIASES
from screwgraph.base.errors import InputError
from screwgraph.spatial import concatenate, exp3, exp6, log3, log6, rotation, transform, translation
from screwgraph.spatial.manifolds import Vector


@dataclass(frozen=True)
class Inertial:
    """Residual (9,) of rotation, place and velocity: what leads from the second state to the predicted one.

    Unknowns are pose (4, 4) and velocity (3,) at both ends, and biases (6,): accelerometer, then gyroscope. `exact`
    takes the logarithm of extended poses, else parts are taken one by one, as GTSAM did before 4.3.
    """

    exact: bool

    def __call__(
        self, Ti: Any, vi: Any, Tj: Any, vj: Any, bias: Any, *, t: Any, change: Any, slope: Any, at: Any, gravity: Any
    ) -> Any:
        """Return the residual of a change (9,) over t (s), its derivative (9, 6) by biases, which were `at` (6,)."""
        Ri, Rj = rotation(Ti), rotation(Tj)
        d = change + slope @ (bias - at)
        R = Rj.T @ Ri @ exp3(d[:3])
        p = Rj.T @ (translation(Ti) + t * vi + 0.5 * t * t * gravity + Ri @ d[3:6] - translation(Tj))
        v = Rj.T @ (vi + t * gravity + Ri @ d[6:] - vj)
        if not self.exact:
            return concatenate(log3(R), p, v)
        return concatenate(log6(transform(R, p)), log6(transform(R, v))[3:])


@dataclass(frozen=True)
class CombinedInertial:
    """Residual (15,): that of `Inertial`, and the change of biases (6,) from the second state to the first."""

    inertial: Inertial

    def __call__(self, Ti: Any, vi: Any, Tj: Any, vj: Any, bias: Any, next_bias: Any, **parameters: Any) -> Any:
        """Return the residual; parameters are those of `Inertial`."""
        return concatenate(self.inertial(Ti, vi, Tj, vj, bias, **parameters), bias - next_bias)


def read_imu_factor(factor: Any, name: str) -> Reading:
    """Return a `gtsam.ImuFactor` or `CombinedImuFactor`, which tells its parameters by what it predicts.

    Raises:
        InputError: it is none of the known residuals, as where the Earth turns under it.
    """
    pim = factor.preintegratedMeasurements()
    t, at = float(pim.deltaTij()), np.asarray(pim.biasHatVector())
    if t <= 0.0:
        raise InputError(f"{name}: nothing was integrated", fix="call integrateMeasurement first")
    rest = _predict_motion(pim, at)
    gravity = (rest[6:] - pim.deltaVij()) / t
    change = rest - np.concatenate([np.zeros(3), 0.5 * t * t * gravity, t * gravity])
    step = 0.5 / t  # a turn of half a radian, so that logarithms keep their branch
    ahead = [_predict_motion(pim, at + step * e) for e in np.eye(6)]
    slope = (np.array(ahead).T - rest[:, None]) / step
    parameters = {"t": t, "change": change, "slope": slope, "at": at, "gravity": gravity}
    is_combined = len(factor.keys()) == 6
    kinds = (POSE3, POINT3, POSE3, POINT3, *[(BIASES, Vector(6))] * (1 + is_combined))
    templates = [CombinedInertial(own) if is_combined else own for own in (Inertial(True), Inertial(False))]
    return choose_reading(factor, name, [(own, kinds, parameters) for own in templates], _sample_states)


def _sample_states(parameters: dict[str, Any]) -> list[np.ndarray]:
    """Return states that turn by less than half a turn, and biases near those of the integration."""
    rng, at = np.random.default_rng(0), parameters["at"]
    Ti, Tj = (np.asarray(exp6(rng.uniform(-0.5, 0.5, 6)), dtype=float) for _ in range(2))
    return [Ti, rng.uniform(-0.5, 0.5, 3), Tj, rng.uniform(-0.5, 0.5, 3), at + 0.01, at - 0.01]


def _predict_motion(pim: Any, bias: np.ndarray) -> np.ndarray:
    """Return rotation vector, displacement and velocity that a body at rest at the origin comes to."""
    gtsam = import_gtsam()
    end = pim.predict(gtsam.NavState(), gtsam.imuBias.ConstantBias(bias[:3], bias[3:]))
    R = end.pose().rotation().matrix()
    return np.concatenate([np.asarray(log3(R), dtype=float), end.pose().translation(), end.velocity()])
