"""One state goes past NumPy's machinery: the same answers, the same errors and warnings, nothing leaked."""

from __future__ import annotations

import gc
import inspect
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm.fastcall import is_layout_known


@pytest.fixture(scope="module")
def f() -> sg.Function:
    return sg.inverse_dynamics(sg.load("puma560"), external_wrenches=("link3", "link6"))


@pytest.fixture
def state() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [*rng.normal(size=(3, 6)), rng.normal(size=(2, 6))]


@pytest.mark.skipif(not is_layout_known(), reason="this interpreter lays out arrays in its own way")
def test_plain_arrays_take_the_quick_way_and_give_the_same(f, state):
    found = f.quick(*state)
    assert type(found) is np.ndarray
    assert (found.shape, found.dtype, found.flags.writeable, found.flags.owndata) == ((6,), np.float64, True, True)
    np.testing.assert_array_equal(found, f.ufunc(*state))
    np.testing.assert_array_equal(f(*state), found)
    assert f(*state) is not f(*state)


def aside(array: np.ndarray) -> np.ndarray:
    """Return the same numbers at an address that is no multiple of 8."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    moved = memory[1:].view(array.dtype) if array.ndim == 1 else memory[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


class Special(np.ndarray):
    """A subclass, which may have its own ideas of calls."""


OTHERS = {
    "a list": lambda x: x.tolist(),
    "another type": lambda x: x.astype("longdouble"),
    "another byte order": lambda x: x.astype(">f8"),
    "a stride": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "backwards": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1],
    "not aligned": aside,
    "a subclass": lambda x: x.view(Special),
    "a batch": lambda x: x[None],
    "columns": lambda x: np.asfortranarray(np.stack([x, x]))[0],
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("place", [0, 3])
def test_everything_else_goes_through_numpy_and_gives_the_same(f, state, other, place):
    expected = f(*state)
    state[place] = OTHERS[other](state[place])
    if not (isinstance(state[place], np.ndarray) and state[place].flags.c_contiguous and other == "columns"):
        assert f.quick(*state) is None
    np.testing.assert_array_equal(np.squeeze(f(*state)), expected)


def test_mistakes_are_told_as_ever(f, state):
    for wrong, message in (
        ((), "takes 4 arguments"),
        (state[:3], "takes 4 arguments"),
        ([*state, state[0]], "takes 4 arguments"),
        ([state[0][:5], *state[1:]], "q has the shape"),
        ([None, *state[1:]], "q is not an array"),
        ([*state[:3], state[3].T], "external_wrenches has the shape"),
    ):
        with pytest.raises(sg.InputError, match=message):
            f(*wrong)


def test_numbers_that_are_not_finite_bring_numpys_warnings(f, state):
    state[0][2] = np.inf
    assert f.quick(*state) is None
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(f(*state)).any()
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        f(*state)
    state[0][2] = np.nan
    assert np.isnan(f(*state)).any()  # quietly: NaN itself is no event


def test_floats_and_matrices_have_it_too(state):
    robot = sg.load("puma560")
    narrow = sg.inverse_dynamics(robot).astype("float32")
    arrays = [x.astype("float32") for x in state[:3]]
    np.testing.assert_array_equal(narrow(*arrays), narrow.ufunc(*arrays))
    assert narrow(*arrays).dtype == np.float32
    assert narrow.quick(*state[:3]) is None
    M = sg.mass_matrix(robot)
    assert M(state[0]).shape == (6, 6)
    np.testing.assert_array_equal(M(state[0]), M.ufunc(state[0]))
    by_q = sg.inverse_dynamics(robot).jacobian("q")
    np.testing.assert_array_equal(by_q(*state[:3]), by_q.ufunc(*state[:3]))


@pytest.mark.skipif(not is_layout_known(), reason="this interpreter lays out arrays in its own way")
def test_several_results_have_it_too(state):
    f = sg.inverse_dynamics(sg.load("puma560")).jacobian("q", "qdd")
    found = f.quick(*state[:3])
    assert type(found) is tuple
    for result, expected in zip(found, f.ufunc(*state[:3]), strict=True):
        np.testing.assert_array_equal(result, expected)
    assert f.quick(state[0] * np.nan, *state[1:3]) is None


@pytest.mark.parametrize("several", [False, True])
def test_nothing_leaks(f, state, several):
    def count():
        return [sys.getrefcount(x) for x in (*state, np.ndarray, np.dtype(float))]

    f = f.jacobian("q", "qd") if several else f
    f(*state)
    gc.collect()
    before = count()
    tracemalloc.start()
    for _ in range(2000):
        f(*state)
        f.quick(*state[:2])
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert count() == before
    assert used < 10_000


def test_it_outlives_the_function_that_made_it(state):
    f = sg.bias_forces(sg.load("puma560"))
    quick, expected = f.quick, f.ufunc(*state[:2])
    del f
    gc.collect()
    np.testing.assert_array_equal(quick(*state[:2]), expected)
    del quick
    gc.collect()


def test_where_arrays_are_laid_out_otherwise_numpy_does_it_all(monkeypatch, state):
    monkeypatch.setattr("screwgraph.compiler.backends.llvm.gufunc.is_layout_known", lambda: False)
    f = sg.bias_forces(sg.load("puma560"))
    assert f.quick(*state[:2]) is None
    np.testing.assert_array_equal(f(*state[:2]), f.ufunc(*state[:2]))


@pytest.mark.skipif(not is_layout_known(), reason="this interpreter lays out arrays in its own way")
def test_results_go_quickly_where_the_caller_wants_them(f, state):
    expected, into = f(*state), np.empty(6)
    assert f.quick(*state, into, np.ndarray) is into
    np.testing.assert_array_equal(into, expected)
    assert f(*state, out=state[1]) is state[1]  # also over an argument
    np.testing.assert_array_equal(state[1], expected)
    jacobian = f.jacobian("q", "qd")
    expected = jacobian(*state)
    both = tuple(np.empty_like(x) for x in expected)
    assert [a is b for a, b in zip(jacobian(*state, out=both), both, strict=True)] == [True, True]
    np.testing.assert_array_equal(both[1], expected[1])
    count = sys.getrefcount(both[0])
    for _ in range(100):
        jacobian(*state, out=both)
    after = sys.getrefcount(both[0])  # not within `assert`, which holds it
    assert after == count


def test_what_cannot_be_written_to_is_left_to_numpy(f, state):
    wider, narrow, fixed = np.empty((2, 6)), np.empty(6, "float32"), np.empty(6)
    fixed.flags.writeable = False
    expected = f(*state)
    np.testing.assert_array_equal(f(*state, out=wider), [expected, expected])
    for wrong in (fixed, np.empty(5), "out"):
        with pytest.raises(sg.InputError, match="cannot be called so"):
            f(*state, out=wrong)
    np.testing.assert_allclose(f(*state, out=narrow), expected, rtol=1e-6)
    with pytest.raises(sg.InputError):
        f(*state, np.empty(6))


@pytest.mark.skipif(not is_layout_known(), reason="this interpreter lays out arrays in its own way")
def test_a_call_has_no_frame_of_pythons_unless_it_needs_one(f, state):
    f(*state)
    entered = []
    sys.setprofile(lambda frame, event, what: entered.append(frame.f_code.co_name) if event == "call" else None)
    try:
        found = f(*state)
        general = f(state[0].tolist(), *state[1:])
    finally:
        sys.setprofile(None)
    assert entered[0] == "general", entered
    np.testing.assert_array_equal(found, general)
    np.testing.assert_array_equal(f(*state, out=np.empty_like(found)), found)
    with pytest.raises(sg.InputError, match="no argument is called 'into'"):
        f(*state, into=found)


def test_a_function_is_freed_though_its_machine_code_calls_it(state):
    f = sg.bias_forces(sg.load("puma560"))
    assert f(*state[:2]).shape == f([0.0] * 6, state[1]).shape == (6,)
    assert list(inspect.signature(f).parameters) == ["values", "out", "threads", "named"]
    gone = weakref.ref(f)
    del f
    assert gone() is None


def test_a_call_that_was_kept_outlives_the_function(state):
    f = sg.bias_forces(sg.load("puma560"))
    before = f.__call__
    expected = f(*state[:2])
    after = f.__call__
    del f
    for kept in (before, after):
        np.testing.assert_array_equal(kept(*state[:2]), expected)
        np.testing.assert_array_equal(kept([0.0] * 6, state[1]), kept(np.zeros((3, 6)), state[1])[1])
