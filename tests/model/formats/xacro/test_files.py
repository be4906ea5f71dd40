"""xacro files as real descriptions write them, against the package xacro; and files that want more than that."""

import importlib.util
import xml.etree.ElementTree as ET
from typing import Any

import pytest

import screwgraph as sg

pytestmark = pytest.mark.skipif(importlib.util.find_spec("xacro") is None, reason="xacro is not installed")

NS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
LIMITS = """
joint_limits:
  hip: {min: !degrees -90, max: !degrees 360.0/4, effort: 150.0}
  knee: {min: !radians -pi/2, max: 1.5}
"""
INERTIALS = """
hip: {mass: 2.7, origin: {xyz: 0.1 0 0, rpy: 0 0 0}, inertia: {xx: 0.1, yy: 0.2, zz: 0.25}}
knee: {mass: !millimeters 1500, origin: {xyz: 0 0 0.2, rpy: 0 0 0}}
"""
PART = f"""<robot {NS}>
  <xacro:property name="shade" value="0.5"/>
  <xacro:macro name="inertials" params="name inertials:=^">
    <xacro:if value="${{name in inertials}}">
      <xacro:property name="own" value="${{inertials[name]}}" lazy_eval="false"/>
      <inertial>
        <origin xyz="${{own.origin.xyz}}" rpy="${{own['origin']['rpy']}}"/>
        <mass value="${{own.mass}}"/>
        <xacro:if value="${{'inertia' in own}}">
          <xacro:property name="I" value="${{own.inertia}}"/>
          <inertia ixx="${{I.xx}}" iyy="${{I.yy}}" izz="${{I.zz}}"/>
        </xacro:if>
        <xacro:unless value="${{'inertia' in own}}">
          <inertia ixx="${{1./12 * own.mass * (3 * radius**2 + 0.1)}}" iyy="0.3" izz="${{own.mass * radius**2 / 2 + 0.1}}"/>
        </xacro:unless>
      </inertial>
    </xacro:if>
  </xacro:macro>
  <xacro:macro name="part" params="name parent *origin **extra radius:=0.05 axis:='0 0 1' limits:=^|${{dict()}} side:=${{'left'}}">
    <link name="${{prefix}}${{name}}">
      <xacro:inertials name="${{name}}"/>
      <collision><geometry><sphere radius="${{radius}}"/></geometry></collision>
      <xacro:insert_block name="extra"/>
    </link>
    <joint name="${{prefix}}${{name}}_joint" type="revolute">
      <xacro:insert_block name="origin"/>
      <parent link="${{parent if parent == 'base' else prefix + parent}}"/><child link="${{prefix}}${{name}}"/>
      <axis xyz="${{axis}}"/>
      <limit lower="${{limits[name]['min']}}" upper="${{limits[name].max}}" velocity="${{radians(180)}}"
             effort="${{limits[name].get('effort', 28.0)}}"/>
    </joint>
  </xacro:macro>
</robot>"""  # noqa: E501
ROBOT = f"""<?xml version="1.0"?>
<robot name="leg" {NS}>
  <xacro:arg name="prefix" default=""/>
  <xacro:arg name="sides" default="['left','right']"/>
  <xacro:arg name="config" default="$(find leg_description)/config"/>
  <xacro:arg name="model" default="long"/>
  <xacro:property name="prefix" value="$(arg prefix)"/>
  <xacro:property name="sides" value="${{$(arg sides)}}"/>
  <xacro:property name="model" value="$(arg model)"/>
  <xacro:property name="has_toe" value="${{model not in ['short', False, 'false']}}"/>
  <xacro:property name="limits" value="${{xacro.load_yaml('$(arg config)/limits.yaml')['joint_limits']}}"/>
  <xacro:property name="inertials" value="${{load_yaml(xacro.abs_filename('../config/inertials.yaml'))}}"/>
  <xacro:include filename="$(find leg_description)/urdf/part.xacro" ns="lib"/>
  <xacro:include filename="part.xacro"/>
  <xacro:include filename="nothing_$(arg model).xacro" optional="true"/>
  <xacro:if value="$(optenv LEG_IS_RED false)"><material name="red"/></xacro:if>
  <link name="base"/>
  <xacro:part name="hip" parent="base" radius="${{max(0.02, 0.06)}}">
    <origin xyz="0 ${{0.1 if 'LEFT'.lower() in sides else -0.1}} 0" rpy="0 ${{-90*pi/180}} 0"/>
    <extra><visual><geometry><box size="${{' '.join([str(x) for x in [0.1, 0.2, lib.shade]])}}"/></geometry></visual></extra>
  </xacro:part>
  <xacro:call macro="${{'pa' + 'rt'}}" name="knee" parent="hip" axis="0 1 0">
    <origin xyz="${{xyz('1 2')}}" rpy="0 0 0"/>
    <extra/>
  </xacro:call>
  <xacro:macro name="toes" params="i">
    <xacro:unless value="${{i == len(sides)}}">
      <link name="${{prefix}}toe_${{sides[i]}}_$(eval model + '_' + 'ab'[1:] * 2)"/>
      <joint name="${{prefix}}toe_${{i}}" type="fixed">
        <parent link="${{prefix}}knee"/><child link="${{prefix}}toe_${{sides[i]}}_${{model}}_bb"/>
        <origin xyz="0 0 ${{'%.3f' % (0.1*i)}}"/>
      </joint>
      <xacro:toes i="${{i + 1}}"/>
    </xacro:unless>
  </xacro:macro>
  <xacro:if value="${{has_toe}}"><xacro:toes i="0"/></xacro:if>
  <gazebo><folder>$(dirname) $(cwd)</folder>$${{not}} $$(evaluated) ${{xacro.warning('half', 'done')}}</gazebo>
  <xacro:element xacro:name="${{'trans' + 'mission'}}" name="t"><xacro:attribute name="kind" value="${{'a' if 1 &lt; 2 else 'b'}}"/></xacro:element>
</robot>""".replace(  # noqa: E501
    "${xyz('1 2')}", "${' '.join([str(float(x) / 10) for x in '1 2 3'.split()])}"
)


