"""Kernels called by machine code write what NumPy's calls of them write."""

import numpy as np
import pytest

from screwgraph.optimize import SO3, Problem, Variables, Vector, each, equality, inequality, refresh_parameters, soft
from screwgraph.optimize.kernel_calls import BoundCalls, KernelCall
from screwgraph.optimize.methods.bound_residuals import BoundResiduals


def bent(q, v, *, z, w):
    return w[0] * q[0] * v - z * q[1]


def turned(R, q, *, z):
    return R @ np.array([q[0], q[1], 1.0]) - z


def near(q, p, *, z):
    return q + 2.0 * p - z


def make_problem(rng):
    """Return factors on neighbours, on every third unknown, on one for all, and on unknowns without order."""
    q, v, R = Variables("q", Vector(2), count=9), Variables("v", Vector(2), count=9), Variables("R", SO3(), count=4)
    shared, each_z = rng.normal(size=3), each(rng.normal(size=(8, 2)))
    mixed = np.array([5, 1, 1, 7])
    return Problem(
        [
            soft(bent, q[:-1], v[1:], z=each_z, w=shared),
            equality(bent, q[::3], v[1:8:3], z=np.ones(2), w=shared),
            inequality(turned, R, q[mixed], z=each(rng.normal(size=(4, 3)))),
            equality(near, q[mixed], v[3], z=np.zeros(2)),
            equality(near, q[1:5], q[mixed], z=each(rng.normal(size=(4, 2)))),
        ]
    )


def evaluate(assembly, x):
    """Return what rows and soft factors are at values, by NumPy's calls."""
    views = assembly.layout.views(x)
    rows = [array for part in (assembly.equalities, assembly.inequalities) for array in part.linearise(views)]
    cost, gradient, entries = assembly.linearise(x)
    return [*rows, cost, gradient, entries.copy()]


def random_values(assembly, rng):
    layout = assembly.layout
    start = {"q": rng.normal(size=(9, 2)), "v": rng.normal(size=(9, 2))}
    return layout.retract(layout.pack(start), rng.normal(size=layout.size))


def test_costs_and_residuals_alone_are_those_of_numpy_at_any_values():
    rng = np.random.default_rng(4)
    assembly = make_problem(rng).assembly
    bound = BoundResiduals(assembly)
    for _ in range(2):
        x = random_values(assembly, rng)
        views = assembly.layout.views(x)
        assert bound.evaluate(x) == pytest.approx(assembly.cost(x), rel=1e-14)
        np.testing.assert_array_equal(bound.equal, assembly.equalities.residuals(views))
        np.testing.assert_array_equal(bound.unequal, assembly.inequalities.residuals(views))


def test_calls_are_those_of_numpy_at_any_values():
    rng = np.random.default_rng(4)
    assembly = make_problem(rng).assembly
    x = np.empty(random_values(assembly, rng).size)
    equal, unequal, calls = assembly.equalities.bind(), assembly.inequalities.bind(), assembly.bind()
    every = [*equal.calls, *unequal.calls, *(soft.call for soft in calls)]
    bound = BoundCalls(every, x, assembly.layout.views(x))
    other, c = np.empty_like(x), np.empty_like(equal.residuals)
    twin = bound.move([(x, other), (equal.residuals, c)], assembly.layout.views(other))
    for _ in range(3):
        x[:], other[:] = random_values(assembly, rng), random_values(assembly, rng)
        bound()
        found = [equal.residuals, equal.entries, unequal.residuals, unequal.entries, *assembly.finish(calls)]
        for one, expected in zip(found, evaluate(assembly, x), strict=True):
            np.testing.assert_array_equal(one, expected)
        before = equal.residuals.copy()
        twin()
        np.testing.assert_array_equal(equal.residuals, before)
        np.testing.assert_array_equal(c, evaluate(assembly, other)[0])


def test_parameters_that_follow_from_values_are_those_of_the_values():
    q = Variables("q", Vector(1), count=3)
    factors = refresh_parameters(soft(near, q[:2], q[1:], z=each(np.zeros((2, 1)))), lambda a, b: {"z": a * b})
    assembly = Problem([factors]).assembly
    x = np.empty(3)
    calls = assembly.bind()
    bound = BoundCalls([c.call for c in calls], x, assembly.layout.views(x))
    for values in ([1.0, 2.0, 3.0], [0.5, -1.0, 4.0]):
        x[:] = values
        bound()
        residuals = x[:2] + 2.0 * x[1:] - x[:2] * x[1:]
        assert assembly.finish(calls)[0] == pytest.approx(0.5 * (residuals**2).sum())


def test_a_call_alone_is_one_of_numpy():
    q = Variables("q", Vector(2), count=3)
    batch = Problem([equality(near, q[:-1], q[1:], z=np.ones(2))]).assembly.batches[0]
    results = (np.empty((2, 2)), np.empty((2, 4)))
    KernelCall(batch.factors.kernels.jacobian, batch, results).evaluate({"q": np.arange(6.0).reshape(3, 2)})
    np.testing.assert_array_equal(results[0], [[3.0, 6.0], [9.0, 12.0]])
