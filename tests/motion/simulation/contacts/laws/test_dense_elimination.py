"""Equations that loops eliminate, beside NumPy's solver."""

import numpy as np
import pytest

from screwgraph.motion.simulation.contacts.laws.dense_elimination import DenseEquations
from screwgraph.tape import Memory, Routine


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 19])
def test_solutions_of_products_and_an_identity(n):
    memory, rows, count = Memory(), 2, 3
    equations = DenseEquations(memory, n, "H", "t")
    sizes = {"X": rows * count * n, "Y": rows * count * (n + 1), "acts": rows * count}
    for name, size in (equations.sizes | sizes).items():
        memory.add(name, size)
    X, Y, acts = (memory.places(name) for name in sizes)
    parts = (
        *equations.clear(),
        equations.add_products(rows, X.start, Y.start, count, acts.start),
        *equations.solve(),
    )
    inputs = (*X, *Y, *acts)
    routine = Routine(tuple(f"x{i}" for i in inputs), inputs, tuple(memory.places("t")), memory.size, parts)
    rng = np.random.default_rng(n)
    x, y, on = rng.normal(size=(6, n)), rng.normal(size=(6, n + 1)), np.repeat([1.0, 0.0, 1.0], rows)
    y[:, :n] = x + 0.1 * y[:, :n]  # near a positive matrix
    found = routine.evaluate([*x.ravel(), *y.ravel(), *on])
    weighted = on[:, None] * y
    exact = np.linalg.solve(np.eye(n) + x.T @ weighted[:, :n], x.T @ weighted[:, n])
    np.testing.assert_allclose(np.array(found, dtype=float), exact, atol=1e-12)
