"""Laws of impulses, one block at a time: what they solve has no residual, what breaks them has one."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from screwgraph.motion.simulation.contacts.laws.laws import Cone, DryFriction, Range
from screwgraph.motion.simulation.contacts.laws.rubbing_range import RubbingRange
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, begin_sweeps

seeds = st.integers(0, 2**32 - 1)


def solved(law, seed, values):
    """Return G, b, x of a random block, swept until nothing changes."""
    rng = np.random.default_rng(seed)
    half, b = rng.normal(size=(law.rows, law.rows)), rng.normal(size=law.rows)
    G = half @ half.T + 0.3 * np.eye(law.rows)
    rows = [{j: G[i, j] for j in range(i + 1)} for i in range(law.rows)]
    prepared = law.prepare([list(G[i, : i + 1]) for i in range(law.rows)])
    problem, x = ImpulseProblem([law], rows, b, values, prepared), [0.0] * law.rows
    state = begin_sweeps(1e-3)
    while state[0] > 0.5:
        x, state = problem.passage(x, state)
    return G, b, np.array(x), problem, state[4] <= state[2]


@given(seeds, st.floats(0.0, 2.0))
def test_cones(seed, mu):
    G, b, x, problem, ended = solved(Cone(), seed, [mu])
    assume(ended)  # sweeps that reach no end leave a residual, which is a result
    w = G @ x + b
    assert x[0] >= 0.0
    assert w[0] >= -1e-9
    assert abs(x[0] * w[0]) < 1e-9
    force, rate = np.linalg.norm(x[1:]), np.linalg.norm(w[1:])
    assert force <= mu * x[0] + 1e-9
    if rate > 1e-6 and x[0] > 1e-6:
        assert force == pytest.approx(mu * x[0], abs=1e-8)
        assert x[1:] @ w[1:] == pytest.approx(-force * rate, abs=1e-7)
    assert problem.residual(list(x)) < 1e-9


def test_a_contact_with_little_friction_is_always_solved():
    for seed in range(100):
        _, _, x, problem, ended = solved(Cone(), seed, [0.3])
        assert ended
        assert problem.residual(list(x)) < 1e-9


@given(seeds)
def test_a_broken_law_has_a_residual(seed):
    _, _, x, problem, _ = solved(Cone(), seed, [0.5])
    assert problem.residual([x[0] + 0.1, *x[1:]]) > 1e-3


@given(seeds, st.floats(-1.0, 0.0), st.floats(0.0, 1.0))
def test_ranges(seed, lower, upper):
    G, b, x, problem, _ = solved(Range(), seed, [lower, upper])
    (w,) = G @ x + b
    assert lower - 1e-9 <= w <= upper + 1e-9
    if x[0] > 1e-9:
        assert w == pytest.approx(lower, abs=1e-9)
    if x[0] < -1e-9:
        assert w == pytest.approx(upper, abs=1e-9)
    assert problem.residual(list(x)) < 1e-9


@given(seeds, st.floats(0.0, 1.0))
def test_dry_friction(seed, bound):
    G, b, x, problem, _ = solved(DryFriction(), seed, [bound])
    (w,) = G @ x + b
    assert abs(x[0]) <= bound + 1e-12
    if abs(w) > 1e-9:
        assert x[0] == pytest.approx(-np.sign(w) * bound, abs=1e-9)
    assert problem.residual(list(x)) < 1e-9


@given(seeds, st.floats(-1.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_ranges_with_dry_friction(seed, lower, width, bound):
    """x is the force of a stop beside one of friction that the velocity allows, also where a bound pushes back."""
    upper = lower + width
    G, b, x, problem, _ = solved(RubbingRange(), seed, [lower, upper, bound])
    (w,), (force,) = G @ x + b, x
    assert lower - 1e-9 <= w <= upper + 1e-9
    rubs = (-bound, bound) if abs(w) < 1e-9 else (-np.sign(w) * bound,) * 2
    if w > lower + 1e-9:
        assert force <= rubs[1] + 1e-9
    if w < upper - 1e-9:
        assert force >= rubs[0] - 1e-9
    assert problem.residual(list(x)) < 1e-9


def test_a_joint_that_rubs_and_stops_is_one_row():
    """Of two laws along one coordinate, each sweep takes 3e-9 N s of the 4e-4 of friction."""
    law, G, b = RubbingRange(), [{0: 350.0}], [-5.0]
    values, prepared = [-1e-6, 1.0, 4e-4], law.prepare([[350.0]])
    problem, x, state = ImpulseProblem([law], G, b, values, prepared), [0.0], begin_sweeps(1e-3)
    while state[0] > 0.5:
        x, state = problem.passage(x, state)
    assert state[1] <= 2
    assert 350.0 * x[0] - 5.0 == pytest.approx(-1e-6, abs=1e-12)
