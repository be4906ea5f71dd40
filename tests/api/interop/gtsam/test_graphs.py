"""GTSAM's graphs are our problems, and ours its graphs: costs, Jacobians and solutions are those of GTSAM."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from screwgraph.api.interop.gtsam import from_gtsam, from_values, symbols, to_gtsam, to_values
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.base.errors import InputError
from screwgraph.optimize import (
    Cauchy,
    Problem,
    Variables,
    Vector,
    cost,
    each,
    equality,
    inequality,
    soft,
    solve,
)
from screwgraph.spatial.manifolds import SE3, FloatingPose, UnitQuaternion, product
from tests.api.interop.gtsam.graphs import integrated, random_bias, random_graph

pytestmark = pytest.mark.extra
gtsam = pytest.importorskip("gtsam")
X = Variables("x", Vector(2), count=6)


def away(x, *, z):
    return x - z


def step(a, b, *, z):
    return b - a - z + 0.1 * a * b


def small_problem(*more):
    rng = np.random.default_rng(0)
    moves = soft(step, X[:-1], X[1:], z=each(rng.normal(size=(5, 2))), covariance=[[2.0, 0.5], [0.5, 1.0]])
    return Problem([soft(away, X[0], z=np.zeros(2), sigma=0.1), moves, *more])


def cost_of(problem, values):
    return problem.assembly.cost(problem.start(values))


def test_the_round_trip_keeps_the_cost():
    graph, values = random_graph(gtsam)
    found = from_gtsam(graph, values)
    expected = graph.error(values)
    assert cost_of(found.problem, found.start) == pytest.approx(expected, rel=1e-12)
    again = to_values(found.problem, found.start, found.keys)
    assert again.equals(values, 1e-15)
    for together in (1, 4, 100):
        assert to_gtsam(found.problem, found.keys, together=together).error(again) == pytest.approx(expected, rel=1e-12)
    back = from_values(found.problem, values, found.keys)
    assert all((back[name] == found.start[name]).all() for name in back)


@pytest.mark.parametrize("together", [1, 3])
def test_jacobians_are_those_of_gtsam(together):
    graph, values = random_graph(gtsam)
    found = from_gtsam(graph, values)
    order = graph.orderingCOLAMD()
    H, g = graph.linearize(values).hessian(order)
    ours, ours_g = to_gtsam(found.problem, found.keys, together=together).linearize(values).hessian(order)
    # GTSAM's logarithms lose digits where turns are small: their derivatives err by 1e-12.
    assert np.abs(ours - H).max() < 1e-11 * np.abs(H).max()
    assert np.abs(ours_g - g).max() < 1e-10 * np.abs(g).max()


@pytest.mark.parametrize("mode", ["Legacy", "ComponentWise", "Logmap"])
def test_inertial_factors_are_read_in_each_way_that_gtsam_counts(mode):
    rng = np.random.default_rng(4)
    pim = integrated(gtsam, rng, getattr(gtsam.ImuFactorErrorMode, mode))
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    graph.add(gtsam.ImuFactor(0, 10, 1, 11, 20, pim))
    for i in range(2):
        values.insert(i, gtsam.Pose3.Expmap(rng.normal(size=6)))
        values.insert(10 + i, rng.normal(size=3))
    values.insert(20, random_bias(gtsam, rng))
    found = from_gtsam(graph, values)
    assert cost_of(found.problem, found.start) == pytest.approx(graph.error(values), rel=1e-11)


def test_gtsam_finds_the_solution_of_our_solver():
    loss = soft(away, X[5], z=[9.0, 0.0], loss=Cauchy(1.0), name="far")
    problem = small_problem(loss)
    start = {"x": 0.1 * np.ones((6, 2))}
    ours = solve(problem, start)
    graph, values = to_gtsam(problem, together=4), to_values(problem, start)
    found = gtsam.LevenbergMarquardtOptimizer(graph, values).optimize()
    assert graph.error(found) == pytest.approx(ours.cost, rel=1e-6)
    assert graph.error(to_values(problem, ours.values)) == pytest.approx(ours.cost, rel=1e-12)


def test_hard_factors_are_constraints():
    problem = small_problem(equality(away, X[[2, 4]], z=np.ones(2), name="held"))
    start = {"x": 0.1 * np.ones((6, 2))}
    found = gtsam.GaussNewtonOptimizer(to_gtsam(problem), to_values(problem, start)).optimize()
    ours, theirs = solve(problem, start).values["x"], from_values(problem, found)["x"]
    assert np.abs(theirs[[2, 4]] - 1.0).max() < 1e-9
    assert np.abs(theirs - ours).max() < 1e-4  # GTSAM stops at changes of the cost of 1e-5


def test_isam_takes_our_factors():
    problem, start = small_problem(), {"x": 0.1 * np.ones((6, 2))}
    parameters = gtsam.ISAM2Params()
    parameters.setRelinearizeThreshold(1e-9)
    parameters.relinearizeSkip = 1
    isam = gtsam.ISAM2(parameters)
    isam.update(to_gtsam(problem, together=2), to_values(problem, start))
    for _ in range(20):
        isam.update()
    found = from_values(problem, isam.calculateBestEstimate())
    assert np.abs(found["x"] - solve(problem, start).values["x"]).max() < 1e-6


@pytest.mark.parametrize("manifold", [FloatingPose(), UnitQuaternion()])
def test_quaternions_of_ours_move_as_rotations_of_gtsam(manifold):
    rng = np.random.default_rng(2)
    v, x, d = Variables("q", manifold), manifold.random(rng), 0.3 * rng.normal(size=manifold.dim)
    problem = Problem([soft(lambda q: q, v, name="all")])
    values = to_values(problem, {"q": x[None]})
    key, step = symbols(problem)["q"][0], gtsam.VectorValues()
    step.insert(key, d)
    moved = from_values(problem, values.retract(step))["q"][0]
    assert np.abs(manifold.difference(x, moved) - d).max() < 1e-12


def test_what_gtsam_cannot_say_is_refused():
    with pytest.raises(InputError, match="an inequality"):
        to_gtsam(small_problem(inequality(away, X[0], z=np.zeros(2), name="below")))
    with pytest.raises(InputError, match="no square"):
        to_gtsam(small_problem(cost(lambda x: x[0], X[0], name="slope")))
    pair = Variables("p", product([UnitQuaternion(), Vector(2)]))
    with pytest.raises(InputError, match="GTSAM has no type"):
        to_values(Problem([soft(lambda p: p, pair, name="all")]), {})
    with pytest.raises(InputError, match="5 keys for 6 unknowns"):
        to_values(small_problem(), {}, {"x": range(5)})
    with pytest.raises(InputError, match="same key"):
        to_values(small_problem(), {}, {"x": [0] * 6})
    with pytest.raises(InputError, match="no Vector"):
        from_values(small_problem(), gtsam.Values())


def test_what_we_cannot_read_is_named():
    graph, values = gtsam.NonlinearFactorGraph(), gtsam.Values()
    with pytest.raises(InputError, match="without factors"):
        from_gtsam(graph, values)
    graph.add(gtsam.PriorFactorUnit3(1, gtsam.Unit3(), gtsam.noiseModel.Unit.Create(2)))
    with pytest.raises(InputError, match="PriorFactorUnit3: no such factor"):
        from_gtsam(graph, values)
    graph = gtsam.NonlinearFactorGraph()
    graph.add(gtsam.PriorFactorPose3(1, gtsam.Pose3(), gtsam.noiseModel.Unit.Create(6)))
    with pytest.raises(InputError, match="no Pose3"):
        from_gtsam(graph, values)


def test_without_gtsam_one_is_told_how_to_install_it(monkeypatch):
    import_gtsam.cache_clear()
    monkeypatch.setitem(sys.modules, "gtsam", None)
    with pytest.raises(InputError, match=r"pip install 'screwgraph\[gtsam\]'"):
        to_values(small_problem(), {})
    import_gtsam.cache_clear()


def test_a_manifold_keeps_its_name_in_the_values():
    v = Variables("x", SE3(), 2)
    problem = Problem([soft(lambda T: T[:3, 3], v, name="place")])
    assert [gtsam.Symbol(k).string() for k in symbols(problem)["x"]] == ["x0", "x1"]
    assert to_values(problem, {}).atPose3(symbols(problem)["x"][0]).equals(gtsam.Pose3(), 0.0)
