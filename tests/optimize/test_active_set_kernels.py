"""KKT equations of active inequalities in machine code: dense NumPy says the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from screwgraph.optimize.methods.active_set_kernels import HardTable, ProductTable, compile_active_set

N, M, K, VIOLATED, NEGATIVE = 7, 4, 5, 1e-12, 1e-9


class Sample:
    """Dense slopes and their entries, residuals, multipliers; the first three inequalities are active."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.A, self.G = rng.standard_normal((M, N)), rng.standard_normal((K, N))
        self.c, self.g = rng.standard_normal(M), np.array([0.3, -0.2, 0.1, 0.4, -0.5])
        self.gradient, self.y = 3.0 * rng.standard_normal(N), rng.standard_normal(M)
        self.active, self.z = np.array([1, 1, 1, 0, 0]), np.array([0.7, -0.1, 0.2, 0.0, 0.0])
        self.stiffness, self.slope = 10.0 ** np.arange(K), np.empty(N)
        self.units, self.unequal = rng.uniform(0.5, 2.0, N), _table(self.g, self.G)

    def write_slope(self) -> None:
        """Give each row's part of A'y and G'z as a factor of its own, its directions in another order."""
        self.products = [_products(self.A * self.y[:, None]), _products(self.G * self.z[:, None])]
        tables = (*self.products[0].addresses, M * N, *self.products[1].addresses, K * N)
        _call("write_slope", *tables, self.gradient, self.units, self.slope, N)

    @property
    def lagrangian(self) -> np.ndarray:
        """The gradient of the Lagrangian: products have no units of directions yet."""
        return self.gradient + self.units * (self.A.T @ self.y + self.G.T @ self.z)

    def measure_error(self) -> float:
        tables = (self.c, M, *self.unequal.addresses, K)
        return _call("measure_error", *tables, self.gradient, self.slope, N, self.y, self.active)


def test_the_gradient_of_the_lagrangian_and_the_error():
    s = Sample()
    s.write_slope()
    np.testing.assert_allclose(s.slope, s.lagrangian, rtol=1e-13)
    scale = max(1.0, np.abs(s.gradient).max(), np.abs(s.y).max())
    broken = np.where(s.active, np.abs(s.g), np.maximum(s.g, 0.0))
    expected = max(np.abs(s.slope).max() / scale, np.abs(s.c).max(), broken.max())
    assert s.measure_error() == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["c", "g", "slope"])
def test_an_error_that_is_not_finite_is_told(where, value):
    s = Sample()
    s.write_slope()
    getattr(s, where)[2] = value
    assert not np.isfinite(s.measure_error())


def test_active_rows_without_a_multiplier_leave_and_violated_ones_join():
    s, active = Sample(), np.empty(K, dtype=np.int64)
    s.z[1] = 0.0
    assert _call("choose_active", *s.unequal.addresses, K, s.active, active, s.z, VIOLATED) == 2
    np.testing.assert_array_equal(active, [1, 0, 1, 1, 0])
    np.testing.assert_array_equal(s.z, [0.7, 0.0, 0.2, 0.0, 0.0])


@pytest.mark.parametrize(("pull", "left"), [(-0.5 * NEGATIVE, -0.5 * NEGATIVE), (-2.0 * NEGATIVE, 0.0), (3.0, 3.0)])
def test_multipliers_of_the_wrong_sign_vanish_beyond_rounding(pull, left):
    s, z = Sample(), np.empty(K)
    given = (np.zeros(N), s.active, s.stiffness, np.full(K, pull), z, NEGATIVE)
    _call("write_multipliers", *s.unequal.addresses, K, *given)
    np.testing.assert_allclose(z, np.where(s.active, left, 0.0), rtol=1e-12)


def test_a_step_is_that_of_active_rows_as_springs():
    """Multipliers after a step d: z + s (g + G d) where rows are active and that is not negative, else none."""
    s, pull, right = Sample(), np.empty(K), np.empty(N + M)
    s.write_slope()
    slope = s.slope.copy()
    given = (s.slope, N, s.z, s.active, s.stiffness, pull, right)
    _call("write_right", s.c, M, *s.unequal.addresses, K, *given)
    springs = np.where(s.active, s.z + s.stiffness * s.g, 0.0)
    np.testing.assert_allclose(pull, springs, rtol=1e-13)
    np.testing.assert_allclose(right[:N], -(slope + s.G.T @ (springs - s.z)), rtol=1e-12)
    np.testing.assert_array_equal(right[N:], -s.c)
    step, z = np.linspace(-1.0, 1.0, N), np.empty(K)
    _call("write_multipliers", *s.unequal.addresses, K, step, s.active, s.stiffness, pull, z, NEGATIVE)
    reached = np.where(s.active, springs + s.stiffness * (s.G @ step), 0.0)
    np.testing.assert_allclose(z, np.maximum(reached, 0.0), rtol=1e-12)


def test_the_largest_relative_move():
    step, sizes = np.array([0.1, -3.0, 2.0]), np.array([1.0, 10.0, 4.0])
    assert _call("measure_step", step, sizes, 3) == pytest.approx(0.5)


def _products(matrix: np.ndarray) -> ProductTable:
    columns = np.tile(np.arange(N)[::-1], len(matrix))
    return ProductTable(values=np.ascontiguousarray(matrix[:, ::-1]).ravel(), columns=columns)


def _table(residuals: np.ndarray, matrix: np.ndarray) -> HardTable:
    """Give entries column by column, as kernels do."""
    m, n = matrix.shape
    columns, rows = np.divmod(np.arange(matrix.size), m)
    entries, firsts = np.argsort(rows, kind="stable"), n * np.arange(m + 1)
    values = np.ascontiguousarray(matrix.T).ravel()
    return HardTable(residuals=residuals, values=values, columns=columns, entries=entries, firsts=firsts)


def _call(name: str, *arguments: Any) -> Any:
    given = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments]
    return compile_active_set().functions[name](*given)
