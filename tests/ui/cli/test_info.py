"""`screwgraph info` against what robots are known to be."""

from __future__ import annotations

from importlib.resources import files

import pytest

import screwgraph as sg
from tests.model.formats.helpers import rich_robot
from tests.robots import closed_chains, robot_file, robot_files

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
    assert "leg: 4 links, 3 joints, 1 coupling, nq 3, nv 3" in out
    assert "mass 2.5 kg, 2.5 kg of it moved by joints" in out
    assert rows["swing"] == "1 swing revolute hip -> thigh 0 1 0 -1 .. 2 rad 3 rad/s 40 N m"
    assert rows["slide"] == "2 slide prismatic thigh -> ghost 0 0 1 0 .. 0.5 m 1 m/s 10 N"
    assert rows["thigh"] == "1 thigh 2 kg 0 0 -0.1 m"
    assert rows["ghost"] == "2 ghost 0 kg -"
    assert "toe" in out.partition("frames")[2]
    assert "massless moving links: ghost\n" in out
    assert "ankle_mimic linear ankle + 2*swing = 0.5" in " ".join(out.split())
    assert "mobility 2: 1 of 1 constraints are independent" in out
    assert "independent joints: swing, slide\n" in out
    assert "Coulomb friction (in simulations with friction=True): swing 0.25\n" in out
    assert "warning: " in out


def test_json_has_the_same_content(command, leg):
    robot = command("info", leg, "--json").json
    assert (robot["name"], robot["nq"], robot["nv"], robot["base"]) == ("leg", 3, 3, "hip")
    assert (robot["mass"], robot["moving_mass"]) == (2.5, 2.5)
    assert robot["joints"][0]["limits"] == {"lower": -1, "upper": 2, "velocity": 3, "effort": 40}
    assert robot["joints"][0]["axis"] == [0, 1, 0]
    assert robot["links"][1] == {"index": 1, "name": "thigh", "mass": 2, "com": [0, 0, -0.1]}
    assert robot["frames"] == [{"name": "toe", "link": "foot"}]
    assert robot["massless_links"] == ["ghost"]
    assert robot["couplings"] == [{"name": "ankle_mimic", "equation": "ankle + 2*swing = 0.5", "linear": True}]
    assert robot["mobility"]["independent_joints"] == ["swing", "slide"]
    assert robot["unmodelled_friction"] == ["swing"]
    assert robot["loops"] == []
    assert robot["warnings"] == list(sg.load(leg).warnings)


@pytest.mark.parametrize("name", sg.zoo_names())
@pytest.mark.sampled(2)
def test_every_built_in_robot_is_shown_in_full(command, name):
    robot, out = sg.load(name), command("info", name).out
    assert all(word in out for word in (*robot.joint_names, *(link.name for link in robot.links)))


@pytest.mark.parametrize("path", robot_files(".urdf"), ids=lambda path: path.stem)
@pytest.mark.sampled(3)
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
    path = robot_file("ur5_robot.urdf")
    total = sum(float(part.split('"')[0]) for part in path.read_text().split('<mass value="')[1:])
    assert command("info", path, "--json").json["mass"] == pytest.approx(total, rel=1e-12)


def test_loops_and_mobility_are_shown(command):
    out = " ".join(command("info", "five_bar").out.split())
    assert "five_bar: 5 links, 4 joints, 1 loop, nq 4, nv 4" in out
    assert "joint5 revolute link2 -> link4 0 0 1" in out
    assert "mobility 2: 2 of 5 constraints are independent at 6 random closed positions; Gruebler's count is -1" in out
    assert "dropped: joint5: rotation x, joint5: rotation y, joint5: translation z" in out
    assert "independent joints: joint1, joint2" in out


def test_json_has_loops_couplings_and_mobility(command):
    robot = command("info", "five_bar", "--json").json
    assert robot["loops"][0] == {
        "name": "joint5", "type": "revolute", "predecessor": "link2", "successor": "link4",
        "axis": [0, 0, 1], "offset": 0,
    }  # fmt: skip
    mobility = robot["mobility"]
    assert (mobility["freedom"], mobility["gruebler"], mobility["rank"], mobility["rows"]) == (2, -1, 2, 5)
    assert len(mobility["redundant"]) == 3
    assert command("info", "puma560", "--json").json["mobility"] is None
    couplings = command("info", "belt_leg", "--json").json["couplings"]
    assert [c["equation"] for c in couplings][-1] == "ankle_motor - 9*knee - 9*ankle = 0"


BROKEN = """\
bodies:
  - {link: a, joint: j, at: [0, 0, 0]}
  - {link: b, joint: k, parent: base, at: [9, 0, 0]}
loops: [{loop: gap, predecessor: {link: a, at: [1, 0, 0]}, successor: {link: b, at: [1, 0, 0]}}]
"""


