"""Compiled functions travel to other processes."""

import copy
import pickle

import numpy as np
import pytest

import screwgraph as sg
from tests.motion.simulation.robots import free_body


@pytest.mark.parametrize("make", [sg.forward_dynamics, sg.inverse_dynamics, sg.mass_matrix])
@pytest.mark.parametrize("name", ["rrr", "five_bar", "free body"])
def test_a_pickled_function_answers_the_same(make, name):
    robot = free_body() if name == "free body" else sg.load(name)
    function = make(robot)
    rng = np.random.default_rng(0)
    values = [robot.random(rng), *(rng.normal(size=a.shape) for a in function.arguments[1:])]
    right = function(*values)
    for twin in (pickle.loads(pickle.dumps(function)), copy.deepcopy(function)):
        np.testing.assert_array_equal(twin(*values), right)
        assert repr(twin) == repr(function)


def test_a_pickled_function_has_derivatives_and_no_report():
    robot, function = sg.load("rrr"), sg.inverse_dynamics(sg.load("rrr"))
    twin, rng = pickle.loads(pickle.dumps(function.astype("float32"))), np.random.default_rng(1)
    values = [rng.normal(size=robot.nv) for _ in range(3)]
    expected = function.astype("float32").jacobian("q")
    assert twin.jacobian("q").program == expected.program
    np.testing.assert_array_equal(twin.jacobian("q")(*values), expected(*values))
    with pytest.raises(sg.InputError, match=r"pickled has no DAG and no report .compile it anew"):
        twin.report()
