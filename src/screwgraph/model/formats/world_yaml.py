"""Files of worlds: robots and bodies by their own files, where each stands, as one model."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import complaints_at
from screwgraph.model.formats.file_io import read_bytes
from screwgraph.model.formats.robot_yaml.body import read_pose
from screwgraph.model.formats.text_sources import TEXT, is_text, is_xml, model_name
from screwgraph.model.formats.yaml_keys import POSE, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.model.robot import STANDARD_GRAVITY, Joint, Robot, with_gravity
from screwgraph.model.robot.attach import world
from screwgraph.model.robot.joints import Floating
from screwgraph.spatial import rotation

PARAMETERS = Entry(
    "inputs of the step of `sg.Simulator` and of exported code: ground, trunk.mass, ...", "[name, ...]", default="[]"
)
WORLD: Keys = {
    "name": Entry("name of the world", default="the file's name"),
    "gravity": Entry("acceleration of free fall", VECTOR, "m/s²", "[0, 0, -9.81]"),
    "robots": Entry("robots and bodies", "list", default=REQUIRED),
    "contacts": Entry("which of their points touch, as of files of contacts, which this file is, too", "list"),
    "ground": Entry("what these touch, as of files of contacts", "mapping"),
    "parameters": PARAMETERS,
}
ROBOT: Keys = {
    "robot": Entry("name: that of its link arm is ROBOT/arm", default=REQUIRED),
    "file": Entry("its file, beside this one, or a built-in robot", default=REQUIRED),
    "base": Entry("fixed or floating", default="fixed"),
    **POSE,
    "lock": Entry("joints to weld", "[joint, ...]", default="[]"),
    "xacro": Entry("values for the arguments of a xacro file", "{name: text}", default="{}"),
}
"""Poses `at`, `rpy` are those of what the robot's file calls the world; a floating base begins there."""
_ROBOTS = re.compile(r"^robots[ \t]*:", re.MULTILINE)
Load = Callable[..., Robot]


def is_world(source: object) -> bool:
    """Tell whether a file or its text means a world: it has robots."""
    if not isinstance(source, str | os.PathLike):
        return False
    if is_text(source):
        return not is_xml(str(source)) and bool(_ROBOTS.search(str(source)))
    try:
        path = Path(os.fsdecode(source))
        is_yaml = path.suffix.lower() in (".yaml", ".yml") and path.is_file()
        return is_yaml and bool(_ROBOTS.search(path.read_text("utf-8", "replace")))
    except (OSError, ValueError):
        return False


def read_world(
    source: str | os.PathLike[str], load: Load, gravity: Iterable[float] | None = None, **options: Any
) -> Robot:
    """Return the robots of a file, or of its text, as one model: `sg.world` of what `load(file, **options)` returns.

    `gravity` replaces that of the file.

    Raises:
        ModelError: no well-formed YAML, a key or value that the format does not have, or a robot that cannot be read.
    """
    file = TEXT if is_text(source) else os.fsdecode(source)
    data = str(source).encode("utf-8", "replace") if file == TEXT else read_bytes(Path(file), file)
    root = parse_yaml(data, file)
    entries = root.section(WORLD, "the world")
    if "robots" in entries and isinstance(entries["robots"].content, dict):
        raise ModelError(
            "the world: robots is a mapping",
            at=entries["robots"].at,
            why="it is a list",
            fix="robots: [{robot: arm, file: arm.urdf}]",
        )
    items = entries["robots"].items() if "robots" in entries else ()
    if not items:
        raise root.complaint("it must have robots: [{robot: arm, file: arm.urdf}]")
    if gravity is None:
        gravity = entries["gravity"].numbers({}, 3) if "gravity" in entries else STANDARD_GRAVITY
    options["gravity"] = gravity
    robots = dict[str, Robot]()
    for item in items:
        name, robot = _read_robot(item, Path(file).parent, partial(load, **options))
        if name in robots:
            raise ModelError(f"two robots are called {name!r}", at=item.at, fix="give each a name of its own")
        robots[name] = robot
    with complaints_at("the world", root.at):
        return replace(world(robots), name=entries["name"].text() if "name" in entries else model_name(file))


def _read_robot(item: Value, folder: Path, load: Load) -> tuple[str, Robot]:
    entries = item.section(ROBOT, "a robot")
    for key in ("robot", "file"):
        if key not in entries:
            raise ModelError(f"a robot has no {key}", at=item.at, fix="write {robot: arm, file: arm.urdf}")
    name, file = entries["robot"].text(), entries["file"].text()
    beside = folder / file
    if is_world(beside):
        raise ModelError(f"robot {name!r}: {file} is a world itself", at=item.at, fix="name its robots here")
    options: dict[str, Any] = {"base": entries["base"].text()} if "base" in entries else {}
    if "lock" in entries:
        options["lock"] = [joint.text() for joint in entries["lock"].items()]
    if "xacro" in entries:
        options["xacro_args"] = {key: value.text() for key, value in entries["xacro"].mapping().items()}
    with complaints_at(f"robot {name!r}", item.at):
        try:
            robot = load(file if file.isidentifier() and not beside.exists() else beside, **options)
        except ModelError as error:
            if error.at is None:
                raise
            raise ModelError(
                f"robot {name!r} of {item.at}: {error.what}", at=error.at, why=error.why, fix=error.fix
            ) from None
    return name, _move(robot, read_pose(entries, {}))


def _move(robot: Robot, T: Float[np.ndarray, "4 4"]) -> Robot:
    """Return the robot with what its file calls the world at a pose in the one of all: floating bases begin there."""
    base = robot.links[0]
    if base.inertia.is_zero and all(joint.is_free for joint in robot.children(base.name)):
        return replace(robot, joints=tuple(_begin_at(j, T) if j.parent == base.name else j for j in robot.joints))
    gravity = rotation(T @ robot.T_wb).T @ rotation(robot.T_wb) @ np.array(robot.gravity)
    return with_gravity(replace(robot, T_wb=T @ robot.T_wb), gravity)


def _begin_at(joint: Joint, T: Float[np.ndarray, "4 4"]) -> Joint:
    """Return a floating joint that begins at a pose, where it began at none."""
    start = joint.origin @ joint.type.transform(joint.neutral_position())
    q = Floating().nearest(np.linalg.inv(joint.origin) @ T @ start)
    return replace(joint, neutral=tuple(map(float, q)))
