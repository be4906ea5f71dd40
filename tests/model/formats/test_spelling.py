"""A misspelt name changes the robot silently; so it is said, with its line and what may be meant."""

import pytest

from screwgraph.model.formats import load
from tests.model.formats.helpers import joint, link, loaded, urdf
from tests.robots import robot_files, urdfs

PIECES = {
    '<Axis xyz="0 0 1"/>': "<joint> 'j': <Axis> is passed over (did you mean <axis>?)",
    '<orign xyz="0 0 1"/>': "<joint> 'j': <orign> is passed over (did you mean <origin>?)",
    '<origin xyz="0 0 1" ryp="1 0 0"/>': "<origin>: 'ryp' is passed over (did you mean 'rpy'?)",
    '<axis ayz="0 0 1"/>': "<axis>: 'ayz' is passed over (did you mean 'xyz'?)",
    '<limit lowr="-1" upper="1" effort="1" velocity="1"/>': "<limit>: 'lowr' is passed over (did you mean 'lower'?)",
    '<dynamic damping="1"/>': "<joint> 'j': <dynamic> is passed over (did you mean <dynamics>?)",
    '<dynamics dampng="1"/>': "<dynamics>: 'dampng' is passed over (did you mean 'damping'?)",
}


@pytest.mark.parametrize(("piece", "remark"), PIECES.items(), ids=PIECES)
def test_a_misspelt_part_of_a_joint_is_said(piece, remark, tmp_path):
    robot = loaded(urdf(link("a"), link("b"), joint("j", "a", "b", more=piece)), tmp_path)
    assert any(line.endswith(f"leg.urdf:4: {remark}") for line in robot.warnings), robot.warnings


def test_a_misspelt_part_of_a_link_is_said(tmp_path):
    robot = loaded(urdf('<link name="a"><inertal/></link>', link("b"), joint("j", "a", "b"), "<lnk/>"), tmp_path)
    assert [line.rpartition("leg.urdf:")[2] for line in robot.warnings][:2] == [
        "2: <link> 'a': <inertal> is passed over (did you mean <inertial>?)",
        "5: <robot> 'leg': <lnk> is passed over (did you mean <link>?)",
    ]


def test_a_misspelt_part_of_a_shape_is_said(tmp_path):
    shape = '<collision><geometri/><geometry><box siize="1 1 1"/></geometry></collision>'
    robot = loaded(urdf(f'<link name="a">{shape}</link>', link("b"), joint("j", "a", "b")), tmp_path)
    assert [line.rpartition("leg.urdf:")[2] for line in robot.warnings][:2] == [
        "2: <collision>: <geometri> is passed over (did you mean <geometry>?)",
        "2: <box>: 'siize' is passed over (did you mean 'size'?)",
    ]


@pytest.mark.parametrize(("right", "wrong"), [("iyz", "yiz"), ("ixy", "xiy"), ("iyz", "iz")])
def test_what_is_there_is_not_what_was_meant(right, wrong, tmp_path):
    """All products of inertia resemble each other; only one of them is missing."""
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0.1" ixz="0.1" iyz="0.1"/>'.replace(right, wrong)
    robot = loaded(urdf(f'<link name="a"><inertial><mass value="1"/>{inertia}</inertial></link>'), tmp_path)
    assert any(f"{wrong!r} is passed over (did you mean {right!r}?)" in line for line in robot.warnings)


@pytest.mark.parametrize(
    ("piece", "remark"),
    [
        ("<posse>1 0 0 0 0 0</posse>", "<link> 'a': <posse> is passed over (did you mean <pose>?)"),
        ("<inertial><Mass>2</Mass></inertial>", "<inertial>: <Mass> is passed over (did you mean <mass>?)"),
        ('<pose relativ_to="">1 0 0 0 0 0</pose>', "<pose>: 'relativ_to' is passed over (did you mean 'relative_to'?)"),
    ],
)
def test_misspelt_parts_of_sdf_are_said(piece, remark, tmp_path):
    text = f'<sdf version="1.7"><model name="m"><link name="a">\n{piece}</link></model></sdf>'
    assert any(line.endswith(f"m.sdf:2: {remark}") for line in loaded(text, tmp_path, "m.sdf").warnings)


@pytest.mark.parametrize("path", [*(p for p in urdfs() if not p.marks), *robot_files(".sdf")])
def test_real_files_have_no_such_remarks(path):
    assert not [line for line in load(path).warnings if "did you mean" in line]
