"""The text of an XML document as the readers of robots take it, which are more lenient than XML: lines stay lines.

TinyXML-2, which reads URDF and MJCF for most programs, ends a comment at the first `-->`, passes over document types,
leaves an `&` that begins no entity as it is, and asks for no encoding.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings, quote_text

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
