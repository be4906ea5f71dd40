"""Slacks and multipliers in steps: as Python and as machine code, against the equations that they solve."""

import numpy as np
import pytest

from screwgraph.compiler.kernels import address_of, as_python
from screwgraph.optimize.linear import MatrixEntries, RowGroups, RowPattern
from screwgraph.optimize.linear.row_groups import GroupTables
from screwgraph.optimize.methods import slack_kernels
from screwgraph.optimize.methods.slack_kernels import compile_slacks, sum_logarithms


def in_python(name, *given):
    return getattr(slack_kernels, name)(*expand(given, tables_in_python, lambda rows: [rows.places]), len(given[0]))


def compiled(name, *given):
    numbers = [address_of(x) if isinstance(x, np.ndarray) else x for x in given]
    groups, rows = lambda own: own.list_addresses(own.tables.local), lambda own: own.places.addresses
    return compile_slacks()[name](*expand(numbers, groups, rows), len(given[0]))


def expand(given, tables, places):
    """Return arguments with the tables of groups, and places of rows, in their place."""
    found = {RowGroups: tables, MatrixEntries: places}
    return [a for x in given for a in found.get(type(x), lambda own: (own,))(x)]


def tables_in_python(groups):
    tables = groups.tables
    return GroupTables(**{**vars(tables), "groups": as_python(tables.groups)}), len(tables.groups)


@pytest.fixture(params=[in_python, compiled], ids=["Python", "machine code"])
def call(request):
    return request.param


def random_rows(rng, count, width):
    """Return entries of a matrix with some in each row, of which the first ones are alike, their places, the matrix."""
    G = np.where(rng.uniform(size=(count, width)) < 0.4, rng.normal(size=(count, width)), 0.0)
    G[:, :5] = rng.normal(size=(count, 5))
    rows, columns = np.nonzero(G)
    places = MatrixEntries.from_places(rows, columns, G.shape)
    assert places.places.shared.max() >= 5
    return G[rows, columns].copy(), places, G


def random_groups(rng, count, width):
    """Return entries of a matrix, its rows as a group of one factor and one of eight, and the matrix."""
    patterns, values, G = [], [], []
    for rows, factors in ((count - 24, 1), (3, 8)):
        i, j = np.nonzero(rng.uniform(size=(rows, width)) < 0.4)
        patterns.append(RowPattern(rows, i, j, np.array([rng.permutation(width) for _ in range(factors)])))
        values.append(rng.normal(size=(len(i), factors)))
        own = np.zeros((rows, factors, width))
        for e in range(len(i)):
            own[i[e], np.arange(factors), patterns[-1].directions[:, j[e]]] = values[-1][e]
        G.append(own.reshape(-1, width))
    return np.concatenate([v.ravel() for v in values]), RowGroups(patterns, width), np.concatenate(G)


@pytest.mark.parametrize("bend", [0.0, 0.6])
def test_changes_solve_newtons_equations(call, bend):
    rng = np.random.default_rng(4)
    s, z, g, other_s, other_z = rng.uniform(0.1, 2.0, (5, 37))
    *entries, G = random_groups(rng, 37, 11)
    d, slope, found = rng.normal(size=11), rng.normal(size=11), np.zeros(5)
    r, (ds, dz, pulls), right, none = g + s, np.empty((3, 37)), np.empty(11), np.zeros(0)
    given = s, z, r, other_s, other_z, 0.3, bend
    call("write_changes", *given, d, ds, dz, found, slope, *entries, 11)
    np.testing.assert_allclose(g + G @ d + s + ds, 0.0, atol=1e-14)
    np.testing.assert_allclose(s * z + s * dz + z * ds + bend * other_s * other_z, 0.3, atol=1e-14)
    sizes = [(ds / s).min(), (dz / z).min(), (ds / s).sum(), np.abs(d).max(), slope @ d]
    np.testing.assert_allclose(found, sizes, rtol=1e-13)
    call("write_right", *given, 0.0 * slope, none, pulls, right, slope, *entries, 11, 0)
    np.testing.assert_allclose(-slope - right, G.T @ (z + dz - z / s * (G @ d)), atol=1e-13)  # condensed equations


def test_errors_are_those_of_rows(call):
    rng = np.random.default_rng(4)
    s, z, g = rng.uniform(0.1, 2.0, (3, 37)) * [[1.0], [1.0], [-1.0]]
    *entries, G = random_groups(rng, 37, 11)
    slope, found, (r, ratios) = rng.normal(size=11), np.zeros(4), np.empty((2, 37))
    expected = slope + G.T @ z
    call("measure_rows", s, z, g, slope, *entries, r, ratios, found)
    np.testing.assert_allclose(slope, expected, atol=1e-14)
    np.testing.assert_allclose([r, ratios], [g + s, z / s], rtol=1e-15)
    np.testing.assert_allclose(found, [np.abs(g + s).max(), (s * z).min(), (s * z).max(), s @ z])


