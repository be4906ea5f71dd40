"""Products of derivatives and vectors that follow code with loops, beside NumPy's."""

import numpy as np

from screwgraph.compiler import make_numbered_argument
from screwgraph.compiler.derivatives.ambient_function import pull_back, push_forward
from screwgraph.tape import Memory, Routine


def test_products_are_those_of_matrices_one_after_the_other():
    """Matrices 4 x 3 and 4 x 2, of results of 1 and 3 numbers, twice what code is given."""
    rng = np.random.default_rng(0)
    J = [rng.normal(size=(4, width)) for width in (3, 2)]
    entries = np.concatenate([matrix.ravel() for matrix in J])
    memory = Memory()
    for name in ("given", "slopes"):
        memory.add(name, len(entries))
    code = memory.block("double", ["given"], ["slopes"], lambda given: [2.0 * x for x in given])
    names = tuple(f"given[{i}]" for i in range(len(entries)))
    places = [tuple(memory.places(name)) for name in ("given", "slopes")]
    slopes = Routine(names, *places, memory.size, (code,))
    by = [make_numbered_argument("a", 3), make_numbered_argument("b", 2)]
    v, w = rng.normal(size=5), rng.normal(size=4)
    forward = push_forward(slopes, by, [make_numbered_argument("da", 3), make_numbered_argument("db", 2)])
    np.testing.assert_allclose(forward.evaluate([*entries, *v]), 2.0 * np.hstack(J) @ v, rtol=1e-12)
    back = pull_back(slopes, by, [make_numbered_argument("w", 1), make_numbered_argument("u", 3)])
    np.testing.assert_allclose(back.evaluate([*entries, *w]), 2.0 * np.hstack(J).T @ w, rtol=1e-12)
    assert forward.input_names[-5:] == ("da[0]", "da[1]", "da[2]", "db[0]", "db[1]")
