"""Elements that know their lines, read by expat: no entities, no network."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from xml.parsers import expat


class ErrorTypes:
    """Reasons of refusals that readers look at."""

    ERR_RESOURCE_LIMIT = -1
    NS_ERR_UNDEFINED_NAMESPACE = -2


class XMLSyntaxError(SyntaxError):
    """A document that is no XML."""

    def __init__(self, message: str, code: int, line: int) -> None:
        super().__init__(message)
        self.code, self.lineno = code, line


class Element:
    """An element, its attributes, and the line on which it stands."""

    def __init__(self, tag: str, attrib: dict[str, str], line: int, parent: Element | None) -> None:
        self.tag, self.attrib, self.sourceline, self._parent = tag, attrib, line, parent
        self._children: list[Element] = []
        self.text: str | None = None
        self.tail: str | None = None

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Element]:
        return iter(self._children)

    def __getitem__(self, i: int) -> Element:
        return self._children[i]

    def get(self, name: str, default: Any = None) -> Any:
        return self.attrib.get(name, default)

    def set(self, name: str, value: str) -> None:
        self.attrib[name] = value

    def getparent(self) -> Element | None:
        return self._parent

    def iterchildren(self, tag: str | None = None) -> Iterator[Element]:
        return (child for child in self._children if tag is None or child.tag == tag)

    def find(self, tag: str) -> Element | None:
        return next(self.iterchildren(tag), None)

    def findall(self, tag: str) -> list[Element]:
        return list(self.iterchildren(tag))

    def iter(self, *tags: str) -> Iterator[Element]:
        if not tags or self.tag in tags or any(t.endswith("}*") and self.tag.startswith(t[:-1]) for t in tags):
            yield self
        for child in self._children:
            yield from child.iter(*tags)

    def iterancestors(self, tag: str | None = None) -> Iterator[Element]:
        above = self._parent
        while above is not None:
            if tag is None or above.tag == tag:
                yield above
            above = above._parent

    def getroottree(self) -> Any:
        root = list(self.iterancestors())[-1:] or [self]
        return SimpleNamespace(docinfo=SimpleNamespace(doctype=""), getroot=lambda: root[0])


class XMLParser:
    """Options of the parser; all that readers forbid, this one cannot do."""

    def __init__(self, **_: bool) -> None:
        pass


def fromstring(data: bytes, parser: XMLParser | None = None) -> Element:
    """Parse a document. Raises XMLSyntaxError where it is broken."""
    reader, above, root = expat.ParserCreate(namespace_separator="}"), list[Element](), list[Element]()

    def start(tag: str, attributes: dict[str, str]) -> None:
        named = {_name(key): value for key, value in attributes.items()}
        element = Element(_name(tag), named, reader.CurrentLineNumber, above[-1] if above else None)
        (above[-1]._children if above else root).append(element)
        above.append(element)

    def text(found: str) -> None:
        if above[-1]._children:
            last = above[-1]._children[-1]
            last.tail = (last.tail or "") + found
        else:
            above[-1].text = (above[-1].text or "") + found

    reader.StartElementHandler, reader.EndElementHandler = start, lambda tag: above.pop()
    reader.CharacterDataHandler = text
    try:
        reader.Parse(data, True)
    except expat.ExpatError as error:
        raise XMLSyntaxError(expat.errors.messages[error.code], error.code, error.lineno) from error
    return root[0]


def _name(name: str) -> str:
    return "{" + name if "}" in name else name
