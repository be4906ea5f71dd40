"""What `load` accepts, and what its options do."""

import os
import subprocess
import sys

import numpy as np
import pytest

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import load, zoo_names
from screwgraph.model.formats.file_io import LARGEST_FILE
from screwgraph.model.robot.joints import Floating
from tests.model.formats.helpers import close, complaint, joint, link, loaded, urdf

PAIR = urdf(*map(link, "abc"), joint("i", "a", "b", more='<dynamics damping="2"/>'), joint("j", "b", "c"))


def refused(source, **options):
    with pytest.raises((ModelError, InputError)) as caught:
        load(source, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_missing_file_is_named_and_a_near_one_suggested(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused("panda.urdf") == "panda.urdf: there is no such file (check the path)"
    (tmp_path / "panda.urdf").write_text(PAIR)
    assert refused("pandas.urdf") == "pandas.urdf: there is no such file (did you mean 'panda.urdf'?)"
    assert "no directory 'nowhere'" in refused("nowhere/panda.urdf")


def test_a_directory_an_empty_and_a_huge_file_are_refused(tmp_path):
    (tmp_path / "folder.urdf").mkdir()
    assert "folder.urdf: this is a directory" in refused(tmp_path / "folder.urdf")
    for name in ("leg.urdf", "leg.yaml"):
        assert complaint(" \n", tmp_path, name) == f"{name}: the file is empty (name another file)"
    huge = tmp_path / "huge.urdf"
    with huge.open("wb") as stream:
        stream.truncate(LARGEST_FILE + 1)
    assert "huge.urdf: the file has 20 MB: more than 20 MB are refused" in refused(huge)


def test_a_device_is_refused(tmp_path):
    assert "not an ordinary file" in refused(os.devnull)


def test_an_unreadable_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "leg.urdf"
    path.write_text(PAIR)

    def denied(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_bytes", denied)
    assert refused(path).endswith("leg.urdf: the file cannot be read: Permission denied")


@pytest.mark.parametrize("source", ["x" * 5000, "a\0b.urdf", "\udcff.urdf"])
def test_impossible_paths_are_refused(source):
    assert refused(source)


@pytest.mark.parametrize("source", [None, 3, b"", ["a.urdf"], object()])
def test_a_source_that_is_no_path_is_refused(source):
    assert "source: expected a text (str) or a path" in refused(source)
    assert "neither a path nor the name of a robot" in refused("")


def test_an_unknown_suffix_lists_the_readable_ones(tmp_path):
    assert complaint("solid", tmp_path, "leg.stl").startswith("leg.stl: files with the suffix '.stl' are not read")
    assert "readable are .urdf, .sdf, .world, .xml, .yaml, .yml, .xacro" in complaint("solid", tmp_path, "leg.stl")
    assert "did you mean '.urdf'?" in complaint("x", tmp_path, "leg.urd")


@pytest.mark.parametrize(("name", "reader"), [("run.npz", "read_trajectory"), ("log.csv", "read_table")])
def test_files_of_numbers_name_what_reads_them(tmp_path, name, reader):
    assert f"{name}: files with the suffix" in (said := complaint("1,2", tmp_path, name))
    assert reader in said


def test_urdf_is_recognised_under_other_suffixes(tmp_path):
    for name in ("leg.xml", "leg.URDF", "leg.txt", "leg"):
        assert loaded(PAIR, tmp_path, name).nv == 2


def test_a_file_without_a_name_inside_is_called_after_itself(tmp_path):
    assert loaded(PAIR.replace('name="leg"', "", 1), tmp_path, "arm.urdf").name == "arm"


def test_built_in_robots_load_by_name_and_unknown_ones_are_listed():
    assert zoo_names()
    for name in zoo_names():
        assert load(name).name == name
    message = refused("no_such_robot_at_all")
    assert "no built-in robot is called 'no_such_robot_at_all'" in message
    assert zoo_names()[0] in message


@pytest.mark.skipif("puma560" not in zoo_names(), reason="the zoo is empty")
def test_a_near_name_of_a_built_in_robot_is_suggested():
    assert "did you mean puma560" in refused("puma56")


def test_a_floating_base_comes_first_and_only_once(tmp_path):
    robot = loaded(PAIR, tmp_path, base="floating")
    assert robot.joint_names == ("floating_base", "i", "j")
    assert isinstance(robot.joints[0].type, Floating)
    already = urdf(
        '<link name="odom"/>', *map(link, "ab"), joint("i", "a", "b"), joint("root", "odom", "a", "floating")
    )
    for base in ("fixed", "floating"):
        assert loaded(already, tmp_path, base=base).joint_names == ("root", "i")


def test_a_base_called_world_can_float(tmp_path):
    robot = loaded(PAIR.replace('"a"', '"world"'), tmp_path, base="floating")
    assert [part.name for part in robot.links] == ["world_", "world", "b", "c"]


def test_locking_welds_joints(tmp_path):
    robot = loaded(PAIR, tmp_path, lock={"j": 0.5})
    assert robot.joint_names == ("i",)
    assert robot.link("b").inertia.mass == 2.0
    close(robot.frame("c").T_lf[1:3, 1:3], [[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    assert loaded(PAIR, tmp_path, lock="i").joint_names == ("j",)


def test_damping_and_gravity_can_be_replaced(tmp_path):
    assert loaded(PAIR, tmp_path).joints[0].damping == 2.0
    assert loaded(PAIR, tmp_path, damping=False).joints[0].damping == 0.0
    assert loaded(PAIR, tmp_path, gravity=np.array([0, 0, -1.62])).gravity == (0.0, 0.0, -1.62)


def test_snapping_rounds_and_reports_but_is_no_strict_error(tmp_path):
    text = urdf(link("a"), link("b"), joint("j", "a", "b", more='<origin rpy="1.5708 0 0"/>'))
    robot = loaded(text, tmp_path, snap=1e-4, strict=True)
    assert (robot.joints[0].origin[:3, :3] == [[1, 0, 0], [0, 0, -1], [0, 1, 0]]).all()
    assert "joint 'j': rotation snapped" in robot.warnings[0]
    assert loaded(text, tmp_path).joints[0].origin[1, 1] != 0.0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"base": "fixd"}, "no base is called 'fixd' (did you mean fixed?)"),
        ({"base": None}, "base: expected a text (str), got NoneType None"),
        ({"lock": ("k",)}, "no joint is called 'k'"),
        ({"lock": (3,)}, "lock: expected names (a list of str)"),
        ({"lock": 3}, "lock: expected names (a list of str)"),
        ({"lock": {"i": float("nan")}}, "joint 'i' cannot be locked at nan"),
        ({"lock": {"i": "far"}}, "joint 'i' cannot be locked at 'far'"),
        ({"gravity": (0, 0)}, "gravity (0, 0) is not three finite numbers"),
        ({"gravity": 9.81}, "gravity: expected a list of numbers, got float 9.81"),
        ({"snap": -1.0}, "snap=-1.0 is not a tolerance"),
        ({"snap": "fine"}, "snap: expected a number, got str 'fine'"),
        ({"snap": float("nan")}, "snap: expected a number, got float nan"),
    ],
)
def test_a_wrong_argument_is_an_input_error(options, expected, tmp_path):
    with pytest.raises(InputError) as caught:
        loaded(PAIR, tmp_path, **options)
    assert expected in str(caught.value)


def test_blanks_and_links_that_lead_nowhere_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused(" ") == "' ' is neither a path nor the name of a robot (sg.load(\"robot.urdf\"))"
    (tmp_path / "a.urdf").symlink_to("b.urdf")
    (tmp_path / "b.urdf").symlink_to("a.urdf")
    assert refused("a.urdf") == "a.urdf: there is no such file (it is a link that leads nowhere)"


def test_importing_the_room_loads_no_parser():
    code = "import sys, screwgraph.model.formats; print({'lxml', 'yaml', 'simpleeval'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
