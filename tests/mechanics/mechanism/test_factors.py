"""Templates of factors: their Jacobians against complex steps, and what they say."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import acceleration_problem, position_problem, velocity_problem
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.equations import mass_matrix
from screwgraph.model.mechanism.sensors import SensorResidual
from screwgraph.model.sensors import SensorPlace
from screwgraph.motion.estimation import FACTORS
from screwgraph.motion.estimation.factors import Acceleration
from screwgraph.motion.integration_rules import RK4, ExplicitDefect
from screwgraph.optimize import Vector
from screwgraph.optimize.template_wrappers import JacobianTemplate, flatten_residual
from screwgraph.tape import OPERATIONS, Tape, jacobian, program
from screwgraph.tape.sparse_rows import to_sparse_rows

RNG = np.random.default_rng(11)
STEPPING = {"soft_equality": 2, "prior": 1}
SENSED = {
    "position": (SensorPlace("position", 1), 1, np.array([0.1, 0.2])),
    "coordinate": (SensorPlace("angle", 0), 1, 0.3),
    "line": (SensorPlace("angle", (0, 1)), 1, 0.3),
    "gyroscope": (SensorPlace("gyroscope", 1), 2, 0.5),
    "accelerometer": (SensorPlace("accelerometer", 0, (0.3, -0.1)), 2, np.array([1.0, 2.0])),
}


@pytest.fixture(scope="module")
def bar():
    return sg.load_mechanism("four_bar_angle")


def template(name, mechanism):
    """The template, sizes of its unknowns, and its parameters."""
    n, f, k = mechanism.n, mechanism.dof, len(mechanism.motors)
    if name in STEPPING:
        return FACTORS[name], [n] * STEPPING[name], {"mean": np.ones(n)} if name == "prior" else {}
    if name in SENSED:
        place, count, measured = SENSED[name]
        return SensorResidual(mechanism, place), [n] * count, {"measured": measured}
    sizes = {
        "position_constraints": [n],
        "velocity_constraints": [n, n],
        "acceleration_constraints": [n] * 3,
        "independent_position": [n, f],
        "independent_velocity": [n, n, f],
        "independent_acceleration": [n, n, n, f],
        "forward_dynamics": [n] * 3,
        "independent_forward_dynamics": [n, n, f],
        "inverse_dynamics": [n, n, n, k],
        "independent_inverse_dynamics": [n, n, f, k],
    }[name]
    return FACTORS[name](mechanism), sizes, {}


def residual(name, mechanism):
    """Code of a template's residual, code of its Jacobian, row by row, and the sizes of its unknowns."""
    law, sizes, parameters = template(name, mechanism)
    tape = Tape(merge="form")
    x = [tape.inputs(f"x{i}", (size,)) for i, size in enumerate(sizes)]
    names, numbers = tuple(tape.input_names), [entry for vector in x for entry in vector]
    r = flatten_residual(law(*x, **parameters)).tolist()
    rows = to_sparse_rows(law.jacobian(*x, **parameters)) if isinstance(law, JacobianTemplate) else jacobian(r, numbers)
    J = [row.get(j, 0.0) for row in rows for j in range(len(numbers))]
    return program(tape, r, names), program(tape, J, names), sizes


def _angle(y, x):
    """Atan2 to first order in the imaginary parts."""
    return np.arctan2(y.real, x.real) + 1j * (x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2)


def complex_value(code, inputs):
    """The outputs of a program at complex inputs, operation by operation."""
    work = []
    for operation, *given in code.instructions:
        if operation == "constant":
            work.append(complex(given[0]))
        elif operation == "input":
            work.append(inputs[given[0]])
        else:
            values = _angle if operation == "atan2" else OPERATIONS[operation].values
            work.append(values(*(work[i] for i in given)))
    return np.array([work[o] if isinstance(o, int) else o for o in code.outputs], dtype=complex)


@pytest.mark.parametrize("name", [*FACTORS, *SENSED])
def test_jacobians_of_all_templates_are_complex_steps_of_their_residuals(name, bar):
    r, slope, sizes = residual(name, bar)
    q = bar.home
    x = np.concatenate([np.resize(q, size) + 0.1 * RNG.standard_normal(size) for size in sizes])
    J = np.array(slope.evaluate(x), dtype=float).reshape(-1, len(x))
    columns = [complex_value(r, x + 1e-30j * unit).imag / 1e-30 for unit in np.eye(len(x))]
    np.testing.assert_allclose(J, np.stack(columns, axis=1), rtol=1e-10, atol=1e-12 * max(1.0, np.abs(J).max()))


