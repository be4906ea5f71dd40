"""Loops at dead centres and branch points: no motion diverges or gains energy, and what is not closed is reported."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian, constraint_residual, without_loops

G, DT, REPORTED = 9.81, 2e-3, 1e-6
FOUR_BAR = """
name: near_parallelogram
gravity: [0, -9.81, 0]
bodies:
  - {{link: left, joint: left_hinge, at: [-0.2, 0, 0], rpy: [0, 0, 1.2], mass: 1, com: [0.15, 0, 0],
     inertia: [0, 0.01, 0.01]}}
  - {{link: right, parent: base, joint: right_hinge, at: [0.2, 0, 0], rpy: [0, 0, 1.2], mass: 1, com: [0.15, 0, 0],
     inertia: [0, 0.01, 0.01]}}
  - {{link: bar, parent: left, joint: bar_hinge, at: [0.3, 0, 0], rpy: [0, 0, -1.2], mass: 0.5, com: [0.2, 0, 0],
     inertia: [0, 0.01, 0.01]}}
loops:
  - {{loop: pin, predecessor: {{link: bar, at: [{length}, 0, 0]}}, successor: {{link: right, at: [0.3, 0, 0]}}}}
"""


@pytest.mark.parametrize("longer", [0.0, 1e-9, 1e-6, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("speed", [2.0, 20.0])
def test_a_four_bar_that_folds_flat_neither_diverges_nor_gains_energy(longer, speed):
    """A bar longer than a parallelogram's makes dead centres of branch points; two of these motions diverged."""
    robot = sg.load(FOUR_BAR.format(length=0.4 + longer))
    tree, q0 = without_loops(robot), robot.close_loops(robot.neutral())
    K, qd0 = constraint_jacobian(robot, q0), speed * np.array([-1.0, -1.0, 1.0])
    qd0 -= np.linalg.pinv(K) @ (K @ qd0)
    simulator = sg.Simulator(robot, DT, q0, qd0, contacts=[sg.Contact("bar")], ground=sg.Plane((0, 1, 0), -5.0))
    mass, centre = sg.mass_matrix(tree), sg.center_of_mass(tree)

    def energy() -> float:
        kinetic = 0.5 * simulator.qd @ np.asarray(mass(simulator.q)) @ simulator.qd
        return float(kinetic + tree.mass * G * np.asarray(centre(simulator.q))[1])

    first, folded = energy(), 0
    for _ in range(500):
        simulator.step()
        gap = np.abs(constraint_residual(robot, simulator.q)).max()
        opening = np.abs(constraint_jacobian(robot, simulator.q) @ simulator.qd).max()
        assert max(gap / DT, opening) < max(1.1 * simulator.residual, REPORTED)
        folded += abs(np.sin(simulator.q[0] + 1.2)) < 0.1
        assert energy() < 1.02 * first
    assert folded
    if longer == 0.0:
        assert energy() > 0.98 * first
