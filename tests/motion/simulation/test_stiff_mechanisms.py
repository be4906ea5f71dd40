"""Dampers and springs of mechanisms that are faster than steps: motions in closed form."""

import numpy as np
import pytest

import screwgraph as sg

FILE = """
gravity: [0, 0]
points:
  - {{x: 0, y: 0, fixed: true}}
  - {{x: 1, y: 0}}
bodies:
  - {{points: [0, 1], name: crank, length: 1, mass: 3, I0: 1.0, cog: [0.5, 0]}}
angles: [{{angle: theta, of: [0, 1]}}]
dampers: [{{damper: d, angle: theta, damping: {damping}}}]
springs: [{{spring: s, angle: theta, stiffness: {stiffness}, rest: 0.2}}]
motors: [theta]
"""


def crank(folder, damping, stiffness):
    path = folder / "crank.yaml"
    path.write_text(FILE.format(damping=damping, stiffness=stiffness), encoding="utf-8")
    return sg.load_mechanism(path)


@pytest.mark.parametrize("damping", [0.1, 1e5])
def test_a_damped_crank_turns_as_far_as_it_should(tmp_path, damping):
    """Inertia 1 kg m^2, under 1 N m: the velocity tends to 1 / damping."""
    simulator = sg.Simulator(crank(tmp_path, damping, 0.0), 1e-3)
    simulator.step([1.0], steps=1000)
    velocity = (1.0 - np.exp(-damping)) / damping
    assert simulator.qd[-1] == pytest.approx(velocity, rel=1e-3)
    assert simulator.q[-1] == pytest.approx((1.0 - velocity) / damping, rel=2e-3)


def rough_crank(folder, level):
    path = folder / "rough.yaml"
    text = FILE.format(damping=0.0, stiffness=0.0).replace("damping: 0.0", f"damping: 0.0, friction: {level}")
    path.write_text(text, encoding="utf-8")
    return sg.load_mechanism(path)


def test_coulomb_friction_stops_a_crank_when_it_should(tmp_path):
    """Inertia 1 kg m^2, 2 rad/s, 1.5 N m: it turns for 4/3 s, by 4/3 rad, and its energy is what friction took."""
    crank = rough_crank(tmp_path, 1.5)
    run = sg.simulate(crank, qd0=[0.0, 2.0, 2.0], time=2.0, dt=1e-3)
    turned = run.q[:, -1] - run.q[0, -1]
    assert np.interp(-0.03, -run.qd[:, -1], run.t) == pytest.approx(4.0 / 3.0 - 0.02, abs=1e-3)
    assert turned[-1] == pytest.approx(4.0 / 3.0, abs=1e-3)
    assert run.work[-1] == pytest.approx(-2.0, abs=1e-4)
    simulator = sg.Simulator(crank, 1e-3, qd0=[0.0, 2.0, 2.0])
    simulator.step(steps=2000)
    assert simulator.q[-1] == pytest.approx(run.q[-1, -1], abs=5e-3)


def test_coulomb_friction_holds_what_pushes_less(tmp_path):
    """But for a creep at 0.01 artanh(1/2) rad/s."""
    run = sg.simulate(rough_crank(tmp_path, 1.5), tau=[0.75], time=1.0, dt=1e-3)
    assert run.qd[-1, -1] == pytest.approx(0.01 * np.arctanh(0.5), rel=1e-6)
    free = sg.simulate(rough_crank(tmp_path, 1.5), tau=[2.5], time=1.0, dt=1e-3)
    assert free.qd[-1, -1] == pytest.approx(1.0, rel=2e-2)


def test_a_spring_that_steps_cannot_resolve_comes_to_rest(tmp_path):
    simulator = sg.Simulator(crank(tmp_path, 1.0, 1e7), 1e-3)
    simulator.step(steps=200)
    assert simulator.q[-1] == pytest.approx(0.2, abs=1e-9)
    assert np.abs(simulator.qd).max() < 1e-6
