"""Impulses of rows that are active: systems eliminated from the tips to the root, and steps that need no sweeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import screwgraph as sg
from screwgraph.motion.simulation.contacts.laws.active_rows import StickingSystem, find_yields, order_rows
from screwgraph.motion.simulation.contacts.laws.closed_inertia import make_closed_inertia
from screwgraph.tape.sparse_rows import to_sparse_rows
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

ROOT, LIMBS, LIMB = 3, 2, 3
N = ROOT + LIMBS * LIMB


def _tree(rng) -> np.ndarray:
    """Return a mass matrix of two limbs on a root."""
    half, M = rng.normal(size=(N, N + 3)), np.zeros((N, N))
    whole = half @ half.T + 0.5 * np.eye(N)
    limbs = [range(ROOT + LIMB * k, ROOT + LIMB * (k + 1)) for k in range(LIMBS)]
    for limb in limbs:
        own = [*range(ROOT), *limb]
        M[np.ix_(own, own)] += whole[np.ix_(own, own)]
    return M


def _rows(rng, limb: int, count: int) -> np.ndarray:
    J = np.zeros((count, N))
    first = ROOT + LIMB * limb
    J[:, :ROOT], J[:, first : first + LIMB] = rng.normal(size=(count, ROOT)), rng.normal(size=(count, LIMB))
    return J


def _solve(M, J, R, active, known, right, root):
    order = order_rows(J, root)
    inertia, A = make_closed_inertia(to_sparse_rows(np.tril(M)), [], root)
    Y = [inertia.condense(row) for row in to_sparse_rows(J)]
    yields = find_yields(inertia, to_sparse_rows(J), Y, R.tolist(), order)
    system = StickingSystem(A, inertia, Y, R.tolist(), order, yields)
    found = system.solve(system.factor(active.astype(float).tolist()), known.tolist(), right.tolist())
    return order, *(np.array(part, dtype=float) for part in found)


@pytest.mark.parametrize("root", [0, ROOT])
@given(st.integers(0, 2**32 - 1))
def test_active_rows_hold_velocities_and_others_their_impulses(root, seed):
    """Rows that limbs answer, and rows of the root alone, which come after it."""
    rng = np.random.default_rng(seed)
    M, base = _tree(rng), np.zeros((2, N))
    base[:, :ROOT] = rng.normal(size=(2, ROOT))
    J = np.vstack([_rows(rng, 0, 3), base, _rows(rng, 1, 2)])
    R, active, known, right = rng.random(7), rng.random(7) < 0.7, rng.normal(size=7), rng.normal(size=7)
    order, x, y = _solve(M, J, R, active, known, right, root)
    assert order.others == ((3, 4) if root else ())
    assert not order.repeated
    np.testing.assert_array_equal(x[~active], known[~active])
    np.testing.assert_allclose(M @ y, J.T @ x, atol=1e-9)
    np.testing.assert_allclose((J @ y + R * x)[active], right[active], atol=1e-9)


@pytest.mark.parametrize("root", [0, ROOT])
def test_rows_that_repeat_others_keep_their_impulses(root):
    rng = np.random.default_rng(0)
    M, J = _tree(rng), _rows(rng, 0, 3)
    J = np.vstack([J, J[0] + 2.0 * J[1]])
    right, known = J @ rng.normal(size=N), rng.normal(size=4)
    order, x, y = _solve(M, J, np.zeros(4), np.ones(4), known, right, root)
    assert order.repeated == {3}
    assert x[3] == known[3]
    np.testing.assert_allclose(M @ y, J.T @ x, atol=1e-9)
    np.testing.assert_allclose(J @ y, right, atol=1e-9)


def test_feet_that_stick_need_no_sweeps():
    """One that slides does; a step counts the sweeps, and one system as one."""
    robot = quadruped()
    stands = sg.Simulator(robot, 1e-3, standing(robot, 0.3502), contacts=feet())
    stands.step()
    stands.step(steps=40)
    assert stands._solution[1] == 1.0
    assert stands.residual < 1e-13
    assert (stands.forces[:, 2] > 1.0).all()
    pushed = np.zeros(robot.nv)
    pushed[3] = 1.0
    slides = sg.Simulator(robot, 1e-3, stands.q, pushed, contacts=feet(friction=0.05))
    slides.step()
    assert slides._solution[1] > 1.0
    assert slides.residual < 1e-9
