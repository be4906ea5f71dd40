"""Equations between joint positions on every kind of number."""

import numpy as np
import pytest

from screwgraph.compiler import casadi_of
from screwgraph.model.robot import Constant, Coupling, Operation, Position, Power
from screwgraph.model.robot.position_expression import substitute_positions, text_of
from screwgraph.tape import SAMPLES, WIDE, Tape
from tests.model.formats.helpers import close

A, B = Position("a"), Position("b")


def op(symbol, *operands):
    return Operation(symbol, operands)


SLOT = op(
    "-", op("*", op("sin", A), op("cos", op("/", B, Constant(2.0)))), op("/", Power(A, 3), op("+", Constant(4.0), B))
)
COUPLINGS = {
    "linear": Coupling("gear", {"a": 2.0, "b": -3.0}, 0.5),
    "equation": Coupling("slot", expression=SLOT),
    "both": Coupling("mixed", {"b": 1.5, "c": -1.0}, 0.25, SLOT),
}


def value(q):
    a, b = q[0], q[1]
    return np.sin(a) * np.cos(b / 2) - a**3 / (4 + b)


@pytest.fixture(params=COUPLINGS.values(), ids=COUPLINGS)
def coupling(request):
    return request.param


@pytest.fixture
def q(coupling):
    return np.random.default_rng(1).normal(size=len(coupling.joints))


def test_the_residual_is_the_equation():
    q = np.array([0.3, -0.7])
    close(COUPLINGS["linear"](q), 2 * 0.3 + 3 * 0.7 - 0.5)
    close(COUPLINGS["equation"](q), value(q))
    assert COUPLINGS["both"].joints == ("b", "c", "a")
    close(COUPLINGS["both"](np.array([-0.7, 0.2, 0.3])), 1.5 * -0.7 - 0.2 + value(q) - 0.25)


def test_the_gradient_is_the_complex_step_derivative(coupling, q):
    steps = np.eye(len(q)) * 1e-30j
    close(coupling.gradient(q), [complex(coupling(q + step)).imag / 1e-30 for step in steps])


def test_the_curvature_is_the_second_derivative_along_the_motion(coupling, q):
    qd = np.arange(1.0, len(q) + 1.0)
    slope = coupling.gradient(q + 1e-30j * qd) @ qd
    close(coupling.curvature(q, qd), slope.imag / 1e-30)


def test_casadi_agrees(coupling, q):
    qd = np.ones(len(q))
    residual, gradient = (casadi_of(f, q.shape)(q) for f in (coupling, coupling.gradient))
    curvature = casadi_of(coupling.curvature, q.shape, qd.shape)(q, qd)
    close(float(residual), coupling(q))
    close(np.array(gradient).ravel(), coupling.gradient(q))
    close(float(curvature), coupling.curvature(q, qd))


def test_tape_scalars_agree(coupling, q):
    tape = Tape()
    states = np.random.default_rng(2).normal(size=(SAMPLES + WIDE, len(q)))
    x = np.array([tape.input(f"x{i}", states[:, i].tolist()) for i in range(len(q))], dtype=object)
    close(coupling(x).samples, [coupling(state) for state in states[:SAMPLES]])
    at_each = [coupling.gradient(state) for state in states[:SAMPLES]]
    for i, entry in enumerate(coupling.gradient(x)):
        close(getattr(entry, "samples", [entry] * SAMPLES), [gradient[i] for gradient in at_each])


def test_joints_that_stand_still_become_constants(coupling, q):
    q = dict(zip(coupling.joints, q, strict=True))
    still = {"b": q["b"]}
    rest = coupling.with_fixed(still)
    assert "b" not in rest.joints
    close(
        rest(np.array([q[joint] for joint in rest.joints])), coupling(np.array([q[joint] for joint in coupling.joints]))
    )
    assert coupling.with_fixed(q).joints == ()
    close(-coupling.with_fixed(q).offset, coupling(np.array(list(q.values()))))


def test_an_expression_of_constants_is_one_number():
    assert substitute_positions(SLOT, {"a": 1.0, "b": 2.0}) == Constant(pytest.approx(value((1.0, 2.0))))


def test_the_text_has_the_parentheses_that_it_needs():
    nested = op("-", A, op("-", B, Power(op("+", A, Constant(-1.0)), 2)))
    assert text_of(nested, {"a": "x", "b": "y"}) == "x - (y - (x + (-1))**2)"
    assert text_of(op("/", op("*", A, B), op("/", A, B)), {"a": "a", "b": "b"}) == "a * b / (a / b)"
    assert COUPLINGS["linear"].text() == "2*a - 3*b = 0.5"
