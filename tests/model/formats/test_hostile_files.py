"""Files that would take long, end the process, or speak to the terminal."""

import time

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError, one_line
from screwgraph.motion.planning.collision import load_distance_grid
from tests.model.formats.helpers import complaint, loaded, urdf

QUICK = 10.0
"""Seconds; each took longer, and takes under a second on a quiet machine."""
BODY = '<mujoco><worldbody><body name="b" {0}><joint name="j" type="hinge" {1}/>{2}</body></worldbody></mujoco>'
SPHERE = '<geom type="sphere" size="0.1" mass="1"/>'


@pytest.mark.parametrize("comment", ["<!--", "<!-- -->", "<!-- <!DOCTYPE -->"])
def test_many_comments_take_no_time(comment, tmp_path):
    path, began = tmp_path / "leg.urdf", time.process_time()
    path.write_text(urdf('<link name="a"/>', comment * 50_000))
    if comment == "<!--":
        assert "the XML is broken" in complaint(path.read_text(), tmp_path)
    else:
        assert sg.load(path).name == "leg"
    assert time.process_time() - began < QUICK


def test_a_declaration_after_comments_is_found(tmp_path):
    declared = "<!-- <!DOCTYPE a>\n-->\n<!-- -->\n<!DOCTYPE robot [<!ELEMENT a (b)>]>\n"
    text = declared + '<robot name="a"><link name="b"/></robot>'
    assert "leg.urdf:4: the file declares a document type" in complaint(text, tmp_path)


def test_a_million_values_are_refused_before_they_are_read(tmp_path):
    began = time.process_time()
    message = complaint("bodies: [" + "1," * 499_000 + "]", tmp_path, "robot.yaml")
    assert "robot.yaml:1: the YAML has more than 50000 values" in message
    assert time.process_time() - began < QUICK


@pytest.mark.parametrize("text", ["[" * 499_000, "bodies: " + "{" * 499_000, "- " * 499_000, "? " * 499_000])
def test_deep_yaml_is_refused_before_it_is_read(text, tmp_path):
    began = time.process_time()
    assert "robot.yaml:1: the YAML is nested too deeply" in complaint(text, tmp_path, "robot.yaml")
    assert time.process_time() - began < 2.0


def test_names_that_mujoco_hands_to_printf_do_not_end_the_process(tmp_path):
    text = BODY.format("", 'class="%s%s%n"', SPHERE)
    assert "MuJoCo breaks down over the file" in complaint(text, tmp_path, "model.xml")


@pytest.mark.parametrize(
    ("body", "joint", "shape", "what"),
    [
        ('pos="nan 0 0"', "", SPHERE, "'pos' of <body> is 'nan 0 0'"),
        ("", 'damping="inf"', SPHERE, "'damping' of <joint> is 'inf'"),
        ("", 'armature="-Infinity"', SPHERE, "'armature' of <joint> is '-Infinity'"),
        ("", "", '<geom type="sphere" size="0.1" mass="1e308"/>', "'mass' of <geom> is '1e308'"),
        ("", "", '<geom type="sphere" size="inf"/>', "'size' of <geom> is 'inf'"),
    ],
)
def test_numbers_of_mjcf_are_finite(body, joint, shape, what, tmp_path):
    message = complaint(BODY.format(body, joint, shape), tmp_path, "model.xml")
    assert f"model.xml:1: {what}: no parameter of a robot exceeds 1e+100" in message


def test_numbers_of_included_files_are_finite_too(tmp_path):
    (tmp_path / "part.xml").write_text('<mujocoinclude><geom type="sphere" size="0.1" mass="1e200"/></mujocoinclude>')
    message = complaint(BODY.format("", "", '<include file="part.xml"/>'), tmp_path, "model.xml")
    assert "has the number 1e+200" in message


def test_ranges_without_end_are_none(tmp_path):
    robot = loaded(BODY.format("", "", SPHERE).replace("hinge", 'hinge" actuatorfrcrange="-inf inf'), tmp_path, "m.xml")
    assert robot.nv == 1


def test_a_mechanism_without_bodies_is_refused(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("points: [{x: 0, y: 0}]\nbodies: []")
    with pytest.raises(ModelError, match=r"m.yaml:1: the mechanism has no bodies"):
        sg.load_mechanism(path)


@pytest.mark.parametrize("where", ['bodies: [{link: "a\\e[31mb", mass: 1}]', 'name: "x\\e[2J"\nbodies: [{link: a}]'])
def test_control_characters_are_refused_and_never_printed(where, tmp_path):
    message = complaint(where, tmp_path, "robot.yaml")
    assert "control characters" in message
    assert message.isprintable()


def test_names_of_xml_have_no_control_characters(tmp_path):
    message = complaint(urdf('<link name="a&#x9b;31m"/>'), tmp_path)
    assert "the name of link 'a\\x9b31m' has control characters" in message


def test_long_names_are_cut_in_messages(tmp_path):
    name = "a" * 5000
    message = complaint(urdf(f'<link name="{name}"/>', f'<link name="{name}"/>'), tmp_path)
    assert "two links are called 'aaaa" in message
    assert len(message) < 500 + len(str(tmp_path))


def test_messages_keep_paths_whole_and_lose_control_characters():
    path = "/".join(["folder"] * 60)
    assert path in one_line("broken", at=path)
    assert one_line("named \x1b[31mred\x1b[0m") == "named \\x1b[31mred\\x1b[0m"


def test_distance_grids_of_text_are_refused(tmp_path):
    path = tmp_path / "grid.npz"
    np.savez(path, values=np.zeros((3, 3, 3)), origin=np.zeros(3), spacing="x")
    with pytest.raises(InputError, match=r"grid.npz: 'spacing' holds no numbers"):
        load_distance_grid(path)


@pytest.mark.parametrize("at", [0.0, 0.2, 0.4, 0.6, 0.8])
def test_damaged_distance_grids_are_refused(at, tmp_path):
    path = tmp_path / "grid.npz"
    np.savez_compressed(path, values=np.random.default_rng(0).normal(size=(6, 6, 6)), origin=np.zeros(3), spacing=0.1)
    whole = path.read_bytes()
    begin = int(at * len(whole))
    for cut in (whole[:begin], whole[:begin] + b"\xa5" * 40 + whole[begin + 40 :]):
        path.write_bytes(cut)
        with pytest.raises(InputError, match=r"grid.npz"):
            load_distance_grid(path)
