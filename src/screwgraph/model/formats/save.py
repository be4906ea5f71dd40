"""A robot to a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model.formats.file_io import write_atomically
from screwgraph.model.formats.robot_yaml_write import yaml_text
from screwgraph.model.formats.urdf_write import urdf_text
from screwgraph.model.robot import Robot

WRITERS: dict[str, Callable[[Robot], str]] = {".urdf": urdf_text, ".yaml": yaml_text, ".yml": yaml_text}


@check_arguments
def save(robot: Robot, path: str | os.PathLike[str]) -> None:
    """Save a robot as URDF or as our YAML, by the suffix of the path; `load` reads it back.

    Joints, links, inertias, limits, frames, loops, couplings, gravity and a floating base come back as they were,
    within 1e-12.
    The file is written as a whole or not at all.

    Raises:
        InputError: not a robot, another suffix, or a path that cannot be written.
        ModelError: the format cannot hold the robot (URDF: a negative mass, a coupling that is not linear).
    """
    target = Path(path)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise InputError(
            f"no format has the suffix {target.suffix!r}", at=str(path), fix=f"save as one of {', '.join(WRITERS)}"
        )
    write_atomically(target, writer(robot).encode("utf-8"), str(path))
