"""Predictive control of mechanisms beside shooting in natural coordinates, whose constraints have multipliers."""

import numpy as np
import pytest
from tests.mechanics.mechanism.oracle import accelerations
from tests.motion.control.predictive.test_closed_chains import DT, N, check_optimum

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, velocity_problem
from screwgraph.motion.control import HorizonLimits, mpc, stack_references, stack_weights

TWO_MASSES = """
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: A, x: 0.3, y: -0.4}
  - {name: B, x: 0.3, y: -0.9}
bodies:
  - {name: upper, points: [O, A], mass: 1.0, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: lower, points: [A, B], mass: 0.7, I0: mass*length^2/3, cog: [length/2, 0]}
angles: [{angle: shoulder, of: [O, A]}, {angle: elbow, of: [A, B]}]
motors: [shoulder]
independent: [shoulder, elbow]
"""
"""A double pendulum with one motor."""


class Linkage:
    """A mechanism in NumPy: positions by Newton's method, accelerations by a dense solution with multipliers."""

    def __init__(self, mechanism, names):
        self.mechanism, self.names = mechanism, names
        self.at = [mechanism.index(name) for name in names]
        self.driven = [self.names.index(name) for name in mechanism.motors]

    def roll(self, q, yd, u):
        """Return positions and velocities (N + 1, 2 n) of efforts (N, m) that are held."""
        states = [np.concatenate([q[self.at], yd])]
        for own in u:
            qd = velocity_problem(self.mechanism, q, dict(zip(self.names, yd, strict=True)))
            yd = yd + DT * accelerations(self.mechanism, q, qd, own)[self.at]
            reached = q[self.at] + DT * yd
            q = position_problem(self.mechanism, dict(zip(self.names, reached, strict=True)), q + DT * qd)
            states.append(np.concatenate([q[self.at], yd]))
        return np.array(states)


@pytest.mark.parametrize(
    ("name", "coordinates", "way"),
    [
        ("four_bar_angle", ["theta"], [0.4]),
        pytest.param("slider_crank", ["theta"], [-0.5], marks=pytest.mark.suite),
        pytest.param("parallel_robot", ["left", "right"], [0.03, -0.05], marks=pytest.mark.suite),
    ],
)
def test_optima_are_those_of_shooting(name, coordinates, way):
    mechanism = sg.load_mechanism(name)
    linkage, q = Linkage(mechanism, coordinates), mechanism.home
    check_optimum(mechanism, linkage, q, q[linkage.at] + way)


def test_coordinates_without_a_motor_are_states():
    mechanism = sg.load_mechanism(TWO_MASSES)
    control = mpc(mechanism, DT, N)
    arguments = {a.name: a.shape for a in control.arguments}
    assert (arguments["q"], arguments["references"], arguments["weights"]) == ((2,), (N + 1, 5), (5,))
    linkage, q, yd = Linkage(mechanism, ["shoulder", "elbow"]), mechanism.home, np.array([0.4, -0.3])
    references = stack_references(control, q[linkage.at])
    previous = np.zeros(control.arguments[-1].shape)
    for _ in range(8):
        _, states, efforts, _, previous, solution = control(
            q[linkage.at], yd, references, stack_weights(mechanism, effort={"shoulder": 1e-3}), 0.0, previous
        )
    assert solution[0] == 0.0
    np.testing.assert_allclose(states, linkage.roll(q, yd, efforts), atol=1e-7)


def test_a_heavier_slider_crank_stops_where_it_shall_within_its_torque():
    mechanism, dt, most = sg.load_mechanism("slider_crank"), 0.01, 2.0
    at, goal = mechanism.index("theta"), float(mechanism.home[mechanism.index("theta")]) - 0.6
    control = mpc(mechanism, dt, 16, limits=HorizonLimits(effort=most))
    weights, references = stack_weights(mechanism, position=50.0, effort=1e-4), stack_references(control, [goal])
    masses = {f"mass:{body.name}": 1.05 * body.mass for body in mechanism.bodies}
    plant = sg.Simulator(sg.load_mechanism("slider_crank", masses), 1e-3)
    previous = np.zeros(control.arguments[-1].shape)
    reached = []
    for k in range(120):
        y, yd = plant.q[[at]], plant.qd[[at]]
        tau, *_, previous, solution = control(y, yd, references, weights, float(k > 0), previous)
        assert solution[0] in (0.0, 1.0)
        assert np.abs(tau).max() <= most
        plant.step(tau, steps=10)
        reached.append(abs(plant.q[at] - goal))
    assert max(reached) > 0.3
    assert reached[-1] < 0.02


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        (TWO_MASSES.replace("motors: [shoulder]\n", ""), {}, "has no motors"),
        (TWO_MASSES, {"contacts": [sg.Contact("B")]}, "mechanisms have none in horizons"),
        (TWO_MASSES, {"actuated": ["elbow"]}, "no motor is called 'elbow'"),
        (TWO_MASSES, {"frames": ["hand"]}, "'hand'"),
        (TWO_MASSES, {"limits": HorizonLimits(effort={"elbow": 1.0})}, "has no motor"),
        (TWO_MASSES, {"terminal": "riccati"}, "has one"),
        (TWO_MASSES + "driven: {shoulder: sin(t)}", {}, "driven by its file"),
    ],
)
def test_what_has_no_such_controller_is_one_line(text, options, why):
    with pytest.raises(sg.InputError, match=why) as caught:
        mpc(sg.load_mechanism(text), DT, N, **options)
    assert "\n" not in str(caught.value)
