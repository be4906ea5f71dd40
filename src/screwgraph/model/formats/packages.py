"""Where packages of ROS are: named by the user, by the environment, or near the file.

No reader of robots is imported: the process that expands xacro files imports this module, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from screwgraph.base.summary import one_line

ROS_1, ROS_2 = "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"
"""Environment variables: folders of packages, and folders whose `share` has packages."""
GAZEBO = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")
"""Environment variables: folders of Gazebo's models."""

_NAME = re.compile(rb"<name[^>]*>\s*([^<\s]+)\s*</name>")
_PLAIN = re.compile(r"[\w.+-]+")


@dataclass(frozen=True)
class Packages:
    """Packages that a user names: `named` gives the folder of a package, in `folders` packages are looked for."""

    __repr__ = one_line

    named: Mapping[str, str] = field(default_factory=dict)
    folders: Sequence[str] = ()

    def find(self, name: str, near: Path | None) -> Path | None:
        """Return the folder of a package, None where there is none; `near` is the folder of the file that names it.

        What the user names comes first, then `ROS_PACKAGE_PATH`, `AMENT_PREFIX_PATH` and Gazebo's variables, then
        folders above `near`, and those beside these.
        """
        if not _PLAIN.fullmatch(name) or name in (".", ".."):
            return None
        if name in self.named:
            return Path(self.named[name])
        places = [Path(folder) for folder in self.folders] + list_folders(ROS_1, *GAZEBO)
        shares = [prefix / "share" for prefix in list_folders(ROS_2)]
        above = [] if near is None else [near.absolute(), *near.absolute().parents]
        found = (
            *(candidate for place in places for candidate in (place, place / name, *_deeper(place, name))),
            *(share / name for share in shares),
            *(candidate for place in above for candidate in (place, place / name)),
        )
        return next((folder for folder in found if _is_package(folder, name)), None)


def list_folders(*variables: str) -> list[Path]:
    """Return the folders that variables of the environment list."""
    return [Path(entry) for v in variables for entry in os.environ.get(v, "").split(os.pathsep) if entry]


def _deeper(place: Path, name: str) -> list[Path]:
    """Packages often lie in folders of repositories: one level is looked through."""
    try:
        return sorted(place.glob(f"*/{name}"))
    except OSError:
        return []


def _is_package(folder: Path, name: str) -> bool:
    """Whether a folder is called so, or says so in its package.xml."""
    try:
        if not folder.is_dir():
            return False
        if folder.name == name:
            return True
        manifest = folder / "package.xml"
        said = _NAME.search(manifest.read_bytes()) if manifest.is_file() else None
    except (OSError, ValueError):
        return False
    return said is not None and said[1] == name.encode()
