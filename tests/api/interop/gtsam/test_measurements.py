"""Factors of GTSAM are templates of ours: residuals, Jacobians and solutions are those of GTSAM."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.api.interop.gtsam import from_gtsam, from_values, to_gtsam, to_values
from screwgraph.api.interop.gtsam.graph_import import READERS
from screwgraph.api.interop.gtsam.value_types import find_value_type, read_values
from screwgraph.optimize import solve
from tests.api.interop.gtsam.measurements import APPROXIMATE, CAMERAS, A, P, combined, measurements

pytestmark = pytest.mark.extra
gtsam = pytest.importorskip("gtsam")


def graph_of(factors):
    graph = gtsam.NonlinearFactorGraph()
    for factor in factors:
        graph.add(factor)
    return graph


def residual(factor, values):
    template, kinds, parameters = READERS[type(factor).__name__](factor, "it")
    states = [
        read_values(find_value_type(family, manifold), family, values, [key])[0]
        for (family, manifold), key in zip(kinds, factor.keys(), strict=True)
    ]
    return np.asarray(template(*states, **parameters), dtype=float)


@pytest.mark.parametrize("seed", range(3))
def test_residuals_are_those_of_gtsam(seed):
    factors, values = measurements(gtsam, seed)
    for factor in factors:
        theirs = factor.unwhitenedError(values)
        assert np.abs(residual(factor, values) - theirs).max() < 1e-9 * (1.0 + np.abs(theirs).max()), type(factor)


def test_jacobians_are_those_of_gtsam():
    factors, values = measurements(gtsam)
    graph = graph_of(f for f in factors if type(f).__name__ not in APPROXIMATE)
    found = from_gtsam(graph, values)
    ours = to_gtsam(found.problem, found.keys, together=1)
    assert ours.error(values) == pytest.approx(graph.error(values), rel=1e-12)
    order = graph.orderingCOLAMD()
    (H, g), (mine, own) = (x.linearize(values).hessian(order) for x in (graph, ours))
    scale = np.sqrt(np.maximum(np.diag(H), 1.0))
    assert np.abs((mine - H) / np.outer(scale, scale)).max() < 1e-9
    assert np.abs((own - g) / scale).max() < 1e-9 * np.sqrt(2.0 * graph.error(values))


@pytest.mark.parametrize("name", APPROXIMATE)
def test_jacobians_of_bearings_are_those_of_differences(name):
    factors, values = measurements(gtsam, 1)
    graph = graph_of(f for f in factors if type(f).__name__ == name)
    found = from_gtsam(graph, values)
    problem, h = found.problem, 1e-6
    x, J = problem.start(found.start), to_gtsam(problem, found.keys).linearize(values).at(0).jacobian()[0]
    for i in range(problem.layout.size):
        d = np.zeros(problem.layout.size)
        d[i] = h
        ends = [to_values(problem, problem.layout.views(problem.layout.retract(x, e)), found.keys) for e in (d, -d)]
        slope = np.subtract(*(graph.at(0).whitenedError(end) for end in ends)) / (2.0 * h)
        assert np.abs(slope - J[:, i]).max() < 1e-7


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-3, 0.03, 0.0317, 3.0])
def test_bearings_that_agree_or_oppose_have_finite_slopes(off):
    x, p = gtsam.Pose3.Expmap([0.1, 0.2, 0.3, 1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    values, unit = gtsam.Values(), gtsam.noiseModel.Unit.Create(3)
    values.insert(A, x)
    values.insert(P, p)
    factor = gtsam.BearingRangeFactor3D(A, P, x.bearing(p).retract([off, 0.0]), x.range(p), unit)
    found = from_gtsam(graph_of([factor]), values)
    J, b = to_gtsam(found.problem, found.keys).linearize(values).at(0).jacobian()
    assert np.abs(b + factor.whitenedError(values)).max() < 1e-9
    assert np.linalg.norm(b) == pytest.approx(off, abs=1e-9)
    assert np.isfinite(J).all()
    if off < 0.1:  # turning the body by an angle turns the bearing by it, but about itself
        assert np.linalg.svd(J[:2, :3])[1] == pytest.approx([1.0, 1.0], abs=off + 1e-12)


@pytest.mark.parametrize("name", CAMERAS)
def test_points_behind_a_camera_cost_what_they_cost_in_gtsam(name):
    values, made, unit = gtsam.Values(), getattr(gtsam, name)(*CAMERAS[name]), gtsam.noiseModel.Unit.Create(2)
    for key, value in {A: gtsam.Pose3(), P: np.array([0.1, 0.2, -1.0]), 7: made}.items():
        values.insert(key, value)
    values.insert(8, getattr(gtsam, f"PinholeCamera{name}")(gtsam.Pose3(), made))
    factors = [getattr(gtsam, f"GeneralSFMFactor{name}")(np.ones(2), unit, 8, P)]
    if name != "Cal3Bundler":
        factors.append(getattr(gtsam, f"GenericProjectionFactor{name}")(np.ones(2), unit, A, P, made))
    graph = graph_of(factors)
    found = from_gtsam(graph, values)
    ours = to_gtsam(found.problem, found.keys)
    assert ours.error(values) == graph.error(values) == (0.0 if name == "Cal3Bundler" else 1e6)
    assert not np.abs(ours.linearize(values).hessian(graph.orderingCOLAMD())[0]).any()


def test_a_map_of_landmarks_is_the_one_that_gtsam_finds():
    rng, models = np.random.default_rng(0), gtsam.noiseModel
    truth = {i: gtsam.Pose2(0.5 * i, np.sin(0.5 * i), 0.3 * i) for i in range(8)}
    marks = {100 + j: rng.uniform(-1.0, 5.0, 2) for j in range(5)}
    robust = models.Robust.Create(models.mEstimator.Welsch.Create(3.0), models.Diagonal.Sigmas([0.02, 0.05]))
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    graph.add(gtsam.NonlinearEqualityPose2(0, truth[0]))
    for i, pose in truth.items():
        values.insert(i, pose.retract((i > 0) * 0.05 * rng.normal(size=3)))
        for key, mark in marks.items():
            bearing = gtsam.Rot2(pose.bearing(mark).theta() + 0.02 * rng.normal())
            graph.add(gtsam.BearingRangeFactor2D(i, key, bearing, pose.range(mark) + 0.05 * rng.normal(), robust))
    for key, mark in marks.items():
        values.insert(key, mark + 0.1 * rng.normal(size=2))
        graph.add(gtsam.RangeFactor2D(3, key, truth[3].range(mark), models.Isotropic.Sigma(1, 0.1)))
    check_optimum(graph, values)


def test_a_bundle_of_images_is_the_one_that_gtsam_finds():
    rng, models = np.random.default_rng(0), gtsam.noiseModel
    K, mount = gtsam.Cal3_S2(500.0, 500.0, 0.0, 320.0, 240.0), gtsam.Pose3.Expmap([0.1, 0.0, 0.0, 0.0, 0.1, 0.2])
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    points = {100 + j: rng.uniform([-1.0, -1.0, 4.0], [1.0, 1.0, 6.0]) for j in range(12)}
    for i in range(4):
        body = gtsam.Pose3.Expmap([0.02 * i, 0.05 * i, 0.0, -0.3 * i, 0.1 * i, 0.05 * i])
        values.insert(i, body.retract((i > 0) * 0.01 * rng.normal(size=6)))
        camera = gtsam.PinholeCameraCal3_S2(body.compose(mount), K)
        for key, p in points.items():
            z = camera.project(p) + 0.5 * rng.normal(size=2)
            graph.add(gtsam.GenericProjectionFactorCal3_S2(z, models.Isotropic.Sigma(2, 0.5), i, key, K, mount))
    graph.add(gtsam.NonlinearEqualityPose3(0, gtsam.Pose3()))
    graph.add(gtsam.PoseTranslationPrior3D(1, np.array([-0.3, 0.1, 0.05]), models.Isotropic.Sigma(3, 0.01)))
    for key, p in points.items():
        values.insert(key, p + 0.05 * rng.normal(size=3))
    check_optimum(graph, values)


def test_combined_inertial_measurements_lead_where_they_lead_in_gtsam():
    rng, models = np.random.default_rng(0), gtsam.noiseModel
    graph, values, state = gtsam.NonlinearFactorGraph(), gtsam.Values(), gtsam.NavState()
    graph.add(gtsam.PriorFactorPose3(0, gtsam.Pose3(), models.Isotropic.Sigma(6, 0.1)))
    graph.add(gtsam.PriorFactorVector(10, np.zeros(3), models.Isotropic.Sigma(3, 0.1)))
    graph.add(gtsam.PriorFactorConstantBias(20, gtsam.imuBias.ConstantBias(), models.Isotropic.Sigma(6, 0.3)))
    for i in range(4):
        values.insert(i, state.pose().retract(0.1 * rng.normal(size=6)))
        values.insert(10 + i, state.velocity() + 0.1 * rng.normal(size=3))
        values.insert(20 + i, gtsam.imuBias.ConstantBias())
        pim = combined(gtsam, rng, "Logmap")
        state = pim.predict(state, gtsam.imuBias.ConstantBias(0.01 * np.ones(3), 0.01 * np.ones(3)))
        if i < 3:
            graph.add(gtsam.CombinedImuFactor(i, 10 + i, i + 1, 11 + i, 20 + i, 21 + i, pim))
            graph.add(gtsam.GPSFactor(i + 1, state.position(), models.Isotropic.Sigma(3, 0.05)))
    check_optimum(graph, values)


def test_ranges_of_coincident_places_have_finite_slopes():
    values, unit = gtsam.Values(), gtsam.noiseModel.Unit.Create(1)
    values.insert(0, np.ones(2))
    values.insert(1, np.ones(2))
    graph = graph_of([gtsam.RangeFactor2(0, 1, 0.5, unit)])
    found = from_gtsam(graph, values)
    J, b = to_gtsam(found.problem, found.keys).linearize(values).at(0).jacobian()
    assert np.isfinite(J).all()
    assert b == pytest.approx([0.5])


def check_optimum(graph, values):
    """Check that optima cost the same in both libraries, and are the same values."""
    found = from_gtsam(graph, values)
    parameters = gtsam.LevenbergMarquardtParams()
    parameters.setRelativeErrorTol(1e-14)
    parameters.setAbsoluteErrorTol(1e-14)
    parameters.setMaxIterations(200)
    theirs = gtsam.LevenbergMarquardtOptimizer(graph, values, parameters).optimize()
    ours = solve(found.problem, found.start)
    assert ours.success
    assert ours.cost == pytest.approx(graph.error(theirs), rel=1e-8)
    for name, back in from_values(found.problem, theirs, found.keys).items():
        assert np.abs(back - ours.values[name]).max() < 1e-4, name
