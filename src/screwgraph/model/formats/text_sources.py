"""Robots and mechanisms given as the text of a file, such as the parameter `robot_description` of ROS."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

TEXT = "<text>"
"""How messages call a text that is no file."""

_XML = re.compile(r"[\ufeff\s]*<")
_KEY = re.compile(r"^[ \t]*[\w-]+[ \t]*:(\s|$)", re.MULTILINE)


def is_text(source: object) -> bool:
    """Whether a source is a description and no path: XML begins with "<", YAML has lines and a key."""
    return isinstance(source, str) and (is_xml(source) or ("\n" in source.strip() and bool(_KEY.search(source))))


def is_xml(source: str) -> bool:
    """Whether a text begins like XML."""
    return bool(_XML.match(source))


def model_name(file: str) -> str:
    """Return how a model is called whose file does not say it."""
    return "model" if file == TEXT else PurePath(file.removesuffix(".xacro")).stem


def is_on_disk(file: str) -> bool:
    """Return whether the text is the file itself: neither a given text, nor what a xacro file expands to."""
    return file != TEXT and not file.lower().endswith(".xacro") and Path(file).is_file()
