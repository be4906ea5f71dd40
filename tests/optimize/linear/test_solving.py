"""Every method solves what NumPy solves, whatever the structure."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.optimize.linear import LIGHT, Pattern, SingularError, analyse
from screwgraph.optimize.linear.refine import ExactMatrix
from screwgraph.optimize.linear.regularise import make_regulariser
from screwgraph.optimize.linear.tree import TreeMethod
from tests.optimize.linear.systems import METHODS, Example, chain, constrained, example, random_structure


def _error(made: Example, method: str, diagonal: np.ndarray | float = 0.0, columns: int = 2) -> float:
    """Residual, relative to |K| |x| + |b|."""
    b = np.random.default_rng(5).standard_normal((made.pattern.count, columns))
    x = analyse(made.pattern, method).factor(made.values, diagonal).solve(b)
    K = made.K + np.diag(np.broadcast_to(diagonal, made.pattern.count))
    return float(np.abs(K @ x - b).max() / (np.abs(K).max() * np.abs(x).max() + np.abs(b).max()))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(9))
@pytest.mark.sampled(3)
def test_random_structures_are_solved_by_every_method(method: str, seed: int) -> None:
    assert _error(random_structure(seed), method) < 1e-13


@pytest.mark.parametrize("sizes", [(1,), (3, 2), (8,), (6, 6, 5), (20,)])
def test_chains_of_families_are_found_and_solved(sizes: tuple[int, ...]) -> None:
    made = chain(25, sizes)
    system = analyse(made.pattern, "chain")
    assert "25 steps" in str(system) or sum(sizes) < 3
    assert f"up to {sum(sizes)} unknowns" in str(system)
    assert _error(made, "chain") < 1e-13


@pytest.mark.parametrize("shared", [(1,), (3,), (4, 9)])
def test_shared_parameters_become_the_border(shared: tuple[int, ...]) -> None:
    made = chain(40, (3, 2), shared=shared)
    system = analyse(made.pattern)
    assert system.method == "arrow"
    assert f"border of {sum(shared)} unknowns" in str(system)
    assert _error(made, "auto") < 1e-13


def test_a_single_block_and_a_single_unknown() -> None:
    for size in (1, 5):
        made = example([size], [[0]])
        for method in METHODS:
            assert _error(made, method) < 1e-13


def test_damping_is_added_to_the_diagonal() -> None:
    made = chain(30, (3,))
    damping = np.random.default_rng(0).uniform(0.1, 2.0, made.pattern.count)
    for method in METHODS:
        assert _error(made, method, damping) < 1e-13
        assert _error(made, method, 0.5) < 1e-13


def test_the_product_with_a_vector_is_that_of_the_dense_matrix() -> None:
    made, rng = random_structure(3), np.random.default_rng(0)
    x, damping = rng.standard_normal((2, made.pattern.count))
    product = analyse(made.pattern).times(made.values, x, damping)
    np.testing.assert_allclose(product, (made.K + np.diag(damping)) @ x, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", ["chain", "tree"])
def test_factors_stay_what_they_are_when_another_matrix_is_factored(method: str) -> None:
    made = chain(30, (4,))
    system, b = analyse(made.pattern, method), np.ones(made.pattern.count)
    first = system.factor(made.values)
    before = first.solve(b)
    system.factor(2 * made.values)
    np.testing.assert_array_equal(first.solve(b), before)


@pytest.mark.parametrize("method", ["chain", "tree"])
def test_what_differs_is_factored_again_and_the_first_factors_stay(method: str) -> None:
    made = chain(30, (12, 9))
    system, b = analyse(made.pattern, method), np.ones(made.pattern.count)
    first = system.factor(made.values, 0.5)
    before, values, K = first.solve(b), made.values.copy(), made.K + 0.5 * np.eye(made.pattern.count)
    changed = np.flatnonzero(made.pattern.rows == made.pattern.cols)[::40]
    for place in changed:
        values[place] += 2.0
        K[made.pattern.rows[place], made.pattern.rows[place]] += 2.0
    np.testing.assert_allclose(K @ first.factor_again(changed, values[changed]).solve(b), b, rtol=1e-11)
    np.testing.assert_array_equal(first.solve(b), before)
    other = first.factor_again(changed, values[changed], overwrite=True)  # first ends
    np.testing.assert_allclose(K @ other.solve(b), b, rtol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_chain_that_hangs_loose_is_singular_and_says_where(method: str) -> None:
    """Differences of neighbours only, in two chains; the second one has no prior."""
    rows, cols, values = [0], [0], [1.0]
    for i in (0, 1, 2, 4, 5, 6):
        rows, cols, values = [*rows, i, i + 1, i + 1], [*cols, i, i, i + 1], [*values, 1.0, -1.0, 1.0]
    system = analyse(Pattern(np.ones(8, int), np.array(rows), np.array(cols)), method)
    with pytest.raises(SingularError) as raised:
        system.factor(np.array(values))
    assert raised.value.unknown in range(4, 8)
    assert raised.value.block == raised.value.unknown


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [-0.5, 0.0, np.nan])
def test_a_diagonal_that_is_negative_zero_or_nan_is_refused(method: str, value: float) -> None:
    pattern = Pattern(np.full(4, 2), np.arange(8), np.arange(8))
    values = np.ones(8)
    values[5] = value
    with pytest.raises(SingularError) as raised:
        analyse(pattern, method).factor(values)
    assert (raised.value.unknown, raised.value.block) == (5, 2)


@pytest.mark.parametrize("method", METHODS)
def test_an_indefinite_matrix_is_refused_and_solved_with_enough_damping(method: str) -> None:
    made = chain(12, (3,))
    least = np.linalg.eigvalsh(made.K)[0]
    system = analyse(made.pattern, method)
    with pytest.raises(SingularError):
        system.factor(made.values, -1.01 * least)
    system.factor(made.values, -0.99 * least)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("within", "between"), [(2, 1), (0, 3), (3, 0), (1, 2)])
def test_hard_rows_within_and_between_steps_hold_exactly(method: str, within: int, between: int) -> None:
    made = constrained(20, 5, within=within, between=between)
    assert _error(made, method) < 1e-13
    factored = analyse(made.pattern, method).factor(made.values)
    assert factored.negative == made.pattern.count - made.pattern.primal


@pytest.mark.parametrize("method", METHODS)
def test_unknowns_without_cost_are_determined_by_hard_rows(method: str) -> None:
    """Each step has a cost on one half of its unknowns only; hard rows tie the other half to it."""
    count, size = 15, 3
    factors = [[i, i + 1] for i in range(count - 1)]
    hard = [([i, count + i], size) for i in range(count)]
    made = example([size] * (2 * count), factors, hard)
    assert _error(made, method) < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_hard_rows_on_a_few_unknowns_of_long_steps_hold_exactly(method: str) -> None:
    """Steps of three blocks; hard rows touch one of them, or one of the next step, too."""
    count, families, size = 8, 3, 7
    blocks = np.arange(count * families).reshape(families, count)
    soft = [[b] for b in blocks.ravel().tolist()]
    hard = [([int(b)], 2) for b in blocks[:2].ravel()]
    hard += [([int(own), int(then)], 3) for own, then in zip(blocks[0, :-1], blocks[2, 1:], strict=True)]
    made = example([size] * blocks.size, soft, hard)
    assert _error(made, method) < 1e-12
    assert analyse(made.pattern, method).factor(made.values).negative == made.pattern.count - made.pattern.primal


@pytest.mark.parametrize("method", METHODS)
def test_hard_rows_given_twice_change_nothing_but_their_multipliers(method: str) -> None:
    once, pattern, across = rows_twice()
    multipliers = np.arange(once.pattern.primal, once.pattern.count)
    b = np.random.default_rng(1).standard_normal(once.pattern.count)
    expected = np.linalg.solve(once.K, b)[: once.pattern.primal]
    values = np.concatenate([once.values, once.values[across]])
    found = analyse(pattern, method).factor(values).solve(np.concatenate([b, b[multipliers]]))
    np.testing.assert_allclose(found[: once.pattern.primal], expected, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("method", METHODS)
def test_entries_that_are_given_in_parts_are_summed(method: str) -> None:
    assert _error(_in_parts(constrained(6, 4)), method) < 1e-12


def _in_parts(whole: Example) -> Example:
    """Return the same matrix, each entry given as two that add up to it."""
    part = np.random.default_rng(4).standard_normal(whole.values.size)
    twice = [np.concatenate([x, x]) for x in (whole.pattern.rows, whole.pattern.cols)]
    pattern = Pattern(whole.pattern.sizes, *twice, whole.pattern.multipliers)
    return Example(pattern, np.concatenate([part, whole.values - part]), whole.K)


@pytest.mark.parametrize("method", METHODS)
def test_a_step_meets_hard_rows_that_nearly_repeat_others(method: str) -> None:
    once, pattern, across = rows_twice()
    rng, apart = np.random.default_rng(1), 1e-6
    nearly = once.values[across] + apart * rng.standard_normal(across.sum())
    factored = analyse(pattern, method).factor(np.concatenate([once.values, nearly]))
    b = np.zeros(pattern.count)
    b[once.pattern.count :] = apart * rng.standard_normal(pattern.count - once.pattern.count)
    left = (b - factored.exact.times(factored.correction(b, 1e-7)))[pattern.primal :]
    assert np.abs(left).max() < 0.01 * np.abs(b).max()


def rows_twice() -> tuple[Example, Pattern, np.ndarray]:
    """Make a chain with hard rows, the pattern with these rows once more, and which values belong to them."""
    count, size = 10, 4
    once = example([size] * count, [[i, i + 1] for i in range(count - 1)], [([i], 2) for i in range(count)])
    shift = once.pattern.count - once.pattern.primal
    across = once.pattern.rows >= once.pattern.primal
    pattern = Pattern(
        np.concatenate([once.pattern.sizes, np.full(count, 2)]),
        np.concatenate([once.pattern.rows, once.pattern.rows[across] + shift]),
        np.concatenate([once.pattern.cols, once.pattern.cols[across]]),
        2 * count,
    )
    return once, pattern, across


@pytest.mark.parametrize("is_in_parts", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_negative_pivots_tell_whether_a_point_is_a_minimum_on_the_constraints(method: str, is_in_parts: bool) -> None:
    made = _in_parts(constrained(10, 4)) if is_in_parts else constrained(10, 4)
    primal = made.pattern.primal
    Z = np.linalg.svd(made.K[primal:, :primal])[2][made.pattern.count - primal :].T
    least = np.linalg.eigvalsh(Z.T @ made.K[:primal, :primal] @ Z)[0]
    system, multipliers = analyse(made.pattern, method), made.pattern.count - primal
    shift = np.where(np.arange(made.pattern.count) < primal, -least, 0.0)
    assert system.factor(made.values, 0.97 * shift).negative == multipliers
    assert system.factor(made.values, 1.03 * shift).negative == multipliers + 1


def test_systems_with_hard_rows_that_are_only_solved_are_trees_with_fewer_operations_than_chains() -> None:
    made = constrained(20, 5, within=2, between=3)
    system = analyse(made.pattern, multipliers=LIGHT)
    assert isinstance(system.choice.method, TreeMethod)
    assert system.choice.method.operations < made.pattern.count**3 / 100
    b = np.random.default_rng(0).standard_normal(made.pattern.count)
    np.testing.assert_allclose(system.factor(made.values).solve(b), np.linalg.solve(made.K, b), rtol=1e-7, atol=1e-9)


def test_trees_are_balanced_where_chains_from_their_ends_take_nearly_as_many_operations() -> None:
    """A long chain has many levels, a star of short ones has few either way."""
    long, star = chain(100, (6,)), example([6] * 41, [[0], *([0, k] for k in range(1, 41))])
    depths = []
    for made in (long, star):
        method = analyse(made.pattern, "tree").choice.method
        assert isinstance(method, TreeMethod)
        depths.append(_depth(method.tree.members.parents))
    assert depths[0] >= 25
    assert depths[1] <= 2


def _depth(parents: np.ndarray) -> int:
    """Return how many cliques stand above the lowest one; parents come after their children."""
    above = np.zeros(len(parents), dtype=int)
    for c in reversed(range(len(parents))):
        above[c] = above[parents[c]] + 1 if parents[c] >= 0 else 0
    return int(above.max())


def test_multipliers_that_are_tied_to_each_other_have_no_tree() -> None:
    pattern = Pattern(np.array([2, 1, 1]), np.array([0, 1, 2, 3, 3]), np.array([0, 1, 0, 1, 2]), 2)
    with pytest.raises(InputError, match="no tree"):
        analyse(pattern, "tree")
    assert analyse(pattern, multipliers=LIGHT).method != "tree"


@pytest.mark.parametrize("method", ["chain", "tree", "sparse", "dense"])
def test_weights_over_many_orders_of_magnitude_are_solved(method: str) -> None:
    made = chain(30, (4,))
    scale = 10.0 ** np.random.default_rng(2).uniform(-5, 5, made.pattern.count)
    values = made.values * scale[made.pattern.rows] * scale[made.pattern.cols]
    K = made.K * np.outer(scale, scale)
    x = np.random.default_rng(3).standard_normal(made.pattern.count) / scale
    found = analyse(made.pattern, method).factor(values).solve(K @ x)
    np.testing.assert_allclose(found * scale, x * scale, atol=1e-9)


def test_wrong_input_is_told() -> None:
    with pytest.raises(InputError, match="not in the lower triangle"):
        Pattern(np.array([2]), np.array([0]), np.array([1]))
    with pytest.raises(InputError, match="a size is negative"):
        Pattern(np.array([-1]), np.zeros(0, int), np.zeros(0, int))
    with pytest.raises(InputError, match="3 of 1 blocks"):
        Pattern(np.array([2]), np.zeros(0, int), np.zeros(0, int), 3)
    pattern = Pattern(np.array([2]), np.array([0, 1]), np.array([0, 1]))
    with pytest.raises(InputError, match="unknown"):
        analyse(pattern, "magic")
    with pytest.raises(InputError, match="2 places"):
        analyse(pattern).factor(np.ones(3))


def test_the_size_that_pivots_are_judged_by_does_not_depend_on_units_of_hard_rows() -> None:
    """In the Schur complement of a hard row K x = 0 and of one 7 K x = 0 the same is added to each unknown."""
    made = example([2, 3, 2], [(0, 1), (1, 2)], [((0, 1), 2), ((1, 2), 1)])
    pattern, found = made.pattern, []
    for unit in (1.0, 7.0):
        values = np.where(pattern.rows >= pattern.primal, unit, 1.0) * made.values
        _, scales = make_regulariser(pattern)(values, np.zeros(pattern.count), True)
        found.append(scales[: pattern.primal])
    assert (found[0] > np.abs(np.diag(made.K)[: pattern.primal])).all()
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_pivoting_solves_and_refuses_what_is_not_finite(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(60, 120)), int(rng.integers(20, 40))
    rows, cols = np.nonzero(rng.random((m, n)) < 0.1)
    pattern = Pattern(np.array([n, m]), rows + n, cols, 1)
    system, values = analyse(pattern), rng.standard_normal(rows.size)
    holed = np.where(np.arange(rows.size) == 3, np.nan, values)
    assert ExactMatrix(system, holed, np.ones(n + m)).factor_with_pivoting() is None
    diagonal = np.where(np.arange(n + m) < n, 1.0, -1.0)
    exact, b = ExactMatrix(system, values, diagonal), rng.standard_normal(n + m)
    factors = exact.factor_with_pivoting()
    assert factors is not None
    np.testing.assert_allclose(exact.times(factors.solve(b)), b, atol=1e-10)
