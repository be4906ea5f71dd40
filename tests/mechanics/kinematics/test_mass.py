"""Centre of mass, momentum, energies and the Coriolis matrix: Pinocchio's, or laws of mechanics."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.model.robot import Link, tree, with_gravity, without_damping
from tests.mechanics.kinematics.states import angular_first, close, robot_of, state_of
from tests.oracle import velocity_map


def test_centre_of_mass():
    s = state_of("twisted")
    model, data = s.peer.model, s.peer.data
    pin.centerOfMass(model, data, s.position, s.velocity, s.acceleration)
    close(sg.center_of_mass(s.robot)(s.q), data.com[0])
    close(sg.center_of_mass_velocity(s.robot)(s.q, s.qd), data.vcom[0])
    close(sg.center_of_mass_acceleration(s.robot)(s.q, s.qd, s.qdd), data.acom[0])
    J = sg.center_of_mass_jacobian(s.robot)(s.q)
    close(J, s.columns(pin.jacobianCenterOfMass(model, data, s.position)))


def test_centroidal_momentum():
    s = state_of("twisted")
    model, data = s.peer.model, s.peer.data
    pin.computeCentroidalMomentumTimeVariation(model, data, s.position, s.velocity, s.acceleration)
    h, A = sg.centroidal_momentum(s.robot)(s.q, s.qd), sg.centroidal_momentum_matrix(s.robot)(s.q)
    close(h, angular_first(data.hg.vector))
    close(sg.centroidal_momentum_rate(s.robot)(s.q, s.qd, s.qdd), angular_first(data.dhg.vector))
    close(A, s.columns(pin.computeCentroidalMap(model, data, s.position)))
    close(A @ s.qd, h)


def test_energies():
    s = state_of("twisted")
    kinetic, potential = sg.kinetic_energy(s.robot)(s.q, s.qd), sg.potential_energy(s.robot)(s.q)
    close(np.array(kinetic + potential), np.array(s.peer.energy(s.q, s.qd)))
    close(kinetic, 0.5 * s.qd @ sg.mass_matrix(s.robot)(s.q) @ s.qd)
    close(potential, np.array(pin.computePotentialEnergy(s.peer.model, s.peer.data, s.position)))


@pytest.mark.parametrize("name", ["puma560", "a1"])
def test_coriolis_matrix_is_pinocchios(name):
    s = state_of(name)
    C = pin.computeCoriolisMatrix(s.peer.model, s.peer.data, s.position, s.velocity)
    E = velocity_map(s.robot, s.q)
    close(sg.coriolis_matrix(s.robot)(s.q, s.qd), E.T @ C @ E)


@pytest.mark.parametrize("name", ["puma560", "twisted"])
def test_mass_matrices_change_by_the_coriolis_matrix_and_its_transpose(name):
    s, h = state_of(name), 1e-5
    C = sg.coriolis_matrix(s.robot)(s.q, s.qd)
    still = without_damping(with_gravity(s.robot, (0.0, 0.0, 0.0)))
    expected = sg.bias_forces(still)(s.q, s.qd)
    np.testing.assert_allclose(C @ s.qd, expected, atol=1e-11 * np.abs(expected).max())
    mass, move = sg.mass_matrix(s.robot), sg.integrate(s.robot)
    rate = (mass(_moved(s, move, h)) - mass(_moved(s, move, -h))) / (2 * h)
    np.testing.assert_allclose(C + C.T, rate, atol=1e-7 * np.abs(rate).max())


def _moved(s, move, h):
    return move(s.q, h * s.qd)


def test_christoffels_symbols():
    """Where velocities are derivatives of coordinates, C qd is symmetric in velocities: C(q, v) w = C(q, w) v."""
    s = state_of("puma560")
    C = sg.coriolis_matrix(s.robot)
    close(C(s.q, s.qd) @ s.qdd, C(s.q, s.qdd) @ s.qd)


def test_the_base_of_a_fixed_robot_is_left_out():
    arm = robot_of("puma560")
    heavy = tree("heavy", [Link(arm.links[0].name, arm.links[1].inertia), *arm.links[1:]], arm.joints)
    q = state_of("puma560").q
    close(sg.center_of_mass(heavy)(q), sg.center_of_mass(arm)(q))


def test_nothing_that_moves_has_a_mass():
    arm = robot_of("puma560")
    empty = tree("empty", [Link(link.name) for link in arm.links], arm.joints)
    for query in (sg.center_of_mass, sg.center_of_mass_jacobian, sg.centroidal_momentum):
        with pytest.raises(sg.InputError, match="no link that moves has a mass"):
            query(empty)
