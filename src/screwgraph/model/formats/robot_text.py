"""A robot as a text that other files can hold."""

from __future__ import annotations

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.robot_yaml import read_yaml
from screwgraph.model.formats.robot_yaml_write import yaml_text
from screwgraph.model.robot import Robot


def to_text(robot: Robot) -> str:
    """Write a robot as our YAML. Raises ModelError for a joint of an unregistered type."""
    return yaml_text(robot)


def try_to_text(robot: Robot) -> str:
    """Return a robot as text, nothing where a joint of the user's own has no word in our format."""
    try:
        return to_text(robot)
    except ModelError:
        return ""


def from_text(text: str, file: str) -> Robot:
    """Read a robot that `to_text` wrote; `file` is what holds it, for messages. Raises ModelError."""
    return read_yaml(text.encode("utf-8"), file)
