"""`screwgraph info` against what robots are known to be."""

from __future__ import annotations

import pytest

import screwgraph as sg
from tests.conftest import robot_files, shared_file
from tests.formats.helpers import rich_robot

LEG = """<robot name="leg">
<link name="hip"/>
<link name="thigh"><inertial><origin xyz="0 0 -0.1"/><mass value="2"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="ghost"/>
<link name="foot"><inertial><mass value="0.5"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="toe"/>
<joint name="swing" type="revolute"><parent link="hip"/><child link="thigh"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="2" velocity="3" effort="40"/><dynamics damping="0.1" friction="0.25"/></joint>
<joint name="slide" type="prismatic"><parent link="thigh"/><child link="ghost"/><axis xyz="0 0 1"/>
  <limit lower="0" upper="0.5" velocity="1" effort="10"/></joint>
<joint name="ankle" type="continuous"><parent link="ghost"/><child link="foot"/>
  <mimic joint="swing" multiplier="-2" offset="0.5"/></joint>
<joint name="weld" type="fixed"><parent link="foot"/><child link="toe"/></joint>
</robot>
"""


@pytest.fixture
def leg(tmp_path):
    path = tmp_path / "leg.urdf"
    path.write_text(LEG)
    return path


def test_the_tables_show_what_is_in_the_file(command, leg):
    out = command("info", leg).out
    rows = {line.split()[1]: " ".join(line.split()) for line in out.splitlines() if line[:1].isdigit()}
    assert "leg: 4 links, 3 joints, no loops, nq 3, nv 3" in out
    assert "mass 2.5 kg, 2.5 kg of it move with joints" in out
    assert rows["swing"] == "1 swing revolute hip -> thigh 0 1 0 -1 .. 2 rad 3 rad/s 40 N m"
    assert rows["slide"] == "2 slide prismatic thigh -> ghost 0 0 1 0 .. 0.5 m 1 m/s 10 N"
    assert rows["thigh"] == "1 thigh 2 kg 0 0 -0.1 m"
    assert rows["ghost"] == "2 ghost 0 kg -"
    assert "toe" in out.partition("frames")[2]
    assert "massless moving links: ghost\n" in out
    assert "mimic joints (kept, not yet a constraint): ankle = -2 swing + 0.5\n" in out
    assert "Coulomb friction (kept, not modelled): swing 0.25\n" in out
    assert "warning: " in out


def test_json_has_the_same_content(command, leg):
    robot = command("info", leg, "--json").json
    assert (robot["name"], robot["nq"], robot["nv"], robot["base"]) == ("leg", 3, 3, "hip")
    assert (robot["mass"], robot["moving_mass"]) == (2.5, 2.5)
    assert robot["joints"][0]["limits"] == {"lower": -1, "upper": 2, "velocity": 3, "effort": 40}
    assert robot["joints"][0]["axis"] == [0, 1, 0]
    assert robot["joints"][2]["mimic"] == {"joint": "swing", "multiplier": -2, "offset": 0.5}
    assert robot["links"][1] == {"index": 1, "name": "thigh", "mass": 2, "com": [0, 0, -0.1]}
    assert robot["frames"] == [{"name": "toe", "link": "foot"}]
    assert robot["massless_links"] == ["ghost"]
    assert robot["mimic_joints"] == ["ankle"]
    assert robot["unmodelled_friction"] == ["swing"]
    assert robot["loops"] == []
    assert robot["warnings"] == list(sg.load(leg).warnings)


@pytest.mark.parametrize("name", sg.zoo_names())
def test_every_built_in_robot_is_shown_in_full(command, name):
    robot, out = sg.load(name), command("info", name).out
    assert all(word in out for word in (*robot.joint_names, *(link.name for link in robot.links)))


@pytest.mark.parametrize("path", robot_files("urdf"), ids=lambda path: path.stem)
def test_every_file_is_described(command, path):
    robot = command("info", path, "--json").json
    assert len(robot["joints"]) == len(robot["links"]) - 1


def test_a_robot_without_joints_is_described(command):
    result = command("info", "rrr", "--lock", "joint1,joint2,joint3")
    assert result.status == 0
    assert "0 joints" in result.out


def test_a_robot_of_all_joint_types_is_described(command, tmp_path):
    path = tmp_path / "rich.yaml"
    sg.save(rich_robot(), path)
    assert command("info", path).status == 0
    assert {j["type"] for j in command("info", path, "--json").json["joints"]} >= {"planar", "universal", "helical"}


def test_the_mass_is_that_of_the_file(command):
    path = shared_file("robots", "urdf", "ur5.urdf")
    total = sum(float(part.split('"')[0]) for part in path.read_text().split('<mass value="')[1:])
    assert command("info", path, "--json").json["mass"] == pytest.approx(total, rel=1e-12)
