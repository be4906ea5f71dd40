"""XML that is broken or hostile is refused in one line, quickly."""

import time

import pinocchio as pin
import pytest

from tests.model.formats.helpers import complaint, joint, link, loaded, urdf

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha" * 10}">\n' for i in range(12))
BOMB = f'<?xml version="1.0"?>\n<!DOCTYPE robot [\n{LAUGHS}]>\n<robot name="x"><link name="a">&l11;</link></robot>'
GOOD = urdf(link("a"), link("b"), joint("j", "a", "b"))


@pytest.mark.parametrize("text", ["ISO-10303-21;", "{}", "name: rr\nbodies: []", "\x7fELF\x02\x01", "%PDF-1.4"])
def test_what_is_no_xml_is_called_so(text, tmp_path):
    assert complaint(text, tmp_path) == "leg.urdf:1: this is not an XML file: it does not begin with '<'"


def test_a_truncated_file_is_refused_with_its_last_line(tmp_path):
    lines = GOOD.splitlines()
    message = complaint("\n".join(lines[:3]), tmp_path)
    assert message.startswith("leg.urdf:3: the XML is broken or cut off: ")
    assert "line 3" not in message


@pytest.mark.parametrize("length", range(1, len(GOOD) - 1, 23))
def test_a_file_cut_off_anywhere_is_refused(length, tmp_path):
    assert complaint(GOOD[:length], tmp_path).startswith("leg.urdf:")


@pytest.mark.parametrize("text", ["<robot><link></robot>", "<robot a=1/>", "<robot/><robot/>", "<robot><!-- </robot>"])
def test_ill_formed_xml_is_refused(text, tmp_path):
    assert complaint(text, tmp_path).startswith("leg.urdf:1: the XML is broken or cut off: ")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_xml_bomb_is_refused_before_it_grows(encoding, tmp_path):
    start = time.perf_counter()
    message = complaint(BOMB.replace("?>", f' encoding="{encoding}"?>', 1).encode(encoding), tmp_path)
    assert time.perf_counter() - start < 5.0
    assert message.startswith("leg.urdf")
    if encoding == "utf-8":
        assert message.startswith("leg.urdf:2: the file declares a document type or entities: robot files need none")


def test_a_bomb_in_an_attribute_is_refused_in_any_encoding(tmp_path):
    text = BOMB.replace("?>", ' encoding="utf-16"?>', 1).replace('"x"', '"&l11;"')
    assert complaint(text.encode("utf-16"), tmp_path).startswith("leg.urdf")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_external_entity_is_refused_and_not_read(encoding, tmp_path):
    (tmp_path / "secret.txt").write_text("swordfish")
    uri = (tmp_path / "secret.txt").as_uri()
    text = f'<!DOCTYPE robot [<!ENTITY x SYSTEM "{uri}">]>\n<robot name="r"><link name="a">&x;</link></robot>'
    message = complaint(f'<?xml version="1.0" encoding="{encoding}"?>\n{text}'.encode(encoding), tmp_path)
    assert "the file declares a document type or entities" in message
    assert "swordfish" not in message


