"""Threads share batches: the same answers, wherever results go."""

import gc
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError

N = 1000


@pytest.fixture(scope="module")
def both():
    """Two results of one function, and states."""
    f = sg.inverse_dynamics(sg.load("puma560")).jacobian("q", "qd")
    return f, tuple(np.random.default_rng(0).normal(size=(3, N, 6)))


@pytest.mark.parametrize("threads", [2, 3, 100])
@pytest.mark.parametrize("order", ["C", "F"])
def test_answers_are_those_of_one_thread(both, threads, order):
    f, x = both
    given = [np.array(a, order=order) for a in x]
    expected = f(*given)
    out = tuple(np.empty((N, 6, 6)) for _ in range(2))
    assert all(found is array for found, array in zip(f(*given, out=out, threads=threads), out, strict=True))
    for found, array, one in zip(f(*given, threads=threads), out, expected, strict=True):
        np.testing.assert_array_equal(found, one)
        np.testing.assert_array_equal(array, one)


def test_batches_of_any_shape_and_what_broadcasts_are_shared():
    f = sg.inverse_dynamics(sg.load("rr"))
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 1, 300, 2)), rng.normal(size=(4, 1, 2)), rng.normal(size=2)
    np.testing.assert_array_equal(f(q, qd, qdd, threads=2), f(q, qd, qdd))
    np.testing.assert_array_equal(f(q[0, 0, 0], qd[0, 0], qdd, threads=2), f(q[0, 0, 0], qd[0, 0], qdd))


def test_results_may_lie_where_arguments_do():
    f = sg.inverse_dynamics(sg.load("rr"))
    x = np.random.default_rng(2).normal(size=(3, N, 2))
    expected = f(*x)
    assert f(*x, out=x[2][::-1], threads=2).base is x
    np.testing.assert_array_equal(x[2][::-1], expected)


def test_numbers_of_less_room_are_rounded_only_as_asked():
    f = sg.inverse_dynamics(sg.load("rr"))
    x = np.random.default_rng(3).normal(size=(3, N, 2))
    out = np.empty((N, 2), "float32")
    np.testing.assert_array_equal(f(*x, out=out, threads=2), f(*x).astype("float32"))


def test_warnings_and_errors_come_from_threads_as_from_calls():
    f = sg.inverse_dynamics(sg.load("rr"))
    x = np.zeros((3, N, 2))
    x[0, -1] = np.inf
    with pytest.warns(RuntimeWarning, match="invalid value"):
        f(*x, threads=2)
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(f(*x, threads=2)[-1]).any()
    with pytest.raises(InputError, match="threads = 0 is not a positive whole number"):
        f(*x, threads=0)
    with pytest.raises(InputError, match="qd"):
        f(x[0], x[1, :, :1], x[2], threads=2)
    with pytest.raises(InputError, match="cannot be called so"):
        f(*x, out=np.zeros((N, 3)), threads=2)


def test_threads_end_with_the_function_and_forked_processes_have_their_own():
    f = sg.inverse_dynamics(sg.load("rr"))
    x = np.random.default_rng(5).normal(size=(3, N, 2))
    before = threading.active_count()
    expected = f(*x, threads=3)
    assert threading.active_count() > before
    with ProcessPoolExecutor(1, get_context("fork")) as child:
        np.testing.assert_array_equal(child.submit(f, *x, threads=2).result(timeout=60), expected)
    f(*x, threads=2)
    del f
    gc.collect()
    deadline = time.monotonic() + 10.0
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_functions_at_parameters_share_batches_too():
    f = sg.inverse_dynamics(sg.load("rr"), parameters=["link2.mass"]).with_parameters({"link2.mass": 2.0})
    x = np.random.default_rng(4).normal(size=(3, N, 2))
    np.testing.assert_array_equal(f(*x, threads=2), f(*x))
