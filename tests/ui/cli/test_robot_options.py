"""The options that all commands share, and robots that cannot be loaded."""

from __future__ import annotations

import pytest

from tests.robots import robot_file


def test_a_floating_base_comes_first(command):
    robot = command("info", "a1", "--base", "floating", "--json").json
    assert (robot["nq"], robot["nv"]) == (19, 18)
    assert robot["joints"][0]["type"] == "floating"


def test_locked_joints_are_gone(command):
    named = command("info", "puma560", "--lock", "joint1", "--lock", "joint3, joint5", "--json").json
    assert [joint["name"] for joint in named["joints"]] == ["joint2", "joint4", "joint6"]


def test_gravity_replaces_that_of_the_file(command):
    assert command("info", "a1", "--gravity", "-1, 0 2.5", "--json").json["gravity"] == [-1.0, 0.0, 2.5]


def test_damping_can_be_left_out(command):
    path = robot_file("panda.urdf")
    assert any(joint["damping"] for joint in command("info", path, "--json").json["joints"])
    assert not any(joint["damping"] for joint in command("info", path, "--no-damping", "--json").json["joints"])


def test_snapping_is_reported(command):
    path = robot_file("ur5_robot.urdf")
    assert any("snapped" in line for line in command("info", path, "--snap", "1e-3", "--json").json["warnings"])


def test_a_robot_with_warnings_is_refused_when_strict(command, refused):
    warning = command("info", "puma560", "--json").json["warnings"][0]
    assert refused(1, "info", "puma560", "--strict").err.startswith(warning)


def test_a_file_name_may_have_spaces(command, tmp_path):
    path = tmp_path / "a robot [red] :smile:.urdf"
    path.write_text('<robot name="[red]r :smile:"><link name="a[/red]"/></robot>')
    result = command("info", path)
    assert result.status == 0
    assert "[red]r :smile:" in result.out
    assert "a[/red]" in result.out


def test_a_missing_file_is_named(refused, tmp_path):
    assert str(tmp_path / "no.urdf") in refused(1, "info", tmp_path / "no.urdf").err


def test_a_directory_is_no_robot(refused, tmp_path):
    folder = tmp_path / "folder.urdf"
    folder.mkdir()
    assert "directory" in refused(1, "info", folder).err


def test_a_broken_file_is_named_with_its_line(refused, tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text('<robot name="r">\n<link name="a">\n')
    assert f"{path}:" in refused(1, "solve", path, "--problem", "inverse").err


@pytest.mark.parametrize("name", ["", "puma", "a\nb.urdf", "\udcff.urdf"])
def test_a_name_that_means_no_robot_is_one_line(refused, name):
    refused(1, "info", name)


def test_an_unknown_joint_to_lock_is_named(refused):
    assert "'jiont1'" in refused(1, "info", "puma560", "--lock", "jiont1").err


@pytest.mark.parametrize(
    "options",
    [
        ("--base", "flying"),
        ("--gravity", "0 0"),
        ("--gravity", "0 0 nan"),
        ("--gravity", "down"),
        ("--snap", "1"),
        ("--snap", "nan"),
        ("--snap", "small"),
        ("--bse", "fixed"),
        ("--base",),
    ],
)
def test_options_with_impossible_values_are_wrong_use(refused, options):
    assert options[0] in refused(2, "info", "puma560", *options).err


ARM = """<model name="{name}"><link name="foot"/><link name="bob"><inertial><mass>{mass}</mass></inertial></link>
<joint name="weld" type="fixed"><parent>world</parent><child>foot</child></joint>
<joint name="swing" type="revolute"><parent>foot</parent><child>bob</child><axis><xyz>0 1 0</xyz></axis></joint>
</model>"""


def test_a_world_with_several_robots_asks_which_is_meant(command, refused, tmp_path):
    path = tmp_path / "world.sdf"
    models = "".join(ARM.format(name=name, mass=mass) for name, mass in (("left", 1.5), ("right", 2.5)))
    path.write_text(f'<sdf version="1.9"><world name="hall">{models}</world></sdf>')
    assert command("info", path, "--model", "right", "--json").json["moving_mass"] == 2.5
    assert command("solve", path, "--problem", "forward", "--model", "left", "--json").status == 0
    told = refused(1, "info", path).err
    assert "left, right" in told
    assert "--model" in told
    assert (
        "no model that moves is called 'middle'"
        in refused(1, "solve", path, "--problem", "inverse", "--model", "middle").err
    )
    assert "the file is not an .sdf file" in refused(1, "info", "puma560", "--model", "left").err
