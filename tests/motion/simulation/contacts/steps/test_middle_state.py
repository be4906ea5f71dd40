"""Energies of steps with contacts belong to the middles of steps: there they are exact to the square of the step."""

import numpy as np

import screwgraph as sg
from screwgraph.motion.simulation.contacts.steps.middle_state import compile_middle_state
from tests.motion.simulation.contacts.bodies import feet, quadruped, standing

TIME = 0.24


def largest_swings(dt: float) -> tuple[float, float]:
    """Return by how much (J) energies differ from those of the start, at middles and at ends of steps, without contact.

    Legs that turn at up to 20 rad/s about a body that turns.
    """
    robot = quadruped()
    q, qd = standing(robot, 50.0), np.zeros(robot.nv)
    qd[:6], qd[6:] = (4.0, -3.0, 2.0, 1.0, 0.5, 0.0), np.tile([9.0, -20.0], 4)
    kinetic, potential, middle = sg.kinetic_energy(robot), sg.potential_energy(robot), compile_middle_state(robot)
    simulator, ends, middles = sg.Simulator(robot, dt, q, qd, contacts=feet()), [], []
    start = float(kinetic(q, qd) + potential(q))
    for _ in range(round(TIME / dt)):
        simulator.step()
        ends.append(float(kinetic(simulator.q, simulator.qd) + potential(simulator.q)) - start)
        at = middle(simulator.q, simulator.qd, [dt])
        middles.append(float(kinetic(*at) + potential(at[0])) - start)
    return np.ptp(middles), np.ptp(ends)


def test_energies_of_middles_are_of_second_order():
    (middle, end), (finer, fine_end) = largest_swings(2e-3), largest_swings(1e-3)
    assert middle < 0.01 * end
    assert 3.3 < middle / finer < 4.7
    assert 1.6 < end / fine_end < 2.4
