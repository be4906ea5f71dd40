"""What is allowed in a robot file and probably a slip is said once, with its line; of sound robots nothing is said."""

import pytest

import screwgraph as sg
from tests.robots import robot_file

SIX = '"0.002" iyy="0.003" izz="0.003"'
ROBOT = """<robot name="r">
<link name="base"/>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.02"/></inertial></link>
<link name="hand"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
  <inertia ixx="0.002" iyy="0.003" izz="0.003"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-1.5" upper="1.5" effort="10" velocity="2"/></joint>
<joint name="wrist" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="5" velocity="2"/></joint>
</robot>"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"-3" upper="3"', '"-170" upper="170"', ":9: joint 'wrist': its limits -170 .. 170 look like degrees: angles"),
        ('effort="10"', 'effort="0"', ":7: joint 'shoulder': its effort limit is 0: no plan"),
        ('velocity="2"', 'velocity="0"', ":7: joint 'shoulder': its velocity limit is 0, so is that of 'wrist': no"),
        ('"-3" upper="3"', '"0" upper="0"', ":9: joint 'wrist': its lower and upper limits are both 0: inverse"),
        (SIX, '"2e3" iyy="3e3" izz="3e3"', ":5: link 'hand': its inertia 3000 kg m^2 means"),
        (SIX, '"2e-9" iyy="3e-9" izz="3e-9"', ":5: link 'hand': its inertia 3e-09 kg m^2 is"),
    ],
)  # fmt: skip
def test_slips_are_named_with_their_line(old, new, expected, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    assert sg.load(path).warnings == ()
    path.write_text(ROBOT.replace(old, new))
    (warning,) = sg.load(path).warnings
    assert f"r.urdf{expected}" in warning
    with pytest.raises(sg.ModelError, match="strict checks are on"):
        sg.load(path, strict=True)


def test_point_masses_and_sliders_of_many_metres_are_no_slips(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(
        ROBOT.replace(SIX, '"0" iyy="0" izz="0"')
        .replace('wrist" type="revolute"', 'wrist" type="prismatic"')
        .replace('"-3" upper="3"', '"-90" upper="90"')
    )
    assert sg.load(path).warnings == ()


@pytest.mark.parametrize("name", ["panda.urdf", "ur5_robot.urdf", "a1.urdf", "so101.urdf", "simple_humanoid.urdf"])
def test_well_known_robots_are_not_doubted(name):
    assert sg.load(robot_file(name)).warnings == ()


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ('<sphere radius="-1"/>', "<sphere> that touches is left out: it is no shape with sizes that are positive"),
        ('<box size="1"/>', "<box> that touches is left out: a shape: 'size' of <box> is '1': it must be 3 numbers"),
        ('<blob radius="1"/>', "<blob> that touches is left out: it is no shape with sizes"),
        ('<mesh filename=""/>', "<mesh> that touches is left out"),
    ],
)
def test_shapes_that_touch_and_cannot_be_read_are_named(shape, why):
    """A foot without its shape would fall through the ground."""
    touching = f"<collision><geometry>{shape}</geometry></collision>"
    text = ROBOT.replace("</link>\n<joint", f"\n{touching}</link>\n<joint", 1)
    (line,) = sg.load(text).warnings
    assert line.startswith("<text>:7: link 'hand': a shape ")
    assert why in line
    assert not sg.load(text.replace("collision>", "visual>")).warnings
    assert not sg.load(text.replace(shape, "")).warnings


def test_a_joint_that_is_called_as_a_coordinate_of_another_one_is_named():
    three = ROBOT.replace('name="shoulder" type="revolute"', 'name="s" type="floating"')
    (line,) = sg.load(three.replace('"wrist"', '"s[1]"')).warnings
    assert "joint 's[1]' is called as a coordinate of joint 's' is" in line
    assert not sg.load(three.replace('"wrist"', '"s[6]"')).warnings
