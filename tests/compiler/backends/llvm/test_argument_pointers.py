"""Arguments of one state are read where they are, or copied first where their numbers are not neighbours."""

from __future__ import annotations

from itertools import chain, combinations
from math import prod

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import compile_program
from screwgraph.compiler.backends.llvm.argument_pointers import ONE, ArgumentPointers
from screwgraph.tape import Tape, program, without_unused_inputs


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


@pytest.mark.parametrize("batches", [False, True])
@pytest.mark.parametrize("shapes", [((4,),), ((2,), (2,)), ((3,), (1,)), ((2, 2),), ((1,), (), (2,))])
def test_code_may_read_any_of_its_inputs(shapes, batches):
    """Also none of the first ones: what is read then follows in the block, not where the argument begins."""
    names = [tuple(f"x{i}[{k}]" for k in range(prod(shape))) for i, shape in enumerate(shapes)]
    flat = [*chain.from_iterable(names)]
    rng = np.random.default_rng(0)
    for read in chain.from_iterable(combinations(range(len(flat)), n) for n in range(1, len(flat) + 1)):
        tape = Tape()
        inputs = [tape.input(name) for name in flat]
        code = without_unused_inputs(program(tape, [sum((i + 2.0) * inputs[i] * inputs[i] for i in read)]))
        arguments = [*zip(shapes, names, strict=True)]
        compiled = compile_program("squares", code, arguments, [(1,)], batches=batches)
        for count in (1, 2, 19):
            values = [rng.standard_normal((count, *shape)) for shape in shapes]
            columns = np.concatenate([x.reshape(count, -1) for x in values], axis=1)
            expected = np.array([sum((i + 2.0) * row[i] ** 2 for i in read) for row in columns])
            np.testing.assert_allclose(compiled.ufunc(*values)[:, 0], expected, rtol=1e-13)
        single = compiled.quick(*(np.ascontiguousarray(x[0]) for x in values))
        assert single is None or np.allclose(single, expected[0], rtol=1e-13, atol=0.0)
