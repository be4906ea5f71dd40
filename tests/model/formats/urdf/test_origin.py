"""Poses of URDF as quaternions: which versions have them, in which elements, and what is none."""

import numpy as np
import pinocchio as pin
import pytest

import screwgraph as sg
from screwgraph.spatial import quaternions, transform
from tests.model.formats.helpers import close, complaint, loaded, mass_matrix, poses

BODY = """<inertial><origin xyz="0.1 0.02 -0.03" {0}/><mass value="1.3"/>
<inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="-0.001" izz="0.025"/></inertial>"""
BODY = BODY.replace("\n", " ")
SHAPES = '<{1}><origin xyz="1 2 3" {0}/><geometry><box size="1 2 3"/></geometry></{1}>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
TURNED = 'quat_xyzw="1 0 0 1"'
ABOUT_X = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def robot_text(*turns: str, head: str = 'version="1.1"') -> str:
    """A chain of as many links as there are turns, each used for joint, inertia, visual and collision."""
    parts = [f'<robot name="leg" {head}>', '<link name="l0"/>']
    for i, turn in enumerate(turns):
        shapes = "".join(SHAPES.format(turn, tag) for tag in ("visual", "collision"))
        parts.append(f'<link name="l{i + 1}">{BODY.format(turn)}{shapes}</link>')
        origin = f'<origin xyz="0.1 0.2 1" {turn}/><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 0.6 0.8"/>'
        parts.append(f'<joint name="j{i}" type="revolute">{origin}{LIMIT}</joint>')
    return "\n".join([*parts, "</robot>"])


@pytest.mark.parametrize("version", ["1.1", "1.2", "01.1"])
def test_quaternions_are_read_as_pinocchio_reads_them(version, tmp_path):
    rng = np.random.default_rng(3)
    turns = [f'quat_xyzw="{" ".join(map(repr, map(float, rng.normal(size=4) * 10.0**k)))}"' for k in (-3, 0, 1, 4)]
    text = robot_text(*turns, head=f'version="{version}"')
    ours, theirs = loaded(text, tmp_path), pin.buildModelFromXML(text)
    assert ours.warnings == ()
    data, q = theirs.createData(), rng.uniform(-1.0, 1.0, size=theirs.nq)
    pin.framesForwardKinematics(theirs, data, q)
    M = np.triu(pin.crba(theirs, data, q))
    close(mass_matrix(ours, q), M + np.triu(M, 1).T, 1e-11)
    at = poses(ours, q)
    for i in range(1, 5):
        frame = data.oMf[theirs.getFrameId(f"l{i}")]
        close(at[f"l{i}"], frame.homogeneous, 1e-11)
    for kind in (pin.GeometryType.VISUAL, pin.GeometryType.COLLISION):
        shapes = pin.buildGeomFromUrdfString(theirs, text, kind).geometryObjects
        for i, shape in enumerate(shapes):
            link = ours.link(f"l{i + 1}")
            own = link.visuals if kind == pin.GeometryType.VISUAL else link.collisions
            close(own[0].T_bs, shape.placement.homogeneous, 1e-11)


@pytest.mark.parametrize("head", ["", 'version="1.0"', 'version="1"', 'version="0.9"', 'version="x"', 'version=""'])
def test_files_of_the_first_version_have_no_quaternions(head, tmp_path):
    robot = loaded(robot_text(TURNED, head=head), tmp_path)
    close(robot.joints[0].origin[:3, :3], np.eye(3))
    remarks = [line for line in robot.warnings if "'quat_xyzw' of <origin> is passed over" in line]
    assert len(remarks) == 4
    assert all("URDF has it since version 1.1" in line for line in remarks)
    assert any("the version of URDF is" in line for line in robot.warnings) == (head not in ("", 'version="1.0"'))


@pytest.mark.parametrize("version", ["1.3", "2.0", "1.10"])
def test_later_versions_are_read_as_the_newest_known(version, tmp_path):
    robot = loaded(robot_text(TURNED, head=f'version="{version}"'), tmp_path)
    close(robot.joints[0].origin[:3, :3], ABOUT_X)
    (line,) = robot.warnings
    assert line.endswith(f"leg.urdf:1: the version of URDF is '{version}': the file is read as 1.2")


