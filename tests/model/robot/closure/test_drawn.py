"""Loops that are open where the file draws them: which joints stand elsewhere when they close."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg

FOUR_BAR = """
<robot name="four_bar">
  <link name="base"/>
  {links}
  <joint name="crank" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
  <joint name="rod" type="revolute"><parent link="a"/><child link="b"/><origin xyz="{a} 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
  <joint name="rocker" type="revolute"><parent link="base"/><child link="c"/><origin xyz="{d} 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="9" velocity="9"/></joint>
  <loop name="tip" type="revolute"><predecessor link="b"><origin xyz="{b} 0 0"/></predecessor>
    <successor link="c"><origin xyz="0 0 {c}"/></successor><axis xyz="0 1 0"/></loop>
</robot>
"""
LINK = """<link name="{}"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def four_bar(a: float, b: float, c: float, d: float) -> sg.Robot:
    """A crank a along x, a rod b along x, a rocker c along z at a distance d."""
    return sg.load(FOUR_BAR.format(links="".join(map(LINK.format, "abc")), a=a, b=b, c=c, d=d))


def drawn(robot):
    return [line for line in robot.warnings if "as drawn" in line]


def test_joints_that_move_when_loops_close_are_named_with_degrees():
    robot = four_bar(1.0, 2.0, 1.5, 2.0)
    (line,) = drawn(robot)
    q = np.degrees(robot.close_loops(robot.neutral()))
    assert np.abs(q).max() > 5.0
    for name, angle in zip(robot.joint_names, q, strict=True):
        assert (f"{name!r} by {angle:.3g} deg" in line) == (abs(angle) > 5.0)
    assert f"joints have moved: {robot.joint_names[int(np.argmax(np.abs(q)))]!r}" in line
    np.testing.assert_allclose(np.degrees(sg.simulate(robot, time=0.01).q[0]), q, atol=1e-9)


def test_loops_that_close_as_drawn_or_nearly_are_not_mentioned():
    assert drawn(four_bar(1.0, 1.0, 1e-9, 2.0)) == []
    assert drawn(four_bar(1.0, 1.0, 0.02, 2.0)) == []
    assert drawn(sg.load("five_bar")) == []


def test_strict_loading_refuses_it():
    text = FOUR_BAR.format(links="".join(map(LINK.format, "abc")), a=1.0, b=2.0, c=1.5, d=2.0)
    with pytest.raises(sg.ModelError, match="open as drawn"):
        sg.load(text, strict=True)


BAR = """
points:
  - {{x: 0, y: 0, fixed: true}}
  - {{name: tip, x: 1, y: 0}}
bodies:
  - {{points: [0, 1], length: {length}, mass: 1, I0: 1, cog: [0.5, 0]}}
angles:
  - {{angle: crank, of: [0, 1]{start}}}
"""
CRANK = """
points:
  - {{x: 0, y: 0, fixed: true}}
  - {{x: 1, y: 0}}
  - {{x: 3.6, y: 0.5}}
  - {{x: 4, y: 0, fixed: true}}
bodies:
  - {{points: [0, 1], length: 1.0, mass: 1, I0: 1, cog: [0.5, 0]}}
  - {{points: [1, 2], length: {rod}, mass: 1, I0: 3, cog: [0.5, 0]}}
  - {{points: [3, 2], length: 1.2, mass: 1, I0: 1, cog: [0.5, 0]}}
angles:
  - {{angle: crank, of: [0, 1]{start}}}
"""


@pytest.mark.parametrize("rod", [2.3, 2.9])
def test_points_that_lengths_move_are_named(rod):
    mechanism = sg.load(CRANK.format(rod=rod, start=""))
    x, y = mechanism.position(mechanism.home, 2)
    assert np.hypot(x - 4.0, y) == pytest.approx(1.2, abs=1e-9)
    assert f"y:2 is at {y:.4g} m, not 0.5" in mechanism.warnings[0]
    assert sg.load(CRANK.format(rod=rod, start=", start: 0.0")).warnings == ()  # then points are drawn roughly


def test_points_and_angles_of_mechanisms_that_are_assembled_elsewhere_are_named():
    (line,) = sg.load(BAR.format(length=1.5, start="")).warnings
    assert "x:tip is at 1.5 m, not 1" in line
    for start in ("", ", start: 1.0", ", start: 6.283185307"):
        assert sg.load(BAR.format(length=1.0, start=start)).warnings == ()
    assert all(sg.load_mechanism(name).warnings == () for name in ("four_bar", "slider_crank", "parallel_robot"))
