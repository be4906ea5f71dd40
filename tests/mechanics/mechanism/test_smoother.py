"""Simulation by fixed-lag smoothing of the paper's factor graphs, against the exact motion."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.estimation import forward_graph
from screwgraph.optimize import solve
from tests.mechanics.mechanism.four_bar import exact_four_bar

ORDERS = {"trapezoidal": 2, "hermite_simpson": 4}
LIMITS = {"trapezoidal": 3e-6, "hermite_simpson": 1e-9}
"""Root of the mean squared error of the coordinates of both points (m) over 5 s at 1 ms."""


@pytest.fixture(scope="module")
def exact():
    return exact_four_bar(np.arange(5001) * 1e-3)


@pytest.mark.parametrize("coordinates", ["spanning", "independent"])
@pytest.mark.parametrize("integrator", LIMITS)
@pytest.mark.sampled(4)
def test_the_four_bar_moves_exactly_enough_in_both_kinds_of_coordinates(exact, coordinates, integrator):
    """What is left is the rule's error: it falls by 2^order with half the step, its next term by four times that.

    At 1 ms the error of the rule of fourth order is 9e-11 m, some hundred times that of the exact motion and of
    rounding, so that both parts of the ratio are the rule's on any processor.
    """
    bar, errors = sg.load_mechanism("four_bar_angle"), []
    options = {"time": 5.0, "method": "smoother", "coordinates": coordinates, "window": 2, "integrator": integrator}
    for every in (2, 1):
        run = sg.simulate(bar, dt=every * 1e-3, **options)
        errors.append(np.sqrt(np.mean((run.q[:, :4] - exact[::every, 2:]) ** 2)))
        assert run.violation.max() < 1e-12
    assert errors[1] <= LIMITS[integrator]
    assert errors[0] / errors[1] == pytest.approx(2 ** ORDERS[integrator], rel=0.05)


def test_independent_coordinates_are_chosen_anew_where_they_become_singular(exact):
    bar = sg.load_mechanism("four_bar")
    assert len(bar.independent_coordinates) == 1  # of a point: the crank turns past any such coordinate's extreme
    run = sg.simulate(bar, time=5.0, dt=1e-3, method="smoother", coordinates="independent")
    assert np.sqrt(np.mean((run.q - exact[:, 2:]) ** 2)) < 1e-4  # points move on curves: 30 times that of an angle
    assert run.violation.max() < 1e-12
    energy = np.abs(run.energy - run.energy[0])
    assert energy[2500:].max() < 1.1 * energy[:2500].max()


def test_what_a_marginal_window_knows_goes_over_to_other_independent_coordinates(tmp_path):
    path = tmp_path / "pendulum.yaml"
    points = "[{x: 0, y: 0, fixed: true}, {x: 1, y: 0}]"
    path.write_text(f"points: {points}\nbodies: [{{points: [0, 1], mass: 1, I0: 1/3, cog: [0.5, 0]}}]\n")
    model, options = sg.load_mechanism(path), {"time": 2.0, "dt": 2e-3, "method": "smoother"}
    run = sg.simulate(model, coordinates="independent", window=3, marginal=True, **options)
    pinned = sg.simulate(model, coordinates="independent", **options)
    assert np.ptp(run.q[:, 0]) > 1.9  # from one side to the other: x and y are singular in turn
    np.testing.assert_allclose(run.q, pinned.q, atol=1e-5)


def test_longer_windows_and_batches_find_the_same_motion():
    bar, dt = sg.load_mechanism("four_bar_angle"), 2e-3
    short, long = (sg.simulate(bar, time=0.2, dt=dt, method="smoother", window=w) for w in (2, 3))
    np.testing.assert_allclose(short.q, long.q, atol=1e-8)
    q0 = bar.home
    graph = forward_graph(bar, 101, dt, start=(q0, 0 * q0))
    batch = solve(graph, {"q": short.q, "v": short.qd, "a": short.qdd})
    assert batch.success
    np.testing.assert_allclose(batch.values["q"], short.q, atol=1e-6)


def test_torques_of_motors_act_in_the_graph_as_in_direct_integration():
    bar = sg.load_mechanism("four_bar_angle")
    options = {"time": 0.2, "dt": 1e-3, "tau": [40.0]}
    smoothed = sg.simulate(bar, method="smoother", integrator="hermite_simpson", **options)
    direct = sg.simulate(bar, method="dop853", rtol=1e-11, atol=1e-11, **options)
    np.testing.assert_allclose(smoothed.q, direct.q, atol=1e-9)
    assert smoothed.energy_drift < 1e-7


@pytest.mark.parametrize(
    ("integrator", "order"), [("euler", 1), ("trapezoidal", 2), ("hermite_simpson", 4), ("runge_kutta", 4)]
)
def test_errors_of_integrators_fall_by_their_order(integrator, order):
    model, length = sg.load_mechanism("single_pendulum"), 0.2
    exact = sg.simulate(model, time=length, dt=length, method="dop853", rtol=1e-12, atol=1e-12).q[-1]
    errors = []
    for dt in (0.02, 0.01):
        run = sg.simulate(model, time=length, dt=dt, method="smoother", integrator=integrator)
        errors.append(np.abs(run.q[-1] - exact).max())
    assert 2.0 ** (order - 0.5) < errors[0] / errors[1] < 2.0 ** (order + 0.7)


def test_large_mechanisms_move_by_windows_of_their_factors():
    robot, options = sg.load_mechanism("parallel_robot"), {"time": 0.1, "dt": 1e-3}
    run = sg.simulate(robot, method="smoother", **options)
    exact = sg.simulate(robot, method="dop853", rtol=1e-10, atol=1e-10, **options)
    np.testing.assert_allclose(run.q, exact.q, atol=1e-5)
    assert run.violation.max() < 1e-12


def test_redundant_constraints_are_no_obstacle(tmp_path):
    path = tmp_path / "parallelogram.yaml"
    path.write_text(
        """\
points: [{x: 0, y: 0, fixed: true}, {x: 2, y: 0, fixed: true}, {x: 0, y: 1}, {x: 2, y: 1}, {x: 1, y: 0, fixed: true},
  {x: 1, y: 1}]
bodies:
  - {points: [0, 2], mass: 1, I0: 1/3, cog: [0.5, 0]}
  - {points: [1, 3]}
  - {points: [4, 5]}
  - {points: [2, 3, 5], shape: [[0, 0], [2, 0], [1, 0]], mass: 1, I0: 4/3, cog: [1, 0]}
angles: [{angle: theta, of: [0, 2]}]
independent: [theta]
velocities: {theta: -1}
"""
    )
    model = sg.load_mechanism(path)
    run = sg.simulate(model, time=0.5, dt=1e-3, method="smoother")
    expected = sg.simulate(model, time=0.5, dt=1e-3)
    np.testing.assert_allclose(run.q, expected.q, atol=1e-5)
    assert expected.energy_drift < 1e-9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 1}, "window = 1 is not a number of states from 2"),
        ({"coordinates": "relative"}, "no kind of coordinates is called 'relative'"),
        ({"integrator": "simpson"}, "no integrator is called 'simpson'"),
        ({"tau": lambda t, q, qd: [1.0, 2.0]}, "what the function tau returns"),
        ({"rtol": 1e-3}, "rtol= cannot be used here"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, message):
    with pytest.raises(sg.InputError, match=message):
        sg.simulate(sg.load_mechanism("four_bar_angle"), method="smoother", **options)
