"""Coulomb friction of mechanisms that sticks, beside closed forms, robots and the laws of each step."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.forces.damper import damper_rate
from screwgraph.motion.simulation.step_options import StepOptions

PENDULUM = """
points: [{name: O, x: 0, y: 0, fixed: true}, {name: tip, x: 1, y: 0}]
bodies: [{name: rod, points: [O, tip], mass: 2, I0: mass*length^2/3, cog: [length/2, 0]}]
angles: [{angle: a, of: [O, tip]}]
motors: [a]
dampers: [{damper: hinge, angle: a, damping: 0, friction: 6.0}]
"""
ROBOT = """
bodies:
  - {link: rod, joint: a, axis: -y, mass: 2, com: [0.5, 0, 0], inertia: [0.001, 0.16667, 0.16667], friction: 6.0}
"""
SLED = """
parameters: {m: 3}
gravity: [0, 0]
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: Q, x: 5, y: 0, fixed: true}
  - {name: P, x: 1, y: 0}
  - {name: R, x: 1.5, y: 0}
bodies: [{name: rod, points: [P, R], mass: m, I0: m, cog: [length/2, 0]}]
sliders: [{slider: first, point: P, along: [O, Q]}, {slider: second, point: R, along: [O, Q]}]
dampers: [{damper: ground, between: [O, P], damping: 0, friction: 1.5}]
"""
TWO = """
points: [{name: O, x: 0, y: 0, fixed: true}, {name: E, x: 1, y: 0}, {name: T, x: 1.3, y: 0.74}]
bodies:
  - {name: upper, points: [O, E], mass: 2, I0: mass*length^2/3, cog: [length/2, 0]}
  - {name: lower, points: [E, T], mass: 1, I0: mass*length^2/3, cog: [length/2, 0]}
angles: [{angle: a, of: [O, E]}, {angle: b, of: [E, T]}]
motors: [a]
dampers:
  - {damper: shoulder, angle: a, damping: 0, friction: 4.0}
  - {damper: wrist, between: [O, T], damping: 0.5, friction: 3.0}
"""


def _at(angle):
    return np.array([np.cos(angle), np.sin(angle), angle])


def test_a_rod_sticks_where_its_weight_is_less_than_friction():
    """m g l / 2 cos(a) = 1.67 N m of 6: not a creep of 1e-12 rad in a second."""
    simulator = sg.Simulator(sg.load_mechanism(PENDULUM), 1e-3, _at(-1.4), friction=True)
    for _ in range(1000):
        simulator.step()
    assert abs(simulator.q[2] + 1.4) < 1e-12
    assert np.abs(simulator.qd).max() < 1e-15


def test_a_rod_moves_as_a_robot_of_one_joint_does():
    """The same law in other coordinates; both are of order 1, and swing, and stop."""
    angles = []
    for dt in (2e-3, 1e-3):
        rod = sg.simulate(sg.load_mechanism(PENDULUM), time=2.0, dt=dt, q0=_at(0.0), friction=True)
        robot = sg.simulate(sg.load(ROBOT), time=2.0, dt=dt, friction=True)
        angles.append((rod.coordinate("a")[-1], float(robot.q[-1, 0])))
        assert np.abs(rod.qd[-1]).max() < 1e-12
        assert rod.energy_drift < 0.05
    off = [abs(a - b) for a, b in angles]
    assert off[1] < 5e-3
    assert off[1] < 0.7 * off[0]


def test_a_sled_stops_after_its_way():
    """v0^2 / (2 F / m): v0 = 1, F / m = .5 in 2 s over 1 m; an Euler step of 1 ms errs by v0 dt / 2."""
    sled = sg.load_mechanism(SLED)
    v = np.array([1.0, 0.0, 1.0, 0.0])
    run = sg.simulate(sled, time=2.5, dt=1e-3, qd0=v, friction=True)
    assert abs(run.q[-1, 0] - 2.0) < 1e-3
    assert abs(run.q[1000, 0] - (1.0 + 1.0 - 0.25)) < 1e-3
    assert np.abs(run.qd[2005:]).max() < 1e-14


def test_each_step_obeys_the_law_of_each_damper():
    """Beside a step without friction: impulses within bounds, at them where a damper slips, against its rate."""
    two = sg.load_mechanism(TWO)
    bare = sg.load_mechanism(TWO.replace("friction: 4.0", "friction: 0").replace("friction: 3.0", "friction: 0"))
    dt, stuck, slipped = 2e-4, 0, 0
    bare_step = StepOptions().step_of(bare, dt)
    simulator = sg.Simulator(two, dt, friction=True)
    motions = [(simulator.q.copy(), simulator.qd.copy())]
    for k in range(3000):
        simulator.step([6.0 * np.sin(0.002 * k)])
        motions.append((simulator.q.copy(), simulator.qd.copy()))
    bounds = np.array([4.0, 3.0])
    for k, ((q, qd), (_, ahead)) in enumerate(pairwise(motions)):
        if k % 40:
            continue
        rows = np.array([[float(damper_rate(Motion(two, q, unit), d)) for unit in np.eye(two.n)] for d in two.dampers])
        free = bare_step(q, qd, [6.0 * np.sin(0.002 * k)], [dt])[1]
        pushes = _responses(bare, q, rows)
        angles = list(two.angle_slots)  # points move in curves: their velocities are projected at the end of the step
        if np.linalg.cond(pushes[:, angles]) > 20.0:  # nearly stretched out, the two act alike
            continue
        force = np.linalg.solve(pushes[:, angles].T, (ahead - free)[angles] / dt)
        rates = rows @ ahead
        for own, bound, rate in zip(force, bounds, rates, strict=True):
            assert abs(own) < bound * (1.0 + 2e-2) + 1e-2
            if abs(rate) > 0.02:
                slipped += 1
                assert abs(own + np.sign(rate) * bound) < 2e-2 * bound + 1e-2
            else:
                stuck += 1
    assert stuck > 10
    assert slipped > 50


def _responses(mechanism, q, rows):
    """Accelerations of unit forces along rows: M a + Phi_q' l = row, Phi_q a = 0, one dense system."""
    M = sg.mass_matrix(mechanism)(q)
    K = mechanism.closing_program.interpreter(q)[1]
    n, m = len(M), len(K)
    left = np.block([[M, K.T], [K, np.zeros((m, m))]])
    return np.array([np.linalg.lstsq(left, np.concatenate([row, np.zeros(m)]), rcond=None)[0][:n] for row in rows])


def test_what_does_not_go_with_sticking_is_said():
    rod = sg.load_mechanism(PENDULUM)
    for ask, words in (
        (lambda: sg.Simulator(rod, 1e-3, friction=True, method="rk4"), "semi_implicit"),
        (lambda: sg.Simulator(rod, 1e-3, friction=True, parameters=["mass:rod"]), "friction that sticks"),
        (lambda: sg.Simulator(rod, 1e-3, stops=True), "stops of a mechanism"),
    ):
        with pytest.raises(sg.InputError, match=words):
            ask()


def test_rollouts_stick_as_simulators_do():
    rod = sg.load_mechanism(PENDULUM)
    found = sg.rollout(rod, time=0.5, dt=1e-3, q0=np.array([_at(-1.4), _at(0.0)]), friction=True)
    simulator = sg.Simulator(rod, 1e-3, _at(0.0), friction=True)
    for _ in range(500):
        simulator.step()
    np.testing.assert_allclose(found[1].q[-1], simulator.q, atol=1e-12)
    assert abs(found[0].q[-1, 2] + 1.4) < 1e-12
