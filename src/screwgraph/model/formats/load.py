"""From a robot file, or the name of a built-in robot, to the robot that dynamics works on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.diagnostics import Place, Warnings, quote_text, suggest_name, validate_number
from screwgraph.model.formats.file_io import read_bytes
from screwgraph.model.formats.meshes.mesh_paths import locate_meshes
from screwgraph.model.formats.mjcf.reader import read_mjcf
from screwgraph.model.formats.model_checks import warn_of_unmodelled, without_inertia
from screwgraph.model.formats.packages import Packages
from screwgraph.model.formats.robot_yaml.reader import read_yaml
from screwgraph.model.formats.sdf.reader import read_sdf
from screwgraph.model.formats.text_sources import TEXT, is_text, is_xml
from screwgraph.model.formats.urdf.reader import read_urdf
from screwgraph.model.formats.world_yaml import is_world, read_world
from screwgraph.model.formats.xacro import reader as xacro
from screwgraph.model.formats.xml import locate_element, parse_xml
from screwgraph.model.robot import (
    Robot,
    make_unknown_name_error,
    merge_fixed,
    remark_on_drawing,
    snap_rotations,
    with_floating_base,
    with_gravity,
    without_damping,
)
from screwgraph.model.robot import (
    lock as lock_joints,
)
from screwgraph.spatial import rotation

Reader = Callable[[bytes, str], Robot]
"""Makes a robot, fixed joints not merged, from the content of a file and its name in messages; raises ModelError."""


def read_xml(data: bytes, file: str) -> Robot:
    """Read a robot from an XML file whose outermost element tells the format. Raises ModelError."""
    root = parse_xml(data, file)
    readers: dict[str, Reader] = {"robot": read_urdf, "sdf": read_sdf, "mujoco": read_mjcf}
    if root.tag not in readers:
        raise ModelError(
            f"the outermost element is {quote_text(f'<{root.tag}>')}",
            at=locate_element(root, file),
            why="robot files have <robot>, <sdf> or <mujoco> there",
        )
    return readers[root.tag](data, file)


READERS: dict[str, Reader] = {
    ".urdf": read_urdf,
    ".sdf": read_sdf,
    ".world": read_sdf,
    ".xml": read_xml,
    ".yaml": read_yaml,
    ".yml": read_yaml,
    xacro.SUFFIX: read_xml,
}
TABLES = {
    ".npz": "read a motion by screwgraph.motion.simulation.read_trajectory",
    ".csv": "read a table by screwgraph.model.formats.read_table",
}
"""What reads files of numbers over time."""
BASES = ("fixed", "floating")

_PREVIEW = 4096


@check_arguments
def load(
    source: str | os.PathLike[str],
    *,
    base: str = "fixed",
    lock: Iterable[str] | Mapping[str, float] = (),
    model: str | None = None,
    gravity: Iterable[float] | None = None,
    damping: bool = True,
    strict: bool = False,
    snap: float = 0.0,
    xacro_args: Mapping[str, str | float | bool] | None = None,
    packages: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]] = (),
) -> Robot:
    """Load a robot from a file or its text, or a built-in one by name, and merge its fixed joints.

    Arguments are those of `screwgraph.load`, which takes planar mechanisms, too.

    Raises:
        ModelError: the file is missing, unreadable or describes no robot; with `strict`, a warning.
        InputError: an argument has a wrong value, an unknown joint or robot included.
    """
    if base not in BASES:
        raise make_unknown_name_error("base", base, BASES)
    if is_world(source):
        for name, is_given in {"base": base != "fixed", "model": model is not None, "xacro_args": xacro_args}.items():
            if is_given:
                why, fix = "a world has several", "say it of one of them in the file"
                raise InputError(f"{name}= goes with single robots", at=str(source), why=why, fix=fix)
        whole = read_world(source, load, gravity=gravity, damping=damping, strict=strict, packages=packages)
        return snap_rotations(lock_joints(whole, lock), snap)
    known = _packages(packages)
    robot, file, folder, given = _read_robot(
        source, model, None if xacro_args is None else xacro.format_arguments(xacro_args), known
    )
    robot = locate_meshes(robot, folder, known)
    robot = lock_joints(_weld_fixed(robot, file), lock)
    remarks = warn_of_unmodelled(robot, file) + without_inertia(robot, file, given) + remark_on_drawing(robot, file)
    robot = replace(robot, warnings=robot.warnings + remarks)
    if strict:
        _refuse_warnings(robot)
    if not damping:
        robot = without_damping(robot)
    if base == "floating":
        robot = with_floating_base(robot)
    if gravity is not None:
        in_world = np.array(with_gravity(robot, gravity).gravity)
        robot = with_gravity(robot, rotation(robot.T_wb).T @ in_world)
    return snap_rotations(robot, snap)


def zoo_names() -> tuple[str, ...]:
    """Return the names of the built-in robots."""
    folder = files("screwgraph") / "model" / "zoo"
    names = (entry.name for entry in folder.iterdir()) if folder.is_dir() else ()
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def _read_robot(
    source: object, model: str | None, arguments: Mapping[str, str] | None, packages: Packages
) -> tuple[Robot, str, Path | None, Mapping[str, str]]:
    """Return the robot as its file has it, how messages call the file, its folder if any, and a xacro's arguments."""
    if not isinstance(source, (str, os.PathLike)) or not os.fspath(source).strip():
        raise InputError(f"{source!r} is neither a path nor the name of a robot", fix='sg.load("robot.urdf")')
    if isinstance(source, str) and source in zoo_names():
        data = (files("screwgraph") / "model" / "zoo" / f"{source}.yaml").read_bytes()
        file, folder, reader = f"{source}.yaml", None, read_yaml
    elif isinstance(source, str) and is_text(source):
        data, file, folder = source.encode("utf-8", "replace"), TEXT, None
        reader = read_xml if is_xml(source) else read_yaml
    else:
        file = os.fsdecode(source)
        path = Path(file)
        if _is_bare_name(source) and not os.path.exists(path):
            raise make_unknown_name_error("built-in robot", source, zoo_names())
        data, folder = read_bytes(path, file), path.parent
        reader = _reader(path, data, file)
    warnings, given = Warnings(), dict[str, str]()
    if file.lower().endswith(xacro.SUFFIX) or (file == TEXT and arguments is not None and xacro.is_xacro(data)):
        expanded = xacro.expand_xacro(file, data if file == TEXT else None, arguments or {}, packages, warnings)
        data, given = expanded.data, expanded.arguments
    elif arguments:
        raise InputError("xacro_args= goes with xacro files", at=file, why="this is none")
    is_sdf = reader is read_sdf or (reader is read_xml and b"<sdf" in data[:_PREVIEW])
    if model is not None and not is_sdf:
        raise InputError(
            f"model={model!r} chooses a model of an SDF world", at=file, why="the file is not an .sdf file"
        )
    robot = read_sdf(data, file, model, packages) if is_sdf else reader(data, file)
    return replace(robot, warnings=(*warnings.lines, *robot.warnings)), file, folder, given


