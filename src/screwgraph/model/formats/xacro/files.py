"""What a xacro file reads beside itself: YAML files in its folder and in packages, packages, the environment.

Nothing but the standard library and PyYAML is imported.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from screwgraph.model.formats.packages import ROS_1, ROS_2, Packages, list_folders
from screwgraph.model.formats.xacro.values import ExpressionError, validate_size

LARGEST_FILE = 20_000_000
"""Bytes."""
UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}
"""Tags of numbers in YAML, and what they are in SI units."""
_NEAR = 3
"""How far above a file the folder of its package may lie that has no package.xml."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)


class NoPackageError(Exception):
    """$(find ...) names a package that is nowhere."""


@dataclass(frozen=True)
class Surroundings:
    """Location of a xacro file (None for a text), and what its user named: packages, and values of arguments."""

    folder: Path | None
    packages: Packages
    arguments: Mapping[str, str]
    _above: set[Path] = field(default_factory=set)

    def find(self, name: str) -> str:
        """Return the folder of a package. Raises NoPackageError."""
        folder = self.packages.find(name, self.folder)
        if folder is None:
            raise NoPackageError(name)
        if self.folder is not None and folder.absolute() in list(self.folder.absolute().parents)[:_NEAR]:
            self._above.add(folder)
        return str(folder)

    def absolute(self, spec: str, beside: Callable[[str], str]) -> str:
        """Return the path of a file that is named with or without package://."""
        scheme, mark, rest = spec.partition("package://")
        if scheme or not mark:
            return beside(spec)
        name, _, inside = rest.partition("/")
        return os.path.join(self.find(name), inside)

    def check(self, path: Path) -> None:
        """Raise ExpressionError for a file of numbers that is neither near nor in a package, nor named by the user."""
        real = path.resolve()
        if any(_is_within(real, root) for root in self._roots()) or _has_manifest(real):
            return
        raise ExpressionError(
            f"{path} is read only where it lies in the folder of the xacro file, in a package (a folder with "
            "package.xml), or where an argument or packages= names it"
        )

    def _roots(self) -> Iterable[Path]:
        named = (*self.packages.named.values(), *self.packages.folders, *list_folders(ROS_1, ROS_2))
        given = [Path(value) for value in self.arguments.values() if value.strip()]
        yield from (Path(folder) for folder in named)
        yield from (path for path in given if path.is_absolute() and path != Path(path.anchor))
        if self.folder is not None:
            folder = self.folder.absolute()
            yield folder
            yield from (above for above in self._above if not Path.home().is_relative_to(above))
            yield from (folder / path for path in given if not path.is_absolute() and path.name)

    def environment(self, name: str) -> str | None:
        """Return a variable of the environment, None where there is none. Raises ExpressionError for secrets."""
        if _SECRET.search(name):
            raise ExpressionError(f"the environment variable {name} may hold a secret: give its value as an argument")
        return os.environ.get(name)


def read_text(path: Path) -> bytes:
    """Return the content of an ordinary file of reasonable size. Raises OSError, ExpressionError."""
    if path.exists() and not path.is_file():
        raise ExpressionError(f"{path} is not an ordinary file")
    if path.exists() and path.stat().st_size > LARGEST_FILE:
        raise ExpressionError(f"{path} has more than {LARGEST_FILE / 1e6:.0f} MB")
    return path.read_bytes()


def read_yaml(content: bytes, number: Callable[[str], Any]) -> Any:
    """Return what YAML says, numbers with units in SI units; `number` evaluates the expressions of these."""
    import yaml

    class Loader(yaml.SafeLoader):
        """Knows units."""

    def constructor(factor: float) -> Callable[[Any, Any], float]:
        return lambda loader, node: float(number(loader.construct_scalar(node))) * factor

    for tag, factor in UNITS.items():
        Loader.add_constructor(tag, constructor(factor))
    return validate_size(yaml.load(content, Loader))


def _is_within(path: Path, root: Path) -> bool:
    return path.is_relative_to(root.resolve())


def _has_manifest(path: Path) -> bool:
    return any((folder / "package.xml").is_file() for folder in path.parents)
