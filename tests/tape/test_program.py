"""Finished programs compute what was written, with no operation that nothing needs."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from screwgraph.compiler.backends.casadi import casadi_function
from screwgraph.tape import Scalar, Tape, by_outputs, program, reciprocal, without_unused_inputs
from tests.tape.expressions import INPUTS, evaluate, inputs, known_well, trees, values

PROPERTY = settings(deadline=None, max_examples=200)
ROUNDING = 1e-13


def compiled(several):
    """Write trees on one tape."""
    scalars = inputs(*INPUTS)
    return program(scalars[0].tape, [evaluate(tree, scalars) for tree in several])


def as_casadi(code):
    return casadi_function("f", code, [("x", code.input_names)])


def known(tree, x):
    """Return value and tolerance of a tree, or give the example up."""
    found = known_well(tree, x)
    assume(found is not None)
    return found


def safe(tree):
    """Leave out trees that divide by the constant zero, which no state can repair."""
    return known_well(tree, [0.7312, -1.1823, 1.6231]) is not None


plain_trees = trees.filter(safe)


@PROPERTY
@given(plain_trees, values)
def test_a_program_computes_its_expression(tree, x):
    expected = known(tree, x)
    (actual,) = compiled([tree]).evaluate(x)
    assert abs(actual - expected.value) <= ROUNDING * (expected.error + 1.0)


@PROPERTY
@given(plain_trees, values)
def test_the_casadi_function_computes_the_same(tree, x):
    expected, code = known(tree, x), compiled([tree])
    assert abs(float(as_casadi(code)(x)) - code.evaluate(x)[0]) <= ROUNDING * (expected.error + 1.0)


@PROPERTY
@given(plain_trees)
def test_arrays_are_computed_entry_by_entry(tree):
    x = np.random.default_rng(0).uniform(0.5, 2.0, (len(INPUTS), 2, 3))
    code = compiled([tree])
    with np.errstate(all="ignore"):
        (actual,) = code.evaluate(x)
        one_by_one = [code.evaluate(x[:, i, j])[0] for i in range(2) for j in range(3)]
    np.testing.assert_array_equal(np.broadcast_to(actual, (2, 3)).ravel(), one_by_one)


@PROPERTY
@given(st.lists(plain_trees, min_size=1, max_size=4))
def test_every_instruction_is_used_later_or_is_an_output(several):
    code = compiled(several)
    used = {i for operation, *ids in code.instructions if operation not in ("constant", "input") for i in ids}
    assert used | {o for o in code.outputs if isinstance(o, int)} == set(range(len(code.instructions)))


@PROPERTY
@given(st.lists(plain_trees, min_size=1, max_size=4))
def test_operands_come_before_results(several):
    for number, (operation, *ids) in enumerate(compiled(several).instructions):
        assert operation in ("constant", "input") or all(i < number for i in ids)


@PROPERTY
@given(plain_trees)
def test_no_instruction_stands_twice(tree):
    instructions = compiled([tree]).instructions
    assert len(set(instructions)) == len(instructions)


@PROPERTY
@given(st.lists(plain_trees, min_size=1, max_size=4))
def test_another_order_of_instructions_computes_the_same(several):
    code = compiled(several)
    moved = by_outputs(code)
    x = [0.7312, -1.1823, 1.6231]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(moved.evaluate(x), code.evaluate(x))
    assert moved.operations == code.operations
    for number, (operation, *ids) in enumerate(moved.instructions):
        assert operation in ("constant", "input") or all(i < number for i in ids)


def counts(*outputs):
    tape = next(o.tape for o in outputs if isinstance(o, Scalar))
    return dict(program(tape, outputs).operations.counts)


def test_operations_of_small_expressions_are_counted():
    x, y, z = inputs("x", "y", "z")
    assert counts(x) == {}
    assert counts(x * y + z) == {"*": 1, "+": 1}
    assert counts(x - y, x + y) == {"-": 1, "+": 1}
    assert counts(-x) == {"-": 1}
    assert counts(x.sin() * 2.0 + x.cos()) == {"sin": 1, "cos": 1, "*": 1, "+": 1}
    assert counts((x + y) * (y + x)) == {"+": 1, "*": 1}


def test_a_reciprocal_that_is_used_once_is_a_division():
    x, y, z = inputs("x", "y", "z")
    assert counts(x / y) == {"/": 1}
    assert counts(x / y, z / y) == {"/": 1, "*": 2}
    assert counts(reciprocal(y)) == {"/": 1}
    assert counts(reciprocal(y), x / y) == {"/": 1, "*": 1}


def test_inputs_constants_and_outputs_cost_nothing():
    x, y = inputs("x", "y")
    code = program(x.tape, [x, y, 2.0, x])
    assert code.operations.total == 0
    assert code.evaluate([3.0, 4.0]) == [3.0, 4.0, 2.0, 3.0]


def test_the_total_is_the_sum_and_the_text_lists_what_there_is():
    x, y = inputs("x", "y")
    operations = program(x.tape, [x * y + x.sin()]).operations
    assert operations.total == 3
    assert (operations["*"], operations["/"]) == (1, 0)
    assert str(operations) == "1 +  1 *  1 sin"


def test_what_no_output_needs_is_left_out():
    x, y = inputs("x", "y")
    _ = (x * y).sin() / x
    code = program(x.tape, [x + 1.0])
    assert [operation for operation, *_ in code.instructions] == ["input", "constant", "add"]
    assert code.input_names == ("x", "y")


def test_inputs_that_nothing_reads_are_named_and_left_out():
    tape = Tape()
    x, _, z = tape.inputs("x", (3,))
    code = program(tape, [x + 2.0 * z])
    less = without_unused_inputs(code)
    assert code.inputs_read == set(less.input_names) == {code.input_names[0], code.input_names[2]}
    assert less.evaluate([5.0, 7.0]) == code.evaluate([5.0, np.nan, 7.0]) == [19.0]


def test_a_program_without_arithmetic_has_its_outputs():
    assert program(Tape(), [1.5, 0.0]).evaluate([]) == [1.5, 0.0]


@pytest.mark.parametrize("spoiled", range(3))
def test_nan_goes_through_to_what_depends_on_it_and_nowhere_else(spoiled):
    x, y, z = inputs("x", "y", "z")
    code = program(x.tape, [x * y + z.sin(), x / y, y - z, -z])
    depends = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 1]], dtype=bool)
    state = [0.5, 1.5, -0.7]
    state[spoiled] = np.nan
    np.testing.assert_array_equal(np.isnan(code.evaluate(state)), depends[spoiled])
    np.testing.assert_array_equal(np.isnan(np.array(as_casadi(code)(state)).ravel()), depends[spoiled])


def test_nan_in_one_sample_of_a_batch_spoils_that_sample_alone():
    x, y = inputs("x", "y")
    (result,) = program(x.tape, [(x * y).cos()]).evaluate([np.array([1.0, np.nan, 2.0]), np.ones(3)])
    np.testing.assert_array_equal(np.isnan(result), [False, True, False])


def test_division_by_zero_at_run_time_is_infinite():
    x, y = inputs("x", "y")
    with np.errstate(divide="ignore"):
        assert program(x.tape, [x / y]).evaluate([np.float64(1.0), np.float64(0.0)]) == [np.inf]


def test_the_casadi_function_has_exact_derivatives():
    x, y = inputs("x", "y")
    f = as_casadi(program(x.tape, [x * y.sin(), x / y]))
    symbols = ca.SX.sym("s", 2)
    jacobian = ca.Function("J", [symbols], [ca.jacobian(f(symbols), symbols)])([1.3, 0.4])
    expected = [[np.sin(0.4), 1.3 * np.cos(0.4)], [1 / 0.4, -1.3 / 0.4**2]]
    np.testing.assert_allclose(np.array(jacobian), expected, rtol=1e-14)