@pytest.fixture(scope="module")
def moving(bar):
    """A closed state with its accelerations under a torque of 3 N m."""
    q = position_problem(bar, {"theta": 0.4})
    qd = velocity_problem(bar, q, {"theta": 2.0})
    return q, qd, compile_mechanism(bar).acceleration(q, qd, np.array([0, 0, 0, 0, 3.0]))


def test_constraints_and_dynamics_vanish_along_a_motion(bar, moving):
    q, qd, qdd = moving
    z = list(bar.freedom.independent)
    arguments = {
        "position_constraints": (q,),
        "velocity_constraints": (q, qd),
        "acceleration_constraints": (q, qd, qdd),
        "independent_position": (q, q[z]),
        "independent_velocity": (q, qd, qd[z]),
        "independent_acceleration": (q, qd, qdd, qdd[z]),
        "inverse_dynamics": (q, qd, qdd, np.array([3.0])),
        "independent_inverse_dynamics": (q, qd, qdd[z], np.array([3.0])),
    }
    for name, values in arguments.items():
        r = np.array(residual(name, bar)[0].evaluate(np.concatenate(values)), dtype=float)
        np.testing.assert_allclose(r, 0.0, atol=1e-10, err_msg=name)


def test_the_derivative_by_forces_is_the_closed_form_that_the_paper_prints(moving):
    """(47), for a mechanism without relative coordinates: M^-1 - M^-1 J' (J M^-1 J')^-1 J M^-1."""
    model = sg.load_mechanism("four_bar")
    q = moving[0][:4]
    _, J = compile_mechanism(model).closing(q)
    inverse = np.linalg.inv(mass_matrix(model))
    printed = inverse - inverse @ J.T @ np.linalg.solve(J @ inverse @ J.T, J @ inverse)
    columns = [compile_mechanism(model).acceleration(q, 0 * q, e) for e in np.eye(4)] - compile_mechanism(
        model
    ).acceleration(q, 0 * q, 0 * q)
    np.testing.assert_allclose(columns.T, printed, atol=1e-11)


def test_the_derivative_by_torques_in_independent_coordinates_is_the_printed_one(bar, moving):
    """(50): the inverse of the reduced mass matrix times R'."""
    from tests.mechanics.mechanism.oracle import reduced

    q, qd, qdd = moving
    J = residual("inverse_dynamics", bar)[1].evaluate([*q, *qd, *qdd, 3.0])
    r = reduced(bar, q, qd)
    assert float(J[5 * 16 - 1]) == pytest.approx((np.linalg.inv(r.mass) @ r.R.T)[0, 4], rel=1e-10)


def test_sensors_measure_what_the_motion_is(bar, moving):
    q, qd, qdd = moving
    theta, omega, alpha = q[4], qd[4], qdd[4]
    at, zero = 0.3, np.zeros(2)
    g = 9.81
    specific = [g * np.sin(theta) - at * omega**2, g * np.cos(theta) + at * alpha]
    accelerometer, gyroscope = SensorPlace("accelerometer", 0, (at, 0.0)), SensorPlace("gyroscope", 0)
    line, point = SensorPlace("angle", (0, 1)), SensorPlace("position", 1)
    np.testing.assert_allclose(SensorResidual(bar, accelerometer)(q, qdd, measured=zero), specific, atol=1e-9)
    assert float(SensorResidual(bar, gyroscope)(q, qd, measured=0.0)) == pytest.approx(omega)
    assert float(SensorResidual(bar, line)(q, measured=theta - 0.1 + 2 * np.pi)) == pytest.approx(0.1)
    np.testing.assert_allclose(SensorResidual(bar, point)(q, measured=q[:2]), 0.0, atol=1e-15)
    assert acceleration_problem(bar, q, qd, {"theta": alpha}) == pytest.approx(qdd)


def test_the_runge_kutta_factor_vanishes_after_a_step_of_that_method(bar):
    run = sg.simulate(bar, time=2e-3, dt=1e-3)
    q, v = run.q, run.qd
    factor = ExplicitDefect(RK4, Vector(bar.n), Acceleration(bar))
    np.testing.assert_allclose(factor(q[0], q[1], v[0], v[1], dt=1e-3), 0.0, atol=1e-11)