@pytest.fixture
def leg(tmp_path):
    folder = tmp_path / "leg_description"
    for name, content in {
        "package.xml": "<package><name>leg_description</name></package>",
        "config/limits.yaml": LIMITS,
        "config/inertials.yaml": INERTIALS,
        "urdf/part.xacro": PART,
        "urdf/leg.urdf.xacro": ROBOT,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder / "urdf" / "leg.urdf.xacro"


def expanded(path, arguments, packages=()):
    """Return the document that we expand, without the places that elements remember."""
    from screwgraph.model.formats.diagnostics import Warnings
    from screwgraph.model.formats.packages import Packages
    from screwgraph.model.formats.xacro import reader as xacro

    root = ET.fromstring(xacro.expand_xacro(str(path), None, arguments, Packages({}, list(packages)), Warnings()).data)
    for element in root.iter():
        for key in [key for key in element.attrib if "written" in key]:
            del element.attrib[key]
    return root


def plain(element):
    """Return what a document says, spaces aside."""
    said = " ".join((element.text or "").split()), " ".join((element.tail or "").split())
    return element.tag, sorted(element.attrib.items()), said, [plain(child) for child in element]


def oracle(path, arguments, monkeypatch):
    """Return what the package xacro makes of a file, with its own expressions."""
    import xacro
    from xacro import substitution_args

    find = {"leg_description": str(path.parents[1])}.__getitem__
    monkeypatch.setattr(substitution_args, "_eval_find", find)
    monkeypatch.setitem(substitution_args._eval_dict, "find", find)
    monkeypatch.setattr(xacro, "substitution_args_context", {"filename": str(path)})
    document: Any = xacro.process_file(str(path), mappings=dict(arguments))
    return ET.fromstring(document.toxml())


@pytest.mark.parametrize(
    "arguments", [{}, {"prefix": "l_", "model": "LONG"}, {"sides": "['a']"}, {"sides": "[]", "model": "short"}]
)
def test_features_of_real_descriptions_expand_as_in_xacro(leg, arguments, monkeypatch):
    monkeypatch.setenv("LEG_IS_RED", "true")
    ours = plain(expanded(leg, arguments))
    assert ours == plain(oracle(leg, arguments, monkeypatch))
    assert "hip" in str(ours)


def test_such_a_description_is_loaded_with_its_numbers(leg):
    robot = sg.load(leg, xacro_args={"prefix": "l_"})
    assert robot.joint_names == ("l_hip_joint", "l_knee_joint")
    assert robot.joints[0].limits.lower == pytest.approx(-1.5707963267948966, rel=1e-15)
    assert [link.inertia.mass for link in robot.links] == [0.0, 2.7, 1.5]
    assert robot.frame_names[-1] == "l_toe_right_long_bb"
    assert "xacro: half done" in " ".join(robot.warnings)


SECRET = "swordfish: 1\n"


@pytest.fixture
def robot(tmp_path):
    """Write a robot whose mass is an expression into a folder of its own, beside which secrets lie."""
    folder = tmp_path / "robots"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_text(SECRET)
    (folder / "own.yaml").write_text("mass: 3\n")

    def write(expression, more=""):
        path = folder / "r.xacro"
        path.write_text(
            f'<robot name="r" {NS}>{more}<link name="a"/><link name="b"><inertial><mass value="{expression}"/>'
            '<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="continuous"><parent link="a"/>'
            '<child link="b"/></joint></robot>'
        )
        return path

    return write


def complaint(source, **options):
    with pytest.raises(sg.ScrewgraphError) as caught:
        sg.load(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "expression",
    [
        "${[f for f in [(c.gi_frame.f_back for c in [1])]]}",
        "${(lambda g: [g.append((x.gi_frame.f_back.f_back for x in g)), next(g[0])])([])}",
        "${().__class__.__base__.__subclasses__()}",
        "${'{0.__class__}'.format(1)}",
        "${xacro.load_yaml.__globals__['os'].system('touch caught')}",
        "$(eval ().__class__)",
        "$(eval [].append.__self__)",
        "${xacro.load_yaml('../secret.yaml')['swordfish']}",
        "${xacro.load_yaml('FOLDER/secret.yaml')['swordfish']}",
        "${xacro.load_yaml('/etc/passwd')}",
        "${xacro.load_yaml('link.yaml')['swordfish']}",
        "${xacro.load_yaml('$(find FOLDER)/secret.yaml')}",
        "${xacro.load_yaml('package://../secret.yaml')}",
        "${xacro.load_yaml('tag.yaml')}",
        "${xacro.load_yaml('/dev/zero')}",
        "${xacro.load_yaml('bomb.yaml')}",
        "$(env MY_API_TOKEN)",
        "$(optenv MY_PASSWORD 3)",
        "$(eval env('MY_SECRET'))",
        "${10**10**9}",
        "${'a' * 10**10}",
        "${python.sum(python.range(10**10))}",
    ],
)
def test_expressions_reach_neither_commands_nor_other_files(robot, expression, tmp_path, monkeypatch):
    for name in ("MY_API_TOKEN", "MY_PASSWORD", "MY_SECRET"):
        monkeypatch.setenv(name, "7")
    monkeypatch.chdir(tmp_path)
    path = robot(expression.replace("FOLDER", str(tmp_path)))
    (path.parent / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (path.parent / "tag.yaml").write_text("!!python/object/apply:os.system ['touch caught']\n")
    many = "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
    (path.parent / "bomb.yaml").write_text(many)
    message = complaint(path)
    assert "r.xacro:1: xacro cannot expand the file" in message or "there is no package" in message
    assert "swordfish" not in message.replace("['swordfish']", "")
    assert not list(tmp_path.rglob("caught"))


def test_yaml_of_the_folder_of_packages_and_of_arguments_is_read(robot, tmp_path):
    assert sg.load(robot("${xacro.load_yaml('own.yaml')['mass']}")).links[1].inertia.mass == 3.0
    outside = robot("${xacro.load_yaml('../secret.yaml')['swordfish']}")
    assert sg.load(outside, packages=tmp_path).links[1].inertia.mass == 1.0
    (tmp_path / "package.xml").write_text("<package><name>robots</name></package>")
    assert sg.load(outside).links[1].inertia.mass == 1.0
    (tmp_path / "package.xml").unlink()
    declared = '<xacro:arg name="file" default=""/>'
    given = robot("${xacro.load_yaml('$(arg file)')['swordfish']}", declared)
    for value in (str(tmp_path / "secret.yaml"), "../secret.yaml"):
        assert sg.load(given, xacro_args={"file": value}).links[1].inertia.mass == 1.0


BOMB = "".join(f'<xacro:macro name="m{i}">{f"<xacro:m{i - 1}/>" * 10 if i else "<a/>"}</xacro:macro>' for i in range(9))


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "refer to themselves without end"),
        pytest.param(f"{BOMB}<xacro:m8/>", "its macros expand to more than", marks=pytest.mark.suite),
        ('<xacro:include filename="/dev/zero"/>', "is not an ordinary file"),
        ('<xacro:include filename="r.xacro"/>', "refer to themselves without end"),
    ],
)
def test_documents_without_end_are_refused(robot, more, what):
    message = complaint(robot("1", more))
    assert what in message or "takes more than 60 s" in message or "breaks down" in message


