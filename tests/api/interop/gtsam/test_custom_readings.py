"""Custom factors of GTSAM, whose residuals are functions in Python, are templates of ours where these are given."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from screwgraph.api.interop.gtsam import from_gtsam, to_gtsam
from screwgraph.base.errors import InputError
from screwgraph.optimize import solve
from screwgraph.spatial import vector

pytestmark = pytest.mark.extra
gtsam = pytest.importorskip("gtsam")
UNIT = gtsam.noiseModel.Isotropic.Sigma(1, 0.5)


def height(T, p, *, z):
    """Height of a point over a body along the body's own axis, less a measurement."""
    return vector([T[:3, 2] @ (p - T[:3, 3]) - z])


def custom(z):
    def error(this, values, slopes):
        T, p = values.atPose3(this.keys()[0]), values.atPoint3(this.keys()[1])
        local = T.transformTo(p)
        if slopes is not None:
            slopes[0] = np.array([[-local[1], local[0], 0.0, 0.0, 0.0, -1.0]])
            slopes[1] = T.rotation().matrix()[None, :, 2]
        return np.array([local[2] - z])

    return gtsam.CustomFactor(UNIT, [0, 1], error)


def custom_graph():
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    for z in (0.3, 0.5):
        graph.add(custom(z))
    graph.add(gtsam.PriorFactorPoint3(1, np.ones(3), gtsam.noiseModel.Isotropic.Sigma(3, 0.5)))
    graph.add(gtsam.PriorFactorPose3(0, gtsam.Pose3(), gtsam.noiseModel.Isotropic.Sigma(6, 0.5)))
    values.insert(0, gtsam.Pose3.Expmap([0.1, -0.2, 0.3, 0.1, 0.2, 0.3]))
    values.insert(1, np.array([1.0, 2.0, 3.0]))
    return graph, values


def test_custom_factors_are_templates_with_their_parameters():
    graph, values = custom_graph()
    found = from_gtsam(graph, values, custom={0: partial(height, z=0.3), 1: partial(height, z=0.5)})
    assert [(f.name, len(f)) for f in found.problem.factors] == [("height", 2), ("prior", 1), ("prior 2", 1)]
    ours = to_gtsam(found.problem, found.keys, together=1)
    assert ours.error(values) == pytest.approx(graph.error(values), rel=1e-12)
    order = graph.orderingCOLAMD()
    (H, g), (mine, own) = (x.linearize(values).hessian(order) for x in (graph, ours))
    assert np.abs(H - mine).max() < 1e-12 * np.abs(H).max()
    assert np.abs(g - own).max() < 1e-12 * np.abs(g).max()
    theirs = gtsam.LevenbergMarquardtOptimizer(graph, values).optimize()
    assert solve(found.problem, found.start).cost == pytest.approx(graph.error(theirs), rel=1e-6)


def test_what_is_no_template_of_it_is_refused():
    graph, values = custom_graph()
    with pytest.raises(
        InputError, match=r"factor 0, CustomFactor: its residual is a function in Python .*custom=\{0: f"
    ):
        from_gtsam(graph, values)
    with pytest.raises(InputError, match="factor 1, CustomFactor: the template returns"):
        from_gtsam(graph, values, custom={0: partial(height, z=0.3), 1: partial(height, z=0.3)})
    with pytest.raises(InputError, match="does not take pose3, vector3"):
        from_gtsam(graph, values, custom={0: lambda x: x})
    with pytest.raises(InputError, match="there is no factor 9"):
        from_gtsam(graph, values, custom={9: height})
    with pytest.raises(InputError, match="of no known type"):
        from_gtsam(graph, gtsam.Values(), custom={0: height})


def test_factors_of_unknown_types_may_be_templates_too():
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    graph.add(gtsam.VectorNormFactor3(0, 2.0, UNIT))
    values.insert(0, np.array([1.0, 2.0, 2.0]))
    found = from_gtsam(graph, values, custom={0: lambda x: vector([(x @ x) ** 0.5 - 2.0])})
    assert solve(found.problem, found.start).cost < 1e-12
    smart = gtsam.SmartProjectionPoseFactorCal3_S2(gtsam.noiseModel.Unit.Create(2), gtsam.Cal3_S2())
    smart.add(np.zeros(2), 1)
    graph.add(smart)
    with pytest.raises(InputError, match="has no residual"):
        from_gtsam(graph, values, custom={0: lambda x: vector([(x @ x) ** 0.5 - 2.0]), 1: height})
