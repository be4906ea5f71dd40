"""Covariances are parts of the dense inverse; what is marginalised leaves the same minimum."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.optimize.linear import SingularError, analyse, marginalise
from tests.optimize.linear.systems import METHODS, chain, constrained, random_structure


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [0, 4, 7])
def test_covariances_of_all_blocks_are_those_of_the_dense_inverse(method: str, seed: int) -> None:
    made = random_structure(seed)
    inverse = np.linalg.inv(made.K)
    factored, starts = analyse(made.pattern, method).factor(made.values), made.pattern.starts
    blocks = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
    for own, part in zip(blocks, factored.marginal_covariances(blocks), strict=True):
        np.testing.assert_allclose(part, inverse[np.ix_(own, own)], atol=1e-10 * np.abs(inverse).max())


@pytest.mark.parametrize("shared", [(), (2,), (3, 1)])
def test_selected_inversion_knows_the_share_of_the_border(shared: tuple[int, ...]) -> None:
    made = chain(30, (3, 2), shared=shared)
    inverse, starts = np.linalg.inv(made.K), made.pattern.starts
    factored = analyse(made.pattern).factor(made.values)
    blocks = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
    for own, part in zip(blocks, factored.marginal_covariances(blocks), strict=True):
        np.testing.assert_allclose(part, inverse[np.ix_(own, own)], atol=1e-11 * np.abs(inverse).max())


def test_steps_as_wide_as_a_humanoid_with_forces_are_a_chain() -> None:
    """Sparse methods take a substitution for each unknown of each covariance."""
    made = chain(6, (120, 30))
    system = analyse(made.pattern)
    assert system.choice.name == "chain"
    inverse, starts = np.linalg.inv(made.K), made.pattern.starts
    blocks = [np.arange(a, b) for a, b in itertools.pairwise(starts)]
    for own, part in zip(blocks, system.factor(made.values).marginal_covariances(blocks), strict=True):
        np.testing.assert_allclose(part, inverse[np.ix_(own, own)], atol=1e-11 * np.abs(inverse).max())


def test_joint_covariance_of_unknowns_far_apart() -> None:
    made, asked = chain(30, (3,)), [80, 2, 40]
    joint = analyse(made.pattern, "chain").factor(made.values).covariance(asked)
    np.testing.assert_allclose(joint, np.linalg.inv(made.K)[np.ix_(asked, asked)], atol=1e-12)


def test_covariance_under_hard_rows_is_that_on_their_null_space() -> None:
    made = constrained(12, 4)
    primal = made.pattern.primal
    A = made.K[primal:, :primal]
    Z = np.linalg.svd(A)[2][A.shape[0] :].T
    exact = Z @ np.linalg.solve(Z.T @ made.K[:primal, :primal] @ Z, Z.T)
    factored = analyse(made.pattern, "chain").factor(made.values)
    np.testing.assert_allclose(factored.covariance(range(8)), exact[:8, :8], atol=1e-10 * np.abs(exact).max())
    blocks = [np.arange(4 * b, 4 * b + 4) for b in range(12)]
    for own, part in zip(blocks, factored.marginal_covariances(blocks), strict=True):
        np.testing.assert_allclose(part, exact[np.ix_(own, own)], atol=1e-5 * np.abs(exact).max())


def _quadratic(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    J = rng.standard_normal((12, 10))
    return J.T @ J, rng.standard_normal(10), rng.standard_normal((rows, 10)), rng.standard_normal(rows)


def _minimum(H: np.ndarray, g: np.ndarray, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    K = np.block([[H, A.T], [A, np.zeros((b.size, b.size))]])
    return np.linalg.solve(K, -np.concatenate([g, b]))[: g.size]


@pytest.mark.parametrize("rows", [0, 1, 4, 6])
@pytest.mark.parametrize("keep", [[7, 2, 5], [0, 1, 2, 3, 4, 5, 6, 7, 8], []])
def test_what_remains_has_its_minimum_where_the_whole_has_it(rows: int, keep: list[int]) -> None:
    H, g, A, b = _quadratic(rows, seed=3)
    remnant = marginalise(H, g, np.array(keep, dtype=int), A, b)
    assert remnant.A.shape[0] == max(0, rows - (10 - len(keep)))
    expected = _minimum(H, g, A, b)[keep]
    np.testing.assert_allclose(_minimum(remnant.H, remnant.g, remnant.A, remnant.b), expected, atol=1e-9)


def test_another_cost_on_the_kept_unknowns_may_be_added_later() -> None:
    H, g, A, b = _quadratic(3, seed=4)
    keep = np.arange(10) >= 4
    remnant = marginalise(H, g, keep, A, b)
    more = np.diag(np.arange(1.0, 7.0))
    whole = H.copy()
    whole[4:, 4:] += more
    found = _minimum(remnant.H + more, remnant.g, remnant.A, remnant.b)
    np.testing.assert_allclose(found, _minimum(whole, g, A, b)[4:], atol=1e-9)


def test_hard_rows_on_kept_unknowns_only_stay() -> None:
    H, g, A, b = _quadratic(2, seed=5)
    A[0, :6] = 0.0
    remnant = marginalise(H, g, np.arange(6, 10), A, b)
    assert remnant.A.shape == (1, 4)
    factor = remnant.A[0, 0] / A[0, 6]
    np.testing.assert_allclose(remnant.A[0], factor * A[0, 6:], atol=1e-12)
    np.testing.assert_allclose(remnant.b[0], factor * b[0], atol=1e-12)


def test_marginalising_what_is_not_determined_says_which() -> None:
    H = np.diag([1.0, 0.0, 2.0])
    with pytest.raises(SingularError) as raised:
        marginalise(H, np.zeros(3), np.array([0]))
    assert raised.value.unknown == 1
    with pytest.raises(InputError, match="do not fit"):
        marginalise(H, np.zeros(2), np.array([0]))
