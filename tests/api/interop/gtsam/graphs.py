"""Graphs of GTSAM with each factor that we read, at random values."""

from __future__ import annotations

from typing import Any

import numpy as np

COUNT = 5
LOSSES = (
    *("Huber", "Cauchy", "GemanMcClure", "Tukey", "Fair", "Welsch", "DCS", "TruncatedLeastSquares", "L2WithDeadZone"),
    *("AsymmetricCauchy", "AsymmetricTukey"),
)


def random_graph(gtsam: Any, seed: int = 0) -> tuple[Any, Any]:
    """Return a graph of chains of poses, rotations, vectors, biases, with inertial measurements, and values."""
    rng, models = np.random.default_rng(seed), gtsam.noiseModel
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    A = rng.normal(size=(6, 6))
    full = models.Gaussian.Covariance(A @ A.T + np.eye(6))
    losses = [getattr(models.mEstimator, n).Create(1.3) for n in LOSSES]
    robust = [models.Robust.Create(loss, models.Diagonal.Sigmas([0.5, 1.0, 2.0])) for loss in losses]
    unit, six = models.Isotropic.Sigma(3, 0.3), models.Isotropic.Sigma(6, 0.1)
    for i in range(COUNT):
        values.insert(i, gtsam.Pose3.Expmap(rng.normal(size=6)))
        values.insert(100 + i, gtsam.Pose2(*2.0 * rng.normal(size=3)))
        values.insert(200 + i, rng.normal(size=3))
        values.insert(300 + i, gtsam.Rot3.Expmap(rng.normal(size=3)))
        values.insert(400 + i, random_bias(gtsam, rng))
    for i in range(COUNT - 1):
        graph.add(gtsam.BetweenFactorPose3(i, i + 1, gtsam.Pose3.Expmap(rng.normal(size=6)), full))
        graph.add(gtsam.BetweenFactorPose2(100 + i, 101 + i, gtsam.Pose2(*2.0 * rng.normal(size=3)), robust[i]))
        graph.add(gtsam.BetweenFactorRot3(300 + i, 301 + i, gtsam.Rot3.Expmap(rng.normal(size=3)), robust[4 + i]))
        graph.add(gtsam.BetweenFactorVector(200 + i, 201 + i, rng.normal(size=3), unit))
        graph.add(gtsam.BetweenFactorRot3(300 + i, 301 + i, gtsam.Rot3.Expmap(rng.normal(size=3)), unit))
        graph.add(gtsam.BetweenFactorConstantBias(400 + i, 401 + i, gtsam.imuBias.ConstantBias(), six))
        graph.add(gtsam.ImuFactor(i, 200 + i, i + 1, 201 + i, 400 + i, integrated(gtsam, rng)))
    graph.add(gtsam.PriorFactorPose3(0, gtsam.Pose3(), full))
    graph.add(gtsam.PriorFactorPose2(100, gtsam.Pose2(1.0, 2.0, 3.0), robust[8]))
    graph.add(gtsam.PriorFactorVector(200, np.ones(3), unit))
    graph.add(gtsam.PriorFactorPoint3(201, np.ones(3), models.Unit.Create(3)))
    graph.add(gtsam.PriorFactorRot3(300, gtsam.Rot3(), unit))
    graph.add(gtsam.PriorFactorConstantBias(400, gtsam.imuBias.ConstantBias(), six))
    return graph, values


def random_bias(gtsam: Any, rng: np.random.Generator) -> Any:
    """Return biases of a few tenths."""
    return gtsam.imuBias.ConstantBias(0.1 * rng.normal(size=3), 0.1 * rng.normal(size=3))


def integrated(gtsam: Any, rng: np.random.Generator, mode: Any = None) -> Any:
    """Return half a second of inertial measurements."""
    given = gtsam.PreintegrationParams.MakeSharedU(9.81)
    if mode is not None:
        given.setImuFactorErrorMode(mode)
    found = gtsam.PreintegratedImuMeasurements(given, random_bias(gtsam, rng))
    for _ in range(10):
        found.integrateMeasurement(rng.normal(size=3) + np.array([0.0, 0.0, 9.8]), rng.normal(size=3), 0.05)
    return found
