"""Options that commands share, in words: their types and defaults stand in the signatures of the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typer

from screwgraph.elimination import orderings
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.ui.cli.console import make_usage_error

LARGEST_COUNT = 100_000


@dataclass(frozen=True)
class Flag:
    """An option in words; what is empty follows from the parameter's name, type and description."""

    help: str = ""
    metavar: str | None = None
    short: str = ""
    name: str = ""
    choices: tuple[str, ...] = ()
    min: float | None = None
    max: float | None = None
    check: Callable[[Any], Any] | None = None
    is_argument: bool = False
    complete: Callable[[str], list[str]] | None = None


SPRINGS = "Springs of joints: stiffness (N m/rad, N/m) and rest position (rad, m), knee:20:-1.6,hip:20."


def parse_springs(named: str | None) -> dict[str, tuple[float, ...]]:
    """Return the numbers of `--springs` by joint. Raises a usage error where one has no numbers, or is named twice."""
    found: dict[str, tuple[float, ...]] = {}
    for text in [] if named is None else named.split(","):
        name, *numbers = text.strip().split(":")
        try:
            values = tuple(map(float, numbers))
        except ValueError:
            values = ()
        if not name or not 1 <= len(values) <= 2 or name in found:
            why = f"{name!r} is named twice" if name in found else "a spring is JOINT:STIFFNESS or JOINT:STIFFNESS:REST"
            raise make_usage_error(f"--springs {text!r} is no spring", why=why, fix="write knee:20:-1.6 (N m/rad, rad)")
        found[name] = values
    return found


def check_ordering(name: str | None) -> str | None:
    """Return the name of an order of elimination. Raises BadParameter."""
    names = ("auto", *orderings.ORDERINGS)
    if name is not None and name not in names:
        raise typer.BadParameter(str(make_unknown_name_error("ordering", name, names)))
    return name


FLAGS: Mapping[str, Flag] = {
    "problem": Flag("Problem to solve.", choices=("inverse", "forward", "hybrid")),
    "ordering": Flag(f"One of auto, {', '.join(orderings.ORDERINGS)}.", "NAME", check=check_ordering),
    "external_wrenches": Flag(
        "A link or frame on which an external wrench acts (`solve` reads them from its state file, too).", "LINK"
    ),
    "accelerations": Flag("Hybrid only: a joint whose acceleration is given.", "JOINT"),
    "actuators": Flag("Efforts of the robot's actuators (`actuators:` of its file) take the place of joint torques."),
    "state": Flag("A JSON file of states; see the example.", "FILE"),
    "random": Flag("Number of random states; default: 1.", "N", min=1, max=LARGEST_COUNT),
    "seed": Flag("Seed of random states; default: 0.", "S", min=0),
    "output": Flag("Output file: .csv or .npz; or a folder for table, report and plots.", "FILE", "-o"),
    "report": Flag("Also write an .html page with values, plots and an animation.", "FILE"),
    "plot": Flag("Also write the plots (.svg) into this folder; created if missing.", "DIR"),
    "paths": Flag(
        "Also draw the curves of frames or points, or of places on bodies (m): tool0,coupler:1:0.5.", "PLACE,..."
    ),
    "json": Flag("Print JSON; NaN and infinities become null."),
}
