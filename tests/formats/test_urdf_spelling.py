"""A misspelt name changes the robot silently; so it is said, with its line and what may be meant."""

import pytest

from screwgraph.formats import load
from tests.formats.helpers import joint, link, loaded, urdf
from tests.robots import urdfs

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


@pytest.mark.parametrize("path", [p for p in urdfs() if not p.marks])
def test_real_files_have_no_such_remarks(path):
    assert not [line for line in load(path).warnings if "did you mean" in line]
