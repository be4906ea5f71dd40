"""Mechanisms in space: against screws, against Newton's and Euler's equations, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from examples.papers import HERE

import screwgraph as sg
from screwgraph.mechanics.mechanism import position_problem, simulate_sensors, velocity_problem
from tests.docs.schema_pages import EXAMPLES
from tests.mechanics.mechanism.rigid_bodies import RigidBodies

RSSR_OF_SCREWS = """
name: rssr_of_screws
gravity: [0, 0, -9.81]
bodies:
  - {link: crank, joint: theta, axis: z, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
  - {link: coupler, parent: crank, joint: ball, type: universal, axis: z, axis2: y, at: [0.4, 0, 0], mass: 1.5,
     com: [0.75, 0, 0], inertia: [0, 0.28125, 0.28125]}
  - {link: rocker, parent: base, joint: phi, axis: x, at: [1, 0.8, 0], mass: 2, com: [0, 0, 0.45],
     inertia: [0.195, 0.195, 0.02]}
loops:
  - {loop: tip, type: spherical, predecessor: {link: coupler, at: [1.5, 0, 0]},
     successor: {link: rocker, at: [0, 0, 0.9]}}
independent: [theta]
"""
"""The inertias of the crank and the rocker about their centres: y of both bodies of the file is along their axes."""
RATE, TORQUE = 1.3, 2.0


def rssr_states(count=6):
    """Positions and velocities of the built-in linkage over a turn of its crank."""
    mechanism, found = sg.load_mechanism("rssr"), []
    q = mechanism.home
    for theta in np.linspace(0.1, 6.2, count):
        q = position_problem(mechanism, {"theta": theta}, q)
        found.append((q, velocity_problem(mechanism, q, {"theta": RATE})))
    return mechanism, [np.array(x) for x in zip(*found, strict=True)]


def screw_coordinates(q, qd):
    """Joint positions and velocities of the same state: the universal joint turns x to (c1 c2, s1 c2, -s2)."""
    found = []
    for x, v in zip(q, qd, strict=True):
        theta, (c, s) = x[12], (np.cos(x[12]), np.sin(x[12]))
        R, rod = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]), x[3:6] - x[:3]
        d = R @ rod / 1.5
        rate = R @ (v[3:6] - v[:3] - np.cross([0.0, 0.0, v[12]], rod)) / 1.5
        first, second = np.arctan2(d[1], d[0]), -np.arcsin(d[2])
        second_rate = -rate[2] / np.cos(second)
        first_rate = (rate[1] * np.cos(first) - rate[0] * np.sin(first)) / np.cos(second)
        found.append(([theta, first, second, x[13]], [v[12], first_rate, second_rate, v[13]]))
    return [np.array(x) for x in zip(*found, strict=True)]


def test_an_rssr_moves_as_the_closed_chain_of_screws():
    mechanism, (q, qd) = rssr_states()
    robot, (p, v) = sg.load(RSSR_OF_SCREWS), screw_coordinates(q, qd)
    qdd = sg.forward_dynamics(mechanism)(q, qd, np.full((len(q), 1), TORQUE))
    second = sg.forward_dynamics(robot)(p, v, np.tile([TORQUE, 0.0, 0.0, 0.0], (len(q), 1)))
    np.testing.assert_allclose(qdd[:, 12:], second[:, [0, 3]], atol=1e-10)
    np.testing.assert_allclose(sg.inverse_dynamics(mechanism)(q, qd, qdd), TORQUE, atol=1e-10)
    ours, theirs = (q, qd, qdd), (p, v, second)
    queries = {
        sg.center_of_mass: 1,
        sg.center_of_mass_acceleration: 3,
        sg.centroidal_momentum: 2,
        sg.centroidal_momentum_rate: 3,
        sg.kinetic_energy: 2,
        sg.potential_energy: 1,
    }
    for query, count in queries.items():
        np.testing.assert_allclose(query(mechanism)(*ours[:count]), query(robot)(*theirs[:count]), atol=1e-10)
    spin = sg.frame_velocity(mechanism, "crank")(q, qd)
    np.testing.assert_allclose(spin[:, :3], np.outer(np.full(len(q), RATE), [0.0, 1.0, 0.0]), atol=1e-12)


def test_an_rssr_obeys_newton_and_euler():
    mechanism, (q, qd) = rssr_states()
    qdd = sg.forward_dynamics(mechanism)(q, qd, np.full((len(q), 1), TORQUE))
    for x, v, a in zip(q, qd, qdd, strict=True):
        expected = RigidBodies(mechanism, x, v).accelerations([(0, len(mechanism.points), TORQUE)])
        np.testing.assert_allclose(a[:6], expected[1:3].ravel(), atol=1e-10)


def test_the_angles_of_an_rssr_obey_its_input_output_equation():
    """(1 - a cos)^2 + (e - a sin)^2 + b^2 - 2 (e - a sin) b sin(phi) = L^2, with axes at right angles."""
    _, (q, _) = rssr_states(12)
    a, b, L, e, theta, phi = 0.4, 0.9, 1.5, 0.8, q[:, 12], q[:, 13]
    across = e - a * np.sin(theta)
    left = (1.0 - a * np.cos(theta)) ** 2 + across**2 + b**2 - 2.0 * across * b * np.sin(phi)
    np.testing.assert_allclose(left, L**2, atol=1e-11)


@pytest.mark.parametrize(("method", "drift"), [("rk4", 1e-6), ("dop853", 1e-7)])
def test_an_rssr_keeps_its_energy(method, drift):
    run = sg.simulate(sg.load_mechanism("rssr"), time=1.0, dt=1e-3, method=method)
    assert run.energy_drift < drift
    assert run.violation.max() < 1e-11


def test_torques_of_an_rssr_are_linear_in_masses_and_inertias():
    mechanism, (q, qd) = rssr_states(4)
    qdd = sg.forward_dynamics(mechanism)(q, qd, np.full((len(q), 1), TORQUE))
    parameters = []
    for body in mechanism.bodies:
        first = [body.mass * x for x in (body.com[:1] if body.is_rod else body.com)]
        parameters += [body.mass, *first, *([body.inertia] if body.is_rod else body.inertia)]
    Y = sg.regressor(mechanism)(q, qd, qdd)
    np.testing.assert_allclose(Y @ parameters, np.full((len(q), 1), TORQUE), atol=1e-10)


def test_the_crank_of_an_rssr_is_driven_and_smoothed():
    mechanism = sg.load_mechanism("rssr")
    run = sg.simulate(mechanism, time=0.1, dt=1e-3, driven={"theta": "pi/6 + 2*t + t**2"})
    np.testing.assert_allclose(run.coordinate("theta"), np.pi / 6 + 2 * run.t + run.t**2, atol=1e-9)
    needed = sg.inverse_dynamics(mechanism)(run.q, run.qd, sg.forward_dynamics(mechanism)(run.q, run.qd, run.tau))
    np.testing.assert_allclose(needed, run.tau, atol=1e-8)
    smoothed = sg.simulate(mechanism, time=0.1, dt=1e-3, method="smoother")
    direct = sg.simulate(mechanism, time=0.1, dt=1e-3, method="dop853")
    np.testing.assert_allclose(smoothed.q, direct.q, atol=2e-6)


SENSORS = """
sensors:
  - {sensor: gyro, gyroscope: crank, sigma: 0.01}
  - {sensor: imu, accelerometer: rocker, at: [0.4, 0, 0], sigma: 0.1}
  - {sensor: encoder, angle: phi, sigma: 1e-3}
"""


def test_a_mass_of_an_rssr_is_estimated_from_sensors():
    source = sg.load_mechanism("rssr").source
    mechanism = sg.load(source.data.decode() + SENSORS)
    run = sg.simulate(mechanism, time=1.0, dt=5e-3, method="dop853")
    qdd = sg.forward_dynamics(mechanism)(run.q, run.qd, np.zeros((len(run.t), 1)))
    motion = {"q": run.q, "v": run.qd, "a": qdd}
    read = simulate_sensors(mechanism, motion, rng=np.random.default_rng(0))
    found = sg.estimate(mechanism, {"t": run.t, **read}, parameters=["mass:coupler"])
    deviation = found.sigma["mass:coupler"]
    assert abs(found.parameters["mass:coupler"] - 1.5) < 3.0 * deviation < 0.1
    np.testing.assert_allclose(found.q[:, 12:], run.q[:, 12:], atol=1e-3)


BRICARD = HERE / "blanco_2021_bricard.yaml"
BRICARD_OF_SCREWS = """
name: bricard_of_screws
gravity: [0, -9.81, 0]
bodies:
  - {link: bar1, joint: j0, axis: y, mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}
  - {link: bar2, parent: bar1, joint: j1, axis: z, at: [1, 0, 0], mass: 1, com: [0, -0.5, 0], inertia: [1/12, 0, 1/12]}
  - {link: bar3, parent: bar2, joint: j2, axis: x, at: [0, -1, 0], mass: 1, com: [0, 0, 0.5], inertia: [1/12, 1/12, 0]}
  - {link: bar4, parent: bar3, joint: j3, axis: y, at: [0, 0, 1], mass: 1, com: [-0.5, 0, 0], inertia: [0, 1/12, 1/12]}
  - {link: bar5, parent: bar4, joint: j4, axis: z, at: [-1, 0, 0], mass: 1, com: [0, 0.5, 0], inertia: [1/12, 0, 1/12]}
loops:
  - {loop: last, axis: x, predecessor: {link: bar5, at: [0, 1, 0]}, successor: {link: base, at: [0, 0, 1]}}
independent: [j0]
"""


@pytest.fixture(scope="module")
def bricard():
    """The linkage, and positions and velocities over half of its way between singular positions."""
    mechanism, found = sg.load_mechanism(BRICARD), []
    q = mechanism.home
    for theta in (0.0, 0.4, 0.9, 1.3):
        q = position_problem(mechanism, {"theta": theta}, q)
        found.append((q, velocity_problem(mechanism, q, {"theta": RATE})))
    return mechanism, *(np.array(x) for x in zip(*found, strict=True))


def test_a_bricard_linkage_has_mobility_1_where_gruebler_counts_0(bricard):
    mechanism, _, _ = bricard
    assert 6 * (6 - 1 - 6) + 6 == 0  # six links, six joints of one degree of freedom each
    assert mechanism.dof == 1
    assert len(mechanism.closing_program.parts) == mechanism.n


def test_the_dihedral_angles_of_a_bricard_linkage_obey_their_closed_form(bricard):
    """cos a + cos b + cos a cos b = 0 for angles that alternate. Chen, You & Tarnai (2005), with right angles."""
    _, q, _ = bricard
    for x in q:
        places = np.array([[0.0, 0.0, 0.0], *x[:12].reshape(4, 3), [0.0, 0.0, 1.0]])
        bars = np.roll(places, -1, axis=0) - places
        cosines = [bars[i - 1] @ bars[i] for i in range(6)]
        np.testing.assert_allclose(cosines[::2], cosines[0], atol=1e-11)
        np.testing.assert_allclose(cosines[1::2], cosines[1], atol=1e-11)
        assert cosines[0] + cosines[1] + cosines[0] * cosines[1] == pytest.approx(0.0, abs=1e-11)


def test_a_bricard_linkage_moves_as_screws_and_by_newton_and_euler(bricard):
    mechanism, q, qd = bricard
    qdd = sg.forward_dynamics(mechanism)(q, qd, np.full((len(q), 1), TORQUE))
    for x, v, a in zip(q, qd, qdd, strict=True):
        expected = RigidBodies(mechanism, x, v).accelerations([(0, len(mechanism.points), TORQUE)])
        moving = [i for i, end in enumerate((*mechanism.points, *mechanism.vectors)) if not end.fixed]
        np.testing.assert_allclose(a[:-1], expected[moving].ravel(), atol=1e-10)
    robot = sg.load(BRICARD_OF_SCREWS)
    forward, p = sg.forward_dynamics(robot), robot.neutral()
    for x, v, a in zip(q, qd, qdd, strict=True):
        p = robot.complete([x[-1]], branch=p)
        second = forward(p, robot.complete_velocity(p, [v[-1]]), [TORQUE, 0.0, 0.0, 0.0, 0.0])
        assert a[-1] == pytest.approx(second[0], abs=1e-10)


PAIRS = """
name: pairs
points:
  - {name: O, x: 0, y: 0, z: 0, fixed: true}
  - {name: T, x: 0.8, y: 0.1, z: 0.3}
  - {name: S, x: 0.4, y: 0.05, z: 0.15}
  - {name: E, x: 0.5, y: 0.4, z: 0.1}
  - {name: B, x: 0.7, y: 0.5, z: -0.4}
  - {name: U, x: 1.2, y: -0.1, z: 0.5}
vectors:
  - {name: axis, x: 0, y: 1, z: 0.2, fixed: true}
  - {name: guide, x: 0.8, y: 0.1, z: 0.3}
  - {name: h, x: 0.2, y: 1, z: 0.1}
  - {name: k, x: 0.3, y: 0.1, z: -1.6}
bodies:
  - {name: arm, points: [O, T], vectors: [axis, guide, h], mass: 2, cog: [0.3, 0.02, 0.1],
     I0: [0.2, 0.6, 0.7, 0.01, 0, 0.02]}
  - {name: sleeve, points: [S, E], vectors: [guide], mass: 0.7, cog: [0.1, -0.03, 0.02],
     I0: [0.05, 0.08, 0.07, 0, 0.01, 0]}
  - {name: rod, points: [E, B], mass: 0.4, cog: [0.2, 0, 0], I0: 0.03}
  - {name: hand, points: [T, U], vectors: [k], mass: 0.9, cog: [0.2, 0.05, -0.04], I0: [0.04, 0.12, 0.11]}
angles: [{angle: swing, of: [O, T], about: axis}]
sliders: [{slider: travel, point: S, along: [O, guide]}]
constant_angles: [{constant_angle: cross, between: [h, k], angle: 1.4}]
springs: [{spring: s, between: [E, U], stiffness: 20, rest: 0.3}]
dampers: [{damper: d, between: [B, T], damping: 1.5}]
forces: [{force: F, at: B, value: [0.4, -0.3, 1.2]}]
torques: [{torque: M, body: hand, value: [0.3, -0.2, 0.5]}]
"""
"""Revolute (arm), cylindrical (sleeve), spherical (rod) and universal (hand) pairs, and vectors all over."""


def moving_states(mechanism, count, seed=1):
    """Positions and velocities that the constraints allow."""
    q = sg.random(mechanism, count, seed=seed)
    rng = np.random.default_rng(seed)
    names = mechanism.independent_coordinates
    qd = [velocity_problem(mechanism, x, dict(zip(names, rng.standard_normal(len(names)), strict=True))) for x in q]
    return q, np.array(qd)


def test_all_pairs_obey_newton_and_euler():
    mechanism = sg.load(PAIRS)
    assert mechanism.dof == 1 + 2 + 2 + 2
    moving = [i for i, end in enumerate((*mechanism.points, *mechanism.vectors)) if not end.fixed]
    named = [i for i in moving if "." not in (*mechanism.points, *mechanism.vectors)[i].name]
    slots = [slot for i in named for slot in mechanism.point_slots[i]]
    q, qd = moving_states(mechanism, 3)
    qdd = sg.forward_dynamics(mechanism)(q, qd)
    for x, v, a in zip(q, qd, qdd, strict=True):
        expected = RigidBodies(mechanism, x, v).accelerations()[named].ravel()
        np.testing.assert_allclose(a[slots], expected, atol=1e-10 * np.abs(expected).max())


def test_a_universal_joint_turns_as_hooke_found():
    """Rates of shafts at 45 degrees, the first yoke turned by theta from the normal of their plane."""
    mechanism = sg.load_mechanism(EXAMPLES / "spatial.yaml")
    q, beta = mechanism.home, np.pi / 4
    for theta in (0.0, 0.5, 1.2, 2.0):
        q = position_problem(mechanism, {"input": theta, "travel": 0.3}, q)
        qd = velocity_problem(mechanism, q, {"input": RATE, "travel": 0.2})
        ratio = np.cos(beta) / (1.0 - (np.sin(beta) * np.sin(theta)) ** 2)
        assert qd[mechanism.index("output")] == pytest.approx(RATE * ratio, abs=1e-11)


def test_a_prismatic_pair_slides_and_turns_with_its_shaft():
    mechanism = sg.load_mechanism(EXAMPLES / "spatial.yaml")
    q = position_problem(mechanism, {"input": 0.7, "travel": 0.3})
    qd = velocity_problem(mechanism, q, {"input": RATE, "travel": 0.2})
    shaft, bead = (sg.frame_velocity(mechanism, name, reference="world")(q, qd) for name in ("driven", "grain"))
    along = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    np.testing.assert_allclose(bead - shaft, [0.0, 0.0, 0.0, *(0.2 * along)], atol=1e-12)
    force = sg.inverse_dynamics(mechanism)(q, qd, sg.forward_dynamics(mechanism)(q, qd, [0.1, 0.4]))
    np.testing.assert_allclose(force, [0.1, 0.4], atol=1e-10)


GROUND = "{name: O, x: 0, y: 0, z: 0, fixed: true}"
MASS = "mass: 1, cog: [0.4, 0.03, 0.01], I0: [0.4, 0.5, 0.6, 0.02, 0, 0.01]"
BODIES = {
    "a hinge of two points": f"""
points: [{GROUND}, {{name: A, x: 1, y: 0, z: 0}}, {{name: B, x: 1, y: 1, z: 0.2}}, {{name: C, x: 2, y: 0.5, z: 0.4}}]
bodies: [{{name: door, points: [O, A, B], {MASS}}}, {{name: flap, points: [A, B, C], {MASS}}}]
""",
    "a body of four points": f"""
points: [{GROUND}, {{name: A, x: 1, y: 0, z: 0}}, {{name: B, x: 1, y: 1, z: 0.2}}, {{name: C, x: 2, y: 0.5, z: 1.4}}]
bodies: [{{name: tetrahedron, points: [O, A, B, C], {MASS}}}]
""",
    "a top of a point and three vectors": f"""
points: [{GROUND}]
vectors: [{{name: u, x: 0.3, y: 0, z: 1}}, {{name: v, x: 0, y: 1, z: 0}}, {{name: w, x: 1, y: 0.2, z: 0.1}}]
bodies: [{{name: top, points: [O], vectors: [u, v, w], {MASS}}}]
""",
    "a rod of three points": f"""
points: [{GROUND}, {{name: A, x: 1, y: 0, z: 0}}, {{name: B, x: 2, y: 0, z: 0}}, {{name: C, x: 2, y: 1, z: 0.5}}]
bodies:
  - {{name: rod, points: [O, A, B], mass: 1, cog: [0.8, 0, 0], I0: 1.2}}
  - {{name: end, points: [A, C], mass: 1, cog: [0.5, 0, 0], I0: 0.5}}
""",
    "a bead on a rod of a vector": f"""
points: [{GROUND}, {{name: A, x: 1, y: 0, z: 0}}]
vectors: [{{name: u, x: 1, y: 0, z: 0}}]
bodies:
  - {{name: stick, points: [O], vectors: [u], mass: 1, cog: [0.8, 0, 0], I0: 1.2}}
  - {{name: bead, points: [A], vectors: [u], mass: 1, cog: [0.1, 0, 0], I0: 0.2}}
sliders: [{{slider: s, point: A, along: [O, u]}}]
""",
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.sampled(3)
def test_bodies_of_points_and_vectors_obey_newton_and_euler(name):
    mechanism = sg.load(BODIES[name])
    ends = (*mechanism.points, *mechanism.vectors)
    named = [i for i, end in enumerate(ends) if not end.fixed and "." not in end.name]
    slots = [slot for i in named for slot in mechanism.point_slots[i]]
    q, qd = moving_states(mechanism, 3)
    qdd = sg.forward_dynamics(mechanism)(q, qd)
    for x, v, a in zip(q, qd, qdd, strict=True):
        expected = RigidBodies(mechanism, x, v).accelerations()[named].ravel()
        np.testing.assert_allclose(a[slots], expected, atol=1e-9 * np.abs(a).max())


FOUR_BAR = """
points: [{{name: A, x: 0, y: 0{z}, fixed: true}}, {{name: B, x: 1, y: 0{z}}}, {{name: C, x: 1, y: 2{z}}},
         {{name: D, x: 4, y: 0{z}, fixed: true}}]
gravity: [0, -9.81{zero}]
{vectors}
bodies:
  - {{name: crank, points: [A, B], {n} mass: 1, cog: [0.5, 0{zero}], I0: {crank}}}
  - {{name: coupler, points: [B, C], {n} mass: 2, cog: [1, 0.1{zero}], I0: {coupler}}}
  - {{name: rocker, points: [D, C], {n} mass: 4, cog: [1.8, 0{zero}], I0: {rocker}}}
angles: [{{angle: theta, of: [A, B]{about}}}]
"""


def test_a_planar_linkage_moves_in_space_as_in_the_plane():
    """All axes are one vector; y of the bodies' frames is along it, so that the third number is -z."""
    plane = dict.fromkeys(("z", "zero", "vectors", "n", "about"), "") | {"crank": 0.4, "coupler": 3, "rocker": 19}
    space = {"z": ", z: 0", "zero": ", 0", "vectors": "vectors: [{name: n, x: 0, y: 0, z: 1, fixed: true}]"}
    space |= {"n": "vectors: [n],", "about": ", about: n"}
    space |= {"crank": "[0.1, 0.4, 0.4]", "coupler": "[0.3, 3, 3]", "rocker": "[0.1, 19, 19]"}
    planar = sg.load(FOUR_BAR.format(**plane))
    spatial = sg.load(FOUR_BAR.format(**space).replace("[1, 0.1, 0]", "[1, 0, -0.1]"))
    assert spatial.dof == 1
    same = [spatial.index(name) for name in planar.coordinates]
    q, qd = moving_states(spatial, 5)
    there = sg.forward_dynamics(spatial)(q, qd)[:, same]
    expected = sg.forward_dynamics(planar)(q[:, same], qd[:, same])
    np.testing.assert_allclose(there, expected, atol=1e-9 * np.abs(expected).max())