@pytest.mark.parametrize("place", ["joint", "inertial", "visual", "collision", "predecessor", "successor"])
@pytest.mark.parametrize(
    ("turn", "what"),
    [
        ('quat_xyzw="1 0 0 1" rpy="0 0 0"', "<origin> has 'rpy' and 'quat_xyzw'"),
        ('quat_xyzw="0 0 -0.0 0"', "'quat_xyzw' of <origin> is zero"),
        ('quat_xyzw="nan 0 0 1"', "'quat_xyzw' of <origin> is 'nan 0 0 1'"),
        ('quat_xyzw="0 0 inf 1"', "'quat_xyzw' of <origin> is '0 0 inf 1'"),
        ('quat_xyzw="0 0 1"', "it must be 4 numbers, not 3"),
        ('quat_xyzw=""', "it must be 4 numbers, not 0"),
    ],
)
def test_what_is_no_rotation_is_refused_where_it_stands(place, turn, what, tmp_path):
    message = complaint(closed_text({place: turn}), tmp_path)
    line = {"inertial": 3, "visual": 4, "collision": 5, "joint": 8, "predecessor": 11, "successor": 12}[place]
    assert message.startswith(f"leg.urdf:{line}: ")
    assert what in message or ("must be a finite" in message and "quat_xyzw" in message)


def closed_text(turns: dict[str, str]) -> str:
    """A loop; each place has a line of its own."""
    parts = ['<robot name="leg" version="1.2">', '<link name="l0"/><link name="l1">']
    parts.append(BODY.format(turns.get("inertial", "")))
    parts += [SHAPES.format(turns.get(tag, ""), tag) for tag in ("visual", "collision")]
    parts += ['</link><link name="l2">' + BODY.format("") + "</link>", '<joint name="a" type="revolute">']
    parts.append(f'<origin xyz="0 0 1" {turns.get("joint", "")}/><parent link="l0"/><child link="l1"/>{LIMIT}</joint>')
    parts.append(f'<joint name="b" type="revolute"><parent link="l1"/><child link="l2"/>{LIMIT}</joint>')
    parts.append('<loop name="close" type="revolute"><axis xyz="0 0 1"/>')
    for role, link in (("predecessor", "l0"), ("successor", "l2")):
        parts.append(f'<{role} link="{link}"><origin xyz="0.1 0 0" {turns.get(role, "")}/></{role}>')
    return "\n".join([*parts, "</loop></robot>"])


def test_ends_of_loops_have_quaternions(tmp_path):
    (loop,) = loaded(closed_text({"predecessor": TURNED, "successor": 'quat_xyzw="0 0.6 0 0.8"'}), tmp_path).loops
    close(loop.T_pf, transform(ABOUT_X, np.array([0.1, 0.0, 0.0])))
    close(loop.T_sf[:3, :3], quaternions.to_rotation(np.array([0.0, 0.6, 0.0, 0.8])))


def test_the_smallest_quaternion_has_a_direction(tmp_path):
    robot = loaded(robot_text('quat_xyzw="5e-324 0 0 5e-324"'), tmp_path)
    close(robot.joints[0].origin[:3, :3], ABOUT_X)


def test_saved_robots_keep_rotations_for_all_readers(tmp_path):
    robot = loaded(robot_text('quat_xyzw="0.1 0.5 -0.3 0.7"', TURNED, 'quat_xyzw="-1 2 3 0"'), tmp_path)
    for suffix in (".urdf", ".yaml"):
        sg.save(robot, tmp_path / f"again{suffix}")
        again = sg.load(tmp_path / f"again{suffix}")
        q = np.array([0.3, -0.4, 0.5])
        close(mass_matrix(again, q), mass_matrix(robot, q), 1e-12)
        for link in robot.links:
            for ours, theirs in zip(link.visuals, again.link(link.name).visuals, strict=True):
                close(ours.T_bs, theirs.T_bs, 1e-12)
    theirs = pin.buildModelFromUrdf(str(tmp_path / "again.urdf"))
    M = np.triu(pin.crba(theirs, theirs.createData(), q))
    close(mass_matrix(robot, q), M + np.triu(M, 1).T, 1e-12)