@pytest.mark.parametrize("count", [0, 3, 4, 37])
def test_logarithms_of_products_are_sums(count):
    s = 10.0 ** np.random.default_rng(4).uniform(-40.0, 3.0, count)
    assert sum_logarithms(s) == pytest.approx(np.log(s).sum())


def test_slacks_fit_residuals_and_multipliers_stay_near_the_barrier(call):
    rng = np.random.default_rng(4)
    s, z = 10.0 ** rng.uniform(-6.0, 2.0, (2, 41))
    g, to, to_z, parts = rng.uniform(-2.0, 2.0, 41), np.empty(41), z.copy(), np.empty(6)
    call("bound_point", s, to_z, g, np.zeros(0), to, 0.1, parts, 100.0, 0)
    np.testing.assert_array_equal(to, np.maximum(s, -g))
    assert (to_z * to >= 0.1 / 100.0 * (1.0 - 1e-14)).all()
    assert (to_z * to <= 0.1 * 100.0 * (1.0 + 1e-14)).all()
    inside = (z * to > 0.1 / 99.0) & (z * to < 0.1 * 99.0)
    assert inside.any()
    assert (to_z == z)[inside].all()


def test_slacks_and_multipliers_move_by_parts_of_their_own(call):
    rng = np.random.default_rng(4)
    s, z, ds, dz, to, to_z = rng.uniform(0.1, 2.0, (6, 13))
    (y, dy, to_y), (x, dx, to_x) = rng.normal(size=(3, 5)), rng.normal(size=(3, 7))
    call("move_point", s, z, ds, dz, y, dy, x, dx, 0.25, 0.5, to, to_z, to_y, to_x, 7, 5)
    np.testing.assert_allclose([to, to_z], [s + ds / 4, z + dz / 2], rtol=1e-15)
    np.testing.assert_allclose(to_y, y + dy / 4, rtol=1e-15, atol=1e-16)
    np.testing.assert_allclose(to_x, x + dx / 4, rtol=1e-15, atol=1e-16)
    ahead = (s + 0.25 * ds) @ (z + 0.5 * dz)
    assert call("multiply_ahead", s, z, ds, dz, 0.25, 0.5) == pytest.approx(ahead)


@pytest.mark.parametrize("count", [3, 8, 37])
def test_merits_are_sums_of_residuals_and_logarithms(call, count):
    rng = np.random.default_rng(4)
    s, to, parts = 10.0 ** rng.uniform(-20.0, 3.0, count), np.empty(count), np.empty(count // 8 + 1)
    g, c = rng.uniform(-2.0, 2.0, count), rng.normal(size=6)
    broken = call("bound_point", s, np.ones(count), g, c, to, 0.1, parts, 1e10, 6)
    np.testing.assert_array_equal(to, np.maximum(s, -g))
    assert broken == pytest.approx(np.abs(c).sum() + np.abs(g + to).sum())
    assert np.log(parts).sum() == pytest.approx(np.log(to).sum())


def test_right_sides_and_errors_are_those_of_dense_matrices(call):
    rng = np.random.default_rng(4)
    s, z, g = rng.uniform(0.1, 2.0, (3, 37)) * [[1.0], [1.0], [-1.0]]
    *inequalities, G = random_groups(rng, 37, 11)
    *equalities, A = random_rows(rng, 5, 11)
    gradient, (y, c) = rng.normal(size=11), rng.normal(size=(2, 5))
    (products, slope), (r, ratios), found = np.empty((2, 11)), np.empty((2, 37)), np.empty(7)
    written = products, r, ratios, slope, found
    call("measure_errors", s, z, y, *written, gradient, c, g, *equalities, *inequalities, 11, 5)
    np.testing.assert_allclose(products, A.T @ y, atol=1e-14)
    np.testing.assert_allclose(slope, gradient + A.T @ y + G.T @ z, atol=1e-14)
    sizes = [max(np.abs(c).max(), np.abs(g + s).max()), (s * z).min(), (s * z).max(), s @ z]
    np.testing.assert_allclose(found, [*sizes, np.abs(slope).max(), np.abs(gradient).max(), np.abs(y).max()])
    c[2] = np.nan
    call("measure_errors", s, z, y, *written, gradient, c, g, *equalities, *inequalities, 11, 5)
    assert np.isnan(found[0])
    right, pulls, c[2] = np.empty(16), np.empty(37), 1.0
    call("write_right", s, z, r, s, z, 0.3, 0.0, products, c, pulls, right, gradient, *inequalities, 11, 5)
    pulled = (0.3 + z * r) / s
    np.testing.assert_allclose(right, np.concatenate([-gradient - A.T @ y - G.T @ pulled, -c]), atol=1e-13)
