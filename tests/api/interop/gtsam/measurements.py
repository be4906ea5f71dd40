"""One factor of GTSAM of each kind that is not in `graphs`, and values at which points are before cameras."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.api.interop.gtsam.graphs import random_bias

CAMERAS = {
    "Cal3_S2": (500.0, 510.0, 0.1, 320.0, 240.0),
    "Cal3DS2": (500.0, 510.0, 0.1, 320.0, 240.0, 0.1, 0.02, 0.003, 0.004),
    "Cal3Fisheye": (500.0, 510.0, 0.1, 320.0, 240.0, 0.1, 0.02, 0.003, 0.004),
    "Cal3Unified": (500.0, 510.0, 0.1, 320.0, 240.0, 0.1, 0.02, 0.003, 0.004, 0.5),
    "Cal3Bundler": (500.0, 0.1, 0.02, 0.0, 0.0),
}
A, B, P, Q, X, Y, M, N, R, V, W, S, BIAS, NEXT, K = range(15)
"""Keys of poses, points, poses and points in the plane, a rotation, velocities, a number, biases; K + i of cameras."""


def combined(gtsam: Any, rng: np.random.Generator, mode: str) -> Any:
    """Return half a second of inertial measurements whose biases walk."""
    given = gtsam.PreintegrationCombinedParams.MakeSharedU(9.81)
    given.setImuFactorErrorMode(getattr(gtsam.ImuFactorErrorMode, mode))
    found = gtsam.PreintegratedCombinedMeasurements(given, random_bias(gtsam, rng))
    for _ in range(10):
        found.integrateMeasurement(rng.normal(size=3) + np.array([0.0, 0.0, 9.8]), rng.normal(size=3), 0.05)
    return found


def measurements(gtsam: Any, seed: int = 0) -> tuple[list[Any], Any]:
    """Return factors and values."""
    rng = np.random.default_rng(seed)
    values, near = gtsam.Values(), lambda: gtsam.Pose3.Expmap(0.2 * rng.normal(size=6))
    for key, value in {
        A: near(),
        B: near(),
        P: np.array([0.3, 0.2, 4.0]) + 0.2 * rng.normal(size=3),
        Q: rng.normal(size=3),
        X: gtsam.Pose2(*rng.normal(size=3)),
        Y: gtsam.Pose2(*rng.normal(size=3)),
        M: rng.normal(size=2),
        N: rng.normal(size=2),
        R: gtsam.Rot3.Expmap(rng.normal(size=3)),
        V: rng.normal(size=3),
        W: rng.normal(size=3),
        S: 0.3,
        BIAS: random_bias(gtsam, rng),
        NEXT: random_bias(gtsam, rng),
    }.items():
        values.insert(key, value)

    def unit(n: int) -> Any:
        return gtsam.noiseModel.Isotropic.Sigma(n, 0.7)

    def direction() -> Any:
        return gtsam.Unit3(rng.normal(size=3))

    mount, flat = near(), gtsam.Pose2(0.1, 0.2, 0.3)
    found = [
        gtsam.RangeFactor2(M, N, 1.1, unit(1)),
        gtsam.RangeFactor3(P, Q, 1.1, unit(1)),
        gtsam.RangeFactor2D(X, M, 1.1, unit(1)),
        gtsam.RangeFactor3D(A, P, 1.1, unit(1)),
        gtsam.RangeFactorPose2(X, Y, 1.1, unit(1)),
        gtsam.RangeFactorPose3(A, B, 1.1, unit(1)),
        gtsam.RangeFactorWithTransform2D(X, M, 1.1, unit(1), flat),
        gtsam.RangeFactorWithTransform3D(A, P, 1.1, unit(1), mount),
        gtsam.RangeFactorWithTransformPose2(X, Y, 1.1, unit(1), flat),
        gtsam.RangeFactorWithTransformPose3(A, B, 1.1, unit(1), mount),
        gtsam.RangeFactorWithTransformBias2D(X, M, S, 1.1, unit(1), flat),
        gtsam.RangeFactorWithTransformBias3D(A, P, S, 1.1, unit(1), mount),
        gtsam.BearingFactor2D(X, M, gtsam.Rot2(2.9), unit(1)),
        gtsam.BearingFactorPose2(X, Y, gtsam.Rot2(-2.0), unit(1)),
        gtsam.BearingFactor3D(A, P, direction(), unit(2)),
        gtsam.BearingRangeFactor2D(X, M, gtsam.Rot2(1.0), 2.0, unit(2)),
        gtsam.BearingRangeFactorPose2(X, Y, gtsam.Rot2(1.0), 2.0, unit(2)),
        gtsam.BearingRangeFactor3D(A, P, direction(), 2.0, unit(3)),
        gtsam.BearingRangeFactorPose3(A, B, direction(), 2.0, unit(3)),
        gtsam.PoseTranslationPrior2D(X, flat, unit(2)),
        gtsam.PoseTranslationPrior3D(A, mount, unit(3)),
        gtsam.PoseRotationPrior2D(X, gtsam.Pose2(0.0, 0.0, 9.0), unit(1)),
        gtsam.PoseRotationPrior3D(A, mount, unit(3)),
        gtsam.GPSFactor(A, rng.normal(size=3), unit(3)),
        gtsam.GPSFactorArm(A, rng.normal(size=3), rng.normal(size=3), unit(3)),
        gtsam.AttitudeFactorPose3(A, direction(), unit(2), direction()),
        gtsam.AttitudeFactorRot3(R, direction(), unit(2)),
        gtsam.CombinedImuFactor(A, V, B, W, BIAS, NEXT, combined(gtsam, rng, "Logmap")),
        gtsam.PriorFactorDouble(S, 0.7, unit(1)),
        gtsam.PriorFactorPoint2(M, np.ones(2), unit(2)),
    ]
    for i, (name, numbers) in enumerate(CAMERAS.items()):
        made, z = getattr(gtsam, name)(*numbers), np.array([300.0, 200.0])
        values.insert(K + 2 * i, made)
        values.insert(K + 2 * i + 1, getattr(gtsam, f"PinholeCamera{name}")(near(), made))
        if name != "Cal3Bundler":
            project = getattr(gtsam, f"GenericProjectionFactor{name}")
            found += [project(z, unit(2), A, P, made, mount), project(z, unit(2), A, P, made)]
        found.append(getattr(gtsam, f"GeneralSFMFactor2{name}")(z, unit(2), A, P, K + 2 * i))
        found.append(getattr(gtsam, f"GeneralSFMFactor{name}")(z, unit(2), K + 2 * i + 1, P))
        found.append(getattr(gtsam, f"PriorFactor{name}")(K + 2 * i, made, unit(made.dim())))
    pair = gtsam.Cal3_S2Stereo(*CAMERAS["Cal3_S2"], 0.2)
    seen = gtsam.StereoPoint2(300.0, 290.0, 200.0)
    found.append(gtsam.GenericStereoFactor3D(seen, unit(3), A, P, pair, mount))
    found.append(gtsam.GenericStereoFactor3D(seen, unit(3), A, P, pair))
    return found, values


APPROXIMATE = ("BearingFactor3D", "BearingRangeFactor3D", "BearingRangeFactorPose3")
"""Whose Jacobians GTSAM takes as those of directions, not of logarithms of these."""
