"""Couplings whose functions end somewhere (roots, powers, logarithms): they are closed where these have values."""

import math

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import closed_states, constraint_residual

PAIR = """
bodies:
  - {{link: a, joint: x, axis: y, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}}
  - {{link: b, joint: y, parent: base, axis: y, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}}
couplings:
  - {{coupling: cam, equation: '{}'}}
independent: [y]
"""
LAWS = {
    "x = y**1.5": lambda x, y: x - y**1.5,
    "y**1.5 + x**2.5 = 1": lambda x, y: y**1.5 + x**2.5 - 1.0,
    "x = 0.2*y**-1.5": lambda x, y: x - 0.2 * y**-1.5,
    "x = sqrt(y)": lambda x, y: x - math.sqrt(y),
    "x = sqrt(y - 5)": lambda x, y: x - math.sqrt(y - 5.0),
    "x = log(y - 2)": lambda x, y: x - math.log(y - 2.0),
    "log(x) + log(y) = 1": lambda x, y: math.log(x) + math.log(y) - 1.0,
    "x = asin(y)": lambda x, y: x - math.asin(y),
    "x = acosh(y)": lambda x, y: x - math.acosh(y),
    "x = atanh(y)": lambda x, y: x - math.atanh(y),
    "x*sqrt(y - 0.5) = 0.3": lambda x, y: x * math.sqrt(y - 0.5) - 0.3,
    "x = sqrt(sin(y))": lambda x, y: x - math.sqrt(math.sin(y)),
    "x**y = 1.2": lambda x, y: x**y - 1.2,
}


@pytest.mark.parametrize("equation", LAWS)
def test_closed_positions_are_found_from_where_functions_have_no_values(equation):
    robot, law = sg.load(PAIR.format(equation)), LAWS[equation]
    assert robot.mobility.rank == 1
    guesses = [np.array([0.4, 0.4]), np.array([0.4, -1.0])]
    for q in (*closed_states(robot, 2), *map(robot.close_loops, guesses)):
        assert abs(law(*q.tolist())) < 1e-9, q
        assert np.abs(constraint_residual(robot, q)).max() < 1e-11


def test_dynamics_of_a_power_are_those_of_one_joint():
    robot = sg.load(PAIR.format("x = y**1.5"))
    y, yd, tau = 0.7, 1.3, 0.4
    q = robot.complete([y])
    qd = robot.complete_velocity(q, [yd])
    slope, curvature = 1.5 * y**0.5, 0.75 * y**-0.5
    assert q == pytest.approx([y**1.5, y], abs=1e-11)
    assert qd == pytest.approx([slope * yd, yd], abs=1e-10)
    inertia, weights = 0.1 + 0.09, 9.81 * 0.3 * np.cos(q)  # about y, weights turn by + cos
    force = tau + weights[1] + slope * weights[0] - inertia * slope * curvature * yd**2
    expected = force / (inertia * (1.0 + slope**2))
    qdd = sg.forward_dynamics(robot)(q, qd, np.array([0.0, tau]))
    assert qdd == pytest.approx([slope * expected + curvature * yd**2, expected], abs=1e-9)


def test_where_functions_have_no_value_that_is_said():
    robot = sg.load(PAIR.format("x = log(y - 2)"))
    with pytest.raises(InputError, match="coupling 'cam' has no value at or near this position"):
        robot.complete([1.0])