@pytest.mark.suite
def test_a_loop_that_cannot_close_is_shown_with_its_gap(command, tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text(BROKEN)
    result = command("info", path)
    assert result.status == 0
    assert "warning: no position closes 'gap': 30 random ones and zero left a loop-closure error of" in " ".join(
        result.out.split()
    )


def test_a_locked_mechanism_says_so(command, tmp_path):
    path = tmp_path / "triangle.yaml"
    path.write_text(BROKEN.replace("at: [9", "at: [1.5"))
    out = command("info", path).out
    assert "mobility 0:" in out
    assert "the mechanism is locked" in out


def test_independent_joints_that_cannot_be_are_told(command, tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text(BROKEN.replace("at: [9", "at: [1.5") + "independent: [j]\n")
    assert "the independent joints j have 1 of the robot" in " ".join(command("info", path).out.split())


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", [*closed_chains(), *robot_files(".sdf")], ids=lambda path: path.stem)
def test_every_closed_file_is_described(command, path):
    if path.stem == "cassie":
        pytest.skip("its analysis takes seconds; the others show the same")
    robot = command("info", path, "--json").json
    assert bool(robot["mobility"]) == bool(robot["loops"] or robot["couplings"])


def test_the_planar_factor_and_clusters_are_told(command):
    out = command("info", "five_bar").out
    assert "loop joint5: planar factor, chosen since the axes around it are parallel" in out
    assert "keeps translation x, translation y (2 of 5)" in out
    assert "cluster: joint1, joint2, joint3, joint4 move as one joint" in out
    assert "planar" not in command("info", "stewart_gough").out
    found = command("info", "four_bar_linkage", "--json").json["mobility"]
    assert found["factors"] == [
        {"loop": "joint4", "rows": 5, "kept": ["translation x", "translation y"], "planar": True}
    ]
    assert found["clusters"] == [["joint1", "joint2", "joint3"]]


def test_a_mechanism_is_described_with_other_values(command, refused):
    found = command("info", "four_bar_angle", "--set", "mass:coupler=3.5", "--json").json
    assert found["mass"] == 1.0 + 3.5 + 4.0
    assert [body["mass"] for body in found["bodies"]] == [1.0, 3.5, 4.0]
    assert "--set goes with mechanisms of points" in refused(2, "info", "rr", "--set", "m=1").err


def test_coordinates_of_a_mechanism_are_listed_with_where_they_are_assembled(command):
    rows = [line.split() for line in command("info", "four_bar").out.splitlines()]
    assert ["x:P1", "1", "m"] in rows
    assert ["y:P2", "2", "m", "independent"] in rows


def test_driven_coordinates_of_a_mechanism_are_marked(command, tmp_path):
    path, folder = tmp_path / "driven.yaml", files("screwgraph") / "model" / "zoo" / "mechanisms"
    path.write_text((folder / "slider_crank.yaml").read_text() + "driven: {theta: 2*t}\n")
    assert "independent, motor, driven" in command("info", path).out
    assert command("info", path, "--json").json["driven"] == {"theta": "2*t"}


def test_xacro_files_take_values_for_their_arguments(command, tmp_path):
    pytest.importorskip("xacro")
    path = tmp_path / "leg.xacro"
    head = '<robot name="leg" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="hip" default="hip"/>'
    text = LEG.replace('<robot name="leg">', head).replace('<link name="hip"/>', '<link name="$(arg hip)"/>')
    path.write_text(text.replace('parent link="hip"', 'parent link="$(arg hip)"'))
    assert "base pelvis" in command("info", path, "--xacro", "hip:=pelvis").out
    assert "the file has no <xacro:arg> 'hop'" in command("info", path, "--xacro", "hop:=x").err
    assert "is not NAME:=VALUE" in command("info", path, "--xacro", "hip").err


def test_packages_of_xacro_files_are_named_or_in_folders(command, tmp_path, monkeypatch):
    pytest.importorskip("xacro")
    package, path = tmp_path / "ws" / "legs", tmp_path / "here" / "leg.xacro"
    for folder in (package, path.parent):
        folder.mkdir(parents=True)
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    (package / "leg.xacro").write_text(LEG.replace('<robot name="leg">', f"<robot {space}>"))
    path.write_text(f'<robot name="leg" {space}><xacro:include filename="$(find legs)/leg.xacro"/></robot>')
    monkeypatch.chdir(path.parent)
    assert "(--packages legs=FOLDER, in Python" in command("info", "leg.xacro").err
    for given in (f"legs={package}", "../ws"):
        assert "leg: 4 links" in command("info", "leg.xacro", "--packages", given).out
    assert "not some of each" in command("info", "leg.xacro", "--packages", "../ws", "--packages", "a=b").err
    assert "there is no folder 'b'" in command("info", "leg.xacro", "--packages", "a=b").err


def test_a_crank_that_is_assembled_elsewhere_than_drawn_is_said(command, tmp_path):
    path = tmp_path / "drawn.yaml"
    text = """
points:
  - {name: O, x: 0, y: 0, fixed: true}
  - {name: D, x: 2, y: 0, fixed: true}
  - {name: P, x: 1, y: 0}
  - {name: Q, x: 2, y: 1.7}
bodies:
  - {name: crank, points: [O, P], length: 1}
  - {name: coupler, points: [P, Q], length: 2.2, mass: 1, cog: [1, 0], I0: 1.5}
  - {name: rocker, points: [D, Q], length: 1.2}
angles: [{angle: theta, of: [O, P]}]
motors: [theta]
"""
    path.write_text(text)
    warned = " ".join(command("info", path).out.split())
    assert "warning: " in warned
    assert "angle 'theta' is at" in warned
    assert "deg, not 0" in warned
    path.write_text(text.replace("of: [O, P]", "of: [O, P], start: 0.1"))
    assert "warning" not in command("info", path).out
