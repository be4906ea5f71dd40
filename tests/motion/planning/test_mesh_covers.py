"""Spheres and capsules that stand for meshes have all of them inside, and are not much larger."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Mesh
from screwgraph.motion.planning.collision import automatic_capsules, automatic_spheres
from screwgraph.motion.planning.collision.mesh_covers import cover_by_capsule, cover_by_spheres, smallest_ball
from tests.model.formats.meshes.test_mesh_paths import box, stl

SIZES = [(0.2, 0.4, 0.6), (1.0, 0.1, 0.1), (1.0, 1.0, 0.02), (0.3, 0.3, 0.3)]


def mesh_of(tmp_path, size):
    path = tmp_path / "box.stl"
    path.write_text(stl(*box(*size)))
    return Mesh(str(path))


def samples(size, count=2000):
    """Return points in a box, its corners among them."""
    inside = np.random.default_rng(0).uniform(-0.5, 0.5, (count, 3))
    corners = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
    return np.concatenate([inside, corners]) * size


@pytest.mark.parametrize("size", SIZES)
def test_covers_have_all_of_a_mesh_inside(size, tmp_path):
    pytest.importorskip("trimesh")
    mesh, points = mesh_of(tmp_path, size), samples(size)
    spheres = cover_by_spheres(mesh)
    depth = np.min([np.linalg.norm(points - centre, axis=1) - radius for centre, radius in spheres], axis=0)
    assert depth.max() < 1e-7  # STL has single precision
    assert len(spheres) <= 8
    assert max(radius for _, radius in spheres) < 0.51 * np.linalg.norm(size)
    a, b, radius = cover_by_capsule(mesh)
    way = b - a
    part = np.clip((points - a) @ way / max(way @ way, 1e-300), 0.0, 1.0)
    assert (np.linalg.norm(points - a - part[:, None] * way, axis=1) - radius).max() < 1e-7
    longest = float(max(size))
    across = np.linalg.norm(np.sort(size)[:2])
    assert radius < 0.51 * across or np.linalg.norm(way) < longest  # along its longest edge, or shorter and wider


def test_the_smallest_ball_of_a_cube_and_of_a_triangle():
    corners = samples((2.0, 2.0, 2.0), 0)
    assert smallest_ball(corners)[1] == pytest.approx(np.sqrt(3.0), rel=1e-2)
    triangle = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.1]])
    assert smallest_ball(triangle)[1] == pytest.approx(1.0, rel=1e-2)


def test_links_of_meshes_get_spheres_and_capsules_and_missing_ones_are_named_once(tmp_path):
    pytest.importorskip("trimesh")
    mesh = mesh_of(tmp_path, SIZES[0])
    link = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>{1}</link>'
    shape = '<collision><geometry><mesh filename="{0}"/></geometry></collision>'
    joint = '<joint name="{1}j" type="continuous"><parent link="{0}"/><child link="{1}"/></joint>'
    parts = [
        '<link name="base"/>',
        link.format("a", shape.format(mesh.file) + shape.format("none.stl") + shape.format("gone.stl")),
        joint.format("base", "a"),
    ]
    robot = sg.load(f'<robot name="r">{"".join(parts)}</robot>')
    with pytest.warns(RuntimeWarning, match=r"^r: 2 meshes are left out \(none.stl, gone.stl\)") as said:
        capsules = automatic_capsules(robot)
    assert len(said) == 1
    assert [capsule.link for capsule in capsules] == ["a"]
    with pytest.warns(RuntimeWarning, match="2 meshes"):
        assert {sphere.link for sphere in automatic_spheres(robot)} == {"a"}
    parts[1] = link.format("a", shape.format("none.stl"))
    with pytest.raises(sg.InputError, match=r"link 'a' has no shape .*: 1 mesh is left out \(none.stl\)"):
        automatic_spheres(sg.load(f'<robot name="r">{"".join(parts)}</robot>'))
