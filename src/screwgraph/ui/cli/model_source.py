"""Models on the command line: files and names, and the options by which they are loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import typer

from screwgraph import Mechanism, Robot, load_mechanism, mechanism_names, zoo_names
from screwgraph.base.errors import InputError
from screwgraph.model.formats import load
from screwgraph.model.load import is_mechanism
from screwgraph.ui.cli.console import make_usage_error, print_note, show_progress
from screwgraph.ui.cli.options import Flag

ROBOT = "base lock independent gravity no_damping strict snap model xacro packages"
"""Options of commands that may change a robot before they ask."""


def _check_gravity(text: str | None) -> str | None:
    if text is not None and _gravity_vector(text) is None:
        raise typer.BadParameter(f'{text!r} is not three finite numbers (for example --gravity "0 0 -9.81")')
    return text


def complete_model(text: str) -> list[str]:
    """Return names of built-in models that begin with a text; shells add files where there is none."""
    return [name for name in (*zoo_names(), *mechanism_names()) if name.startswith(text)]


MODEL_FLAGS: Mapping[str, Flag] = {
    "path": Flag(
        "A robot or a mechanism: a file (.urdf, .xacro, .sdf, .xml, .yaml), or a built-in one such as puma560 or "
        "four_bar.",
        "MODEL",
        is_argument=True,
        complete=complete_model,
    ),
    "base": Flag("Fixed or floating base.", choices=("fixed", "floating")),
    "lock": Flag("Joint to weld.", "JOINT"),
    "independent": Flag(
        "Independent joint of a closed chain, in the place of the file's or of those that are found.", "JOINT"
    ),
    "gravity": Flag("Gravity (m/s^2), instead of the file's.", '"X Y Z"', check=_check_gravity),
    "no_damping": Flag("Ignore the viscous damping of joints."),
    "strict": Flag("Treat warnings as errors."),
    "snap": Flag("Round entries of rotations that are this close to 0 or +-1.", "TOL", min=0.0, max=0.01),
    "model": Flag("Name of the robot, in a file with several.", "NAME"),
    "xacro": Flag("Value for an argument of a xacro file; repeatable.", "NAME:=VALUE"),
    "packages": Flag("Folder of a ROS package, or a folder in which packages are; repeatable.", "[NAME=]FOLDER"),
    "values": Flag("A parameter, for example mass:coupler=2.5; repeatable.", "NAME=X", name="--set"),
}


@dataclass(frozen=True)
class ModelSource:
    """Source of a model, a file or a name, and options by which it is loaded."""

    path: str
    base: str = "fixed"
    lock: tuple[str, ...] = ()
    independent: tuple[str, ...] = ()
    gravity: str | None = None
    no_damping: bool = False
    strict: bool = False
    snap: float = 0.0
    model: str | None = None
    xacro: list[str] | None = None
    packages: list[str] | None = None
    values: list[str] | None = None

    @property
    def is_mechanism(self) -> bool:
        """Whether the model is a planar mechanism; raises a usage error where it is changed as robots are."""
        found = is_mechanism(self.path)
        if found:
            self.refuse_changes("a mechanism's file says all of it")
        return found

    def refuse_changes(self, why: str) -> None:
        """Raise a usage error where options are given that go with robots."""
        changed = [f.name for f in fields(self) if f.name in ROBOT.split() and getattr(self, f.name) != f.default]
        if changed:
            names = " and ".join(f"--{name.replace('_', '-')}" for name in changed)
            raise make_usage_error(f"{names} {'goes' if len(changed) == 1 else 'go'} with robots", why=why)

    def load(self) -> Robot | Mechanism:
        """Return the model. Raises ModelError, InputError, BadParameter."""
        return self.load_mechanism() if self.is_mechanism else self.load_robot()

    def load_mechanism(self) -> Mechanism:
        """Return the mechanism with values for its parameters. Raises ModelError, InputError, BadParameter."""
        given: dict[str, float] = {}
        for item in self.values or ():
            name, _, text = item.partition("=")
            try:
                given[name.strip()] = float(text)
            except ValueError:
                raise typer.BadParameter(f"--set {item!r} is not NAME=NUMBER") from None
        with show_progress(f"reading {self.path}"):
            return load_mechanism(self.path, given or None)

    def load_robot(self) -> Robot:
        """Return the robot. Raises ModelError, InputError, BadParameter."""
        if self.values:
            raise make_usage_error("--set goes with mechanisms of points", why="a robot's file has no parameters")
        if is_mechanism(self.path):
            why, fix = "this command takes robots, whose files have joints", "screwgraph compile takes mechanisms, too"
            raise InputError(f"{self.path} is a mechanism of points", why=why, fix=fix)
        options: dict[str, Any] = {name: getattr(self, name) for name in ("base", "lock", "strict", "snap", "model")}
        options["gravity"] = None if self.gravity is None else _gravity_vector(self.gravity)
        options["xacro_args"] = None if self.xacro is None else dict(map(_parse_xacro, self.xacro))
        options["packages"] = _parse_packages(self.packages or ())
        with show_progress(f"reading {self.path}"):
            loaded = load(self.path, damping=not self.no_damping, **options)
            return loaded.with_independent_joints(self.independent) if self.independent else loaded


def _gravity_vector(text: str) -> tuple[float, ...] | None:
    """Read three finite numbers with spaces or commas between; None where the text is something else."""
    try:
        numbers = tuple(float(word) for word in text.replace(",", " ").split())
    except ValueError:
        return None
    return numbers if len(numbers) == 3 and np.isfinite(numbers).all() else None


def _parse_xacro(item: str) -> tuple[str, str]:
    """Return an argument of a xacro file and its value, from "name:=value"."""
    name, mark, value = item.partition(":=")
    if not mark or not name.strip():
        raise typer.BadParameter(f"--xacro {item!r} is not NAME:=VALUE")
    return name.strip(), value


def _parse_packages(items: Iterable[str]) -> dict[str, str] | list[str]:
    """Return folders of packages by their names, or folders in which packages are looked for."""
    named = {name: folder for name, mark, folder in (item.partition("=") for item in items) if mark}
    if named and len(named) < len(tuple(items)):
        raise typer.BadParameter("--packages takes NAME=FOLDER or FOLDER, not some of each")
    return named or list(items)


def print_warnings(model: Robot | Mechanism, others: Iterable[str] = ()) -> None:
    """Say on stderr that a model has warnings, so that no result rests on them unseen; of other files, each."""
    for line in others:
        print_note(f"warning: {line}")
    if model.warnings:
        count = len(model.warnings)
        more = f" (and {count - 1} more, `screwgraph info` lists them)" if count > 1 else ""
        print_note(f"warning: {model.warnings[0]}{more}")
