"""Nonlinear equalities are hard factors of ours, and hard priors of ours are nonlinear equalities."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.api.interop.gtsam import from_gtsam, from_values, to_gtsam, to_values
from screwgraph.api.interop.gtsam.equalities import PINNED
from screwgraph.api.interop.pose_graph import Between, Prior
from screwgraph.base.errors import InputError
from screwgraph.optimize import Problem, Variables, Vector, each, equality, soft, solve
from screwgraph.spatial.manifolds import SE2, SE3
from tests.api.interop.gtsam.graphs import random_bias

pytestmark = pytest.mark.extra
gtsam = pytest.importorskip("gtsam")


def sample(name, rng):
    return {
        "Pose3": lambda: gtsam.Pose3.Expmap(rng.normal(size=6)),
        "Pose2": lambda: gtsam.Pose2(*rng.normal(size=3)),
        "Rot3": lambda: gtsam.Rot3.Expmap(rng.normal(size=3)),
        "Point2": lambda: rng.normal(size=2),
        "Point3": lambda: rng.normal(size=3),
        "ConstantBias": lambda: random_bias(gtsam, rng),
        "Cal3_S2": lambda: gtsam.Cal3_S2(*rng.normal(size=5)),
    }[name]()


@pytest.mark.parametrize("gain", [(), (3.0,)])
@pytest.mark.parametrize("name", PINNED)
def test_known_and_equal_values_are_hard_factors(name, gain):
    rng, graph, values = np.random.default_rng(0), gtsam.NonlinearFactorGraph(), gtsam.Values()
    known = sample(name, rng)
    graph.add(getattr(gtsam, f"NonlinearEquality{name}")(0, known, *gain))
    graph.add(getattr(gtsam, f"NonlinearEquality2{name}")(0, 1))
    values.insert(0, known)
    values.insert(1, sample(name, rng))
    found = from_gtsam(graph, values)
    assert [f.kind for f in found.problem.factors] == ["equality"] * 2
    result = solve(found.problem, found.start)
    expected = gtsam.Values()
    expected.insert(0, known)
    expected.insert(1, known)
    assert to_values(found.problem, result.values, found.keys).equals(expected, 1e-6)
    (pinned, _) = found.problem.factors
    own = from_values(found.problem, expected, found.keys)[found.problem.families[0].name][0]
    assert np.abs(pinned.each["z"][0] - own).max() < 1e-15 * max(1.0, np.abs(own).max())  # exact, but for an angle
    again = to_gtsam(found.problem, found.keys)
    assert f"NonlinearEquality{name}" in [type(again.at(i)).__name__ for i in range(again.size())]
    assert again.error(expected) == 0.0


def test_hard_priors_are_kept_by_gtsam_from_far_away():
    x = Variables("x", SE3(), 4)
    rng = np.random.default_rng(0)
    z, ends = SE3().random(rng), np.array([SE3().random(rng) for _ in range(2)])
    steps = soft(Between(SE3()), x[:-1], x[1:], z=z, sigma=0.1)
    problem = Problem([equality(Prior(SE3()), x[[0, 3]], z=each(ends)), steps])
    graph = to_gtsam(problem)
    assert [type(graph.at(i)).__name__ for i in range(3)] == ["NonlinearEqualityPose3"] * 2 + ["CustomFactor"]
    found = gtsam.LevenbergMarquardtOptimizer(graph, to_values(problem, {})).optimize()
    theirs, ours = from_values(problem, found)["x"], solve(problem).values["x"]
    assert np.abs(theirs[[0, 3]] - ends).max() < 1e-6
    assert np.abs(ours[[0, 3]] - ends).max() < 1e-6
    assert graph.error(to_values(problem, {"x": theirs})) == pytest.approx(solve(problem).cost, rel=1e-3)


def test_one_known_value_of_many_and_types_that_gtsam_has_no_equality_of():
    x, y = Variables("x", SE2(), 3), Variables("y", Vector(4), 2)
    pins = [equality(Prior(SE2()), x, z=[1.0, 2.0, 3.0]), equality(Prior(Vector(4)), y, z=np.ones(4))]
    problem = Problem(pins)
    graph = to_gtsam(problem)
    names = [type(graph.at(i)).__name__ for i in range(graph.size())]
    assert names.count("NonlinearEqualityPose2") == 3
    assert set(names) == {"NonlinearEqualityPose2", "CustomFactor"}
    values = {"x": np.tile([1.0, 2.0, 3.0], (3, 1)), "y": np.ones((2, 4))}
    assert graph.error(to_values(problem, values)) == pytest.approx(0.0, abs=1e-12)
    values["x"][2, 0] += 0.1
    assert graph.error(to_values(problem, values)) == pytest.approx(0.5 * 1000.0 * 0.01)


def test_equalities_of_parts_are_refused():
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    values.insert(0, np.zeros(2))
    half = gtsam.noiseModel.Constrained.MixedSigmas(1000.0, np.array([0.0, 1.0]))
    graph.add(gtsam.PriorFactorPoint2(0, np.zeros(2), half))
    with pytest.raises(InputError, match="only a part"):
        from_gtsam(graph, values)
