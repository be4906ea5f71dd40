"""Position, velocity and acceleration problems against closed forms; ranks and branches."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import (
    acceleration_problem,
    finite_displacement,
    position_problem,
    velocity_problem,
)
from screwgraph.mechanics.mechanism.branch_tracking import follow_path

R, L = 0.1, 0.35


@pytest.fixture(scope="module")
def crank():
    return sg.load_mechanism("slider_crank")


def test_the_piston_is_where_trigonometry_puts_it(crank):
    q = crank.home
    for theta in np.linspace(1.0, 2.0 * np.pi, 19):
        q = position_problem(crank, {"theta": theta}, q)
        x = R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
        np.testing.assert_allclose(crank.position(q, "piston"), [x, 0.0], atol=1e-11)


def test_the_guess_chooses_the_branch(crank):
    theta, q = 0.7, crank.home.copy()
    q[crank.index("x:piston")] = -0.3
    found = position_problem(crank, {"theta": theta}, q)
    x = R * np.cos(theta) - np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
    np.testing.assert_allclose(crank.position(found, "piston"), [x, 0.0], atol=1e-11)


def test_a_path_of_many_turns_is_as_exact_as_one_of_one(crank):
    """Between the positions that are assembled, splines lead: these are as near in each of the turns."""
    t = np.linspace(0.0, 1.0, 3001)
    theta = 0.8 + 1.2 * np.sin(2.0 * np.pi * 15 * t)
    q = follow_path(crank, position_problem(crank, {"theta": 0.8}), (crank.index("theta"),), theta[:, None])
    x = R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
    np.testing.assert_allclose(q[:, crank.index("x:piston")], x, atol=0.01 * R)


def test_velocities_and_accelerations_are_derivatives_of_positions(crank):
    theta, rate, second, h = 0.9, 3.0, -2.0, 1e-4
    path = [position_problem(crank, {"theta": theta + rate * t + second * t * t / 2}) for t in (-h, 0.0, h)]
    q = path[1]
    qd = velocity_problem(crank, q, {"theta": rate})
    qdd = acceleration_problem(crank, q, qd, {"theta": second})
    np.testing.assert_allclose(qd, (path[2] - path[0]) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(qdd, (path[2] - 2 * q + path[0]) / h**2, atol=1e-4)


def test_a_finite_displacement_turns_the_crank_once_around(crank):
    start = crank.home
    theta = start[crank.index("theta")]
    path = finite_displacement(crank, start, {"theta": theta + 2 * np.pi}, steps=24)
    np.testing.assert_allclose(path[-1][:4], start[:4], atol=1e-10)
    assert (np.diff(path[:, crank.index("theta")]) > 0).all()


def test_one_step_leads_to_the_end_of_a_displacement(crank):
    theta = crank.home[crank.index("theta")] + 0.2
    path = finite_displacement(crank, crank.home, {"theta": theta}, steps=1)
    assert path.shape == (2, crank.n)
    np.testing.assert_allclose(path[1], position_problem(crank, {"theta": theta}), atol=1e-10)
    with pytest.raises(sg.InputError, match="steps = 0 is not a positive whole number"):
        finite_displacement(crank, crank.home, {"theta": theta}, steps=0)


def test_a_displacement_that_is_blocked_names_what_comes_apart():
    bar = sg.load_mechanism("four_bar_angle")
    with pytest.raises(sg.ModelError, match=r"'four_bar_angle' cannot be assembled: (body|angle) .* remains violated"):
        finite_displacement(bar, bar.home, {"theta": 0.0, "x:P2": 9.0}, steps=3)


def test_velocities_that_cannot_be_are_refused(crank):
    with pytest.raises(sg.InputError, match="no velocities have the given values of theta, y:piston"):
        velocity_problem(crank, crank.home, {"theta": 1.0, "y:piston": 1.0})


def test_the_parallel_robot_has_two_degrees_of_freedom_and_one_redundant_row():
    robot = sg.load_mechanism("parallel_robot")
    assert (robot.n, robot.dof) == (22, 2)
    assert len(robot.closing_program.parts) - len(robot.freedom.kept) == 1
    lifted = position_problem(robot, {"x:6": 0.2, "y:6": -4.4})
    plate = [robot.position(lifted, i) for i in (5, 6, 7, 8)]
    np.testing.assert_allclose(plate[2] - plate[0], [1.5, 0.0], atol=1e-9)  # the effector stays level
    np.testing.assert_allclose(plate[3] - plate[1], [2.5, 0.0], atol=1e-9)


def test_chosen_independent_coordinates_determine_all_others():
    for name in sg.mechanism_names():
        model = sg.load_mechanism(name)
        assert len(model.independent_coordinates) == model.dof
        qd = velocity_problem(model, model.home, dict.fromkeys(model.independent_coordinates, 1.0))
        assert np.isfinite(qd).all()


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e2])
def test_small_and_large_mechanisms_close_as_well(size):
    """A crank of 0.1, rod of 0.35 times the size; the piston is where trigonometry puts it, but for rounding."""
    crank = sg.load_mechanism(f"""
points:
  - {{name: O, x: 0, y: 0, fixed: true}}
  - {{name: pin, x: {R * size}, y: 0}}
  - {{name: piston, x: {(R + L) * size}, y: 0}}
  - {{name: end, x: {size}, y: 0, fixed: true}}
bodies:
  - {{name: crank, points: [O, pin], length: {R * size}}}
  - {{name: rod, points: [pin, piston], length: {L * size}}}
angles: [{{angle: theta, of: [O, pin]}}]
sliders: [{{slider: guide, point: piston, along: [O, end]}}]
independent: [theta]
""")
    for theta in (0.1, 0.7, 1.3):
        q = position_problem(crank, {"theta": theta})
        x = R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
        np.testing.assert_allclose(crank.position(q, "piston") / size, [x, 0.0], atol=1e-11)
