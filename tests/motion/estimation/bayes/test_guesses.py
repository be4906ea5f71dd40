"""Velocities that a search begins with: differences of positions, exact where accelerations are constant."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from screwgraph.motion.estimation.bayes import given_network
from screwgraph.motion.estimation.bayes.given_network import _mean_velocities
from screwgraph.spatial import exp3
from screwgraph.spatial.manifolds import SO3, Vector

DT = 0.02


def guess(space, q):
    return _mean_velocities(cast(Any, SimpleNamespace(positions=space)), q, DT)


def test_inside_they_are_those_of_a_parabola():
    t = DT * np.arange(9)[:, None]
    found = guess(Vector(2), 1.0 + t * [3.0, -2.0] + 0.5 * t**2 * [10.0, 4.0])
    np.testing.assert_allclose(found[1:-1], [3.0, -2.0] + t[1:-1] * [10.0, 4.0], atol=1e-9)
    for end, at in ((found[0], 0.5 * DT), (found[-1], t[-1, 0] - 0.5 * DT)):
        np.testing.assert_allclose(end, [3.0, -2.0] + at * np.array([10.0, 4.0]), atol=1e-9)


def test_of_a_body_that_turns_steadily_they_are_its_angular_velocity():
    omega = np.array([1.0, -2.0, 0.5])
    found = guess(SO3(), np.array([exp3(k * DT * omega).ravel() for k in range(5)]).reshape(5, *SO3().shape))
    np.testing.assert_allclose(found, np.tile(omega, (5, 1)), atol=1e-9)


def test_of_searches_one_that_holds_goes_before_one_that_costs_less(monkeypatch):
    costs = iter([(False, 1.0), (True, 9.0), (True, 7.0)] + [(False, 0.5)] * 20)

    def search(*_, **__):
        success, cost = next(costs)
        return SimpleNamespace(success=success, cost=cost, iterate=SimpleNamespace(x=np.zeros(0)))

    monkeypatch.setattr(given_network, "solve", search)
    found = given_network._solve_from_starts(cast(Any, None), [{}, {}, {}])
    assert (found.success, found.cost) == (True, 7.0)
