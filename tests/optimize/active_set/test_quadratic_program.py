"""Quadratic programs: the duality gap proves optima, whatever the rows: redundant, degenerate, infeasible."""

from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.optimize import lsq_linear

from screwgraph.base.errors import InputError
from screwgraph.optimize.active_set import compile_quadratic_program
from screwgraph.tape.verifier import list_faults

SIZES = ((1, 1), (3, 5), (6, 14))
KINDS = ("generic", "redundant", "degenerate", "equal", "infeasible")


@cache
def solver(n, m):
    return compile_quadratic_program(n, m)


def program(n, m, kind, seed, condition=2.0):
    """Return H, g, A, lower, upper, penalty of a random program."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((n, n))
    H = 10.0 ** rng.uniform(-2, 2) * G @ G.T + 10.0 ** rng.uniform(-condition, 0) * np.eye(n)
    g, A, inside = 10.0 ** rng.uniform(-1, 1.5) * rng.standard_normal(n), rng.standard_normal((m, n)), None
    inside = rng.standard_normal(n)
    if kind == "redundant":
        A[m // 2 :] = A[: m - m // 2]
    if kind == "degenerate":
        A, inside = np.round(A), np.round(inside)
    values = A @ inside
    lower = values - rng.uniform(0, 1, m) * (rng.random(m) < 0.6)
    upper = values + rng.uniform(0, 1, m) * (rng.random(m) < 0.8)
    if kind == "equal":
        upper[: m // 3] = lower[: m // 3]
    if kind == "infeasible":
        shift = rng.uniform(-3.0, 3.0, m)
        lower, upper = lower + shift, upper + shift
    lower[rng.random(m) < 0.2], upper[rng.random(m) < 0.2] = -np.inf, np.inf
    return H, g, A, lower, upper, 10.0 ** rng.uniform(1, 4, m) if kind == "infeasible" else np.full(m, 1e8)


def gap_of(H, g, A, lower, upper, penalty, x, active):
    """Return cost with penalties less what multipliers prove that none is below, and the cost.

    Multipliers are those, of the signs that active rows may have, with the least |H x + g - A'l|: any prove a bound.
    """
    open_ = np.maximum(np.maximum(lower - A @ x, A @ x - upper), 0.0)
    cost = 0.5 * x @ H @ x + g @ x + penalty @ open_
    multipliers = np.where(abs(active) > 1.5, np.sign(active) * penalty, 0.0)
    free = np.flatnonzero(abs(active) == 1.0)
    if len(free):
        left = H @ x + g - A.T @ multipliers
        scale = 1.0 / np.sqrt(np.diag(H))
        rows = (A[free] * np.sign(active[free])[:, None]).T * scale[:, None]
        found = lsq_linear(rows, scale * left, (0.0, penalty[free]), method="bvls", tol=1e-14)
        multipliers[free] = found.x * np.sign(active[free])
    below, above = np.maximum(multipliers, 0.0), np.minimum(multipliers, 0.0)
    rest = A.T @ multipliers - g
    bounds = below @ np.where(below > 0, lower, 0.0) + above @ np.where(above < 0, upper, 0.0)
    return cost - (bounds - 0.5 * rest @ np.linalg.solve(H, rest)), cost


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_duality_gap_proves_the_optimum(size, kind, seed):
    given_ = program(*size, kind, seed)
    f = solver(*size)
    x, active, (status, _, violation) = f(*given_, np.zeros(size[1]))
    gap, cost = gap_of(*given_, x, active)
    assert status == (1.0 if (abs(active) > 1.5).any() and violation > 1e-8 * (1.0 + abs(given_[2] @ x).max()) else 0.0)
    assert gap <= 1e-7 * (1.0 + abs(cost)) + given_[5].max() * 1e-9 * (status == 0.0)
    if status == 0.0:
        assert violation <= 1e-8 * (1.0 + abs(given_[2] @ x).max())
    again, same, (status_again, passages, _) = f(*given_, active)
    assert status_again == status
    cost_again = gap_of(*given_, again, same)[1]
    assert cost_again == pytest.approx(cost, rel=1e-7, abs=1e-7 * (1.0 + given_[5].max() * 1e-2))
    assert passages <= 4


def test_a_row_without_room_is_relaxed_by_its_priority():
    H, g = np.eye(1), np.zeros(1)
    A, lower, upper = np.ones((2, 1)), np.array([1.0, -np.inf]), np.array([np.inf, -1.0])
    f = solver(1, 2)
    for penalty, wanted in (((1e5, 1e3), 1.0), ((1e3, 1e5), -1.0)):
        x, active, (status, _, violation) = f(H, g, A, lower, upper, np.array(penalty), np.zeros(2))
        assert (x[0], status) == (pytest.approx(wanted, abs=1e-9), 1.0)
        assert violation == pytest.approx(2.0, abs=1e-9)
        assert sorted(abs(active)) == [1.0, 2.0]


def test_any_start_leads_to_the_same_optimum():
    n, m = 6, 14
    given_ = program(n, m, "generic", 3)
    x = solver(n, m)(*given_, np.zeros(m))[0]
    rng = np.random.default_rng(0)
    for _ in range(50):
        found, _, (status, *_) = solver(n, m)(*given_, rng.integers(-2, 3, m).astype(float))
        assert status == 0.0
        np.testing.assert_allclose(found, x, atol=1e-7 * (1.0 + abs(x).max()))


@pytest.mark.parametrize("seed", range(4))
def test_penalties_that_are_large_beside_the_cost_leave_no_rounding(seed):
    """Rows of priorities 1e7 to 1e9 give way beside curvatures from 1e-6 on; the optimum is that of mpmath."""
    n, m = 6, 14
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    H, g = Q @ np.diag(np.logspace(-6, 1, n)) @ Q.T, rng.standard_normal(n)
    H, A = 0.5 * (H + H.T), rng.standard_normal((m, 4)) @ rng.standard_normal((4, n))
    low = A @ rng.standard_normal(n) + rng.uniform(-2.0, 2.0, m)
    up, penalty = low + 0.5, 10.0 ** rng.uniform(7.0, 9.0, m)
    x, active, (status, *_) = solver(n, m)(H, g, A, low, up, penalty, rng.integers(-2, 3, m).astype(float))
    assert status == 1.0
    rows = np.flatnonzero(abs(active) == 1.0)
    assert 0 < len(rows) < n
    met, push = np.where(active > 0.0, low, up)[rows], np.where(abs(active) > 1.5, np.sign(active) * penalty, 0.0)
    with mpmath.workdps(50):
        N = mpmath.matrix(A[rows])
        K = mpmath.zeros(n + len(rows))
        K[:n, :n], K[n:, :n], K[:n, n:] = mpmath.matrix(H), N, -N.T
        right = mpmath.zeros(n + len(rows), 1)
        right[:n, 0], right[n:, 0] = mpmath.matrix(A).T * mpmath.matrix(push) - mpmath.matrix(g), mpmath.matrix(met)
        exact = np.array([float(v) for v in mpmath.lu_solve(K, right)[:n]])
    # Pushes by penalties cancel along the rows' null space to rounding; curvature there turns what is left into x.
    Z = null_space(A[rows])
    rounding = np.finfo(float).eps * (abs(A.T) @ abs(push)).max() / np.linalg.eigvalsh(Z.T @ H @ Z)[0]
    np.testing.assert_allclose(x, exact, rtol=1e-9, atol=4.0 * rounding)


def test_what_is_no_number_gives_zeros():
    n, m = 3, 5
    given_ = [a.copy() for a in program(n, m, "generic", 1)]
    given_[1][0] = np.nan
    x, _, (status, *_) = solver(n, m)(*given_, np.zeros(m))
    assert status == 3.0
    np.testing.assert_array_equal(x, 0.0)


def test_the_most_passages_end_it():
    n, m = 6, 14
    given_ = program(n, m, "generic", 5)
    _, _, (status, passages, violation) = compile_quadratic_program(n, m, 2)(*given_, np.zeros(m))
    assert (status, passages) == (2.0, 2.0)
    assert violation > 1e-6


def test_code_is_sound_and_batches_are_its_samples():
    f = solver(3, 5)
    assert list_faults(f.body) == []
    many = [program(3, 5, "generic", seed) for seed in range(4)]
    together = f(*(np.array(column) for column in zip(*many, strict=True)), np.zeros((4, 5)))
    for i, one in enumerate(many):
        for all_, own in zip(together, f(*one, np.zeros(5)), strict=True):
            np.testing.assert_array_equal(all_[i], own)


def test_a_program_without_rows_says_so():
    with pytest.raises(InputError, match="a quadratic program of 3 unknowns and 0 rows"):
        compile_quadratic_program(3, 0)
