"""XML read without entities, network or huge trees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from screwgraph.errors import ModelError
from screwgraph.formats.diagnostics import Place, Warnings, number, numbers

Element = Any
"""An lxml element; every element of a tree that `parse_xml` returns knows its line."""

_MARK = re.compile(rb"<!(--|DOCTYPE|ENTITY)")
_HEAD = re.compile(rb"(\s*)(<\?xml\s+version\s*=\s*[\"'])[0-9.]+([\"'][^<>]*\?>)")
_WRITTEN = "{urn:screwgraph:written}"
"""Namespace of `line` and `file`: where elements of a document that was expanded from others were written."""
_LINE = re.compile(r"[0-9]{1,9}", re.ASCII)
_POSITION = re.compile(r",? line \d+, column \d+.*$")


def parse_xml(data: bytes, file: str) -> Element:
    """Parse an XML document; elements in the root's own namespace lose that namespace, comments vanish.

    Raises:
        ModelError: not XML, truncated or otherwise ill-formed (with the line), or with a DTD or entities.
    """
    import lxml.etree as etree

    if not data.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0").startswith(b"<"):
        raise ModelError("this is not an XML file", at=Place(file, 1), why="it does not begin with '<'")
    _refuse_declarations(data, file)
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
        root = etree.fromstring(_with_plain_head(data), parser)
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            raise ModelError(
                "a text of the XML is too long, or it is nested too deeply", at=Place(file, error.lineno)
            ) from error
        raise ModelError(
            "the XML is broken or cut off", at=Place(file, error.lineno), why=_POSITION.sub("", error.msg or "")
        ) from error
    except (LookupError, ValueError) as error:
        raise ModelError("the XML cannot be decoded", at=Place(file), why=str(error)) from error
    if root.getroottree().docinfo.doctype:  # one hidden by an unusual encoding
        raise _declaration(Place(file))
    _strip_namespace(root)
    _number(root)
    return root


def _with_plain_head(data: bytes) -> bytes:
    """Put the XML declaration first and call it version 1.0: robots' files have "0.0" there, or blank lines before."""
    return _HEAD.sub(rb"\g<2>1.0\3\1", data, count=1) if _HEAD.match(data) else data


def tostring(root: Element) -> str:
    """Return the text of a document."""
    import lxml.etree as etree

    return etree.tostring(root, encoding="unicode")


def place(element: Element, file: str) -> Place:
    """Return where an element stands, or was written."""
    return Place(element.get(f"{_WRITTEN}file", file), element.sourceline)


def children(element: Element, tag: str) -> Iterator[Element]:
    """Iterate over the direct children of that name."""
    return element.iterchildren(tag)


def only(element: Element, tag: str, file: str, warnings: Warnings) -> Element | None:
    """Return the child of that name, None where there is none; several are remarked upon and the first is taken."""
    found = list(children(element, tag))
    if len(found) > 1:
        warnings.add(
            f"<{element.tag} name={element.get('name', '')!r}> has {len(found)} <{tag}> elements",
            at=place(found[1], file),
            why="only the first counts",
        )
    return found[0] if found else None


def required(element: Element, attribute: str, who: str, file: str) -> str:
    """Return an attribute that must be there and not be blank. Raises ModelError otherwise."""
    value = element.get(attribute)
    if value is None or not value.strip():
        problem = "no" if value is None else "an empty"
        raise ModelError(f"{who}: <{element.tag}> has {problem} {attribute!r} attribute", at=place(element, file))
    return value


def number_of(element: Element, attribute: str, who: str, file: str, default: float | None = None) -> float:
    """Read a number from an attribute; without a default, element and attribute must be there. Raises ModelError."""
    if default is not None and _text_of(element, attribute) is None:
        return default
    text = required(element, attribute, who, file)
    return number(text, f"{who}: {attribute!r} of <{element.tag}>", place(element, file))


def vector_of(
    element: Element, attribute: str, who: str, file: str, default: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> tuple[float, ...]:
    """Read as many numbers as the default has from an attribute. Raises ModelError."""
    text = _text_of(element, attribute)
    if text is None:
        return default
    return numbers(text, len(default), f"{who}: {attribute!r} of <{element.tag}>", place(element, file))


def _text_of(element: Element, attribute: str) -> str | None:
    return None if element is None else element.get(attribute)


def _refuse_declarations(data: bytes, file: str) -> None:
    """Look for declarations outside comments; one that does not end is an error that the parser finds."""
    mark = _MARK.search(data)
    while mark:
        if mark[1] != b"--":
            raise _declaration(Place(file, data.count(b"\n", 0, mark.start()) + 1))
        end = data.find(b"-->", mark.end())
        mark = _MARK.search(data, end + 3) if end >= 0 else None


def _declaration(at: Place) -> ModelError:
    return ModelError(
        "the file declares a document type or entities",
        at=at,
        why="robot files need none, and they can exhaust the memory or read other files",
        fix="remove the <!DOCTYPE ...> part",
    )


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
