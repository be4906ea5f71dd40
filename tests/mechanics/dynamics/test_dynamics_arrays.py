"""Shapes, batches and NaN: what compiled functions do with arrays."""

import numpy as np
import pytest

from screwgraph.mechanics.dynamics import bias_forces, forward_dynamics, inverse_dynamics, mass_matrix
from screwgraph.model.formats import load
from tests.agreement import random_states

pytestmark = pytest.mark.optimised
FUNCTIONS = {"inverse": inverse_dynamics, "forward": forward_dynamics, "mass": mass_matrix, "bias": bias_forces}


@pytest.fixture(params=FUNCTIONS, name="function")
def functions_of_puma(request):
    return FUNCTIONS[request.param](load("puma560"))


def states_for(function, count=6):
    return random_states(load("puma560"), count)[: len(function.arguments)]


def test_a_single_state_gives_a_single_answer(function):
    batch = states_for(function)
    one = function(*(array[0] for array in batch))
    assert one.shape == function.result_shape
    np.testing.assert_array_equal(one, function(*batch)[0])


def test_leading_axes_stay(function):
    batch = states_for(function)
    grid = function(*(array.reshape(2, 3, -1) for array in batch))
    assert grid.shape == (2, 3, *function.result_shape)
    np.testing.assert_array_equal(grid.reshape(6, *function.result_shape), function(*batch))


def test_leading_axes_broadcast():
    f = inverse_dynamics(load("puma560"))
    q, qd, qdd = states_for(f, 12)
    result = f(q[:4, None], qd[:3], qdd[0])
    assert result.shape == (4, 3, 6)
    for i in range(4):
        for j in range(3):
            np.testing.assert_array_equal(result[i, j], f(q[i], qd[j], qdd[0]))


def test_an_empty_batch_gives_an_empty_answer(function):
    empty = (np.zeros((0, size.shape[0])) for size in function.arguments)
    assert function(*empty).shape == (0, *function.result_shape)


def test_an_empty_batch_broadcasts_too():
    f = forward_dynamics(load("rr"))
    assert f(np.zeros((3, 0, 2)), np.zeros(2), np.zeros((1, 2))).shape == (3, 0, 2)


def test_lists_and_integers_and_views_are_arrays_too(function):
    zeros = [[0] * argument.shape[0] for argument in function.arguments]
    np.testing.assert_array_equal(function(*zeros), function(*(np.array(z, dtype=float) for z in zeros)))
    batch = states_for(function)
    strided = function(*(np.asfortranarray(array)[::2] for array in batch))
    np.testing.assert_array_equal(strided, function(*batch)[::2])


def test_arguments_are_not_changed_and_results_are_new(function):
    batch = states_for(function)
    before = [array.copy() for array in batch]
    first, second = function(*batch), function(*batch)
    first[:] = np.nan
    assert np.isfinite(second).all()
    assert np.isfinite(function(*batch)).all()
    for array, copy in zip(batch, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("make", [inverse_dynamics, forward_dynamics])
def test_nan_in_one_state_spoils_that_state_alone(make, number):
    f = make(load("puma560"))
    batch = [array.copy() for array in states_for(f)]
    clean = f(*batch)
    batch[number][2] = np.nan
    spoiled = f(*batch)
    assert np.isnan(spoiled[2]).all()
    # Neighbours of such an angle in a vector are computed one by one, where products may be fused in other places:
    # rounding of 1e-16, times the condition number of the mass matrix, below 1e5.
    np.testing.assert_allclose(np.delete(spoiled, 2, axis=0), np.delete(clean, 2, axis=0), rtol=1e-11)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_goes_through_without_a_crash(function, value):
    with np.errstate(invalid="ignore"):  # NumPy's warning, for who wants it
        result = function(*(np.full(argument.shape, value) for argument in function.arguments))
    assert result.shape == function.result_shape
    assert not np.isfinite(result).all()


def test_wrenches_are_arrays_of_six_for_each_place():
    robot = load("a1", base="floating")
    f = inverse_dynamics(robot, external_wrenches=("FL_foot", "FR_foot"))
    q, qd, qdd = random_states(robot, 5)
    wrenches = np.random.default_rng(1).normal(size=(5, 2, 6))
    batch = f(q, qd, qdd, wrenches)
    assert batch.shape == (5, 18)
    np.testing.assert_array_equal(batch[3], f(q[3], qd[3], qdd[3], wrenches[3]))
    np.testing.assert_array_equal(f(q, qd, qdd, wrenches[3])[3], batch[3])


def test_one_place_of_a_wrench_may_be_named_without_a_list():
    robot = load("puma560")
    listed, alone = (inverse_dynamics(robot, external_wrenches=names) for names in (("link6",), "link6"))
    assert alone.program == listed.program


def test_a_wrench_on_a_base_that_cannot_move_does_nothing():
    robot = load("puma560")
    states = random_states(robot, 3)
    pushed = inverse_dynamics(robot, external_wrenches=("base",))(*states, np.ones((1, 6)))
    np.testing.assert_array_equal(pushed, inverse_dynamics(robot)(*states))


def test_the_mass_matrix_is_symmetric_and_positive_definite():
    robot = load("a1", base="floating")
    M = mass_matrix(robot)(random_states(robot, 20).q)
    np.testing.assert_array_equal(M, np.swapaxes(M, -1, -2))
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_a_function_tells_what_it_is():
    f = forward_dynamics(load("rr"), ordering="aba")
    assert repr(f) == f"<forward_dynamics(q: 2, qd: 2, tau: 2) -> 2, {f.operations.total} operations, aba>"
    assert [argument.names[0] for argument in f.arguments] == ["q:joint1[0]", "qd:joint1[0]", "tau:joint1[0]"]