def _packages(given: Any) -> Packages:
    """Return where the user says that packages are. Raises InputError for what is no folder."""
    named: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {}
    folders: list[Any] = []
    if isinstance(given, (str, os.PathLike)) or not isinstance(given, Iterable):
        folders = [given]
    elif not named:
        folders = list(given)
    for folder in (*named.values(), *folders):
        if not isinstance(folder, (str, os.PathLike)) or not os.path.isdir(folder):
            raise InputError(
                f"packages: there is no folder {quote_text(str(folder))}", fix='packages={"NAME": "path/to/NAME"}'
            )
    return Packages({str(name): os.fspath(f) for name, f in named.items()}, [os.fspath(f) for f in folders])


def _weld_fixed(robot: Robot, file: str) -> Robot:
    """Weld the links that fixed joints join; what a complaint about it lacks is the file."""
    try:
        merged = merge_fixed(robot)
    except ModelError as error:
        raise ModelError(error.what, at=error.at or file, why=error.why, fix=error.fix) from error
    for link in merged.links:
        largest = float(abs(link.inertia.matrix()).max())
        validate_number(
            largest, f"{largest:g}", f"link {link.name!r}: inertia with all that is welded to it", Place(file)
        )
    return merged


def _is_bare_name(source: object) -> bool:
    return isinstance(source, str) and source.isidentifier()


def _reader(path: Path, data: bytes, file: str) -> Reader:
    reader = READERS.get(path.suffix.lower())
    if reader is None and b"<robot" in data[:_PREVIEW]:
        return read_urdf
    if reader is None and path.suffix.lower() in TABLES:
        raise ModelError(
            f"files with the suffix {path.suffix!r} are no models",
            at=file,
            why="they hold motions or measurements",
            fix=TABLES[path.suffix.lower()],
        )
    if reader is None:
        raise ModelError(
            f"files with the suffix {path.suffix!r} are not read",
            at=file,
            why="the suffix tells the format",
            fix=suggest_name(path.suffix, READERS, "readable are"),
        )
    return reader


def _refuse_warnings(robot: Robot) -> None:
    for line in robot.warnings:
        raise ModelError(f"{line} [an error, since strict checks are on]")
