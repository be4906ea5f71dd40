"""Feet with several points: what three rows hold, how points share impulses; a biped that needs no sweeps."""

import numpy as np

import screwgraph as sg
from screwgraph.motion.simulation.contacts.laws.held_soles import HeldSoles
from tests.motion.simulation.contacts.bodies import box, start_axes
from tests.motion.simulation.contacts.contact_points import DT, Case, Contacts

MU, STIFF = 0.7, 500.0
"""Friction; what a contact of 1e6 N/m and 1e3 N s/m makes of a depth in a step (1/s)."""
LINK = """<link name="{name}"><inertial><origin xyz="0 0 {z}"/><mass value="{mass}"/>
  <inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>
  <origin xyz="{origin}"/><limit lower="-2" upper="2" effort="90" velocity="20"/><dynamics damping="1"/></joint>"""
CHAIN = (
    ("yaw", "0 0 1", "0 {y} 0.05"),
    ("hip", "1 0 0", "0 0 -0.05"),
    ("thigh", "0 1 0", "0 0 0"),
    ("shank", "0 1 0", "0 0 -0.3"),
    ("ankle", "0 1 0", "0 0 -0.3"),
    ("foot", "1 0 0", "0 0 0"),
)
BEND = (0.0, 0.0, -0.4, 0.8, -0.4, 0.0)


def biped() -> Case:
    """Return a robot on a foot of four points and one of two."""
    parts = [LINK.format(name="pelvis", z=0.1, mass=8.0, i=0.1)]
    for side, y in (("left", 0.1), ("right", -0.1)):
        parent = "pelvis"
        for name, axis, origin in CHAIN:
            own = f"{side}_{name}"
            parts.append(LINK.format(name=own, z=-0.02 if name == "foot" else -0.1, mass=0.8, i=0.004))
            parts.append(JOINT.format(name=own, parent=parent, child=own, axis=axis, origin=origin.format(y=y)))
            parent = own
    robot = sg.load(f'<robot name="biped">{"".join(parts)}</robot>', base="floating")
    places = [("left", x, y) for x in (-0.06, 0.1) for y in (-0.03, 0.03)] + [("right", x, 0.01) for x in (-0.06, 0.1)]
    feet = [sg.Contact(f"{side}_foot", friction=MU, at=(x, y, -0.05)) for side, x, y in places]
    q = robot.neutral()
    q[2], q[7:] = 0.05 + 0.6 * np.cos(0.4), np.tile(BEND, 2)
    return Case(robot, feet, q)


def test_a_biped_stands_by_one_system_a_step():
    """Its motion obeys momentum, and laws at each point, as frame Jacobians and the mass matrix see them."""
    case, rng = biped(), np.random.default_rng(0)
    robot, places = case.robot, Contacts(case)
    mass, bias = sg.mass_matrix(robot), sg.bias_forces(robot)
    simulator = sg.Simulator(robot, DT, case.posture, contacts=case.contacts)
    q, qd, loads = simulator.q.copy(), simulator.qd.copy(), np.zeros((1, len(case.contacts)))
    sticks, unsolved = 0, 0
    damping = np.concatenate([np.zeros(6), np.ones(12)])
    for _ in range(100):
        tau = np.zeros(robot.nv)
        tau[6:] = 300.0 * (case.posture[7:] - q[7:]) + 0.3 * rng.normal(size=12)
        simulator.step(tau)
        sticks += simulator._solution[1] == 1.0
        unsolved += simulator.residual > 1e-9
        v, x, gaps = start_axes(q, simulator.q, simulator.qd), DT * simulator.forces, simulator.gaps
        arms, (J,) = places.touching(q[None])[0], [_jacobians(places, q)]
        middle = qd
        for _ in range(2):  # Coriolis' forces and dampers of the middle of the step, dampers' change at its end
            drift = np.concatenate([np.zeros(3), np.cross(middle[:3], middle[3:6]), np.zeros(12)])
            force = tau - bias(q, middle) + damping * (middle - qd)
            M = mass(q) + DT * np.diag(damping)
            middle = qd + 0.5 * DT * (drift + np.linalg.solve(M, force))
        pushed = sum(
            linear.T @ f + angular.T @ np.cross(arm, f) for (angular, linear), arm, f in zip(J, arms, x, strict=True)
        )
        np.testing.assert_allclose(M @ (v - qd - DT * drift), DT * force + pushed, atol=1e-10)
        if simulator.residual <= 1e-9:
            u = places.velocities(q[None], v[None])[0] + 0.5 * DT * places.slip_rates(q[None], qd[None], loads)[0]
            rests = np.where(gaps > 0.0, gaps / DT, np.maximum(gaps * STIFF, -0.5))
            opening = u[:, 2] + x[:, 2] / (DT * 2e3) + rests
            assert (np.minimum(opening, x[:, 2]) > -1e-9).all()
            assert (x[:, 2] * opening < 1e-9).all()
            edge = MU * x[:, 2] - np.linalg.norm(x[:, :2], axis=1)
            assert (edge > -1e-9).all()
            assert (np.abs(u[edge > 1e-9, :2]) < 1.1e-9).all()
        q, qd, loads = simulator.q.copy(), simulator.qd.copy(), simulator.forces[None, :, 2].copy()
    assert sticks > 90
    assert unsolved < 3


