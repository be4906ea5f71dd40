"""The oracle agrees with mechanics on a robot that has every joint type, and with itself on files."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.model.robot import Joint, Link, Robot, tree, with_floating_base
from screwgraph.model.robot.joints import Fixed, Floating, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from screwgraph.spatial import SpatialInertia, from_xyz_rpy
from tests.oracle import Oracle, file_oracle, oracle, pinocchio_from_file, to_pin_a, to_pin_q

TILTED = (0.6, -0.3, 0.5)
TYPES = {
    "floating": Floating(),
    "revolute": Revolute(TILTED),
    "prismatic": Prismatic(TILTED),
    "helical": Helical(TILTED, pitch=0.4),
    "spherical": Spherical(),
    "universal": Universal(TILTED, (0.1, 1.0, 0.2)),
    "planar": Planar(TILTED),
    "planar_y": Planar((0.0, 1.0, 0.0)),
    "fixed": Fixed(),
}


def menagerie() -> Robot:
    """A chain with every joint type, links of random inertia, damping and rotors."""
    rng = np.random.default_rng(1)
    names = ["base", *(f"{name}_link" for name in TYPES)]
    links = [Link(name, random_inertia(rng)) for name in names]
    joints = [
        Joint(
            name,
            type_,
            parent,
            f"{name}_link",
            from_xyz_rpy(rng.normal(size=3), rng.normal(size=3)),
            damping=rng.uniform() if type_.nv else 0.0,
            armature=rng.uniform() if type_.nv else 0.0,
        )
        for (name, type_), parent in zip(TYPES.items(), names, strict=False)
    ]
    return tree("menagerie", links, joints, gravity=(1.0, -2.0, -9.0))


def random_inertia(rng: np.random.Generator) -> SpatialInertia:
    points = rng.normal(size=(4, 3))
    spread = points.T @ points
    return SpatialInertia.of_body(rng.uniform(0.5, 2.0), rng.normal(size=3), np.trace(spread) * np.eye(3) - spread)


@pytest.fixture(name="case")
def state_of_menagerie() -> tuple[Oracle, np.ndarray, np.ndarray, np.ndarray]:
    robot, rng = menagerie(), np.random.default_rng(2)
    return oracle(robot), robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)


def position_rate(robot: Robot, q, qd) -> np.ndarray:
    parts = [j.type.manifold.rate(q[robot.q_slices[j.name]], qd[robot.v_slices[j.name]]) for j in robot.joints]
    return np.concatenate(parts)


def test_poses_are_products_of_joint_transforms(case):
    pinocchio, q, _, _ = case
    T = np.eye(4)
    for joint in pinocchio.robot.joints:
        T = T @ joint.T_parent_child(q[pinocchio.robot.q_slices[joint.name]])
        np.testing.assert_allclose(pinocchio.pose(q, joint.child), T, atol=1e-13)


def test_inverse_dynamics_is_bias_plus_mass_matrix_times_acceleration(case):
    pinocchio, q, qd, qdd = case
    tau = pinocchio.bias_forces(q, qd) + pinocchio.mass_matrix(q) @ qdd
    np.testing.assert_allclose(pinocchio.inverse_dynamics(q, qd, qdd), tau, rtol=1e-11, atol=1e-10)


def test_energy_changes_by_the_power_of_efforts_less_damping(case):
    """Binds the conversions of q, qd, qdd and tau of every joint type together."""
    pinocchio, q, qd, tau = case
    qdd, rate, h = pinocchio.forward_dynamics(q, qd, tau), position_rate(pinocchio.robot, q, qd), 1e-6
    damping = np.concatenate([np.full(j.type.nv, j.damping) for j in pinocchio.robot.joints])
    change = pinocchio.energy(q + h * rate, qd + h * qdd) - pinocchio.energy(q - h * rate, qd - h * qdd)
    np.testing.assert_allclose(change / (2 * h), (tau - damping * qd) @ qd, rtol=1e-6)


def test_an_external_force_pulls_as_its_power_says(case):
    """Efforts fall by J' f: along qd their power is that of the force on the moving link."""
    pinocchio, q, qd, _ = case
    robot, link, h = pinocchio.robot, pinocchio.robot.links[-1].name, 1e-6
    moment, force, rate = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -0.7]), position_rate(robot, q, qd)
    T, change = pinocchio.pose(q, link), pinocchio.pose(q + h * rate, link) - pinocchio.pose(q - h * rate, link)
    body = np.linalg.inv(T) @ change / (2 * h)
    power = moment @ [body[2, 1], body[0, 2], body[1, 0]] + force @ body[:3, 3]
    pulled = pinocchio.bias_forces(q, qd, {link: (moment, force)})
    np.testing.assert_allclose((pinocchio.bias_forces(q, qd) - pulled) @ qd, power, rtol=1e-7)


