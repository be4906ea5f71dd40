"""URDF whose link has two parents, as amended files have it: a loop, as in their SDF twins."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from tests.model.formats.helpers import assert_same, close, complaint, loaded, poses, urdf

BAR = """<link name="{0}"><inertial><origin xyz="0 0 {2}"/><mass value="{1}"/>
<inertia ixx="3" iyy="2" izz="1"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>"""
TURN = '<origin xyz="0 0 2" rpy="1.5707963267948966 0 0"/><axis xyz="1 0 0"/>'
BARS = [BAR.format(name, mass, 1.0) for name, mass in (("l1", 100), ("l2", 15), ("l3", 10), ("l4", 5))]
JOINTS = [JOINT.format(f"j{i}", "continuous", f"l{i}", f"l{i + 1}", TURN) for i in (1, 2, 3)]
CLOSING = JOINT.format("j4", "continuous", "l1", "l4", '<origin xyz="0 0 0" rpy="-0.3 0 0"/><axis xyz="-1 0 0"/>')
SDF_BAR = """<link name="{0}"><pose>{3} {4} {5} {6} 0 0</pose><inertial><pose>0 0 1 0 0 0</pose><mass>{1}</mass>
<inertia><ixx>3</ixx><iyy>2</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>"""
SDF_JOINT = """<joint name="{0}" type="revolute"><parent>{1}</parent><child>{2}</child>{3}
<axis><xyz>{4} 0 0</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis></joint>"""
PI = 1.5707963267948966
TWIN = "".join(
    [
        '<sdf version="1.9"><model name="leg">',
        *(
            SDF_BAR.format(f"l{i + 1}", mass, 1.0, 0, y, z, i * PI)
            for i, (mass, y, z) in enumerate(((100, 0, 0), (15, 0, 2), (10, -2, 2), (5, -2, 0)))
        ),
        *(SDF_JOINT.format(f"j{i}", f"l{i}", f"l{i + 1}", "", 1) for i in (1, 2, 3)),
        SDF_JOINT.format("j4", "l1", "l4", '<pose relative_to="l1">0 0 0 -0.3 0 0</pose>', -1),
        "</model></sdf>",
    ]
)


def test_the_later_joint_closes_a_loop_as_in_sdf(tmp_path):
    robot = loaded(urdf(*BARS, *JOINTS, CLOSING), tmp_path)
    twin = loaded(TWIN, tmp_path, "leg.sdf")
    assert_same(robot, twin, 1e-9)
    assert robot.loops[0].name == "j4"
    (line,) = [line for line in robot.warnings if "two parents" in line]
    assert line.endswith("leg.urdf:13: link 'l4' has two parents: joint 'j4' closes a loop")
    q, qd, tau = np.zeros(3), np.zeros(3), np.array([1.0, 0.0, 0.0])
    close(sg.forward_dynamics(robot)(q, qd, tau), sg.forward_dynamics(twin)(q, qd, tau), 1e-9)


def test_a_parallelogram_moves_by_its_energy(tmp_path):
    """T = q' M q' / 2 of the driven bar: of links 2 and 4 that turn, and link 3 that does not."""
    robot = sg.load(str(_written(tmp_path, urdf(*BARS, *JOINTS, CLOSING))), gravity=(0, 0, 0))
    acceleration = sg.forward_dynamics(robot)(np.zeros(3), np.zeros(3), np.array([1.0, 0.0, 0.0]))
    # links 2 and 4 turn about their joints (ixx + m 1^2), link 3 translates with the pivot at 2 m
    inertia = (3.0 + 15.0) + (3.0 + 5.0) + 10.0 * 2.0**2
    close(acceleration, [1.0 / inertia, -1.0 / inertia, 1.0 / inertia], 1e-9)


def _written(folder, text):
    path = folder / "leg.urdf"
    path.write_text(text)
    return path


@pytest.mark.parametrize("place", [0, 1, 3])
def test_the_order_of_joints_says_which_one_closes(place, tmp_path):
    joints = [*JOINTS]
    joints.insert(place, CLOSING)
    robot = loaded(urdf(*BARS, *joints), tmp_path)
    assert robot.nv == 3
    assert [loop.name for loop in robot.loops] == (["j3"] if place < 3 else ["j4"])


def test_where_all_links_have_parents_the_first_is_the_base(tmp_path):
    back = JOINT.format("j4", "continuous", "l4", "l1", '<origin xyz="0 0 2"/><axis xyz="1 0 0"/>')
    robot = loaded(urdf(*BARS, *JOINTS, back), tmp_path)
    assert (robot.links[0].name, robot.joint_names, robot.loops[0].successor) == ("l1", ("j1", "j2", "j3"), "l1")
    at, loop = poses(robot, np.zeros(3)), robot.loops[0]
    close(at[loop.predecessor] @ loop.T_pf, at[loop.successor] @ loop.T_sf)


def test_what_a_closing_joint_loses_is_said(tmp_path):
    lossy = CLOSING.replace("</joint>", '<dynamics damping="5" friction="1"/></joint>')
    robot = loaded(urdf(*BARS, *JOINTS, lossy), tmp_path)
    assert any("closes a loop: its damping and friction are not modelled" in line for line in robot.warnings)
    mimic = CLOSING.replace("</joint>", '<mimic joint="j1"/></joint>')
    assert "joint 'j4' closes a loop, and has no coordinate" in complaint(urdf(*BARS, *JOINTS, mimic), tmp_path)


def test_independent_marks_of_the_tree_stay(tmp_path):
    marks = ('independent="True"', 'Independent="FALSE"', 'INDEPENDENT="0"')
    marked = [joint.replace("<joint ", f"<joint {mark} ") for joint, mark in zip(JOINTS, marks, strict=True)]
    robot = loaded(urdf(*BARS, *marked, CLOSING), tmp_path)
    assert robot.independent == ("j1",)


def test_loops_and_couplings_are_read_in_any_case_of_letters(tmp_path):
    loop = """<Loop Name="close" Type="Revolute"><Predecessor Link="l1"><Origin XYZ="0 0 0"/></Predecessor>
    <successor link="l4"><origin xyz="0 0 2"/></successor><Axis XYZ="1 0 0"/></Loop>"""
    ratio = '<COUPLING Name="c"><Predecessor Link="l2"/><Successor Link="l4"/><Ratio Value="2"/></COUPLING>'
    robot = loaded(urdf(*BARS, *JOINTS, loop, ratio), tmp_path)
    plain = loaded(urdf(*BARS, *JOINTS, loop.lower(), ratio.lower()), tmp_path)
    assert (len(robot.loops), len(robot.couplings), robot.warnings) == (1, 1, plain.warnings)
    assert_same(robot, plain)


def test_saved_files_have_the_loop(tmp_path):
    robot = loaded(urdf(*BARS, *JOINTS, CLOSING), tmp_path)
    for suffix in (".urdf", ".yaml"):
        sg.save(robot, tmp_path / f"again{suffix}")
        assert_same(sg.load(tmp_path / f"again{suffix}"), robot, 1e-12)


@pytest.mark.parametrize(
    "joints",
    [
        [JOINTS[0], JOINT.format("k", "continuous", "l3", "l2", TURN)],  # two bases
        [JOINTS[0], JOINTS[1], JOINT.format("k", "continuous", "l3", "l3", TURN)],
        [JOINTS[0], JOINT.format("k", "continuous", "l9", "l2", TURN)],
    ],
)
def test_what_is_no_loop_is_refused_as_before(joints, tmp_path):
    with pytest.raises(ModelError, match=r"two parents|to itself|no link has that name"):
        loaded(urdf(*BARS[:3], *joints), tmp_path)
