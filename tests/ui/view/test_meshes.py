"""Meshes of robots in scenes and pages: where they are, how far they reach, and what stands for missing ones."""

import base64
import json
import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Box, Capsule, Mesh
from screwgraph.ui import view
from screwgraph.ui.view.scene_bounds import compute_bounds
from screwgraph.ui.view.skeleton import collect_visuals
from tests.model.formats.meshes.test_mesh_paths import box, stl

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


DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/></asset>
<library_effects>{effects}</library_effects><library_materials>{materials}</library_materials>
<library_geometries>{geometries}</library_geometries>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
COLOURS = {"red": ("0.8 0 0 1", "#cc0000"), "blue": ("0 0 0.6 1", "#000099")}


def collada() -> str:
    """A file of two triangles, a red one and a blue one beside it."""
    texts = {"effects": "", "materials": "", "geometries": "", "nodes": ""}
    for x, (name, (numbers, _)) in enumerate(COLOURS.items()):
        texts["effects"] += (
            f'<effect id="{name}-e"><profile_COMMON><technique sid="c"><lambert><diffuse><color>{numbers}</color>'
            "</diffuse></lambert></technique></profile_COMMON></effect>"
        )
        texts["materials"] += f'<material id="{name}"><instance_effect url="#{name}-e"/></material>'
        texts["geometries"] += (
            f'<geometry id="{name}-g"><mesh><source id="{name}-p"><float_array id="{name}-a" count="9">'
            f"{x} 0 0 {x + 1} 0 0 {x} 1 0</float_array><technique_common>"
            f'<accessor source="#{name}-a" count="3" stride="3"><param name="X" type="float"/>'
            '<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>'
            f'<vertices id="{name}-v"><input semantic="POSITION" source="#{name}-p"/></vertices>'
            f'<triangles material="m" count="1"><input semantic="VERTEX" source="#{name}-v" offset="0"/>'
            "<p>0 1 2</p></triangles></mesh></geometry>"
        )
        texts["nodes"] += (
            f'<node id="{name}-n"><instance_geometry url="#{name}-g"><bind_material><technique_common>'
            f'<instance_material symbol="m" target="#{name}"/></technique_common></bind_material>'
            "</instance_geometry></node>"
        )
    return DAE.format(**texts)


def test_triangles_of_a_collada_file_have_the_colours_of_its_materials(tmp_path):
    pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    (tmp_path / "two.dae").write_text(collada())
    (tmp_path / "r.urdf").write_text(ROBOT.format("two.dae"))
    scene = view.robot_scene(sg.load(tmp_path / "r.urdf"), np.zeros(1), np.zeros((1, 1)))
    content = json.loads(re.search(r'id="scene"[^>]*>(.*?)</script>', view.html(scene), re.DOTALL)[1])
    parts = next(body["parts"] for body in content["bodies"] if body["name"] == "arm")
    places = {}
    for part in parts:
        corners = content["meshes"][int(part["mesh"].removeprefix("mesh"))]["corners"]
        places[part["colour"]] = np.frombuffer(base64.b64decode(corners), "<f4").reshape(-1, 3)[:, 0].min()
    assert places == {COLOURS["red"][1]: 0.0, COLOURS["blue"][1]: 1.0}


def test_a_colour_of_the_robots_file_comes_before_those_of_the_mesh(tmp_path):
    pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    (tmp_path / "two.dae").write_text(collada())
    material = '<material name="m"><color rgba="0 1 0 1"/></material>'
    text = ROBOT.format("two.dae").replace("</geometry></visual>", f"</geometry>{material}</visual>")
    (tmp_path / "r.urdf").write_text(text)
    scene = view.robot_scene(sg.load(tmp_path / "r.urdf"), np.zeros(1), np.zeros((1, 1)))
    content = json.loads(re.search(r'id="scene"[^>]*>(.*?)</script>', view.html(scene), re.DOTALL)[1])
    parts = next(body["parts"] for body in content["bodies"] if body["name"] == "arm")
    assert [part["colour"] for part in parts] == ["#00ff00"]
