"""Unknowns of one hard row alone leave the tree, whatever their numbers are; answers are those of the dense matrix."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from screwgraph.optimize.linear import Pattern, SingularError, System, analyse
from screwgraph.optimize.linear.hard_rows import make_hard_rows
from screwgraph.optimize.linear.lone_unknowns import reduce_pattern
from screwgraph.optimize.linear.tree import TreeFactored, TreeMethod
from tests.optimize.linear.systems import Example, example

COUNT, SIZE = 12, 5


def _torques(seed: int = 0) -> tuple[Example, System, np.ndarray]:
    """Make steps of five unknowns, each with an unknown that one hard row says; return which values are their costs."""
    states, lone = range(COUNT), range(COUNT, 2 * COUNT)
    factors = [[i, i + 1] for i in states[:-1]] + [[b] for b in lone]
    hard = [([i, b], 1) for i, b in zip(states, lone, strict=True)] + [([i], 2) for i in states]
    made = example([SIZE] * COUNT + [1] * COUNT, factors, hard, seed)
    rows, cols = made.pattern.rows, made.pattern.cols
    return made, analyse(made.pattern, "tree"), np.flatnonzero((rows == cols) & (cols >= COUNT * SIZE))


def _dense(pattern: Pattern, values: np.ndarray) -> np.ndarray:
    K = np.zeros((pattern.count, pattern.count))
    np.add.at(K, (pattern.rows, pattern.cols), values)
    return K + np.tril(K, -1).T


def _solved_as_dense(system: System, values: np.ndarray) -> None:
    K, b = _dense(system.pattern, values), np.random.default_rng(2).standard_normal((system.pattern.count, 2))
    factored, expected = system.factor(values), np.linalg.solve(K, b)
    np.testing.assert_allclose(factored.solve(b), expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    first = factored.correction(b[:, 0], np.inf)
    np.testing.assert_allclose(first, expected[:, 0], rtol=1e-4, atol=1e-5 * np.abs(expected).max())


def test_the_tree_is_that_of_the_other_unknowns() -> None:
    made, system, costs = _torques()
    method = system.choice.method
    assert isinstance(method, TreeMethod)
    assert method.tree.members.dims.sum() == COUNT * SIZE
    lone = method.lone.unknowns
    np.testing.assert_array_equal(np.sort(lone[lone >= 0]), made.pattern.rows[costs])


@pytest.mark.parametrize("seed", range(5))
def test_answers_are_those_of_the_dense_matrix(seed: int) -> None:
    made, system, costs = _torques(seed)
    rng = np.random.default_rng(seed)
    values = made.values.copy()
    values[costs] = 10.0 ** rng.uniform(-6, 6, len(costs))
    _solved_as_dense(system, values)


@pytest.mark.parametrize("cost", [0.0, 1e-30, -0.3])
def test_an_unknown_without_cost_or_with_less_is_said_by_its_row(cost: float) -> None:
    """On the rows, the other unknowns' costs of 2 a'x suffice where that of y is less than none."""
    made, system, costs = _torques()
    values = made.values.copy()
    values[costs] = cost
    across = (made.pattern.rows >= made.pattern.primal) & np.isin(made.pattern.cols, made.pattern.rows[costs])
    values[across] = 40.0
    _solved_as_dense(system, values)
    assert system.factor(values).negative == made.pattern.count - made.pattern.primal


def test_a_row_that_says_nothing_of_its_unknown_holds_for_the_others() -> None:
    made, system, costs = _torques()
    values = made.values.copy()
    values[(made.pattern.rows >= made.pattern.primal) & np.isin(made.pattern.cols, made.pattern.rows[costs])] = 0.0
    _solved_as_dense(system, values)
    values[costs[3]] = 0.0
    with pytest.raises(SingularError) as raised:
        system.factor(values)
    assert raised.value.unknown == made.pattern.rows[costs[3]]
    values[costs[3]] = -1.0
    assert system.factor(values).negative == made.pattern.count - made.pattern.primal + 1


def test_other_costs_are_factored_again_and_the_first_factors_stay() -> None:
    made, system, costs = _torques()
    b, first = np.ones(made.pattern.count), system.factor(made.values)
    before, changed = first.solve(b), costs[2:9:3]
    values = made.values.copy()
    values[changed] *= 7.0
    K = _dense(made.pattern, values)
    np.testing.assert_allclose(K @ first.factor_again(changed, values[changed]).solve(b), b, rtol=1e-9)
    np.testing.assert_array_equal(first.solve(b), before)
    other = first.factor_again(changed, values[changed], overwrite=True)  # first ends
    np.testing.assert_allclose(K @ other.solve(b), b, rtol=1e-9)


def test_unknowns_of_two_rows_or_with_neighbours_in_h_are_not_alone_and_a_row_has_one_that_is() -> None:
    """Unknown 0 has a neighbour, 1 is it, 2 is of both rows, 3 and 4 are of one row alone, 5 of the other, twice."""
    rows = np.array([0, 1, 2, 3, 4, 5, 1, 6, 6, 6, 6, 7, 7, 7, 7])
    cols = np.array([0, 1, 2, 3, 4, 5, 0, 0, 2, 3, 4, 1, 2, 5, 5])
    pattern = Pattern(np.array([2, 3, 1, 2]), rows, cols, 1)
    reduced = reduce_pattern(pattern, make_hard_rows(pattern))
    np.testing.assert_array_equal(reduced.lone.unknowns, [3, -1])
    np.testing.assert_array_equal(reduced.lone.entries, [2, -1])
    np.testing.assert_array_equal(reduced.pattern.sizes, [2, 2, 1, 2])
    assert reduced.pattern.rows.size == rows.size - 2


def test_copies_solve_after_their_original_has_ended() -> None:
    made, system, _ = _torques()
    factored, b = system.factor(made.values), np.random.default_rng(3).standard_normal(made.pattern.count)
    expected, copied = factored.solve(b), deepcopy({"of": factored, "by": system})
    del factored
    other = copied["by"].factor(2.0 * made.values)
    np.testing.assert_array_equal(copied["of"].solve(b), expected)
    np.testing.assert_allclose(other.solve(b), expected / 2.0, rtol=1e-7, atol=1e-9)


def test_rows_that_begin_alike_are_solved_as_the_dense_matrix() -> None:
    """Five rows of each step have its unknowns in common, and two more have those of the next one, too."""
    states = range(COUNT)
    hard = [([i], 5) for i in states] + [([i, i + 1], 2) for i in states[:-1]]
    made = example([9] * COUNT, [[i, i + 1] for i in states[:-1]], hard, 0)
    system = analyse(made.pattern, "tree")
    assert isinstance(system.choice.method, TreeMethod)
    assert system.choice.method.rows.matrix.places.shared.max() == 9
    _solved_as_dense(system, made.values)


def test_what_a_coarse_regularisation_leaves_is_measured() -> None:
    """The tree counts what is left from products that it has; the exact matrix multiplies anew."""
    made, _, _ = _torques()
    factored = analyse(made.pattern, "tree", multipliers=1e-2).factor(made.values)
    right = np.random.default_rng(4).standard_normal(made.pattern.count)
    assert isinstance(factored.factors, TreeFactored)
    x, left = factored.factors.solve_measured(right, factored.exact, True)
    assert 1e-4 < left < 1.0
    np.testing.assert_allclose(left, factored.exact.relative_residual(right, x), rtol=1e-9)
