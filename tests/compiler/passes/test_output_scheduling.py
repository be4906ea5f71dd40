"""Instructions in the order of results compute the same, and make results one after the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import screwgraph as sg
from screwgraph.compiler.passes.output_scheduling import MOST, schedule_by_output
from screwgraph.tape import Program


def made(program):
    """Return which instruction makes each output that is one."""
    return [o for o in program.outputs if isinstance(o, int)]


def turns(program):
    """Count results that are made before the one in front of them."""
    return sum(a > b for a, b in pairwise(made(program)))


def test_results_are_made_one_after_the_other():
    f = sg.mass_matrix(sg.load("a1", base="floating")).packed()
    ordered = schedule_by_output(f.program)
    assert turns(ordered) < 0.5 * len(made(ordered)) < turns(f.program)
    q = sg.load("a1", base="floating").random(np.random.default_rng(0))
    np.testing.assert_array_equal(ordered.evaluate(list(q)), f.program.evaluate(list(q)))
    assert ordered.operations == f.program.operations
    assert ordered.guarded == f.program.guarded


def test_constants_inputs_and_values_that_are_results_twice():
    code = (("input", 1), ("input", 0), ("constant", 2.0), ("mul", 0, 1), ("add", 3, 2), ("sin", 4))
    program = Program(("x", "y"), code, (5, 0, 1.5, 3, 5, 2))
    ordered = schedule_by_output(program)
    assert ordered.evaluate([0.3, 0.7]) == program.evaluate([0.3, 0.7])
    assert ordered.outputs[0] == ordered.outputs[4]


def test_few_results_leave_the_order_alone():
    code = (("input", 0), *(("add", i, i) for i in range(2 * MOST)))
    few = Program(("x",), code, (2 * MOST,))
    assert schedule_by_output(few) is few
