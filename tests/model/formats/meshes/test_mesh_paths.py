"""Meshes that robots name: found in packages and beside the file, kept by files, read by trimesh."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.formats import (
    from_text,
    is_missing,
    split_readable,
    summarise_unreadable,
    thin_mesh,
    to_text,
    triangles,
)
from screwgraph.model.robot import Box, Mesh

STL = """solid box
{}endsolid box
"""
ROBOT = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
  <visual><origin xyz="0 0 1"/>
    <geometry><mesh filename="package://my_arm/meshes/box.stl" scale="1 2 3"/></geometry></visual>
  <visual><geometry><mesh filename="../meshes/none.stl"/></geometry></visual>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


def box(x, y, z):
    """Return corners and triangles of a box about the origin."""
    corners = np.array([[i, j, k] for i in (-x, x) for j in (-y, y) for k in (-z, z)]) / 2.0
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip
    return corners, np.array(faces)


def stl(corners, faces):
    """Return triangles as the text of an STL file."""
    rows = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {p[0]} {p[1]} {p[2]}\n" for p in triangle)
        + "endloop\nendfacet\n"
        for triangle in corners[faces]
    )
    return STL.format(rows)


@pytest.fixture
def arm(tmp_path):
    for folder in ("urdf", "meshes"):
        (tmp_path / "my_arm" / folder).mkdir(parents=True)
    (tmp_path / "my_arm" / "meshes" / "box.stl").write_text(stl(*box(0.2, 0.4, 0.6)))
    path = tmp_path / "my_arm" / "urdf" / "arm.urdf"
    path.write_text(ROBOT)
    return path


def test_meshes_are_found_in_packages_and_shapes_stand_for_those_that_are_not(arm):
    robot = sg.load(arm)
    link = robot.link("arm")
    assert [v.shape for v in link.visuals] == [Box((1.0, 1.0, 1.0)), Mesh("../meshes/none.stl")]
    assert [v.shape for v in link.collisions] == [Box((1.0, 1.0, 1.0))]
    assert robot.warnings == ()
    again = from_text(to_text(robot), "r.yaml")
    assert [v.shape for v in again.link("arm").visuals] == [v.shape for v in link.visuals]


@pytest.mark.parametrize("suffix", [".urdf", ".yaml"])
def test_meshes_survive_a_file(arm, suffix, tmp_path):
    arm.write_text(ROBOT.replace("none.stl", "box.stl"))
    robot = sg.load(arm)
    shapes = [visual.shape for visual in robot.link("arm").visuals]
    assert [type(shape) for shape in shapes] == [Mesh, Mesh]
    assert not any(is_missing(visual) for visual in robot.link("arm").visuals)
    sg.save(robot, tmp_path / f"again{suffix}")
    again = sg.load(tmp_path / f"again{suffix}").link("arm")
    assert [visual.shape for visual in again.visuals] == shapes
    assert [visual.shape for visual in again.collisions] == [Box((1.0, 1.0, 1.0))]


def test_triangles_are_stretched_and_missing_ones_are_said_in_one_line(arm):
    pytest.importorskip("trimesh")
    mesh = '<mesh filename="package://my_arm/meshes/box.stl" scale="1 2 3"/>'
    arm.write_text(ROBOT.replace('<box size="1 1 1"/>', mesh))
    visuals = sg.load(arm).link("arm").collisions
    corners, faces = triangles(visuals[0].shape)
    np.testing.assert_allclose(np.ptp(corners, axis=0), (0.2, 0.8, 1.8), atol=1e-6)
    assert len(faces) == 12
    missing = [Mesh(f"package://my_arm/{i}.stl") for i in range(5)]
    found, wrong = split_readable([visuals[0], *(type(visuals[0])(mesh) for mesh in missing)])
    assert len(found) == 1
    assert summarise_unreadable(wrong).startswith(
        "5 meshes are left out (0.stl, 1.stl, 2.stl, ...): the mesh is not found"
    )


def test_broken_meshes_are_refused_with_their_file(arm):
    pytest.importorskip("trimesh")
    path = arm.parents[1] / "meshes" / "broken.stl"
    path.write_text("solid nothing\nendsolid\n")
    with pytest.raises(sg.ModelError, match=r"broken.stl: the mesh is not read: "):
        triangles(Mesh(str(path)))


def test_thinned_meshes_stay_near_the_surface():
    angles = np.linspace(0.0, np.pi, 100)
    grid = np.array([[np.sin(a) * np.cos(2 * b), np.sin(a) * np.sin(2 * b), np.cos(a)] for a in angles for b in angles])
    numbers = np.arange(10000).reshape(100, 100)
    quads = np.stack([numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]], axis=-1).reshape(-1, 4)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    corners, kept = thin_mesh(grid, faces, 2000)
    assert 500 < len(kept) <= 2000
    assert np.abs(np.linalg.norm(corners[np.unique(kept)], axis=1) - 1.0).max() < 0.02
    assert all(a is b for a, b in zip(thin_mesh(grid, faces, len(faces)), (grid, faces), strict=True))