UNBOUND = "\n<ros:a b:c='1'><xacro:include filename='x'/></ros:a>\n"
LENIENT = {
    "rulers in comments": (lambda t: t.replace("\n", "\n<!------- arm ------->\n<!-- a -- b --->\n", 1), ""),
    "a document type": (
        lambda t: '<!DOCTYPE robot SYSTEM "http://nowhere.invalid/x.dtd">\n' + t,
        ":1: the document type is",
    ),
    "a short document type": (
        lambda t: '<?xml version="1.0"?>\n<!DOCTYPE robot>\n' + t,
        ":2: the document type is passed over",
    ),
    "a bare ampersand": (
        lambda t: t.replace('"leg"', '"leg & foot"').replace('"M"', '"M & N"'),
        "'&' is no entity of XML",
    ),
    "entities of HTML": (
        lambda t: t.replace('"leg"', '"leg&nbsp;"').replace('"M"', '"M&nbsp;"'),
        "'&nbsp;' is no entity",
    ),
    "declared as UTF-16": (lambda t: '<?xml version="1.0" encoding="UTF-16"?>\n' + t, ""),
    "of no encoding": (lambda t: '<?xml version="1.0" encoding="klingon"?>\n' + t, ""),
    "a byte order mark": (lambda t: "\ufeff" + t, ""),
    "ends of lines of Windows": (lambda t: t.replace("\n", "\r\n"), ""),
    "spaces in tags": (lambda t: t.replace("/>", "  \n />").replace('="', ' =\n "'), ""),
    "Latin-1 in a comment": (lambda t: t.replace("\n", "\n<!-- gr\xf6\xdfe -->\n", 1).encode("latin-1"), ""),
    "an unbound prefix": (lambda t: t.replace("\n", UNBOUND, 1), "prefix 'ros'"),
}
"""Ways of writing that other readers take, and what we say about them."""
FOR_MUJOCO = [name for name in LENIENT if name != "an unbound prefix"]  # MuJoCo refuses elements that it does not know
MJCF = """<mujoco model="M">
<worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody>
</mujoco>"""
SDF = """<sdf version="1.9">
<model name="leg"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent>a</parent><child>b</child>
<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def data_of(name, text):
    changed = LENIENT[name][0](text)
    return changed if isinstance(changed, bytes) else changed.encode()


def said(robot, name):
    expected = LENIENT[name][1]
    lines = [line for line in robot.warnings if "<inertial>" not in line]
    return any(expected in line for line in lines) if expected else not lines


@pytest.mark.parametrize("name", LENIENT)
def test_urdf_is_read_as_leniently_as_by_pinocchio(name, tmp_path):
    data = data_of(name, urdf(link("a"), link("b"), joint("j", "a", "b", more=LIMIT)))
    robot = loaded(data, tmp_path)
    theirs = pin.buildModelFromUrdf(str(tmp_path / "leg.urdf"))
    assert (robot.nv, list(robot.joint_names), robot.name) == (theirs.nv, list(theirs.names)[1:], theirs.name)
    assert said(robot, name), robot.warnings


@pytest.mark.usefixtures("forked_mujoco")
@pytest.mark.parametrize("name", FOR_MUJOCO)
def test_mjcf_is_read_as_leniently_as_by_mujoco(name, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    robot = loaded(data_of(name, MJCF), tmp_path, "leg.xml")
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "leg.xml"))
    assert (robot.nv, robot.joint_names) == (theirs.nv, (theirs.joint(0).name,))
    assert said(robot, name), robot.warnings


@pytest.mark.parametrize("name", LENIENT)
def test_sdf_is_read_as_leniently(name, tmp_path):
    robot = loaded(data_of(name, SDF), tmp_path, "leg.sdf")
    assert robot.joint_names == ("j",)
    assert said(robot, name), robot.warnings


def test_latin_1_in_names_is_read_with_a_warning(tmp_path):
    robot = loaded(urdf(link("gr\xf6\xdfe")).encode("latin-1"), tmp_path)
    assert robot.links[0].name == "größe"
    assert "leg.urdf:2: the file has bytes that are not UTF-8: they are read as Latin-1" in robot.warnings[0]


def test_sections_of_characters_are_left_alone(tmp_path):
    text = urdf(
        link("a"), link("b"), joint("j", "a", "b"), "<gazebo><![CDATA[<!-- & -- <!DOCTYPE x> &nbsp; ]]></gazebo>"
    )
    assert loaded(text, tmp_path).warnings == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-7"])
def test_entities_are_found_in_every_encoding(encoding, tmp_path):
    message = complaint(BOMB.replace("?>", f' encoding="{encoding}"?>', 1).encode(encoding), tmp_path)
    assert "declares a document type or entities" in message or encoding == "utf-7"


def test_prefixes_without_end_are_refused(tmp_path):
    parts = (f"<p{i}:a/>" for i in range(1000))
    assert "too many prefixes" in complaint(urdf(link("a"), *parts), tmp_path)


def test_leftovers_of_xacro_that_are_declared_are_still_refused(tmp_path):
    text = urdf(link("a"), "<xacro:include filename='x'/>").replace(
        "<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"', 1
    )
    assert "call the file .xacro" in complaint(text, tmp_path)


def test_a_doctype_in_a_comment_is_a_comment(tmp_path):
    assert loaded(GOOD.replace("</robot>", "<!-- no\n<!DOCTYPE here --></robot>"), tmp_path).nv == 1


def test_other_encodings_are_read(tmp_path):
    text = '<?xml version="1.0" encoding="{}"?>' + urdf(link("größe"))
    for encoding in ("utf-8", "iso-8859-1", "utf-16"):
        assert loaded(text.format(encoding).encode(encoding), tmp_path).links[0].name == "größe"


@pytest.mark.parametrize("encoding", ["klingon", "utf-32", "utf-7", "rot13"])
def test_a_wrong_or_odd_encoding_is_read_or_refused(encoding, tmp_path):
    assert complaint(f'<?xml version="1.0" encoding="{encoding}"?><robt/>', tmp_path).startswith("leg.urdf")


@pytest.mark.parametrize("text", ["<robot>" + "<a>" * 100_000, f'<robot name="{"x" * 10_000_010}"/>'])
def test_deep_nesting_and_endless_texts_are_refused(text, tmp_path):
    assert complaint(text, tmp_path) == "leg.urdf:1: a text of the XML is too long, or it is nested too deeply"


@pytest.mark.parametrize(
    "head", ['<?xml version="0.0" ?>\n', '\n\n<?xml version="1.0" encoding="utf-8"?>\n', " <?xml version='0.1'?>"]
)
def test_a_declaration_with_an_odd_version_or_after_blank_lines_is_read(head, tmp_path):
    assert loaded(head + GOOD, tmp_path).nv == 1
    here = head.count("\n") + 2
    assert complaint(head + GOOD[:40], tmp_path).startswith(f"leg.urdf:{here}: the XML is broken")
