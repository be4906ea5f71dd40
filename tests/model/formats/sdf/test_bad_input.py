"""Each thing that can be wrong with an SDF file has one clear line that says where."""

import pytest

from tests.model.formats.sdf_helpers import INERTIAL, joint, link, model, sdf, sdf_complaint

A, B = link("a"), link("b")
BOX = '<joint name="box" type="gearbox"><parent>a</parent><child>b</child>{}</joint>'
CASES = {
    "another root": ("<robot/>", "m.sdf:1: the outermost element is '<robot>': SDF has <sdf> there"),
    "no version": ("<sdf>\n</sdf>", "m.sdf:1: <sdf>: 'version' is '': it is like 1.9"),
    "no model": (sdf(), "m.sdf:1: the file has no model with links"),
    "models without links": (model(), "m.sdf:1: the file has no model with links: all are empty"),
    "a link without name": (model("<link/>"), "m.sdf:3: a link: <link> has no 'name' attribute"),
    "a reserved name": (model(link("world")), "m.sdf:3: a link is called 'world': SDF reserves that name"),
    "two parts of one name": (
        model(A, '<frame name="a"/>'),
        "m.sdf:4: a second link, joint, frame or model is called 'm::a'",
    ),
    "an unknown parent": (model(A, B, joint("j", "z", "b")), "m.sdf:5: no frame is called 'm::z'"),
    "an unknown child": (model(A, B, joint("j", "a", "bb")), "m.sdf:5: no frame is called 'm::bb' (did you"),
    "no child": (
        model(A, '<joint name="j" type="ball"><parent>a</parent></joint>'),
        "m.sdf:4: joint 'j': <joint> has no <child>",
    ),
    "no type": (
        model(A, B, '<joint name="j"><parent>a</parent><child>b</child></joint>'),
        "m.sdf:5: joint 'm::j': <joint> has no 'type' attribute",
    ),
    "an unknown type": (
        model(A, B, joint("j", "a", "b", "revolut")),
        "m.sdf:5: joint 'm::j': SDF has no joint type 'revolut': the types are revolute,",
    ),
    "a zero axis": (model(A, B, joint("j", "a", "b", axis="0 0 0")), "m.sdf:5: joint 'm::j': axis (0.0, 0.0, 0.0)"),
    "a pose of five numbers": (model(link("a", "1 2 3 4 5")), "m.sdf:3: link 'a': <pose> is '1 2 3 4 5': it must be"),
    "a pose of words": (model(link("a", "a b c d e f")), "m.sdf:3: link 'a': <pose> is 'a'"),
    "an unknown rotation format": (
        model('<link name="a"><pose rotation_format="matrix">1 0 0 0 1 0 0</pose></link>'),
        "m.sdf:3: link 'a': <pose>: 'rotation_format' is 'matrix': it is euler_rpy or quat_xyzw",
    ),
    "a zero quaternion": (
        model('<link name="a"><pose rotation_format="quat_xyzw">1 0 0 0 0 0 0</pose></link>'),
        "m.sdf:3: link 'a': <pose> has a zero quaternion",
    ),
    "a pose relative to nothing": (model(link("a", "0 0 0 0 0 0", "z")), "m.sdf:3: no frame is called 'm::z'"),
    "poses in a circle": (
        model(link("a", "0 0 0 0 0 0", "b"), link("b", "0 0 0 0 0 0", "a"), joint("j", "a", "b")),
        "m.sdf:3: frames are placed in a circle: m::b -> m::a -> m::b",
    ),
    "a frame attached to itself": (
        model(A, '<frame name="f" attached_to="g"/>', '<frame name="g" attached_to="f"/>', joint("j", "a", "f")),
        "m.sdf:6: frames are placed in a circle",
    ),
    "a joint of one link": (model(A, joint("j", "a", "a")), "m.sdf:4: loop 'j' joins link 'a' to itself"),
    "links that hang nowhere": (
        model(A, B, link("c"), joint("j", "a", "b")),
        "m.sdf:5: link 'c' is not connected to the base 'a'",
    ),
    "a negative mass": (
        model(link("a", more=INERTIAL.replace("<mass>2", "<mass>-2"))),
        "m.sdf:3: link 'm::a': its mass is -2 kg: a mass is not negative",
    ),
    "a mass that is no number": (
        model(link("a", more=INERTIAL.replace("<mass>2", "<mass>two"))),
        "m.sdf:3: link 'm::a': <mass> is 'two': it must be a finite decimal number",
    ),
    "inertia to be computed": (
        model(link("a", more='<inertial auto="true"/>')),
        "m.sdf:3: link 'm::a': its inertia is to be computed from its shapes: shapes are not read",
    ),
    "a flag that is none": (model("<static>perhaps</static>", A), "m.sdf:3: model 'm': <static> is 'perhaps': it"),
    "a gearbox without body": (
        model(A, B, joint("j", "a", "b"), BOX.format("")),
        "m.sdf:6: joint 'm::box': <joint> has no <gearbox_reference_body>",
    ),
    "a gearbox about another axis": (
        model(
            A, B, link("c"), joint("j", "a", "b"), joint("k", "a", "c"),
            '<joint name="box" type="gearbox"><parent>b</parent><child>c</child>'
            "<gearbox_reference_body>a</gearbox_reference_body><axis><xyz>1 0 0</xyz></axis></joint>",
        ),
        "m.sdf:8: gearbox 'm::box' ties no two angles of joints: joint 'm::j' on the way does not turn about its axis",
    ),
    "a pitch of zero": (
        model(A, B, joint("j", "a", "b", "screw", more="<thread_pitch>0</thread_pitch>")),
        "m.sdf:5: joint 'm::j': <thread_pitch> is 0",
    ),
    "a mimic of a second axis": (
        model(A, B, joint("j", "a", "b"), '<joint name="k" type="revolute"><parent>b</parent><child>c</child>'
              '<axis><mimic joint="j" axis="axis2"/></axis></joint>', link("c")),
        "m.sdf:6: joint 'm::k' mimics a second axis: only joints of one axis can lead",
    ),
    "two robots": (
        sdf('<world name="w">', '<model name="one">', A, "</model>", '<model name="two">', A, "</model></world>"),
        "m.sdf:1: the world has 2 robots, among the models one, two: no joints connect them (choose one by model=",
    ),
    "an entity": ('<!DOCTYPE sdf [<!ENTITY a "b">]><sdf version="1.9"/>', "m.sdf:1: the file declares a document type"),
    "a file cut off": (model(A, B)[:-20], "the XML is broken or cut off"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_the_line_says_where_and_what(text, expected, tmp_path):
    assert expected in sdf_complaint(text, tmp_path)


def test_an_unknown_model_is_refused_with_those_that_there_are(tmp_path):
    assert "m.sdf:1: no model that moves is called 'n' (there are m)" in sdf_complaint(model(A, B), tmp_path, model="n")


INCLUDE = "<include><uri>{}</uri></include>"
INCLUDES = {
    "of a database": ("model://robot", "m.sdf:3: the file includes 'model://robot': no folder is called"),
    "of the network": (
        "https://example.org/r.sdf",
        "m.sdf:3: the file includes 'https://example.org/r.sdf': only local",
    ),
    "of a missing file": ("missing.sdf", "missing.sdf: there is no such file"),
    "of itself": ("m.sdf", "m.sdf:3: the file includes itself: m.sdf -> m.sdf"),
    "of itself by another way": ("./x/../m.sdf", "m.sdf:3: the file includes itself: m.sdf -> m.sdf"),
    "of an empty folder": (".", "model.sdf: there is no such file"),
    "of a device": ("file:///dev/zero", "/dev/zero: this is not an ordinary file"),
    "of a world": ("world.sdf", "world.sdf:1: the file has 0 models: m.sdf:3 includes it, and that takes one"),
    "of other xml": ("other.sdf", "other.sdf:1: the outermost element is '<robot>'"),
    "without end": ("a\0b", "m.sdf"),
}


@pytest.mark.parametrize(("uri", "expected"), INCLUDES.values(), ids=INCLUDES)
def test_includes_take_local_files_with_one_model(uri, expected, tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "world.sdf").write_text(sdf("<world name='w'/>"))
    (tmp_path / "other.sdf").write_text("<robot/>")
    assert expected in sdf_complaint(model(INCLUDE.format(uri)), tmp_path)


def test_files_that_include_one_another_are_refused(tmp_path):
    for name, other in (("one", "two"), ("two", "one")):
        (tmp_path / f"{name}.sdf").write_text(model(INCLUDE.format(f"{other}.sdf"), name=name))
    line = sdf_complaint(model(INCLUDE.format("one.sdf")), tmp_path)
    assert "two.sdf:3: the file includes itself: one.sdf -> two.sdf -> one.sdf" in line


def test_too_many_includes_are_refused(tmp_path):
    """Each of ten files includes the next one twice, under two names: a thousand robots in all."""
    for i in range(10):
        twice = (f"<include><uri>f{i + 1}.sdf</uri><name>{name}</name></include>" for name in "ab")
        (tmp_path / f"f{i}.sdf").write_text(model(link("l"), *twice))
    (tmp_path / "f10.sdf").write_text(model(A))
    assert "the file includes too many files, or too deeply" in sdf_complaint(model(INCLUDE.format("f0.sdf")), tmp_path)


def test_models_within_models_end_somewhere(tmp_path):
    deep = "".join(f'<model name="m{i}">' for i in range(100)) + "</model>" * 100
    assert "models are nested too deeply" in sdf_complaint(model(deep), tmp_path)


def test_long_chains_of_frames_end_somewhere(tmp_path):
    chain = [f'<frame name="f{i}" attached_to="f{i + 1}"/>' for i in range(2000)]
    text = model(A, *chain, '<frame name="f2000" attached_to="a"/>', joint("j", "world", "f0"))
    assert "more than 200 frames are placed on one another: m::f0 -> ... m::f201" in sdf_complaint(text, tmp_path)
