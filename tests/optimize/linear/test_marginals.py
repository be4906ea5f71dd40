"""Covariances are parts of the dense inverse."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from screwgraph.optimize.linear import analyse
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
