"""Arguments of one state are read where they are, or copied first where their numbers are not neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers


def test_inputs_are_found_behind_the_pointer_to_their_argument():
    pointers = ArgumentPointers((0, 7, 14))
    assert [pointers.find(place) for place in (0, 6, 7, 20)] == [("%in0", 0), ("%in0", 6), ("%in1", 0), ("%in2", 6)]
    assert ONE.find(20) == ("%in", 20)


@pytest.mark.parametrize("strided", [(), (0,), (1,), (2,), (0, 1, 2)])
def test_arguments_may_have_any_strides(strided):
    f = sg.inverse_dynamics(sg.load("panda"))
    state = np.random.default_rng(1).standard_normal((3, 7))
    expected = f.program.evaluate(state.ravel().tolist())
    values = [np.repeat(x, 2)[::2] if i in strided else x for i, x in enumerate(state)]
    for call in (f, f.ufunc, f.single):
        np.testing.assert_allclose(call(*values), expected, rtol=1e-12, atol=1e-12)


def test_results_may_lie_where_an_argument_is():
    f = sg.inverse_dynamics(sg.load("panda"))
    state = np.random.default_rng(2).standard_normal((3, 7))
    expected = f(*state)
    for call in (f, f.ufunc, f.single):
        for i in range(3):
            values = [x.copy() for x in state]
            call(*values, out=values[i])
            np.testing.assert_array_equal(values[i], expected)


def test_one_array_may_be_several_arguments():
    f = sg.inverse_dynamics(sg.load("panda"))
    x = np.random.default_rng(3).standard_normal(7)
    np.testing.assert_array_equal(f(x, x, x), f(x, x.copy(), x.copy()))
