"""Names and titles from files as parts of generated texts: one function for each place where a text may stand.

Robots' files are written by others. Whatever their names hold, a generated text holds no code of their authors. Names
in code are made by `identifiers`.
"""

from __future__ import annotations

import re
from html import escape

_PLAIN_BYTES = frozenset(range(0x20, 0x7F)) - frozenset(b'"\\?')
_UNPLAIN = re.compile(r"[^\w .:,()+-]")


def in_comment(text: str) -> str:
    """Return a text for one line of a comment of any language: it ends none, begins none, and continues no line."""
    shown = _one_line(text).replace("\\", " ").replace("?", " ")  # trigraphs, line splices
    return shown.replace("*/", "* /").replace("/*", "/ *")


def in_doc_comment(text: str) -> str:
    """Return a text for one line of a comment that Rust reads as Markdown: without links."""
    return in_comment(text).replace("[", "(").replace("]", ")")


def in_string(text: str) -> str:
    """Return a string literal of C and C++ with its quotes: the bytes of the text in UTF-8."""
    data = text.encode("utf-8", "replace")
    return '"' + "".join(chr(b) if b in _PLAIN_BYTES else f"\\{b:03o}" for b in data) + '"'


def in_xml(text: str) -> str:
    """Return a text between two tags."""
    return escape(_one_line(text), quote=False)


def in_value(text: str) -> str:
    """Return a text for a value of Cargo, CMake or pkg-config: letters, digits and a few signs."""
    return " ".join(_UNPLAIN.sub(" ", _one_line(text)).split())


def _one_line(text: str) -> str:
    """Return a text without what is not printed: ends of lines, and signs that turn the direction of reading."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