def test_entities_are_refused(tmp_path):
    path = tmp_path / "r.xacro"
    path.write_text(f'<!DOCTYPE robot [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>\n<robot {NS} name="&b;"/>')
    assert "it declares the entity 'a'" in complaint(path)


def test_a_text_lies_in_no_folder(robot):
    assert "$(dirname) of a text: it lies in no folder" in complaint(robot("$(dirname)").read_text(), xacro_args={})


def test_a_text_is_expanded_where_it_is_asked_for(robot):
    text = robot("${1 + 1}").read_text()
    assert "call xacro files .xacro" in complaint(text)
    assert sg.load(text, xacro_args={}).links[1].inertia.mass == 2.0
    assert "is read only where" in complaint(robot("${xacro.load_yaml('/etc/passwd')}").read_text(), xacro_args={})


def test_arguments_without_a_value_are_named_with_all_that_there_are(robot):
    declared = '<xacro:arg name="heavy"/><xacro:arg name="colour" default="red"/>'
    path = robot("$(arg heavy)", declared)
    message = complaint(path)
    assert "r.xacro:1: argument 'heavy' has no default: the file takes colour, heavy (--xacro heavy:=VALUE" in message
    assert sg.load(path, xacro_args={"heavy": 2}).links[1].inertia.mass == 2.0
    assert "argument 'wide' has no default: the file takes colour (" in complaint(
        robot("$(arg wide)", '<xacro:arg name="colour" default="red"/>')
    )
    assert "argument 'wide' has no default: the file declares no argument" in complaint(robot("${xacro.arg('wide')}"))