def _jacobians(places: Contacts, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the angular and the linear Jacobian of each contact's link at its origin."""
    found = {frame: np.asarray(J(q)) for frame, J in places.jacobians.items()}
    return [(found[c.frame][:3], found[c.frame][3:]) for c in places.contacts]


def test_points_share_the_force_and_the_moment_of_a_sole():
    """Friction of points is proportional to what they carry, and pulled points take none."""
    rng, held = np.random.default_rng(0), HeldSoles([(0, 1, 2)], 9)
    at, normal, friction = rng.normal(size=(3, 2)), [2.0, 1.0, 0.0], [0.5, 0.8, 0.3]
    active, places = [1.0, 1.0, 1.0] * 2 + [0.0] * 3, at.ravel().tolist()
    holds = held.hold(active, places, [0.0] * 9)
    assert (holds[0].sticks, holds[0].turns) == (1.0, 1.0)
    force, moment = rng.normal(size=2), 0.3
    x = np.reshape(held.distribute([*normal, *force, moment], holds, places, friction, active), (3, 3))
    np.testing.assert_array_equal(x[:, 0], normal)
    np.testing.assert_allclose(x[:, 1:].sum(axis=0), force, atol=1e-12)
    turn = at[:, 0] * x[:, 2] - at[:, 1] * x[:, 1]
    np.testing.assert_allclose(turn.sum(), moment, atol=1e-12)
    np.testing.assert_array_equal(x[2, 1:], 0.0)


def test_a_sole_on_one_point_is_held_there():
    rng, held = np.random.default_rng(1), HeldSoles([(0, 1)], 6)
    at = rng.normal(size=(2, 2))
    holds = held.hold([0.0] * 3 + [1.0] * 3, at.ravel().tolist(), [0.0, 3.0, 4.0, 0.0, 5.0, 6.0])
    assert (holds[0].sticks, holds[0].turns, holds[0].arc) == (1.0, 0.0, (5.0, 6.0))
    np.testing.assert_array_equal(holds[0].at, at[1])
    twist = rng.normal(size=3)
    velocity = held.move_velocities(twist.tolist(), holds, on_arcs=True)
    expected = twist[:2] + [5.0, 6.0] + twist[2] * np.array([-at[1, 1], at[1, 0]])
    np.testing.assert_allclose(velocity[:2], expected, atol=1e-15)
    rows = held.move_rows([{0: 1.0}, {1: 1.0}, {2: 1.0}], holds)
    np.testing.assert_allclose([row.get(2, 0.0) for row in rows], [-at[1, 1], at[1, 0], 1.0], atol=1e-15)
    x = held.distribute([0.0, 2.0, 0.7, -0.2, 0.0], holds, at.ravel().tolist(), [0.5, 0.5], [0.0] * 3 + [1.0] * 3)
    np.testing.assert_allclose(x, [0.0] * 3 + [2.0, 0.7, -0.2], atol=1e-15)


def test_planes_of_their_own_hold_soles_as_one_plane_does():
    """A box that spins on its corners, on a slope that stands in the code, and on one that is an input of steps."""
    robot, corners = box(MU, stiffness=1e6)
    q0, qd0, slope = robot.neutral(), np.zeros(6), np.array([-0.2, 0.1, 1.0])
    q0[2], qd0[:3], qd0[3:] = 0.06, (1.0, -2.0, 20.0), (0.5, 0.0, 0.0)
    grounds = sg.Plane(tuple(slope)), sg.Plane(np.tile(slope, (2, 1)), np.array([0.0, 0.01]))
    found = list[np.ndarray]()
    for ground in grounds:
        simulator, unsolved = sg.Simulator(robot, DT, q0, qd0, contacts=corners, ground=ground), 0
        for _ in range(200):
            simulator.step()
            unsolved += int((np.atleast_1d(simulator.residual) > 1e-9).sum())
        assert unsolved == 0
        found.append(np.atleast_2d(simulator.q)[0])
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)