BRANCHES = """<robot name="branches">
  <link name="base"/>
  {links}
  <joint name="wheel" type="continuous"><parent link="base"/><child link="z"/><axis xyz="0 1 0"/></joint>
  <joint name="arm" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="hand" type="continuous"><parent link="z"/><child link="m"/>
    <origin xyz="0 1 2"/><axis xyz="0 0.6 0.8"/></joint>
</robot>"""
LINK = """<link name="{name}"><inertial><origin xyz="0.1 0.2 -0.3"/><mass value="2"/>
  <inertia ixx="1" iyy="1.5" izz="2" ixy="0.1" ixz="0" iyz="0"/></inertial></link>"""


@pytest.mark.parametrize("floating", [False, True])
def test_joints_of_a_file_are_found_by_name_whatever_their_order_and_coordinates(tmp_path, floating):
    path = tmp_path / "branches.urdf"
    path.write_text(BRANCHES.format(links="".join(LINK.format(name=name) for name in "zam")))
    body = SpatialInertia.of_body(2.0, np.array([0.1, 0.2, -0.3]), np.array([[1, 0.1, 0], [0.1, 1.5, 0], [0, 0, 2]]))
    joints = [
        Joint("wheel", Revolute((0.0, 1.0, 0.0)), "base", "z"),
        Joint("arm", Prismatic((1.0, 0.0, 0.0)), "base", "a"),
        Joint("hand", Revolute((0.0, 0.6, 0.8)), "z", "m", from_xyz_rpy(np.array([0, 1, 2]), np.zeros(3))),
    ]
    robot = tree("branches", [Link("base"), *(Link(name, body) for name in "zam")], joints)
    robot = with_floating_base(robot) if floating else robot
    rng = np.random.default_rng(3)
    q, qd, qdd = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    ours, theirs = oracle(robot), file_oracle(robot, path, floating)
    np.testing.assert_allclose(theirs.mass_matrix(q), ours.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(theirs.inverse_dynamics(q, qd, qdd), ours.inverse_dynamics(q, qd, qdd), atol=1e-12)
    wrench = {"m": (np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -0.7]))}
    np.testing.assert_allclose(theirs.bias_forces(q, qd, wrench), ours.bias_forces(q, qd, wrench), atol=1e-12)


def test_locked_joints_leave_the_model(tmp_path):
    path = tmp_path / "branches.urdf"
    path.write_text(BRANCHES.format(links="".join(LINK.format(name=name) for name in "zam")))
    model, data = pinocchio_from_file(path, lock={"hand": 0.5, "arm": 0.2})
    assert list(model.names) == ["universe", "wheel"]
    assert data.nle.shape == (1,)


def test_without_a_model_vectors_belong_to_the_model_of_the_robot(case):
    pinocchio, q, qd, qdd = case
    robot, model = pinocchio.robot, pinocchio.model
    np.testing.assert_array_equal(to_pin_q(robot, q), to_pin_q(robot, q, model))
    np.testing.assert_array_equal(to_pin_a(robot, q, qd, qdd), to_pin_a(robot, q, qd, qdd, model))
