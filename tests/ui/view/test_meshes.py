"""Meshes of robots in scenes and pages: where they are, how far they reach, and what stands for missing ones."""

import json
import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Box, Capsule, Mesh
from screwgraph.ui import view
from screwgraph.ui.view.scene_bounds import compute_bounds
from screwgraph.ui.view.skeleton import collect_visuals
from tests.model.formats.test_mesh_paths import box, stl

ROBOT = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <visual><origin xyz="0 0 1"/><geometry><mesh filename="{0}" scale="1 1 2"/></geometry></visual>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint></robot>"""


@pytest.fixture
def robot(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "box.stl").write_text(stl(*box(0.2, 0.4, 0.6)))
    (tmp_path / "r.urdf").write_text(ROBOT.format("box.stl"))
    return sg.load(tmp_path / "r.urdf")


def test_a_mesh_is_drawn_where_the_file_puts_it_and_reaches_as_far(robot, tmp_path):
    scene = view.robot_scene(robot, np.zeros(1), np.zeros((1, 1)))
    arm = next(body for body in scene.bodies if body.name == "arm")
    assert [type(visual.shape) for visual in arm.visuals] == [Mesh]
    np.testing.assert_allclose(compute_bounds(arm, np.array([0.0, 0.0, 1.0])), (0.4, 1.6), atol=1e-6)
    turned = view.robot_scene(robot, np.zeros(1), np.array([[np.pi / 2.0]]))
    arm = next(body for body in turned.bodies if body.name == "arm")
    np.testing.assert_allclose(compute_bounds(arm, np.array([0.0, 1.0, 0.0])), (-1.6, -0.4), atol=1e-6)
    view.save_html(scene, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    content = json.loads(re.search(r'id="scene"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    assert len(content["meshes"]) == 1
    assert [part["mesh"] for body in content["bodies"] for part in body["parts"]] == ["mesh0"]
    assert str(tmp_path) not in page  # a page does not tell where its maker's files are


def test_collision_shapes_stand_for_missing_meshes_and_one_warning_names_them(tmp_path):
    robot = sg.load(ROBOT.format("package://nowhere/box.stl"))
    with pytest.warns(RuntimeWarning, match=r"^r: 1 mesh is left out \(box.stl\): the mesh is not found") as said:
        shown = collect_visuals(robot)
    assert len(said) == 1
    assert [type(visual.shape) for visual in shown["arm"]] == [Box]


def test_links_of_missing_meshes_alone_are_drawn_as_before():
    text = re.sub("<collision>.*</collision>", "", ROBOT.format("none.stl"))
    robot = sg.load(text.replace('<mass value="1"/>', '<origin xyz="0 0 0.5"/><mass value="1"/>'))
    with pytest.warns(RuntimeWarning, match="1 mesh"):
        shown = collect_visuals(robot)
    assert any(isinstance(visual.shape, Capsule) for visual in shown["arm"])
