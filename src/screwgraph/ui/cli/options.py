"""Options that commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import numpy as np
import typer

from screwgraph import Mechanism, Robot, orderings
from screwgraph.model.formats import load
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.ui.cli.console import print_note, show_progress

LARGEST_SNAP = 0.01


class BaseKind(StrEnum):
    """Fixed or floating base."""

    fixed = "fixed"
    floating = "floating"


class Problem(StrEnum):
    """Problem to solve."""

    inverse = "inverse"
    forward = "forward"
    hybrid = "hybrid"


def _three_numbers(text: str | None) -> str | None:
    if text is not None and gravity_vector(text) is None:
        raise typer.BadParameter(f'{text!r} is not three finite numbers (for example --gravity "0 0 -9.81")')
    return text


def _known_ordering(name: str | None) -> str | None:
    names = ("auto", *orderings.ORDERINGS)
    if name is not None and name not in names:
        raise typer.BadParameter(str(make_unknown_name_error("ordering", name, names)))
    return name


RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT", help="A robot file (.urdf, .xacro, .sdf, .xml, .yaml), or a built-in robot such as puma560."
    ),
]
Base = Annotated[BaseKind, typer.Option("--base", help="Fixed or floating base.")]
Lock = Annotated[
    list[str] | None, typer.Option("--lock", metavar="JOINT", help="Joint to weld; repeatable, or separated by commas.")
]
Independent = Annotated[
    list[str] | None,
    typer.Option(
        "--independent",
        metavar="JOINT",
        help="Independent joint of a closed chain, in the place of the file's or of those that are found; repeatable, "
        "or separated by commas.",
    ),
]
Gravity = Annotated[
    str | None,
    typer.Option(
        "--gravity", metavar='"X Y Z"', callback=_three_numbers, help="Gravity (m/s^2), instead of the file's."
    ),
]
NoDamping = Annotated[bool, typer.Option("--no-damping", help="Ignore the viscous damping of joints.")]
Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Snap = Annotated[
    float,
    typer.Option(
        "--snap",
        metavar="TOL",
        min=0.0,
        max=LARGEST_SNAP,
        help="Round entries of rotations that are this close to 0 or +-1.",
    ),
]
Model = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Name of the robot, in a file with several.")
]
XacroArgs = Annotated[
    list[str] | None,
    typer.Option("--xacro", metavar="NAME:=VALUE", help="Value for an argument of a xacro file; repeatable."),
]
ProblemKind = Annotated[Problem, typer.Option("--problem", help="Problem to solve.")]
ExternalWrenches = Annotated[
    list[str] | None,
    typer.Option(
        "--external-wrenches",
        metavar="LINK",
        help="A link or frame on which an external wrench acts; repeatable, or separated by commas (`solve` reads "
        "them from its state file, too).",
    ),
]
Accelerations = Annotated[
    list[str] | None,
    typer.Option(
        "--accelerations",
        metavar="JOINT",
        help="Hybrid only: a joint whose acceleration is given; repeatable, or separated by commas.",
    ),
]
Actuated = Annotated[
    list[str] | None,
    typer.Option(
        "--actuated",
        metavar="JOINT",
        help="Inverse only: a joint that drives the robot, by default the independent ones (with --actuators: an "
        "actuator); where there are more than degrees of freedom, torques have the minimum "
        "norm. Repeatable, or separated by commas.",
    ),
]
Actuators = Annotated[
    bool,
    typer.Option(
        "--actuators",
        help="Efforts of the robot's actuators (`actuators:` of its file) take the place of joint torques.",
    ),
]
OrderingName = Annotated[
    str | None,
    typer.Option(
        "--ordering", metavar="NAME", callback=_known_ordering, help=f"One of auto, {', '.join(orderings.ORDERINGS)}."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; NaN and infinities become null.")]


def gravity_vector(text: str) -> tuple[float, ...] | None:
    """Read three finite numbers with spaces or commas between; None where the text is something else."""
    try:
        numbers = tuple(float(word) for word in text.replace(",", " ").split())
    except ValueError:
        return None
    return numbers if len(numbers) == 3 and np.isfinite(numbers).all() else None


def split_names(given: list[str] | None) -> tuple[str, ...]:
    """Return the names that a repeatable option got, each once; a value is one name or several with commas between."""
    return tuple(dict.fromkeys(name.strip() for value in given or () for name in value.split(",")))


def load_robot(
    robot: str,
    base: BaseKind,
    lock: list[str] | None,
    gravity: str | None,
    no_damping: bool,
    strict: bool,
    snap: float,
    model: str | None = None,
    xacro: list[str] | None = None,
    independent: list[str] | None = None,
) -> Robot:
    """Load the robot that the shared options describe. Raises ModelError and InputError as `load` does."""
    settings = {
        "base": base.value,
        "lock": split_names(lock),
        "gravity": None if gravity is None else gravity_vector(gravity),
        "damping": not no_damping,
        "strict": strict,
        "snap": snap,
        "model": model,
        "xacro_args": None if xacro is None else parse_xacro_args(xacro),
    }
    with show_progress(f"reading {robot}"):
        loaded = load(robot, **settings)
        return loaded.with_independent_joints(split_names(independent)) if independent else loaded


def parse_xacro_args(given: list[str] | None) -> dict[str, str]:
    """Return the arguments of a xacro file, "name:=value" each. Raises BadParameter."""
    found = {}
    for item in given or ():
        name, mark, value = item.partition(":=")
        if not mark or not name.strip():
            raise typer.BadParameter(f"--xacro {item!r} is not NAME:=VALUE")
        found[name.strip()] = value
    return found


def print_warnings(robot: Robot | Mechanism) -> None:
    """Say on stderr that a model has warnings, so that no result rests on them unseen."""
    if robot.warnings:
        count = len(robot.warnings)
        more = f" (and {count - 1} more, `screwgraph info` lists them)" if count > 1 else ""
        print_note(f"warning: {robot.warnings[0]}{more}")
