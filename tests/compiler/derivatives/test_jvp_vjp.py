"""Products of derivatives with vectors are the derivatives times the vectors."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg

CASES = {
    "arm": lambda: sg.forward_dynamics(sg.load("rrr")),
    "closed": lambda: sg.forward_dynamics(sg.load("five_bar")),
    "quaternions": lambda: sg.inverse_dynamics(sg.load("rrr", base="floating")),
    "several": lambda: sg.inverse_dynamics(sg.load("rrr")).jacobian("q", "qd"),
    "a number": lambda: sg.kinetic_energy(sg.load("rrr")),
}


def evaluated(f, values: list[np.ndarray]) -> list[np.ndarray]:
    numbers = dict(
        zip((n for a in f.arguments for n in a.names), np.concatenate(list(map(np.ravel, values))), strict=True)
    )
    found = np.array(f.program.evaluate([numbers[n] for n in f.program.input_names]), dtype=float)
    return [
        x.reshape(r.shape)
        for x, r in zip(np.split(found, np.cumsum([r.size for r in f.results])[:-1]), f.results, strict=True)
    ]


@pytest.mark.parametrize("name", CASES)
def test_products_are_those_of_the_jacobian(name):
    f, rng = CASES[name]()._plain, np.random.default_rng(0)
    by = ("qd", "q")
    values = [rng.standard_normal(a.shape) for a in f.arguments]
    slopes = evaluated(f.jacobian(*by), values)
    sizes, count = [r.size for r in f.results], len(f.results)
    whole = np.hstack(
        [
            np.vstack([s.reshape(n, -1) for s, n in zip(slopes[k * count : (k + 1) * count], sizes, strict=True)])
            for k in range(2)
        ]
    )
    changes, weights = rng.standard_normal(whole.shape[1]), rng.standard_normal(whole.shape[0])
    first, last = np.split(changes, [next(a for a in f.arguments if a.name == "qd").shape[0]])
    forth = evaluated(f.pushforward(*by), [*values, first, last])
    np.testing.assert_allclose(np.concatenate(list(map(np.ravel, forth))), whole @ changes, rtol=1e-10, atol=1e-10)
    parts = [w.reshape(r.shape) for w, r in zip(np.split(weights, np.cumsum(sizes)[:-1]), f.results, strict=True)]
    back = evaluated(f.pullback(*by), [*values, *parts])
    np.testing.assert_allclose(np.concatenate(back), weights @ whole, rtol=1e-10, atol=1e-10)