def test_massless_robots_are_warned_of_with_the_arguments_of_the_file(tmp_path):
    path = tmp_path / "r.xacro"
    inertial = '<xacro:if value="$(arg heavy)"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    path.write_text(
        f'<robot name="r" {NS}><xacro:arg name="heavy" default="false"/><xacro:arg name="colour" default="red"/>'
        f'<link name="a"/><link name="b">{inertial}</xacro:if></link><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    (line,) = sg.load(path).warnings
    assert "no joint moves a mass or inertia: forward dynamics is undetermined there" in line
    assert "argument of the xacro file: heavy:=false, colour:=red" in line
    assert sg.load(path, xacro_args={"heavy": True}).warnings == ()
    assert "no joint moves a mass" in complaint(path, strict=True)


def test_variables_of_the_environment_are_read_and_missing_ones_are_named(robot, monkeypatch):
    monkeypatch.setenv("LINK_MASS", "2.5")
    monkeypatch.delenv("NO_MASS", raising=False)
    assert sg.load(robot("$(env LINK_MASS)")).links[1].inertia.mass == 2.5
    assert sg.load(robot("$(optenv NO_MASS 1.5)")).links[1].inertia.mass == 1.5
    assert "the environment variable NO_MASS is not set" in complaint(robot("$(env NO_MASS)"))
