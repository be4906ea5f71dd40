"""A model to a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model.formats.file_io import write_atomically
from screwgraph.model.formats.robot_yaml.writer import yaml_text as robot_text
from screwgraph.model.formats.urdf.writer import urdf_text
from screwgraph.model.mechanism.yaml_text import yaml_text as mechanism_text
from screwgraph.model.model import Model

WRITERS: Mapping[str, Mapping[str, Callable[[Any], str]]] = {
    "robot": {".urdf": urdf_text, ".yaml": robot_text, ".yml": robot_text},
    "mechanism": {".yaml": mechanism_text, ".yml": mechanism_text},
}
"""Texts by kind of model and suffix."""


@check_arguments
def save(robot: Model, path: str | os.PathLike[str]) -> None:
    """Save a robot as URDF or as our YAML, by the suffix of the path, a mechanism as YAML; `load` reads it back.

    Joints, links, inertias, limits, frames, loops, couplings, gravity and a floating base come back as they were,
    within 1e-12. Of mechanisms the text of their file is written, with the values that they were given, and those that
    `identify` found, in the place of its own.
    The file is written as a whole or not at all.

    Raises:
        InputError: neither a robot nor a mechanism, another suffix, a path that cannot be written, or a mechanism
            without a file.
        ModelError: the format cannot hold the robot (URDF: a negative mass, a coupling that is not linear).
    """
    target, writers = Path(path), WRITERS[robot.kind]
    writer = writers.get(target.suffix.lower())
    if writer is None:
        raise InputError(
            f"no format has the suffix {target.suffix!r}", at=str(path), fix=f"save as one of {', '.join(writers)}"
        )
    write_atomically(target, writer(robot).encode("utf-8"), str(path))
