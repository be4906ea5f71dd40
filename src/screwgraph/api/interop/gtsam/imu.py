"""GTSAM's preintegrated inertial measurements: on the tangent space, with corrections of biases of the first order.

Forster et al. (2017); Lupton & Sukkarieh (2012). GTSAM adds corrections to a vector (rotation, displacement, velocity).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.base.errors import InputError
from screwgraph.spatial import concatenate, exp3, log3, log6, rotation, transform, translation


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


def read_imu_factor(factor: Any, name: str) -> tuple[Inertial, dict[str, Any]]:
    """Return the template and parameters of a `gtsam.ImuFactor`, which tells them by what it predicts.

    Raises:
        InputError: it is neither of the two residuals, as where the Earth turns under it.
    """
    pim = factor.preintegratedMeasurements()
    t, at, change = float(pim.deltaTij()), np.asarray(pim.biasHatVector()), np.asarray(pim.preintegrated())
    if t <= 0.0:
        raise InputError(f"{name}: nothing was integrated", fix="call integrateMeasurement first")
    rest = _predict_motion(pim, at)
    gravity = (rest[6:] - change[6:]) / t
    step = 0.5 / t  # a turn of half a radian, so that logarithms keep their branch
    ahead = [_predict_motion(pim, at + step * e) for e in np.eye(6)]
    slope = (np.array(ahead).T - rest[:, None]) / step
    parameters = {"t": t, "change": change, "slope": slope, "at": at, "gravity": gravity}
    states, theirs = _trial(factor, at)
    for template in (Inertial(True), Inertial(False)):
        ours = np.asarray(template(*states, **parameters), dtype=float)
        if np.abs(ours - theirs).max() < 1e-9 * (1.0 + np.abs(theirs).max()):
            return template, parameters
    raise InputError(f"{name}: its residual is not one that is known here", fix="leave out setOmegaCoriolis")


def _predict_motion(pim: Any, bias: np.ndarray) -> np.ndarray:
    """Return rotation vector, displacement and velocity that a body at rest at the origin comes to."""
    gtsam = import_gtsam()
    end = pim.predict(gtsam.NavState(), gtsam.imuBias.ConstantBias(bias[:3], bias[3:]))
    R = end.pose().rotation().matrix()
    return np.concatenate([np.asarray(log3(R), dtype=float), end.pose().translation(), end.velocity()])


def _trial(factor: Any, at: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return states, and GTSAM's residual there."""
    gtsam, rng = import_gtsam(), np.random.default_rng(0)
    Ti, Tj = (gtsam.Pose3.Expmap(rng.uniform(-0.5, 0.5, 6)) for _ in range(2))
    vi, vj, off = rng.uniform(-0.5, 0.5, 3), rng.uniform(-0.5, 0.5, 3), at + 0.01
    theirs = factor.evaluateError(Ti, vi, Tj, vj, gtsam.imuBias.ConstantBias(off[:3], off[3:]))
    return (Ti.matrix(), vi, Tj.matrix(), vj, off), np.asarray(theirs)
