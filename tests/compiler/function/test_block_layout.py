"""Batches in blocks: the digits of rows, wherever arguments and results lie."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import BlockedFunction
from screwgraph.compiler.function import block_layout
from tests.motion.simulation.robots import free_body
from tests.oracle import oracle

N = 203
MAKERS = {
    "forward": sg.forward_dynamics,
    "mass_matrix": sg.mass_matrix,
    "packed": lambda robot: sg.mass_matrix(robot).packed(),
    "derivatives": lambda robot: sg.inverse_dynamics(robot).jacobian("q", "qd", "qdd"),
    "energy": sg.potential_energy,
}


@pytest.fixture(scope="module", params=["puma560", "a1"])
def robot(request):
    return sg.load(request.param, base="floating" if request.param == "a1" else "fixed")


def states(robot, f, count=N, dtype="float64"):
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(count)])
    return [q.astype(dtype), *rng.normal(size=(len(f.arguments) - 1, count, robot.nv)).astype(dtype)]


def several(found):
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.sampled(6)
def test_digits_are_those_of_rows(robot, make, dtype, monkeypatch):
    f = make(robot).astype(dtype)
    g, x = f.blocked(), states(robot, f, dtype=dtype)
    assert g.samples == (8 if dtype == "float64" else 16)
    wanted, given = several(f(*x)), [g.blocks(a) for a in x]
    assert given[0].shape == (-(-N // g.samples), robot.nq, g.samples)
    for found, rows in zip(several(g(*given)), wanted, strict=True):
        assert found.dtype == dtype
        np.testing.assert_array_equal(g.rows(found, N), rows)
    out = g.empty(N)
    for past in (2**60, 0):  # to the caches, and past them
        monkeypatch.setattr(block_layout, "streaming_threshold", lambda past=past: past)
        for array in several(out):
            array[...] = np.nan
        assert g(*given, out=out) is out
        for found, rows in zip(several(out), wanted, strict=True):
            np.testing.assert_array_equal(g.rows(found, N), rows)
        for found, rows in zip(several(g(*given, threads=2)), wanted, strict=True):
            np.testing.assert_array_equal(g.rows(found, N), rows)


def test_answers_are_those_of_pinocchio():
    robot = sg.load("panda")
    f = sg.forward_dynamics(robot)
    g, x = f.blocked(), states(robot, f, 19)
    found = g.rows(g(*map(g.blocks, x)), 19)
    wanted = [oracle(robot).forward_dynamics(*state) for state in zip(*x, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("past", [2**60, 0])
@pytest.mark.sampled(3)
def test_arrays_lie_anywhere(robot, monkeypatch, past):
    monkeypatch.setattr(block_layout, "streaming_threshold", lambda: past)
    f = sg.inverse_dynamics(robot).jacobian("q", "qd")
    g, x = f.blocked(), states(robot, f)
    given = [g.blocks(a) for a in x]
    wanted = g(*given)
    turned = [np.asfortranarray(a) for a in given]
    odd = []
    for a in given:  # not at the beginning of a line
        odd.append(np.empty(a.size + 3)[3:].reshape(a.shape))
        odd[-1][...] = a
    for arrays in (turned, odd, [a.tolist() for a in given]):
        for a, b in zip(g(*arrays), wanted, strict=True):
            np.testing.assert_array_equal(a, b)
    shapes = [a.shape for a in wanted]
    for make in (np.empty, lambda s: np.empty(s, order="F"), lambda s: np.empty((*s[:-1], s[-1] + 1))[..., 1:]):
        out = tuple(make(s) for s in shapes)
        assert g(*given, out=out) is out
        for a, b in zip(out, wanted, strict=True):
            np.testing.assert_array_equal(a, b)
    h = sg.mass_matrix(robot).blocked()
    wanted = h(given[0])
    for out in (np.empty(wanted.shape, order="F"), np.empty(wanted.size + 1)[1:].reshape(wanted.shape)):
        for threads in (1, 2):
            out[...] = np.nan
            np.testing.assert_array_equal(h(given[0], out=out, threads=threads), wanted)
    single = np.empty(wanted.shape, "float32")
    np.testing.assert_array_equal(h(given[0], out=single), wanted.astype("float32"))


def test_blocks_broadcast_and_may_be_none():
    f = sg.inverse_dynamics(sg.load("rrr"))
    g, x = f.blocked(), np.random.default_rng(2).normal(size=(3, 40, 3))
    q, qd, qdd = (g.blocks(a) for a in x)
    found = g(q[:1], qd[:, None], qdd)
    assert found.shape == (5, 5, 3, 8)
    np.testing.assert_array_equal(found[3, 2], g(q[:1], qd[3:4], qdd[2:3])[0])
    np.testing.assert_array_equal(
        g(np.broadcast_to(q[0, :, :1], (3, 8)), qd[0], qdd[0]).T, f(x[0, 0], x[1, :8], x[2, :8])
    )
    assert g(q[:0], qd[:0], qdd[:0]).shape == (0, 3, 8)
    np.testing.assert_array_equal(g(q.tolist(), qd, qdd), g(q, qd, qdd))


def test_results_may_lie_where_arguments_do():
    g = sg.inverse_dynamics(sg.load("rrr")).blocked()
    q, qd, qdd = (g.blocks(a) for a in np.random.default_rng(3).normal(size=(3, N, 3)))
    for threads in (1, 2):
        wanted, out = g(q, qd, qdd), qdd.copy()
        np.testing.assert_array_equal(g(q, qd, out, out=out, threads=threads), wanted)


@pytest.mark.parametrize("large", [1e6, 1e300, np.nan, np.inf])
def test_samples_with_odd_angles_leave_others_alone(robot, large):
    """Vectors take samples one by one where an angle is too large."""
    f = sg.mass_matrix(robot).packed()
    g, (q,) = f.blocked(), states(robot, f)
    q[::13, -1] = large
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(g.rows(g(g.blocks(q)), N), f(q))


def test_quaternions_that_are_not_unit_are_refused():
    robot = free_body()
    f = sg.mass_matrix(robot)
    g, (q,) = f.blocked(), states(robot, f)
    g(g.blocks(q))
    q[77, 3:7] *= 1.1
    with pytest.raises(InputError, match=r"quaternion .* has the length 1\.1"):
        g(g.blocks(q))


def test_other_orders_answer_where_a_pivot_vanishes(monkeypatch):
    """A branch of the five-bar is stretched, and its joints do not tell how the other moves."""
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")
    robot = sg.load("five_bar").with_independent_joints(("joint1", "joint3"))
    x_axis = robot.joint("joint4").origin[:2, 0]
    guess = robot.complete([2.2, -1.15], [2.2, 0.9, -1.15, 0.34])
    guess[3] = -np.arctan2(x_axis[1], x_axis[0])
    q = robot.close_loops(guess, independent=["joint2", "joint4"])
    f, tau = sg.forward_dynamics(robot), np.ones(4)
    g, wanted = f.blocked(), f(q, 0.0 * tau, tau)
    assert np.isfinite(wanted).all()
    given = [g.blocks(np.tile(a, (9, 1))) for a in (q, 0.0 * tau, tau)]
    np.testing.assert_allclose(g.rows(g(*given), 9), np.tile(wanted, (9, 1)), rtol=1e-9)


def test_results_may_be_constants():
    f = sg.mass_matrix(sg.load("rr")).jacobian("q").jacobian("q")
    g, (q,) = f.packed(*f.sparsities).blocked(), np.random.default_rng(4).normal(size=(1, 9, 2))
    np.testing.assert_array_equal(f.sparsities[0].dense(g.rows(g(g.blocks(q)), 9)), f(q))
    h = sg.inverse_dynamics(sg.load("rr")).jacobian("qdd").jacobian("qdd")
    x = h.blocked().blocks(np.ones((9, 2)))
    np.testing.assert_array_equal(h.blocked()(x, x, x), np.zeros((2, 2, 2, 2, 8)))


def test_blocks_hold_rows_and_fill_up():
    g = sg.mass_matrix(sg.load("rr")).blocked()
    rows = np.arange(22.0).reshape(11, 2)
    found = g.blocks(rows)
    assert found.shape == (2, 2, 8)
    assert found.ctypes.data % 64 == 0
    np.testing.assert_array_equal(g.rows(found, 11), rows)
    np.testing.assert_array_equal(found[1, :, 3:], np.broadcast_to(rows[-1:].T, (2, 5)))
    assert g.rows(found).shape == (16, 2)
    assert g.blocks(rows[:0]).shape == (0, 2, 8)
    assert g.blocks(np.ones((9, 2, 3))).shape == (2, 2, 3, 8)
    assert g.blocks(np.ones(9)).shape == (2, 8)
    assert repr(g) == "<mass_matrix in blocks of 8 (q: 2) -> 2x2, float64>"
    again = pickle.loads(pickle.dumps(g))
    assert isinstance(again, BlockedFunction)
    np.testing.assert_array_equal(again(found), g(found))


def test_what_cannot_be_called_is_said():
    f = sg.inverse_dynamics(sg.load("rrr"))
    g, x = f.blocked(), np.zeros((3, 9, 3))
    q = g.blocks(x[0])
    for wrong, message in [
        ((q, q), "takes 3 arguments"),
        ((q, q, x[0]), r"qdd has the shape \(9, 3\), expected \(\.\.\., 3, 8\)"),
        ((q, q, q[:, :2]), r"qdd has the shape \(2, 2, 8\)"),
        ((q, q, np.zeros((3, 3, 8))), r"do not broadcast, q \(2,\), qd \(2,\), qdd \(3,\)"),
        ((q, q, "text"), "qdd is not an array of real numbers"),
        ((q, q, q.astype(complex)), "qdd is not an array of real numbers"),
        ((q, q, [[1.0], [1.0, 2.0]]), "qdd is not an array of real numbers"),
    ]:
        with pytest.raises(InputError, match=message):
            g(*wrong)
    for out in (np.empty((9, 3)), np.empty((3, 3, 8)), "text", (q, q), [1.0]):
        with pytest.raises(InputError, match=r"out= is not of the shape \(\.\.\., 3, 8\)"):
            g(q, q, q, out=out)
    fixed = g.empty(9)
    fixed.flags.writeable = False
    with pytest.raises(InputError, match="read-only"):
        g(q, q, q, out=fixed)
    several = sg.inverse_dynamics(sg.load("rrr")).jacobian("q", "qd").blocked()
    with pytest.raises(InputError, match=r"\(\.\.\., 3, 3, 8\) and \(\.\.\., 3, 3, 8\)"):
        several(q, q, q, out=q)
    with pytest.raises(InputError, match="threads = 0"):
        g(q, q, q, threads=0)
    with pytest.raises(InputError, match="not in blocks"):
        g.rows(x[0])
    with pytest.raises(InputError, match="17 samples were asked for, 16 are there"):
        g.rows(q, 17)
    with pytest.raises(InputError, match="count = 0"):
        g.empty(0)
