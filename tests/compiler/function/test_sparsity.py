"""Packed results: entries that are not always zero, one triangle of what is symmetric."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import Sparsity


@pytest.fixture(scope="module")
def robot():
    return sg.load("a1", base="floating")


@pytest.fixture(scope="module")
def mass_matrix(robot):
    return sg.mass_matrix(robot)


@pytest.fixture(scope="module")
def q(robot):
    rng = np.random.default_rng(0)
    return np.array([robot.random(rng) for _ in range(11)])


def test_a_mass_matrix_is_its_lower_triangle_without_zeros(robot, mass_matrix, q):
    """Legs of a quadruped do not meet: 6 rows of the base, and 4 blocks of 3 joints."""
    (kept,), packed = mass_matrix.sparsities, mass_matrix.packed()
    rows, columns = kept.indices
    assert kept.symmetric == (0, 1)
    assert (rows >= columns).all()
    M = mass_matrix(q)
    assert len(rows) == np.tril((M != 0.0).any(axis=0)).sum()
    values = packed(q)
    np.testing.assert_array_equal(values, M[:, rows, columns])
    np.testing.assert_array_equal(kept.dense(values), M)
    np.testing.assert_array_equal(kept.dense(values[3]), M[3])
    assert packed.results[0].names[:3] == ("result[0, 0]", "result[1, 0]", "result[1, 1]")
    assert packed.operations.total == mass_matrix.operations.total


def test_packed_results_are_those_of_any_function(mass_matrix, q):
    (kept,), packed = mass_matrix.sparsities, mass_matrix.packed()
    assert packed.astype("float32")(q).dtype == np.float32
    assert kept.dense(packed.astype("float32")(q)).dtype == np.float32
    out = np.empty((len(q), 107), order="F")
    np.testing.assert_array_equal(packed(q, out=out), packed(q))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(packed))(q), packed(q))
    assert packed(q[:0]).shape == (0, 107)
    np.testing.assert_allclose(packed.few(q), packed(q), rtol=1e-13, atol=1e-15)
    assert "mass_matrix_packed" in packed.c_header()
    np.testing.assert_allclose(np.ravel(packed.casadi(q[0])), packed(q[0]), rtol=1e-13, atol=1e-15)


def test_derivatives_are_packed_before_or_after():
    f, q = sg.mass_matrix(sg.load("rrr")), np.random.default_rng(2).normal(size=(9, 3))
    slopes, (kept,) = f.jacobian("q"), f.sparsities
    (kept_slopes,), M_q = slopes.sparsities, slopes(q)
    assert kept_slopes.symmetric == (0, 1)
    np.testing.assert_array_equal(kept_slopes.dense(slopes.packed()(q)), M_q)
    rows, columns = kept.indices
    np.testing.assert_allclose(f.packed().jacobian("q")(q), M_q[:, rows, columns], rtol=1e-12, atol=1e-14)


def test_several_results_are_packed_each():
    f, states = sg.inverse_dynamics(sg.load("rrr")).jacobian("q", "qd", "qdd"), np.ones((3, 7, 3))
    assert [s.symmetric for s in f.sparsities] == [None, None, (0, 1)]
    for kept, values, whole in zip(f.sparsities, f.packed()(*states), f(*states), strict=True):
        np.testing.assert_array_equal(kept.dense(values), whole)


def test_one_entry_of_a_result_that_is_zero_is_kept():
    """The mass matrix does not depend on accelerations."""
    f, states = sg.inverse_dynamics(sg.load("rrr")).jacobian("qdd").jacobian("q", "qdd"), np.ones((3, 7, 3))
    by_q, by_qdd = (s.dense(x) for s, x in zip(f.sparsities, f.packed()(*states), strict=True))
    np.testing.assert_array_equal(by_q, f(*states)[0])
    np.testing.assert_array_equal(by_qdd, np.zeros((7, 3, 3, 3)))


def test_chosen_entries_need_a_part_of_the_code_and_have_derivatives():
    """Derivatives of the whole are known in closed form, those of some entries are not."""
    f, states = sg.inverse_dynamics(sg.load("puma560")), np.random.default_rng(1).normal(size=(3, 5, 6))
    packed = f.packed(Sparsity((6,), (3, 5)))
    assert packed.operations.total < f.operations.total
    np.testing.assert_allclose(packed.jacobian("qd")(*states), f.jacobian("qd")(*states)[:, [3, 5]], atol=1e-12)


def test_other_orders_answer_where_a_pivot_vanishes(monkeypatch):
    """A branch of the five-bar is stretched, and its joints do not tell how the other moves."""
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")
    robot = sg.load("five_bar").with_independent_joints(("joint1", "joint3"))
    x_axis = robot.joint("joint4").origin[:2, 0]
    guess = robot.complete([2.2, -1.15], [2.2, 0.9, -1.15, 0.34])
    guess[3] = -np.arctan2(x_axis[1], x_axis[0])
    q = robot.close_loops(guess, independent=["joint2", "joint4"])
    f, tau = sg.forward_dynamics(robot).jacobian("tau"), np.ones(4)
    wanted = f(q, 0.0 * tau, tau)
    assert np.isfinite(wanted).all()
    found = f.packed()(q, 0.0 * tau, tau)
    np.testing.assert_allclose(f.sparsities[0].dense(found), wanted, atol=1e-9 * np.abs(wanted).max())


def test_what_cannot_be_packed_is_said(mass_matrix):
    with pytest.raises(InputError, match="18x18"):
        mass_matrix.packed(Sparsity((18,), (0,)))
    with pytest.raises(InputError, match="no entry of 'result' is kept"):
        mass_matrix.packed(Sparsity((18, 18), ()))
    with pytest.raises(InputError, match="3 entries were given, 107 are kept"):
        mass_matrix.sparsities[0].dense(np.zeros((2, 3)))
