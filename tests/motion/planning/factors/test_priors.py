"""Gaussian-process priors against dense regression, quadrature, and motions that they must leave alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad_vec

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import hermite
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Smoothness
from screwgraph.motion.planning.factors.priors import GpInterpolation, covariance, interpolation_weights, transition
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.optimize import Vector
from screwgraph.spatial.manifolds.tangent_coordinates import from_tangent, tangent_rate, tangent_second_rate, to_tangent

ORDERS = (2, 3)


def _accumulated(order: int, s: float, t: float) -> np.ndarray:
    """Covariance of states at s <= t of integrated white noise of power 1 from 0, by quadrature."""
    last = np.zeros((order, 1))
    last[-1] = 1.0
    return quad_vec(lambda u: transition(order, s - u) @ last @ last.T @ transition(order, t - u).T, 0.0, s)[0]


@pytest.mark.parametrize("order", ORDERS)
def test_covariance_is_that_of_integrated_white_noise(order):
    assert np.allclose(covariance(order, 0.37), _accumulated(order, 0.37, 0.37), rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("order", ORDERS)
def test_interpolation_is_dense_regression(order):
    """Condition a dense Gaussian process on all states of five uneven steps; only the neighbours may matter."""
    times = np.array([0.0, 1.5, 2.5, 5.5, 6.5, 9.0])
    start = 4.0 * np.eye(order)
    states = np.random.default_rng(1).standard_normal((len(times), order))

    def between(t: float, s: float) -> np.ndarray:
        low, high = min(t, s), max(t, s)
        K = transition(order, low) @ start @ transition(order, high).T + _accumulated(order, low, high)
        return K if t <= s else K.T

    K = np.block([[between(t, s) for s in times] for t in times])
    for t in (0.5, 2.0, 4.5, 8.5):
        dense = np.hstack([between(t, s) for s in times]) @ np.linalg.solve(K, states.ravel())
        i = int(np.searchsorted(times, t)) - 1
        h = times[i + 1] - times[i]
        units = h ** np.arange(order)
        Lambda, Psi = np.split(hermite(order, (t - times[i]) / h)[:order], 2, axis=1)
        ours = (Lambda @ (units * states[i]) + Psi @ (units * states[i + 1])) / units
        assert np.linalg.norm(ours - dense) <= 1e-8 * np.linalg.norm(dense)


@pytest.mark.parametrize("order", ORDERS)
def test_positions_between_are_those_of_all_weights(order):
    Lambda, Psi = np.split(hermite(order, 0.3), 2, axis=1)
    q = [np.random.default_rng(k).standard_normal(2) for k in range(2 * order)]
    h = 0.7
    found = GpInterpolation(Vector(2), order)(q, interpolation_weights(order, 0.3), h)
    units = h ** np.arange(order)
    assert np.allclose(found, (Lambda[0] * units) @ q[:order] + (Psi[0] * units) @ q[order:])


def _floating():
    robot = sg.load("a1", base="floating")
    rng = np.random.default_rng(5)
    return robot.manifold, robot.random(rng), rng.standard_normal((3, robot.nv)) * 0.4


def test_positions_near_a_position_are_found_again():
    chart, x, (d, _, _) = _floating()
    assert np.allclose(to_tangent(chart, x, from_tangent(chart, x, d)), d, atol=1e-12)


@pytest.mark.parametrize("size", [1e-6, 0.01, 1.0, 4.0])
def test_rates_of_local_coordinates_are_their_derivatives(size):
    """A body that moves at the twist v + a t is, to second order, where its exponential coordinates say."""
    chart, x, (d, v, a) = _floating()
    y = from_tangent(chart, x, size * d)

    def at(t: float) -> np.ndarray:
        return to_tangent(chart, x, chart.retract(y, t * v + 0.5 * t * t * a))

    e = 1e-4
    assert np.allclose(tangent_rate(chart, size * d, v), (at(e) - at(-e)) / (2.0 * e), atol=1e-6)
    second = (at(e) - 2.0 * at(0.0) + at(-e)) / (e * e)
    assert np.allclose(tangent_second_rate(chart, size * d, v, a), second, atol=1e-5)


def _constant_motion(order: int, parts: np.ndarray):
    """Positions, velocities, accelerations of local coordinates that are polynomials of time of degree order - 1."""
    chart, x, (c1, c2, _) = _floating()
    bend = 0.5 * c2 if order == 3 else 0.0 * c2
    found = []
    for t in parts:
        d, dd, ddd = t * c1 + t * t * bend, c1 + 2.0 * t * bend, 2.0 * bend
        J = np.array([tangent_rate(chart, d, e) for e in np.eye(len(d))]).T
        v = np.linalg.solve(J, dd)
        a = np.linalg.solve(J, ddd - tangent_second_rate(chart, d, v, np.zeros_like(v)))
        found.append((from_tangent(chart, x, d), v, a)[:order])
    return chart, found


@pytest.mark.parametrize("order", ORDERS)
def test_motions_without_noise_are_interpolated_exactly_on_a_floating_base(order):
    h = 0.8
    chart, (start, middle, end) = _constant_motion(order, np.array([0.0, 0.3 * h, h]))
    found = GpInterpolation(chart, order)([*start, *end], interpolation_weights(order, 0.3), h)
    assert np.allclose(found, middle[0], atol=1e-10)


@pytest.mark.parametrize(("order", "word"), [(2, "velocity"), (3, "acceleration")])
def test_cost_is_the_mahalanobis_distance_from_motion_without_noise(order, word):
    robot = sg.load("rr")
    root = np.array([[1.0, 0.3], [0.2, 0.8]])
    Qc = root @ root.T
    task = Task(
        robot,
        horizon(3, dt=0.25),
        start=None,
        start_velocity=None,
        costs=(Smoothness(Qc, word),),
        collocation="none",
        dynamics=False,
    )
    problem = Planner(task).transcription.problem
    rng = np.random.default_rng(3)
    values = {name: rng.standard_normal((4, 2)) for name in ("q", "qd", "qdd")[:order]}
    cost = 0.0
    Q = np.kron(covariance(order, 0.25), Qc)
    for i in range(3):
        x, y = (np.concatenate([values[n][k] for n in values]) for k in (i, i + 1))
        e = y - np.kron(transition(order, 0.25), np.eye(2)) @ x
        cost += 0.5 * e @ np.linalg.solve(Q, e)
    assert np.isclose(problem.assembly.cost(problem.start(values)), cost, rtol=1e-12)


def test_plans_of_a_prior_alone_are_cubic_splines():
    """Between given states, the most probable motion of constant velocity has a linear acceleration."""
    task = Task(
        sg.load("rr"),
        horizon(10, duration=2.0),
        start=(0.0, 0.0),
        goals=(Position((1.0, -0.5)), Velocity()),
        costs=(Smoothness(1.0, "velocity"),),
        collocation="none",
        dynamics=False,
    )
    plan = Planner(task).solve()
    s = plan.t[:, None] / 2.0
    assert plan.solved
    assert np.allclose(plan.q, (3.0 * s**2 - 2.0 * s**3) * np.array([1.0, -0.5]), atol=1e-7)


def test_powers_that_make_no_sense_are_told():
    bad = ((0.0, "positive"), ([1.0, 2.0, 3.0], "shape"), (np.diag([1.0, -1.0]), "positive definite"))
    for Qc, said in (*bad, ({"nojoint": 1.0}, "nojoint"), ({"joint1": 1.0}, "joint")):
        task = Task(
            sg.load("rr"), horizon(3, dt=0.1), costs=(Smoothness(Qc, "velocity"),), collocation="none", dynamics=False
        )
        with pytest.raises(InputError, match=said):
            Planner(task)


def test_jerk_is_of_points_that_all_have_accelerations():
    task = Task(sg.load("rr"), horizon(3, dt=0.1), costs=(Smoothness(1.0, "acceleration"),), collocation="euler")
    with pytest.raises(InputError, match="the end of a phase has no acceleration"):
        Planner(task)


def test_torques_that_cost_nothing_do_not_hide_the_optimum():
    """The mass matrix makes pivots of torques and accelerations 1e9 times those of the prior, which were rounding."""
    task = Task(
        sg.load("rrr"),
        horizon(60, duration=3.0),
        start=np.zeros(3),
        goals=(Position(np.full(3, 0.5)), Velocity()),
        costs=(Smoothness(100.0),),
        collocation="trapezoidal",
    )
    plan, without = sg.plan(task, iterations=20), sg.plan(replace(task, dynamics=False))
    assert plan.solved
    assert np.isclose(plan.cost, without.cost, rtol=1e-9)
    assert np.allclose(plan.q, without.q, atol=1e-7)
