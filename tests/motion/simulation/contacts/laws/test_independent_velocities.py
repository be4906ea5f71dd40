"""Velocities that small loops leave independent, beside dense linear algebra."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screwgraph.motion.simulation.contacts.laws.active_rows import StickingSystem, find_yields, order_rows
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia, make_closed_inertia
from screwgraph.motion.simulation.contacts.laws.held_soles import HeldSoles, Hold
from screwgraph.motion.simulation.contacts.laws.independent_velocities import (
    FEW,
    LoopBlock,
    find_independent_velocities,
    find_loop_blocks,
    keep_rows,
)
from screwgraph.motion.simulation.contacts.steps.sticking_guess import ContactRows, StickingGuess
from screwgraph.tape.sparse_rows import to_sparse_rows

N, ROOT = 14, 3
LARGE = (3, 4, 5, 6, 13)
ROWS = {0: LARGE, 1: (7, 8, 9), 2: LARGE, 3: (10, 11, 12), 4: (7, 8, 9), 5: LARGE, 6: (10, 11, 12)}
"""Columns of each row of K: of three loops, the last one of which is left among rows."""
BLOCKS = (LoopBlock((0, 2, 5), LARGE), LoopBlock((1, 4), (7, 8, 9)))


def _loops(rng) -> np.ndarray:
    K = np.zeros((len(ROWS), N))
    for i, columns in ROWS.items():
        K[i, list(columns)] = rng.normal(size=len(columns))
    return K


def _mass(rng) -> np.ndarray:
    half = rng.normal(size=(N, N + 3))
    return half @ half.T + 0.5 * np.eye(N)


def _dense(rows, columns: int) -> np.ndarray:
    found = np.zeros((len(rows), columns))
    for own, row in zip(found, rows, strict=True):
        own[list(row)] = list(row.values())
    return found


def _close(M, K, blocks=BLOCKS) -> ClosedInertia:
    return make_closed_inertia(to_sparse_rows(np.tril(M)), to_sparse_rows(K), ROOT, blocks=blocks)[0]


def _solve_dense(M, K, force, rates) -> np.ndarray:
    """Return the velocities of least energy, in the least squares of K v = r."""
    system = np.block([[M, K.T], [K, np.zeros((len(K), len(K)))]])
    return np.linalg.lstsq(system, np.concatenate([force, rates]), rcond=1e-13)[0][: len(M)]


def test_rows_that_share_velocities_are_one_block():
    columns = [ROWS[i] for i in sorted(ROWS)]
    assert set(find_loop_blocks(columns, ROOT)) == {*BLOCKS, LoopBlock((3, 6), (10, 11, 12))}
    assert find_loop_blocks([(0, 1), (2, 3), (1, 2)]) == (LoopBlock((0, 1, 2), (0, 1, 2, 3)),)
    assert not find_loop_blocks([(0, 1)], 1)  # a velocity of the root
    assert not find_loop_blocks([range(FEW + 1)])
    assert not find_loop_blocks([(0,), (0,)])
    assert keep_rows(BLOCKS, len(ROWS)) == (3, 6)


@given(st.integers(0, 2**32 - 1))
def test_axes_are_orthogonal_and_the_inverse_is_the_least(seed):
    K = _loops(np.random.default_rng(seed))
    K[3] = K[6] = 0.0
    found = find_independent_velocities(to_sparse_rows(K), N, BLOCKS)
    S, inverse = _dense(found.S, len(found.places)), _dense(found.inverse, len(K))
    np.testing.assert_allclose(S.T @ S, np.eye(N - 5), atol=1e-14)
    np.testing.assert_allclose(K @ S, 0.0, atol=1e-13)
    np.testing.assert_allclose(inverse, np.linalg.pinv(K), rtol=1e-8, atol=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_velocities_are_those_of_the_principle_of_least_constraint(seed):
    rng = np.random.default_rng(seed)
    M, K, force, rates = _mass(rng), _loops(rng), rng.normal(size=N), rng.normal(size=len(ROWS))
    inertia = _close(M, K)
    np.testing.assert_allclose(
        inertia.solve(force.tolist(), rates.tolist()), _solve_dense(M, K, force, rates), 1e-6, 1e-6
    )
    W = np.array([_solve_dense(M, K, unit, 0.0 * rates) for unit in np.eye(N)])
    J = rng.normal(size=(4, N))
    np.testing.assert_allclose(_dense(inertia.yielding(to_sparse_rows(J)), 4), np.tril(J @ W @ J.T), atol=1e-9)
    left = make_closed_inertia(to_sparse_rows(np.tril(M)), to_sparse_rows(K), ROOT, blocks=BLOCKS)[1]
    np.testing.assert_allclose(_dense(left, ROOT), np.tril(np.linalg.inv(W[:ROOT, :ROOT])), rtol=1e-6)


@pytest.mark.parametrize("left", [0.0, 1e-14, 1e-9])
def test_loops_that_fold_flat_move_by_impulses_as_those_that_fold_nearly(left):
    """Rows that say the same, and one that says nothing: velocities that loops leave are finite and no less."""
    rng = np.random.default_rng(3)
    M, K, force = _mass(rng), _loops(rng), rng.normal(size=N)
    K[5] = 2.0 * K[0] + left * K[5]
    K[4] *= left
    v = np.array(_close(M, K).solve(force.tolist()))
    assert np.isfinite(v).all()
    np.testing.assert_allclose(K @ v, 0.0, atol=1e-13)
    open_ = K[[0, 1, 2, 3, 6]]  # what is left of a row that repeats another is an axis, not a constraint of motions
    assert v @ M @ v <= force @ _solve_dense(M, open_, force, np.zeros(5)) * (1.0 + 1e-12)
    assert v @ M @ v == pytest.approx(force @ v, rel=1e-9)


def test_loops_may_lock_all_they_move():
    rng = np.random.default_rng(5)
    M, K, force, rates = _mass(rng), np.zeros((3, N)), rng.normal(size=N), rng.normal(size=3)
    K[:, 4:7] = rng.normal(size=(3, 3))
    inertia = _close(M, K, find_loop_blocks([(4, 5, 6)] * 3, ROOT))
    v = np.array(inertia.solve(force.tolist(), rates.tolist()))
    np.testing.assert_allclose(v, _solve_dense(M, K, force, rates), rtol=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_contacts_hold_while_loops_close(seed):
    """A sole on two points, held at a place of it, and a point that slides without friction."""
    rng = np.random.default_rng(seed)
    M, K, J, rates = _mass(rng), _loops(rng), rng.normal(size=(5, N)), rng.normal(size=len(ROWS))
    inertia, left = make_closed_inertia(to_sparse_rows(np.tril(M)), to_sparse_rows(K), ROOT, blocks=BLOCKS)
    held, rows, order = HeldSoles([(0, 1)], 6), to_sparse_rows(J), order_rows(J, ROOT, K)
    assert len(held.kept) == 2
    contacts, holds = ContactRows(held, rows[:2], rows[2:], [0.0] * 4), [Hold(1.0, 1.0, (0.3, -0.2), (5.0, 7.0))]
    moved, acts = [*rows[:2], *held.move_rows(rows[2:], holds)], [0.0, 1.0, 1.0, 1.0, 1.0]
    Y, R = [inertia.condense(row) for row in moved], [0.0] * 5
    system = StickingSystem(left, inertia, Y, R, order, find_yields(inertia, moved, Y, R, order))
    guess = StickingGuess(system, system.factor(acts), holds, [], [])
    x, v = guess.close(contacts, rates.tolist())
    holding = _dense(moved, N)[1:]
    wanted = _solve_dense(M, np.vstack([holding, K]), np.zeros(N), [0.0] * 4 + [*rates])
    np.testing.assert_allclose(v, wanted, 1e-6, 1e-6)
    assert x[0] == 0.0
    np.testing.assert_allclose(v, _solve_dense(M, K, holding.T @ np.array(x[1:]), rates), 1e-6, 1e-6)


@pytest.mark.parametrize("first", [-1.0, 1.0])
def test_rows_of_one_velocity_and_next_to_nothing_of_others_are_solved_for(first):
    """A reflection to the other side would be by the difference of two numbers that are nearly the same."""
    K = to_sparse_rows([[first, 1e-9, 2e-9], [0.0, first, 1e-9]])
    found = find_independent_velocities(K, 3, (LoopBlock((0, 1), (0, 1, 2)),))
    np.testing.assert_allclose(_dense(K, 3) @ _dense(found.S, 1), 0.0, atol=1e-16)
    np.testing.assert_allclose(_dense(K, 3) @ _dense(found.inverse, 2), np.eye(2), atol=1e-15)


def test_a_row_that_loops_lock_takes_no_impulse():
    """One along a row of K, which limbs alone would answer: what velocities yield to it is rounding."""
    rng = np.random.default_rng(7)
    M, K = _mass(rng), _loops(rng)
    J = np.vstack([0.3 * K[0] - K[2], rng.normal(size=N)])
    inertia, left = make_closed_inertia(to_sparse_rows(np.tril(M)), to_sparse_rows(K), ROOT, blocks=BLOCKS)
    rows, order, R = to_sparse_rows(J), order_rows(J, ROOT, K), [0.0, 0.0]
    Y = [inertia.condense(row) for row in rows]
    system = StickingSystem(left, inertia, Y, R, order, find_yields(inertia, rows, Y, R, order))
    x, _ = system.solve(system.factor([1.0, 1.0]), [0.0, 0.0], [1e-17, 1.0])
    assert x[0] == 0.0
    assert x[1] > 0.0
