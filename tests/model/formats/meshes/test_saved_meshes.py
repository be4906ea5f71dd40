"""Files that are saved name meshes as other programs open them: MuJoCo compiles them, Pinocchio finds them."""

import struct
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.model.robot import Mesh

mujoco = pytest.importorskip("mujoco")

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
ROBOT = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="{0}" scale="1 2 3"/></geometry></visual>
<collision><geometry><mesh filename="{0}" scale="1 2 3"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture(params=["pkg", "of spaces & signs ü"])
def package(request, tmp_path):
    folder = tmp_path / request.param
    for inside in ("urdf", "meshes"):
        (folder / inside).mkdir(parents=True)
    (folder / "package.xml").write_text("<package><name>my_pkg</name></package>")
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[list(face)].ravel(), 0) for face in FACES)
    (folder / "meshes" / "part.stl").write_bytes(b"\0" * 80 + struct.pack("<I", len(FACES)) + triangles)
    return folder


@pytest.mark.parametrize("kind", ["package", "relative", "absolute", "uri", "quoted"])
def test_saved_urdf_opens_in_mujoco_and_pinocchio(package, kind, tmp_path):
    mesh = package / "meshes" / "part.stl"
    names = {
        "package": "package://my_pkg/meshes/part.stl",
        "relative": "../meshes/part.stl",
        "absolute": str(mesh),
        "uri": f"file://{mesh}",
        "quoted": mesh.as_uri(),
    }
    path = package / "urdf" / "r.urdf"
    path.write_text(ROBOT.format(names[kind].replace("&", "&amp;")), encoding="utf-8")
    robot = sg.load(path)
    for out in (tmp_path / "elsewhere.urdf", package / "urdf" / "again.urdf"):
        sg.save(robot, out)
        model = mujoco.MjModel.from_xml_path(str(out))
        assert (model.nmesh, model.nv) == (1, 1)
        theirs = pin.buildModelFromUrdf(str(out))
        shapes = pin.buildGeomFromUrdf(theirs, str(out), pin.GeometryType.COLLISION)
        assert shapes.ngeoms == 1
        again = sg.load(out).link("arm").visuals[0].shape
        assert isinstance(again, Mesh)
        assert (Path(again.file).resolve(), again.scale) == (mesh, (1.0, 2.0, 3.0))


def test_meshes_that_were_not_found_keep_their_names(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.format("package://nowhere/part.stl"))
    sg.save(sg.load(path), tmp_path / "again.urdf")
    assert 'filename="package://nowhere/part.stl"' in (tmp_path / "again.urdf").read_text()
