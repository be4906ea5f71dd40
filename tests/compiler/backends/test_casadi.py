import casadi as ca
import numpy as np
import pytest

from screwgraph.compiler import casadi_program, compile_program
from screwgraph.tape import OPERATIONS


def every_operation(a, b):
    return [
        *(ca.sqrt(a * a + 1), ca.exp(a), ca.log(a * a + 1), ca.tan(a), ca.asin(ca.tanh(a)), ca.acos(ca.tanh(b))),
        *(ca.atan(a), ca.atan2(a, b), ca.fmin(a, b), ca.fmax(a, b), ca.fabs(a), ca.floor(a), ca.ceil(b)),
        *(ca.if_else(a < b, a * 3, b - 1), ca.if_else(a <= 0, ca.exp(b), a), ca.sign(a), a**3, a**2.0),
        *(ca.fabs(a) ** b, ca.logic_and(a > 0, b > 0), ca.logic_or(a > 0, b > 0), ca.logic_not(a > 0), ca.erf(a)),
        *(ca.fmod(a, b), a == b, a != b, ca.sinh(a), ca.cosh(a), ca.asinh(a), ca.acosh(1 + a * a)),
        *(ca.atanh(ca.tanh(a)), -a, 1 / a, 2 * a, ca.sin(a), ca.cos(a), a - b, a / b, 0 * a, 3.5 + 0 * a),
    ]


def made():
    x = ca.SX.sym("x", 2)
    function = ca.Function("f", [x], [ca.densify(ca.vertcat(*every_operation(x[0], x[1])))])
    return function, casadi_program(function, ("a", "b"))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 2e-15), ("float32", 2e-5)])
@pytest.mark.parametrize("batches", [True, False])
def test_every_operation_is_what_casadi_computes(dtype, tolerance, batches):
    function, program = made()
    x = np.random.default_rng(0).standard_normal((37, 2)).astype(dtype)
    x[3] = 0.5
    code = compile_program("f", program, [((2,), ("a", "b"))], [(function.nnz_out(0),)], dtype, batches=batches)
    expected = np.array(function.map(37)(x.astype(float).T)).T
    assert np.all(np.abs(code.ufunc(x) - expected) <= tolerance * (1 + np.abs(expected)))
    assert np.all(np.abs(code.quick(x[0].copy()) - expected[0]) <= tolerance * (1 + np.abs(expected[0])))


def test_the_interpreter_knows_the_same_operations():
    function, program = made()
    x = np.random.default_rng(1).standard_normal((5, 2))
    rows = [np.broadcast_to(value, 5) for value in program.evaluate(list(x.T))]
    assert np.allclose(rows, np.array(function.map(5)(x.T)), rtol=1e-14, atol=1e-15)
    assert {i[0] for i in program.instructions} >= set(OPERATIONS) - {"le", "or", "and", "guard"}


def test_nan_goes_through_the_larger_and_the_smaller_of_two():
    x = ca.SX.sym("x", 2)
    both = ca.vertcat(ca.fmin(x[0], x[1]), ca.fmax(x[0], x[1]))
    program = casadi_program(ca.Function("f", [x], [both]), ("a", "b"))
    ufunc = compile_program("f", program, [((2,), ("a", "b"))], [(2,)]).ufunc
    with np.errstate(invalid="ignore"):
        assert np.isnan(ufunc(np.array([[np.nan, 1.0], [1.0, np.nan]]))).all()


def test_what_there_is_no_code_for_is_refused():
    x = ca.SX.sym("x")
    with pytest.raises(ValueError, match="has no code"):
        casadi_program(ca.Function("f", [x], [ca.SX.binary(ca.OP_COPYSIGN, x, x * x)]), ("x",))
