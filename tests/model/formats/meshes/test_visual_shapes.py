"""Shapes of links: read from all formats, kept by edits and files, and of no effect on dynamics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import without_metadata
from screwgraph.compiler.cache.fingerprint import fingerprint
from screwgraph.model.formats import from_text, to_text
from screwgraph.model.robot import Box, Capsule, Cylinder, Ellipsoid, Mesh, Robot, Sphere, link_poses
from screwgraph.spatial import from_xyz_rpy
from tests.robots import robot_file

URDF = """<robot name="r">
<material name="blue"><color rgba="0 0 1 1"/></material>
<link name="base"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
<link name="arm">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <visual><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="0.1" length="2"/></geometry>
    <material name="blue"/></visual>
  <collision><geometry><sphere radius="9"/></geometry></collision>
</link>
<link name="meshed">
  <visual><geometry><mesh filename="package://a.dae"/></geometry></visual>
  <collision><geometry><capsule radius="0.1" length="0.3"/></geometry></collision>
</link>
<link name="broken"><visual><geometry><box size="1 two 3"/></geometry></visual></link>
<link name="flat"><visual><geometry><sphere radius="0"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="f" type="fixed"><parent link="arm"/><child link="meshed"/><origin xyz="1 2 3"/></joint>
<joint name="g" type="fixed"><parent link="arm"/><child link="broken"/></joint>
<joint name="h" type="fixed"><parent link="arm"/><child link="flat"/></joint>
</robot>"""

YAML = """
parameters: {L: 0.5}
base: {link: ground, shapes: [{box: [1, 1, 0.1], at: [0, 0, -0.05], colour: "#808080"}]}
bodies:
  - link: arm
    mass: 1
    inertia: [1, 1, 1]
    shapes: [{capsule: [0.1, L], at: [L/2, 0, 0], rpy: [0, pi/2, 0]}, {sphere: 2*L}, {ellipsoid: [1, 2, 3]}]
  - {link: tip, type: prismatic, mass: 1, inertia: [1, 1, 1], shapes: [{cylinder: [1, 2]}]}
"""


def loaded(tmp_path: Path, text: str, name: str) -> Robot:
    path = tmp_path / name
    path.write_text(text)
    return sg.load(path)


def test_urdf_shapes_are_those_to_be_seen_or_else_those_to_be_touched(tmp_path):
    robot = loaded(tmp_path, URDF, "r.urdf")
    assert [v.shape for v in robot.link("base").visuals] == [Box((1.0, 1.0, 0.1))]
    arm, meshed, missing = robot.link("arm").visuals
    assert missing.shape == Mesh("package://a.dae")
    assert (arm.shape, arm.colour, meshed.shape) == (Cylinder(0.1, 2.0), "#0000ff", Capsule(0.1, 0.3))
    np.testing.assert_allclose(arm.T_bs, from_xyz_rpy(np.array([0.0, 0.0, 1.0]), np.array([0.1, 0.2, 0.3])))
    np.testing.assert_allclose(meshed.T_bs[:3, 3], (1.0, 2.0, 3.0))
    assert robot.warnings == ()


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
def test_shapes_survive_a_file(tmp_path, suffix):
    robot = loaded(tmp_path, YAML, "r.yaml")
    assert robot.link("arm").visuals[1].shape == Sphere(1.0)
    assert robot.link("arm").visuals[2].shape == Ellipsoid((1.0, 2.0, 3.0))
    sg.save(robot, tmp_path / f"again{suffix}")
    again = sg.load(tmp_path / f"again{suffix}")
    for link in robot.links:
        found = again.link(link.name).visuals
        assert [(v.shape, v.colour) for v in found] == [(v.shape, v.colour) for v in link.visuals]
        for one, other in zip(found, link.visuals, strict=True):
            np.testing.assert_allclose(one.T_bs, other.T_bs, atol=1e-12)


def test_a_robot_survives_as_text():
    robot = sg.load("five_bar")
    again = from_text(to_text(robot), "text")
    assert (again.joint_names, again.gravity, len(again.loops)) == (robot.joint_names, robot.gravity, 1)


@pytest.mark.parametrize(
    ("shape", "complaint"),
    [
        ("{}", "0 of the keys box"),
        ("{box: [1, 1, 1], sphere: 1}", "2 of the keys box"),
        ("{sphere: -1}", "lengths of shapes are positive"),
        ("{box: [1, 1]}", "3 numbers"),
        ("{sphere: 1, colour: red}", "a colour is written like"),
        ("{cone: 1}", "cone"),
    ],
)
def test_shapes_of_yaml_must_make_sense(tmp_path, shape, complaint):
    with pytest.raises(sg.ModelError, match=complaint):
        loaded(tmp_path, f"bodies: [{{link: a, mass: 1, shapes: [{shape}]}}]", "r.yaml")


def test_sdf_shapes_lie_where_the_file_puts_them(tmp_path):
    text = """<sdf version="1.9"><model name="m"><link name="base"/>
    <link name="arm"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial>
      <visual name="v"><pose>0.5 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
        <material><diffuse>1 0 0 1</diffuse></material></visual>
      <visual name="w"><pose relative_to="mark">0 0 0 0 0 0</pose>
        <geometry><sphere><radius>0.2</radius></sphere></geometry></visual></link>
    <frame name="mark"><pose>4 5 6 0 0 0</pose></frame>
    <joint name="w" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="j" type="revolute"><pose>0.25 0 0 0 0 0</pose><parent>base</parent><child>arm</child>
      <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
    robot = loaded(tmp_path, text, "r.sdf")
    box, ball = robot.link("arm").visuals
    pose = link_poses(robot, robot.neutral())["arm"]
    assert (box.shape, box.colour, ball.shape) == (Box((1.0, 2.0, 3.0)), "#ff0000", Sphere(0.2))
    np.testing.assert_allclose((pose @ box.T_bs)[:3, 3], (0.5, 0.0, 1.0), atol=1e-12)
    np.testing.assert_allclose((pose @ ball.T_bs)[:3, 3], (4.0, 5.0, 6.0), atol=1e-12)


@pytest.mark.parametrize("name", ["walker.xml", "crane.xml", "ant.xml", "half_cheetah.xml", "humanoid.xml"])
@pytest.mark.sampled(2)
def test_mjcf_shapes_lie_where_mujoco_has_its_geoms(name):
    mujoco = pytest.importorskip("mujoco")
    path = robot_file(name)
    robot = sg.load(path)
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this MuJoCo rejects the file as it is")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    q = robot.neutral()
    if model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE:
        q[:7] = [*data.qpos[:3], *np.roll(data.qpos[3:7], -1)]
    poses = link_poses(robot, q)
    found = [pose @ visual.T_bs for link in robot.links for pose in [poses[link.name]] for visual in link.visuals]
    wanted = [data.geom_xpos[i] for i in range(model.ngeom) if model.geom_type[i] != mujoco.mjtGeom.mjGEOM_PLANE]
    assert len(found) == len(wanted)
    for place in wanted:
        assert min(float(np.abs(T[:3, 3] - place).max()) for T in found) < 1e-9


def test_shapes_have_no_part_in_the_cache_of_compiled_code(tmp_path):
    robot = loaded(tmp_path, YAML, "r.yaml")
    bare = without_metadata(robot)
    assert all(link.visuals == () for link in bare.links)
    assert fingerprint(bare) == fingerprint(without_metadata(bare))
    q = np.array([0.1, 0.2])
    np.testing.assert_array_equal(
        sg.inverse_dynamics(robot, ordering="rnea")(q, q, q), sg.inverse_dynamics(bare, ordering="rnea")(q, q, q)
    )
