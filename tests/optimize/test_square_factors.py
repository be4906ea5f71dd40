"""Factors as long as one of their unknowns: windows are solved without it, to the same values."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.optimize import FixedLag, Problem, Status, Variables, Vector, each, soft, solve
from screwgraph.optimize.smoothers.symbolic_factors import TriangularBlocks
from screwgraph.optimize.smoothers.window import Window

from .graphs import anchor

RNG = np.random.default_rng(5)
N, STEPS, WINDOW = 4, 12, 3
A, D = np.eye(N) + np.diag([0.4, -0.7, 0.3], 1), RNG.standard_normal((N, N))
B, C, E = RNG.standard_normal((N, 2)), RNG.standard_normal((2, N)), RNG.standard_normal((1, N))
SPREAD = np.array([0.3, 0.2, 0.5, 0.1])
READ = RNG.standard_normal((STEPS, 3))


def follows(x, z):
    return A @ x - B @ z


def follows_both(y, x, z):
    return D @ y + x - B @ z


def read_both(y, x, *, z):
    return C @ y + 0.3 * (C @ x) - z


def read_one(x, *, z):
    return E @ x - z


def moved(a, b):
    return b - 0.9 * a


def chain(read: np.ndarray, loss: str | None = None) -> list:
    """Return factors of y, x (4,), which z (2,) determines but for noise; readings of both; steps of z."""
    y, x, z = (
        Variables("y", Vector(N), len(read)),
        Variables("x", Vector(N), len(read)),
        Variables("z", Vector(2), len(read)),
    )
    return [
        soft(follows, x, z, sigma=SPREAD),
        soft(follows_both, y, x, z, sigma=0.4),
        soft(read_both, y, x, z=each(read[:, :2]), sigma=0.3, loss=loss),
        soft(read_one, x, z=each(read[:, 2:]), sigma=0.1),
        soft(moved, z[:-1], z[1:], sigma=0.5),
    ]


def families(lag: FixedLag) -> list[str]:
    return list(lag._window._squares.families)


def test_a_chain_is_smoothed_as_the_whole_of_it():
    """Noise of the square factors counts: it is as large as that of the readings."""
    z = Variables("z", Vector(2), STEPS)
    whole = solve(Problem([*chain(READ), soft(anchor, z[0], at=np.zeros(2), sigma=0.7)]))
    lag = FixedLag(Problem(chain(READ[:WINDOW])), {}, prior={"z": 0.7})
    assert families(lag) == ["y", "x"]
    for read in READ[WINDOW:]:
        assert lag.solve().status is Status.CONVERGED
        lag.advance(parameters={"read_both": {"z": read[:2]}, "read_one": {"z": read[2:]}})
    lag.solve()
    for name, values in lag.values.items():
        np.testing.assert_allclose(values, whole.values[name][-WINDOW:], rtol=0, atol=1e-11)


def test_steps_are_those_of_the_normal_equations_of_all_unknowns(monkeypatch: pytest.MonkeyPatch):
    """Robust readings, and laws that are not linear, from values where residuals are large."""

    def bends(x, z):
        return A @ x + 0.2 * x * x - B @ z

    factors = [soft(bends, *f.arguments, sigma=SPREAD) if f.name == "follows" else f for f in chain(READ, "huber")]
    start = {v.name: RNG.standard_normal((STEPS, v.manifold.dim)) for v in Problem(factors).families}
    steps = list[dict[str, np.ndarray]]()
    for has_squares in (True, False):
        if not has_squares:
            monkeypatch.setattr("screwgraph.optimize.smoothers.fixed_lag.STRAIGHT", 0)
        lag = FixedLag(Problem(factors), start, prior={"z": 0.7})
        costs = [lag.step().cost for _ in range(3)]
        left = lag.advance()
        steps.append(
            {
                **lag.values,
                "costs": np.array(costs),
                "left": left,
                "prior": np.concatenate([*lag.prior[0], lag.prior[1]]),
            }
        )
    for name, values in steps[0].items():
        np.testing.assert_allclose(values, steps[1][name], rtol=1e-9, atol=1e-10)


def test_what_is_tied_to_other_steps_or_read_too_often_stays():
    def found(*more, left: tuple[str, ...] = ()) -> list[str]:
        factors = [f for f in chain(READ[:WINDOW]) if f.name not in left]
        window = Window(Problem([*factors, *more]), False, None, frozenset({"z"}))
        return list(window._squares.families)

    y, x = (Variables(name, Vector(N), WINDOW) for name in "yx")
    assert found() == ["y", "x"]
    assert found(soft(lambda a, b: (b - a)[:1], y[:-1], y[1:], name="tied")) == []  # what is left is 7 rows on x
    assert found(soft(lambda a, b: (b - a)[:1], y[:-1], y[1:], name="tied"), left=("follows_both",)) == ["x"]
    assert found(soft(lambda a, *, z: a - z, x, z=each(np.zeros((WINDOW, N))), name="all of it")) == ["y"]
    assert found(left=("follows",)) == ["x"]  # which the other one determines, too
    assert found(left=("follows_both", "read_both")) == ["x"]


@pytest.mark.parametrize("seed", range(6))
def test_triangular_blocks_solve(seed: int):
    """Random matrices with blocks of one to three rows, their rows and columns shuffled."""
    rng, sizes = np.random.default_rng(seed), [1, 2, 3, 1, 2]
    n, start, dense = sum(sizes), 0, np.zeros((9, 9))
    for size in sizes:
        own = slice(start, start + size)
        dense[own, own] = 2.0 * np.eye(size) + rng.uniform(0.2, 1.0, (size, size)) * (1.0 if size < 3 else -1.0)
        dense[own, :start] = rng.standard_normal((size, start)) * (rng.random((size, start)) < 0.5)
        start += size
    rows, columns = rng.permutation(n), rng.permutation(n)
    matrix = dense[np.ix_(rows, columns)]
    blocks = TriangularBlocks.of_rows([{j: float(x) for j, x in enumerate(row) if x} for row in matrix])
    assert blocks is not None
    assert sorted(len(own) for own, _ in blocks.blocks) == sorted(sizes)
    right = rng.standard_normal(n)
    np.testing.assert_allclose(matrix @ blocks.solve(right.tolist()), right, atol=1e-12)
    found = blocks.solve_transposed(dict(enumerate(right.tolist())))
    np.testing.assert_allclose(matrix.T @ [found.get(i, 0.0) for i in range(n)], right, atol=1e-12)
    assert TriangularBlocks.of_rows([{0: 1.0}, {0: 2.0}]) is None
