"""XML that is broken or hostile is refused in one line, quickly."""

import time

import pytest

from tests.formats.helpers import complaint, joint, link, loaded, urdf

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


@pytest.mark.parametrize("text", ["<robot><link></robot>", "<robot a=1/>", "<robot>&nbsp;</robot>", "<robot/><robot/>"])
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


def test_a_plain_doctype_is_refused_too(tmp_path):
    assert "remove the <!DOCTYPE" in complaint(
        "<!DOCTYPE robot SYSTEM 'http://nowhere.invalid/x.dtd'>\n" + GOOD, tmp_path
    )


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
