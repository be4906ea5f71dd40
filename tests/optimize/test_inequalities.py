"""Which side of an inequality is allowed, by optima that have closed forms: all methods of hard factors agree."""

import numpy as np
import pytest

from screwgraph.optimize import Problem, Variables, Vector, each, inequality, soft, solve

from .graphs import anchor

METHODS = ("interior_point", "augmented_lagrangian", "constraint_manifold", "fatrop", "ipopt")


def exceeds(x, *, upper):
    return x - upper


def falls_short(x, *, lower):
    return lower - x


def falls(before, after):
    return before - after


def skip_without(method):
    """Skip where CasADi lacks a solver: it is built with some of them only."""
    if method in ("fatrop", "ipopt") and not pytest.importorskip("casadi").has_nlpsol(method):
        pytest.skip(f"CasADi has no {method} here")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dim", [1, 2])
def test_the_nearest_point_of_a_box_is_what_is_cut_to_it(method, dim):
    skip_without(method)
    wish = np.array([[-3.0, 0.4], [0.2, 5.0], [2.5, -0.9], [-0.7, -2.0]])[:, :dim]
    x = Variables("x", Vector(dim), len(wish))
    box = [inequality(exceeds, x, upper=np.full(dim, 1.0)), inequality(falls_short, x, lower=np.full(dim, -0.5))]
    found = solve(Problem([soft(anchor, x, at=each(wish)), *box]), method=method)
    assert found.success, found
    np.testing.assert_allclose(found.values["x"], np.clip(wish, -0.5, 1.0), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("rises", "best"), [(True, [1.5, 1.5, 1.5, 1.5]), (False, [3.0, 1.5, 1.5, 0.0])])
def test_the_nearest_sequence_that_rises_or_falls_has_means_where_it_must_wait(method, rises, best):
    """Isotonic regression: neighbours in the wrong order are pooled. Ayer et al. (1955)."""
    skip_without(method)
    x = Variables("x", Vector(1), 4)
    first, second = (x[:-1], x[1:]) if rises else (x[1:], x[:-1])
    problem = Problem(
        [soft(anchor, x, at=each(np.array([[3.0], [1.0], [2.0], [0.0]]))), inequality(falls, first, second)]
    )
    found = solve(problem, method=method)
    assert found.success, found
    np.testing.assert_allclose(found.values["x"][:, 0], best, atol=1e-6)


@pytest.mark.parametrize("method", ["interior_point", "fatrop"])
def test_what_all_stages_share_is_bounded_by_the_strictest(method):
    skip_without(method)
    x, top = Variables("x", Vector(1), 3), Variables("top", Vector(1))
    wish = np.array([[4.0], [1.0], [-2.0]])
    problem = Problem([soft(anchor, x, at=each(wish)), soft(anchor, top, at=[0.0]), inequality(falls, x, top)])
    found = solve(problem, method=method)
    assert found.success, found
    # 1 and -2 lie below: 4 and 0 meet at their mean.
    np.testing.assert_allclose(found.values["x"][:, 0], [2.0, 1.0, -2.0], atol=1e-6)
    assert found.values["top"][0, 0] == pytest.approx(2.0, abs=1e-6)


def test_a_result_keeps_its_matrix_while_others_are_searched_for():
    x = Variables("x", Vector(2), count=20)
    targets, rng = each(np.linspace(-2.0, 2.0, 40).reshape(20, 2)), np.random.default_rng(4)
    problem = Problem(
        [
            soft(anchor, x, at=targets, sigma=1.0, name="targets"),
            soft(falls, x[1:], x[:-1], sigma=3.0, name="steps"),
            inequality(exceeds, x, upper=np.array([0.5, 1.5]), name="most"),
        ]
    )
    first = solve(problem, method="interior_point")
    factored, b = first.iterate.memory["factored"], rng.normal(size=40)
    before = factored.exact.times(b)
    again = solve(problem, {"x": rng.uniform(-1.0, 0.0, (20, 2))}, method="interior_point")
    np.testing.assert_array_equal(factored.exact.times(b), before)
    np.testing.assert_allclose(again.values["x"], first.values["x"], atol=1e-6)
    np.testing.assert_allclose(factored.solve(before), b, rtol=1e-6, atol=1e-6)
