"""Numbers with derivatives against complex steps."""

import numpy as np
import pytest

from screwgraph.spatial import Taylor, cos, gradient, sin, sqrt

FUNCTIONS = {
    "arithmetic": lambda x: 2.0 - x * x / (1.5 + x) + 3.0 / x - -x,
    "sine": lambda x: sin(x) * cos(x * x),
    "root": lambda x: sqrt(x * x + 1.0) / x,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_along_a_path(name):
    f, x, v, a = FUNCTIONS[name], 0.7, -1.3, 0.4
    moved = f(Taylor(x, v, a))

    def rate(t):
        step = 1e-30
        return f(x + v * t + 0.5 * a * t * t + 1j * step * (v + a * t)).imag / step

    assert moved.value == pytest.approx(f(x), rel=1e-15)
    assert moved.first == pytest.approx(rate(0.0), rel=1e-14)
    h = 1e-5  # central differences: h^2 and rounding / h
    assert moved.second == pytest.approx((rate(h) - rate(-h)) / (2 * h), rel=1e-8)


def test_a_gradient_has_a_row_for_each_result():
    at = {3: 0.5, 7: 2.0}
    rows = gradient(lambda x: [x[3] * x[7], 4.0, x[7] * x[7]], at, (3, 7))
    np.testing.assert_allclose(rows, [[2.0, 0.5], [0.0, 0.0], [0.0, 4.0]])
