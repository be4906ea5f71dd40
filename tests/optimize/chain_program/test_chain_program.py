"""Chains of stages: optima by dense linear algebra and by duality, bounds, soft ones, infeasible ones, warm starts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_are

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.optimize.chain_program import Bound, compile_chain_program
from screwgraph.optimize.chain_program.bound_groups import find_groups
from tests.optimize.chain_program.chains import Chain, both, pattern, random_chain, solve

N, NX, NU, POSITIONS = 12, 4, 2, 2
STATES = (*both(1, soft=True), Bound(3, lower=False, soft=False))
PENALTY = (3.0, 1.0, 3.0, 0.5)


@cache
def bounded(iterations: int = 80, tolerance: float = 1e-9, soft: bool = True) -> Function:
    shape = pattern(random_chain(np.random.default_rng(0), N, NX, NU, POSITIONS).J)
    states = STATES if soft else ()
    pairs = [(i, POSITIONS + i) for i in range(POSITIONS)]
    options = {"iterations": iterations, "tolerance": tolerance, "inputs": both(NU), "states": states}
    return compile_chain_program(N, NX, NU, J=shape, integrated=pairs, **options)


def draw(seed: int) -> Chain:
    return random_chain(np.random.default_rng(seed), N, NX, NU, POSITIONS)


def test_without_bounds_it_is_a_linear_system():
    chain = draw(3)
    f = compile_chain_program(N, NX, NU, J=pattern(chain.J), integrated=chain.integrated, iterations=1)
    H, g = chain.condensed
    wanted = np.linalg.solve(H, -g).reshape(N, NU)
    x, u, gain, *_, solution = solve(f, chain, ())
    np.testing.assert_allclose(u, wanted, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(x, chain.states(u), rtol=1e-10, atol=1e-10)
    assert solution[0] == 0.0
    moved = replace(chain, x0=chain.x0 + np.array([0.1, -0.2, 0.3, 0.4]))
    there = np.linalg.solve(moved.condensed[0], -moved.condensed[1])[:NU]
    np.testing.assert_allclose(gain @ (moved.x0 - chain.x0), there - u[0], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("nx", "nu", "growth"), [(NX, NU, None), (12, 4, 2.0)])
def test_long_chains_feed_back_as_the_riccati_equation_says(nx, nu, growth):
    """Where motions grow, what of the cost to go were not symmetric would, too: to no numbers within 60 stages."""
    rng, stages = np.random.default_rng(4), 300
    one = random_chain(rng, 1, nx, nu)
    A, B = np.split(one.J[0], [nx], axis=1)
    if growth is not None:
        A[:] = rng.normal(size=(nx, nx))
        A *= growth / np.abs(np.linalg.eigvals(A)).max()
    Q, R = one.H[0][:nx, :nx], one.H[0][nx:, nx:]
    H = np.block([[Q, np.zeros((nx, nu))], [np.zeros((nu, nx)), R]])
    P = solve_discrete_are(A, B, Q, R)
    K = -np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    given = (one.J[0].ravel(), one.c[0], one.h[0], H[np.tril_indices(nx + nu)], one.g[0], *[[]] * 8)
    shapes = [(stages, len(np.atleast_1d(x))) for x in given[:9]] + [(stages, nx), (stages, nu), *[(stages, 0)] * 2]
    stacked = [
        np.broadcast_to(x if len(np.atleast_1d(x)) else 0.0, shape) for x, shape in zip(given, shapes, strict=True)
    ]
    f = compile_chain_program(stages, nx, nu, iterations=1)
    _, _, gain, *_ = f(*stacked, one.x0, Q[np.tril_indices(nx)], one.q, [], [0.0], [0.0])
    np.testing.assert_allclose(gain, K, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("nx", "nu", "positions"), [(9, 4, 4), (12, 9, 3), (11, 3, 0)])
def test_rows_side_by_side_find_the_same(nx, nu, positions):
    chain = random_chain(np.random.default_rng(nx), 6, nx, nu, positions)
    if positions == 3:  # a velocity that stays what it is
        chain.J[:, 3] = np.eye(nx + nu)[3]
    f = compile_chain_program(6, nx, nu, J=pattern(chain.J), integrated=chain.integrated, iterations=1)
    H, g = chain.condensed
    wanted = np.linalg.solve(H, -g).reshape(-1, nu)
    _, u, gain, *_, solution = solve(f, chain, ())
    np.testing.assert_allclose(u, wanted, rtol=1e-9, atol=1e-9)
    assert solution[2] < 1e-9 * (1.0 + np.abs(g).max())
    moved = replace(chain, x0=chain.x0 + 0.1 * np.arange(nx))
    there = np.linalg.solve(moved.condensed[0], -moved.condensed[1])[:nu]
    np.testing.assert_allclose(gain @ (moved.x0 - chain.x0), there - u[0], rtol=1e-8, atol=1e-9)


def gap(
    chain: Chain, u: np.ndarray, numbers: np.ndarray, values, penalty, inputs, states, scale=None
) -> tuple[float, float]:
    """Cost with slacks less a lower bound of all costs (Lagrange's dual at the multipliers), and the violation.

    Multipliers y of soft rows may pass l1 at the price of the dual of l2 e^2 / 2; both are times the scale of a stage.
    """
    H, g = chain.condensed
    (M, m), cost, slope, constant, violation = chain.maps, chain.cost(u), g.copy(), 0.0, 0.0
    multipliers = {
        (group.first + i, kind.lower): group.number
        + i
        + group.count * sum(k.size for k in group.kinds[:n])
        + group.count
        for group in find_groups(inputs, states, chain.nu)
        for n, kind in enumerate(group.kinds)
        for i in range(group.count)
    }
    soft, x = iter(np.reshape(penalty, (-1, 2))), chain.states(u)
    for bound, value, is_state in zip(
        (*inputs, *states), values, [False] * len(inputs) + [True] * len(states), strict=True
    ):
        own = next(soft) if bound.soft else None
        place = multipliers[chain.nu * is_state + bound.index, bound.lower]
        for k in range(len(chain.J)):
            y = numbers[k, place]
            row = M[k + 1, bound.index] if is_state else np.eye(len(g))[chain.nu * k + bound.index]
            offset = m[k + 1, bound.index] if is_state else 0.0
            d = bound.sign * ((x if is_state else u)[k, bound.index] - value)
            if own is None:
                violation = max(violation, -d)
            else:
                e, (l1, l2) = max(-d, 0.0), own if scale is None else own * scale[k]
                cost += l1 * e + 0.5 * l2 * e * e
                constant -= 0.5 * max(y - l1, 0.0) ** 2 / l2
            slope -= y * bound.sign * row
            constant -= y * bound.sign * (offset - value)
    best = np.linalg.solve(H, -slope)
    return float(cost - (0.5 * best @ H @ best + slope @ best + constant)), violation


BOUNDS = np.array([-0.6, 0.6, -0.3, 0.5, -0.5, 0.5, 2.5])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.05, 3.0))
def test_optimal_by_duality(seed, size):
    chain = draw(seed)
    bounds = BOUNDS * np.array([*[size] * (2 * NU), 1.0, 1.0, 40.0])
    _, u, _, _, numbers, _, solution = solve(bounded(), chain, bounds, PENALTY)
    over, violation = gap(chain, u, numbers, bounds, PENALTY, both(NU), STATES)
    scale = 1.0 + np.abs(numbers).max() + abs(chain.cost(u))
    assert solution[0] == 0.0
    assert abs(over) < 1e-6 * scale  # mu of each of 200 rows
    assert violation < 1e-8
    assert np.all(u >= bounds[0 : 2 * NU : 2])
    assert np.all(u <= bounds[1 : 2 * NU : 2])


@pytest.mark.parametrize(
    ("seed", "nu", "is_scaled"), [*((seed, 5, False) for seed in range(4)), (0, 5, True), (1, 2, True)]
)
def test_bounds_side_by_side_are_optimal_too(seed, nu, is_scaled):
    """Penalties of stages may have scales of their own."""
    stages, nx = 6, 11
    chain = random_chain(np.random.default_rng(seed), stages, nx, nu, 5)
    inputs = [Bound(i, lower) for lower in (True, False) for i in range(nu)]
    states = [*(Bound(i, lower, soft=True) for lower in (True, False) for i in range(10)), Bound(10, lower=False)]
    values = np.array([-0.3, 0.4]).repeat(nu).tolist() + np.array([-0.5, 0.6]).repeat(10).tolist() + [6.0]
    penalty = np.random.default_rng(1).uniform(0.5, 3.0, 40)
    f, scale = wide(stages, nx, nu, tuple(inputs), tuple(states), is_scaled), None
    if is_scaled:
        scale = np.random.default_rng(2).uniform(0.1, 2.0, stages)
    _, u, _, _, numbers, _, solution = solve(f, chain, values, penalty, scale=scale)
    over, violation = gap(chain, u, numbers, values, penalty, inputs, states, scale)
    assert solution[0] == 0.0
    assert abs(over) < 1e-6 * (1.0 + np.abs(numbers).max() + abs(chain.cost(u)))
    assert violation < 1e-8


@cache
def wide(stages: int, nx: int, nu: int, inputs, states, is_scaled: bool) -> Function:
    shape = pattern(random_chain(np.random.default_rng(0), stages, nx, nu, 5).J)
    options = {"inputs": inputs, "states": states, "iterations": 80, "tolerance": 1e-9, "scales_penalties": is_scaled}
    return compile_chain_program(stages, nx, nu, J=shape, integrated=[(i, 5 + i) for i in range(5)], **options)


@pytest.mark.parametrize("seed", range(4))
def test_as_daqp_finds_it(seed):
    daqp = pytest.importorskip("daqp")
    chain = draw(100 + seed)
    H, g = chain.condensed
    lower, upper = (np.tile(BOUNDS[i : 2 * NU : 2], N) for i in (0, 1))
    wanted, *_ = daqp.solve(H, g, np.eye(len(g)), upper, lower, np.zeros(len(g), dtype=np.int32))
    _, u, *_ = solve(bounded(soft=False), chain, BOUNDS[: 2 * NU])
    assert chain.cost(u) <= chain.cost(wanted) + 1e-8 * (1.0 + abs(chain.cost(wanted)))
    np.testing.assert_allclose(u.ravel(), wanted, atol=1e-5)


def test_infeasible_bounds_still_give_inputs_within_theirs():
    chain = draw(7)
    bounds = np.array([-0.1, 0.1, -0.1, 0.1, -1.0, 1.0, -5.0])  # the last one cannot be met
    x, u, gain, _, numbers, barrier, solution = solve(bounded(), chain, bounds, PENALTY)
    assert solution[0] == 1.0
    assert solution[1] == 80.0
    assert solution[5] > 1.0
    assert np.abs(u).max() <= 0.1
    assert all(np.isfinite(a).all() for a in (x, u, gain, numbers, barrier, solution))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_no_answer_is_ever_missing(bad):
    chain = draw(8)
    broken = replace(chain, J=chain.J.copy())
    broken.J[5, 3, 1] = bad
    with np.errstate(all="ignore"):
        last = solve(bounded(), broken, BOUNDS, PENALTY)
    assert last[-1][0] == 3.0
    assert all(np.isfinite(a).all() for a in last)
    assert np.all(last[1] <= BOUNDS[1 : 2 * NU : 2])
    again = solve(bounded(), chain, BOUNDS, PENALTY, last)  # it recovers with its own numbers
    fresh = solve(bounded(), chain, BOUNDS, PENALTY)
    assert again[-1][0] == 0.0
    np.testing.assert_allclose(again[1], fresh[1], atol=1e-5)


def test_calls_of_few_steps_go_on_where_the_last_one_ended():
    chain, f = draw(9), bounded(3, 0.0)
    last = solve(f, chain, BOUNDS, PENALTY)
    for _ in range(11):
        last = solve(f, chain, BOUNDS, PENALTY, last)
    wanted = solve(bounded(), chain, BOUNDS, PENALTY)
    np.testing.assert_allclose(last[1], wanted[1], atol=1e-5)
    moved = replace(chain, x0=chain.x0 + 0.01)
    fresh = solve(bounded(), moved, BOUNDS, PENALTY)
    for _ in range(4):
        last = solve(f, moved, BOUNDS, PENALTY, last)
    np.testing.assert_allclose(last[1], fresh[1], atol=1e-4)


def test_steps_that_meet_no_bound_divide_by_nothing():
    f = bounded(2, 0.0, soft=False)
    for seed in range(1000, 1040):  # warnings of NumPy are errors
        size = 10 ** np.random.default_rng(seed - 1000).uniform(-1.0, 0.5)
        *_, solution = solve(f, draw(seed), size * BOUNDS[: 2 * NU])
        assert np.isfinite(solution).all()


def test_same_input_same_bits():
    one, two = (solve(bounded(), draw(10), BOUNDS, PENALTY) for _ in range(2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("sizes", "options", "message"),
    [
        ((0, 2, 1), {}, "a chain program of 0 stages"),
        ((3, 2, 1), {"iterations": 0}, "0 iterations"),
        ((3, 2, 1), {"inputs": [Bound(1, lower=True)]}, "inputs: a bound of number 1"),
        ((3, 2, 1), {"integrated": [(0, 2)]}, "integrated"),
        ((3, 3, 1), {"integrated": [(0, 1), (1, 2)]}, "not integrated itself"),
    ],
)
def test_what_cannot_be(sizes, options, message):
    with pytest.raises(InputError, match=message):
        compile_chain_program(*sizes, **options)
