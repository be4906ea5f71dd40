"""Files of mechanisms in space: frames of bodies, sensors, mirror images, what is refused and how."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.graph.planar_links import links_of
from screwgraph.mechanics.kinematics.targets import Point
from screwgraph.mechanics.mechanism import simulate_sensors, velocity_problem
from screwgraph.model.mechanism.parts import norm
from tests.mechanics.mechanism.test_spatial import PAIRS, moving_states

SWING = """
points: [{name: O, x: 0, y: 0, z: 0, fixed: true}, {name: A, x: 0.6, y: 0, z: 0.8}]
vectors: [{name: u, x: 0, y: 2, z: 0, fixed: true}]
bodies: [{name: arm, points: [O, A], vectors: [u], mass: 1, cog: [0.5, 0, 0], I0: [0.1, 0.4, 0.4]}]
angles: [{angle: swing, of: [O, A], about: u}]
"""
SENSORS = """
sensors:
  - {sensor: gyro, gyroscope: sleeve, sigma: 0.01}
  - {sensor: imu, accelerometer: sleeve, at: [0.1, 0.2, -0.3], sigma: 0.1}
  - {sensor: camera, position: E, sigma: 1e-3}
"""
BAD = {
    "a point without z": (("z: 0.8", "w: 0.8"), "z"),
    "a vector of length 0": (("y: 2", "y: 0"), r":3: vector 'u' has no direction"),
    "a name for two": (("name: u", "name: A"), r":3: a vector is called 'A'"),
    "no such vector": (("vectors: [u]", "vectors: [w]"), r":4: .*there is no vector 'w' \(.*u\)"),
    "an inertia that no mass has": (("0.1, 0.4", "0.1, 0.1"), r":4: body 'arm' has an inertia about its first point"),
    "one moment of inertia": (("[0.1, 0.4, 0.4]", "0.4"), r":4: .*\[xx, yy, zz\]"),
    "three moments of a rod": (("vectors: [u], ", ""), r":4: .*one moment of inertia, across it"),
    "a rod that is not": (
        ("vectors: [u], mass: 1, cog: [0.5, 0, 0]", "mass: 1, cog: [0.5, 0.1, 0]"),
        "I0|beside its line",
    ),
    "no axis": ((", about: u", ""), r":5: angle 'swing' has no axis"),
    "a line along its axis": (("of: [O, A]", "of: u"), r":5: angle 'swing': its of: line is along its axis"),
    "two numbers": (("cog: [0.5, 0, 0]", "cog: [0.5, 0]"), r":4: .*it must be 3 numbers"),
    "parallel lines": (
        ("angles:", "constant_angles: [{constant_angle: c, between: [u, u], angle: 0}]\nangles:"),
        r"shared vector",
    ),
    "an angle of a line as a sensor": (
        ("angles:", "sensors: [{sensor: s, angle: [O, A], sigma: 1}]\nangles:"),
        "angle",
    ),
}


def test_the_frame_of_a_body_has_x_along_its_first_line_and_y_toward_the_next():
    mechanism = sg.load(SWING)
    T = sg.forward_kinematics(mechanism, "arm")(mechanism.home)
    np.testing.assert_allclose(T[:3, :3], [[0.6, 0.0, -0.8], [0.0, 1.0, 0.0], [0.8, 0.0, 0.6]], atol=1e-12)
    np.testing.assert_allclose(mechanism.locate(mechanism.home, "arm", (1.0, 0.5, 0.0)), [0.6, 0.5, 0.8], atol=1e-12)


def test_a_body_in_a_frame_of_its_own_moves_as_in_that_of_its_lines():
    """Axes of the shape turned: x is the second line, y is the first."""
    turned = SWING.replace(
        "[0.5, 0, 0], I0: [0.1, 0.4, 0.4]", "[0, 0.5, 0], I0: [0.4, 0.1, 0.4], shape: [[0,0,0], [0,1,0], [1,0,0]]"
    )
    plain, other = sg.load(SWING), sg.load(turned)
    same, found = [plain.index(name) for name in ("x:A", "z:A", "swing")], []
    for mechanism in (plain, other):
        qd = velocity_problem(mechanism, mechanism.home, {"swing": 0.7})
        found.append(sg.forward_dynamics(mechanism)(mechanism.home, qd)[same])
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_in_space_is_one_clear_line(name, tmp_path):
    (old, new), message = BAD[name]
    assert old in SWING
    path = tmp_path / "bad.yaml"
    path.write_text(SWING.replace(old, new))
    with pytest.raises(sg.ModelError, match=message) as error:
        sg.load_mechanism(path)
    assert "\n" not in str(error.value)


def test_random_positions_are_no_mirror_images():
    mechanism = sg.load(PAIRS)
    q = sg.random(mechanism, 60, seed=3)
    for body in mechanism.bodies:
        if not body.is_rod:
            lines = np.stack([mechanism.way(q, line) for line in body.lines], axis=1)
            assert (np.linalg.det(lines) * np.linalg.det([body.shape[i] for i in body.basis]) > 0.0).all()


def test_sensors_read_rates_in_the_axes_of_their_body():
    mechanism = sg.load(PAIRS + SENSORS)
    q, qd = moving_states(mechanism, 3)
    qdd = sg.forward_dynamics(mechanism)(q, qd)
    read = simulate_sensors(mechanism, {"q": q, "v": qd, "a": qdd})
    V = sg.frame_velocity(mechanism, "sleeve")(q, qd)
    rate = sg.frame_acceleration(mechanism, "sleeve")(q, qd, qdd)
    R = sg.forward_kinematics(mechanism, "sleeve")(q)[:, :3, :3]
    w, at = V[:, :3], np.array([0.1, 0.2, -0.3])
    a = rate[:, 3:] + np.cross(w, V[:, 3:]) + np.cross(rate[:, :3], at) + np.cross(w, np.cross(w, at))
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(read[f"gyro_{axis}"], w[:, k], atol=1e-11)
        np.testing.assert_allclose(read[f"imu_{axis}"], a[:, k] + 9.81 * R[:, 2, k], atol=1e-9)
        np.testing.assert_allclose(read[f"camera_{axis}"], q[:, mechanism.index(f"{axis}:E")], atol=1e-12)


def test_links_loops_and_reach_of_an_rssr():
    mechanism = sg.load_mechanism("rssr")
    links = links_of(mechanism)
    assert [(joint.parent, joint.child) for joint in links.joints] == [
        ("ground", "crank"),
        ("ground", "rocker"),
        ("crank", "coupler"),
    ]
    assert len(links.ties) == 1
    run = sg.simulate(mechanism, time=0.1, dt=1e-3)
    found = sg.inverse_kinematics(mechanism, Point("C"))(run.q[60, 3:6])
    np.testing.assert_allclose(found.q[:6], run.q[60, :6], atol=1e-9)


def test_lines_are_as_long_as_their_components_say():
    assert norm((1.0, 2.0, 2.0)) == 3.0
    assert norm((0.6, 0.0, -0.8)) == pytest.approx(1.0)
    assert norm((0.5, 0.0)) == 0.5


def test_a_guide_may_go_through_a_point_whose_place_equals_its_direction():
    bead = sg.load_mechanism("""
points:
  - {name: P, x: 0, y: 1, z: 0, fixed: true}
  - {name: B, x: 0, y: 3, z: 0}
  - {name: C, x: 0.5, y: 3, z: 0}
vectors: [{name: u, x: 0, y: 2, z: 0, fixed: true}]
bodies: [{name: bead, points: [B, C], mass: 1, cog: [0.2, 0, 0], I0: 0.1}]
sliders: [{slider: guide, point: B, along: [P, u]}]
""")
    assert bead.dof == 1 + 2
