"""xacro files: expanded with arguments, packages found, and errors where they were written."""

import importlib.util
import json
import os
import subprocess
import sys
import sysconfig

import pytest

import screwgraph as sg

needs_xacro = pytest.mark.skipif(importlib.util.find_spec("xacro") is None, reason="xacro is not installed")

ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="prefix" default=""/>
  <xacro:arg name="mass" default="1.0"/>
  <xacro:include filename="$(find my_arm)/urdf/part.xacro"/>
  <link name="$(arg prefix)base"/>
  <xacro:part name="$(arg prefix)one" parent="$(arg prefix)base" mass="$(arg mass)"/>
  <xacro:part name="$(arg prefix)two" parent="$(arg prefix)one" mass="${2 * $(arg mass)}"/>
</robot>"""
PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="part" params="name parent mass">
    <link name="${name}">
      <inertial>
        <mass value="${mass}"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1"/>
      </inertial>
    </link>
    <joint name="${name}_joint" type="continuous">
      <parent link="${parent}"/><child link="${name}"/><axis xyz="0 0 1"/>
    </joint>
  </xacro:macro>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    folder = tmp_path / "my_arm" / "urdf"
    folder.mkdir(parents=True)
    (folder / "arm.urdf.xacro").write_text(ARM)
    (folder / "part.xacro").write_text(PART)
    return folder / "arm.urdf.xacro"


def complaint(source, **options):
    with pytest.raises(sg.ScrewgraphError) as caught:
        sg.load(source, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@needs_xacro
def test_a_file_is_expanded_with_its_includes_and_arguments(arm):
    robot = sg.load(arm)
    assert [link.inertia.mass for link in robot.links] == [0.0, 1.0, 2.0]
    robot = sg.load(arm, xacro_args={"prefix": "left_", "mass": 3})
    assert robot.joint_names == ("left_one_joint", "left_two_joint")
    assert [link.inertia.mass for link in robot.links] == [0.0, 3.0, 6.0]


@needs_xacro
def test_the_process_that_expands_finds_the_package_beside_itself(arm):
    """Python's own folder of packages is on its path, without what they install there for others."""
    job = {"file": str(arm), "text": None, "args": {}, "named": {"my_arm": str(arm.parents[1])}, "folders": []}
    process = importlib.util.find_spec("screwgraph.model.formats.xacro.process").origin
    around = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    command = [sys.executable, "-S", "-P", process]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, env=around, check=True)
    assert json.loads(done.stdout)["asked"] == ["mass", "prefix"]


@needs_xacro
def test_an_argument_without_a_value_is_named_with_those_that_files_declare(arm):
    arm.write_text(ARM.replace(' default=""', ""))
    declares = '<xacro:arg name="finish" default="matt"/>'
    arm.with_name("part.xacro").write_text(PART.replace("<xacro:macro", f"{declares}<xacro:macro", 1))
    words = ":2: argument 'prefix' has no default: the file takes "
    assert f"{words}mass, prefix (--xacro prefix:=VALUE" in complaint(arm, xacro_args={"prefx": "a"})
    arm.write_text(ARM.replace("$(arg prefix)base", "$(arg side)base"))
    assert ":5: argument 'side' has no default: the file takes finish, mass, prefix (" in complaint(arm)


@needs_xacro
def test_errors_are_said_where_they_were_written_through_macros_and_includes(arm):
    assert f"{arm.parent / 'part.xacro'}:5: link 'one': its mass is -1 kg" in complaint(arm, xacro_args={"mass": -1})
    cases = {
        ("${2 *", "${2 * heavy *"): ":7: xacro cannot expand the file: name 'heavy' is not defined",
        ("<xacro:part name", "<xacro:prt name"): ":6: xacro cannot expand the file: unknown macro name: xacro:prt",
        ("find my_arm", "find your_arm"): ":4: there is no package 'your_arm'",
        ("urdf/part.xacro", "urdf/none.xacro"): ":4: xacro cannot expand the file:",
        ("</robot>", ""): ":8: xacro cannot expand the file: the XML is broken",
    }
    for (old, new), expected in cases.items():
        bad = arm.with_name("bad.xacro")
        bad.write_text(ARM.replace(old, new))
        assert f"{bad}{expected}" in complaint(bad)


@needs_xacro
def test_a_text_in_xacro_needs_to_know_where_packages_are(arm, monkeypatch):
    assert "<text>:2: <xacro:arg> stands in the file" in complaint(ARM)
    assert "give xacro_args={}, and the text is expanded" in complaint(ARM)
    assert "<text>:4: there is no package 'my_arm'" in complaint(ARM, xacro_args={})
    packages = arm.parents[1]
    for given in (packages.parent, [packages.parent], {"my_arm": packages}):
        assert sg.load(ARM, packages=given, xacro_args={}).nv == 2
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(packages.parent))
    assert sg.load(ARM.replace("$(find my_arm)", "package://my_arm"), xacro_args={}).nv == 2


@needs_xacro
def test_arguments_that_a_file_does_not_take_are_refused(arm):
    assert "the file has no <xacro:arg> 'prefx' (did you mean 'prefix'?)" in complaint(arm, xacro_args={"prefx": "l"})


def test_arguments_go_with_xacro_files_only():
    assert "xacro_args= goes with xacro files" in complaint("rr", xacro_args={"a": 1})
    assert "is no name of an argument" in complaint("rr", xacro_args={"a b": 1})


def test_where_xacro_is_not_installed_it_is_said_how_to_install_it(arm, tmp_path, monkeypatch):
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "xacro.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "absent"))
    assert "pip install 'screwgraph[xacro]'" in complaint(arm)
