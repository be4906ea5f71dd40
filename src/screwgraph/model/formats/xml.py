"""XML read without entities, network or huge trees.

The text of a document is read as leniently as readers of robots do: lines stay lines. TinyXML-2, which reads URDF and
MJCF for most programs, ends a comment at the first `-->`, passes over document types, leaves an `&` that begins no
entity as it is, and asks for no encoding.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings, parse_number, parse_numbers, quote_text

Element = Any
"""An lxml element; every element of a tree that `parse_xml` returns knows its line."""

_WRITTEN = "{urn:screwgraph:written}"
"""Namespace of `line` and `file`: where elements of a document that was expanded from others were written."""

_LINE = re.compile(r"[0-9]{1,9}", re.ASCII)

_PREFIX = re.compile(r"Namespace prefix ([\w.-]+) ")

_ROOT = re.compile(r"\s*<[\w.:-]+")

UNDECLARED = "urn:screwgraph:undeclared"
"""Namespaces of prefixes that a file uses and does not declare begin so."""

MOST_PREFIXES = 20

_POSITION = re.compile(r",? line \d+, column \d+.*$")

_HEAD = re.compile(r"\s*<\?xml(\s[^<>]*?)?\?>", re.IGNORECASE)

_ENCODING = re.compile(r"encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']", re.ASCII)

_MARK = re.compile(r"<!--|<!\[CDATA\[|<!DOCTYPE|<!ENTITY|<\?")

_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}

_PLAIN_TYPE = re.compile(r"<!DOCTYPE\s[^\[\]<>]*>")

_AMPERSAND = re.compile(r"&(?!(?:#[0-9]+|#x[0-9a-fA-F]+|amp|lt|gt|quot|apos);)")

_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
"""How documents begin whose characters are of two or four bytes."""

_ESCAPED = re.compile("[\udc80-\udcff]")


def parse_xml(data: bytes, file: str, warnings: Warnings | None = None) -> Element:
    """Parse an XML document; elements in the root's own namespace lose that namespace, comments vanish.

    What robots' other readers pass over is passed over with a warning: document types, prefixes that are not declared.

    Raises:
        ModelError: not XML, truncated or otherwise ill-formed (with the line), or with entities.
    """
    import lxml.etree as etree

    remarks = Warnings() if warnings is None else warnings
    if not data.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0").startswith(b"<"):
        raise ModelError("this is not an XML file", at=Place(file, 1), why="it does not begin with '<'")
    text = read_text(data, file, remarks)
    for _ in range(MOST_PREFIXES):
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            dtd_validation=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            root = etree.fromstring(text.encode("utf-8", "replace"), parser)
            break
        except etree.XMLSyntaxError as error:
            text = _with_prefix(text, error, file, remarks)
        except (LookupError, ValueError) as error:
            raise ModelError("the XML cannot be decoded", at=Place(file), why=str(error)) from error
    else:
        raise ModelError("the file has too many prefixes that are not declared", at=Place(file))
    if root.getroottree().docinfo.doctype:
        raise declares_entities(Place(file))
    _strip_namespace(root)
    _number(root)
    return root


def read_text(data: bytes, file: str, warnings: Warnings) -> str:
    """Return the text of a document, well-formed where lenient readers take it; its head and comments are blank.

    Raises:
        ModelError: it declares entities, or a document type with a part of its own.
    """
    text = _decode_document(data)
    head = _HEAD.match(text)
    if head:
        text = _blank(head[0]) + text[head.end() :]
    parts: list[str] = []
    done = 0
    while (mark := _MARK.search(text, done)) is not None:
        parts.append(text[done : mark.start()])
        kind, begin = mark[0], mark.start()
        if kind in _ENDS:
            end = text.find(_ENDS[kind], mark.end())
            if end < 0:  # left for the parser to complain about
                parts.append(text[begin:])
                done = len(text)
                break
            done = end + len(_ENDS[kind])
            parts.append(text[begin:done] if kind == "<![CDATA[" else _blank(text[begin:done]))
            continue
        at = Place(file, text.count("\n", 0, begin) + 1)
        plain = _PLAIN_TYPE.match(text, begin) if kind == "<!DOCTYPE" else None
        if plain is None:
            raise declares_entities(at)
        warnings.add("the document type is passed over", at=at)
        done = plain.end()
        parts.append(_blank(plain[0]))
    return _mend_text("".join([*parts, text[done:]]), file, warnings)


def declares_entities(at: Place) -> ModelError:
    """Return the complaint about a document that declares entities."""
    return ModelError(
        "the file declares a document type or entities",
        at=at,
        why="robot files need none, and they can exhaust the memory or read other files",
        fix="remove the <!DOCTYPE ...> part",
    )


def _decode_document(data: bytes) -> str:
    """Return the characters of a document; bytes that are none of its encoding are Latin-1, as surrogates."""
    for mark, encoding in _WIDE:
        if data.startswith(mark):
            return data.decode(encoding, "replace").removeprefix("\ufeff")
    data = data.removeprefix(codecs.BOM_UTF8)
    said = _ENCODING.search(data[:200].decode("latin-1"))
    if said and _HEAD.match(data[:1000].decode("latin-1")):
        try:
            codec = codecs.lookup(said[1])
            if codec.name not in ("utf-7", "utf-16", "utf-32") and codec._is_text_encoding:
                return data.decode(said[1])
        except (LookupError, ValueError):
            pass
    return data.decode("utf-8", "surrogateescape")


def _mend_text(text: str, file: str, warnings: Warnings) -> str:
    """Return a text without what is no character, and without an `&` that begins no entity."""
    odd = _ESCAPED.search(text)
    if odd:
        warnings.add(
            "the file has bytes that are not UTF-8", at=_locate_match(text, odd, file), why="they are read as Latin-1"
        )
        text = _ESCAPED.sub(lambda found: chr(ord(found[0]) - 0xDC00), text)
    bare = _outside_cdata(text, _AMPERSAND.search)
    if bare:
        what = quote_text(re.split(r"[\s\"'<>]", text[bare.start() : bare.start() + 12])[0])
        warnings.add(
            f"{what} is no entity of XML",
            at=_locate_match(text, bare, file),
            why="'&' is read as it is",
            fix="write &amp;",
        )
        pieces = re.split(r"(<!\[CDATA\[.*?\]\]>)", text, flags=re.DOTALL)
        text = "".join(p if i % 2 else _AMPERSAND.sub("&amp;", p) for i, p in enumerate(pieces))
    return text


def _outside_cdata(text: str, search: Callable[[str, int], re.Match[str] | None]) -> re.Match[str] | None:
    found = search(text, 0)
    while found:
        begin = text.rfind("<![CDATA[", 0, found.start())
        if begin < 0 or text.find("]]>", begin) < found.start():
            return found
        found = search(text, text.find("]]>", begin))
    return None


def _locate_match(text: str, found: re.Match[str], file: str) -> Place:
    return Place(file, text.count("\n", 0, found.start()) + 1)


def _blank(text: str) -> str:
    return "\n" * text.count("\n")


def _with_prefix(text: str, error: Any, file: str, warnings: Warnings) -> str:
    """Return a text that declares the prefix that the parser misses. Raises ModelError for another error."""
    import lxml.etree as etree

    missing = _PREFIX.match(error.msg or "")
    begin = _ROOT.match(text)
    if error.code == etree.ErrorTypes.NS_ERR_UNDEFINED_NAMESPACE and missing and begin:
        prefix = missing[1]
        warnings.add(
            f"the prefix {prefix!r} is not declared",
            at=Place(file, error.lineno),
            why="its elements and attributes are passed over",
            fix=f'write xmlns:{prefix}="..." into the outermost element',
        )
        return f'{begin[0]} xmlns:{prefix}="{UNDECLARED}:{prefix}"{text[begin.end() :]}'
    if error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        raise ModelError(
            "a text of the XML is too long, or it is nested too deeply", at=Place(file, error.lineno)
        ) from error
    raise ModelError(
        "the XML is broken or cut off", at=Place(file, error.lineno), why=_POSITION.sub("", error.msg or "")
    ) from error


def to_string(root: Element) -> str:
    """Return the text of a document."""
    import lxml.etree as etree

    return etree.tostring(root, encoding="unicode")


def locate_element(element: Element, file: str) -> Place:
    """Return where an element stands, or was written."""
    return Place(element.get(f"{_WRITTEN}file", file), element.sourceline)


def children(element: Element, tag: str) -> Iterator[Element]:
    """Iterate over the direct children of that name."""
    return element.iterchildren(tag)


def find_only_child(element: Element, tag: str, file: str, warnings: Warnings) -> Element | None:
    """Return the child of that name, None where there is none; several are remarked upon and the first is taken."""
    found = list(children(element, tag))
    if len(found) > 1:
        warnings.add(
            f"<{element.tag} name={element.get('name', '')!r}> has {len(found)} <{tag}> elements",
            at=locate_element(found[1], file),
            why="only the first counts",
        )
    return found[0] if found else None


def required_attribute(element: Element, attribute: str, who: str, file: str) -> str:
    """Return an attribute that must be there and not be blank. Raises ModelError otherwise."""
    value = element.get(attribute)
    if value is None or not value.strip():
        problem = "no" if value is None else "an empty"
        raise ModelError(
            f"{who}: <{element.tag}> has {problem} {attribute!r} attribute", at=locate_element(element, file)
        )
    return value


def read_number(element: Element, attribute: str, who: str, file: str, default: float | None = None) -> float:
    """Read a number from an attribute; without a default, element and attribute must be there. Raises ModelError."""
    if default is not None and _text_of(element, attribute) is None:
        return default
    text = required_attribute(element, attribute, who, file)
    return parse_number(text, f"{who}: {attribute!r} of <{element.tag}>", locate_element(element, file))


def read_vector(
    element: Element, attribute: str, who: str, file: str, default: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> tuple[float, ...]:
    """Read as many numbers as the default has from an attribute. Raises ModelError."""
    text = _text_of(element, attribute)
    if text is None:
        return default
    return parse_numbers(text, len(default), f"{who}: {attribute!r} of <{element.tag}>", locate_element(element, file))


def _text_of(element: Element, attribute: str) -> str | None:
    return None if element is None else element.get(attribute)


def _strip_namespace(root: Element) -> None:
    """Drake's URDF files, for one, put every element into a default namespace."""
    prefix, brace, _ = root.tag.rpartition("}")
    if brace:
        for element in root.iter(f"{prefix}}}*"):
            element.tag = element.tag.removeprefix(f"{prefix}}}")


def _number(root: Element) -> None:
    """Give the elements of an expanded document the lines on which they were written."""
    if root.get(f"{_WRITTEN}line") is None:
        return
    line = 1
    for element in root.iter():
        said = element.attrib.pop(f"{_WRITTEN}line", "")
        line = int(said) if _LINE.fullmatch(said) else line
        element.sourceline = line
