"""Our Bayes tree is GTSAM's elimination of the same graph in the same order."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.api.interop.gtsam import bayes_net, elimination_order, to_gtsam, to_values
from screwgraph.optimize import Incremental, Problem, Variables, each, soft
from screwgraph.spatial.manifolds import SE3, Vector
from tests.optimize.graphs import pose_ring, relative

pytestmark = pytest.mark.extra
gtsam = pytest.importorskip("gtsam")


def in_order(net, order):
    """Return a Bayes net whose conditionals stand in an order; GTSAM sorts those that do not depend on each other."""
    own = {net.at(i).firstFrontalKey(): net.at(i) for i in range(net.size())}
    found = gtsam.GaussianBayesNet()
    for i in range(order.size()):
        found.push_back(own[order.at(i)])
    return found


def check(solver):
    problem, start = solver.problem, solver.origin
    linear = to_gtsam(problem, together=1).linearize(to_values(problem, start))
    order = elimination_order(solver)
    theirs, ours = in_order(linear.eliminateSequential(order), order), bayes_net(solver)
    assert ours.size() == theirs.size() == order.size()
    (R, d), (mine, own) = theirs.matrix(), ours.matrix()
    signs = np.sign(np.diag(R))
    scale = np.abs(R).max()
    # Cholesky's factor of J'J has half of the digits that QR of J has.
    bound = 1e-15 * np.linalg.cond(R) ** 2 * scale
    assert np.abs(signs[:, None] * R - mine).max() < bound
    assert np.abs(signs * d - own).max() < bound
    tree = linear.eliminateMultifrontal(order)
    step, steps = ours.optimize(), tree.optimize()
    for i in range(order.size()):
        assert np.abs(step.at(order.at(i)) - steps.at(order.at(i))).max() < bound


def test_a_ring_of_poses_before_and_after_an_edit():
    problem, start, _ = pose_ring(8, 0.02)
    solver = Incremental(problem, start)
    check(solver)
    poses = problem.families[0]
    solver.update(add=[soft(relative, poses[1], poses[5], T_ab=SE3().identity(), sigma=10.0, name="seen")])
    check(solver)


def test_marginals_are_those_of_gtsam():
    x = Variables("x", Vector(2), 12)
    rng = np.random.default_rng(0)
    factors = [
        soft(lambda a, *, z: a - z, x[[0, 7]], z=each(rng.normal(size=(2, 2))), sigma=0.3, name="seen"),
        soft(lambda a, b, *, z: b - a - z, x[:-1], x[1:], z=each(rng.normal(size=(11, 2))), name="step"),
    ]
    solver = Incremental(Problem(factors))
    keys = {"x": range(12)}
    marginals = gtsam.Marginals(to_gtsam(solver.problem, keys), to_values(solver.problem, solver.values, keys))
    for i in range(12):
        assert np.abs(marginals.marginalCovariance(i) - solver.covariance(x[i])).max() < 1e-12
