"""Mechanisms on the command line: which they are, and options that they share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from screwgraph import Mechanism, Robot, load_mechanism
from screwgraph.model.load import is_mechanism
from screwgraph.ui.cli.console import show_progress
from screwgraph.ui.cli.options import BaseKind, load_robot
from screwgraph.ui.cli.usage_errors import make_usage_error

ModelName = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="A robot or a mechanism: a file, or a built-in one such as rr or four_bar."),
]
Values = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=X", help="A parameter, for example mass:coupler=2.5; repeatable."),
]
Output = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Output file: .csv or .npz; or a folder for table, report and plots."
    ),
]


def load_model(
    context: typer.Context,
    source: str,
    values: list[str] | None,
    base: BaseKind,
    xacro: list[str] | None = None,
) -> Mechanism | Robot:
    """Load a mechanism with values, or a robot with its damping and gravity. Raises ModelError, InputError."""
    if is_mechanism(source):
        if xacro:
            raise make_usage_error(context, "--xacro goes with robots", why="a mechanism's file says all of it")
        return load_mechanism_with_values(source, values)
    refuse_values(context, values)
    return load_robot(source, base, None, None, False, False, 0.0, None, xacro)


def refuse_robot_options(context: typer.Context, *given: object) -> None:
    """Raise a usage error where options are given that a mechanism's file answers."""
    if any(given):
        names = "--base, --lock, --independent, --gravity, --no-damping, --strict, --snap, --model and --xacro"
        raise make_usage_error(context, f"{names} go with robots", why="a mechanism's file says all of it")


def refuse_values(context: typer.Context, values: list[str] | None) -> None:
    """Raise a usage error where a robot is given values of parameters."""
    if values:
        raise make_usage_error(context, "--set goes with planar mechanisms", why="a robot's file has no parameters")


def load_mechanism_with_values(source: str, values: list[str] | None = None) -> Mechanism:
    """Load a mechanism with values for parameters, "name=number" each. Raises ModelError, InputError, BadParameter."""
    given: dict[str, Any] = {}
    for item in values or ():
        name, _, text = item.partition("=")
        try:
            given[name.strip()] = float(text)
        except ValueError:
            raise typer.BadParameter(f"--set {item!r} is not NAME=NUMBER") from None
    with show_progress(f"reading {source}"):
        return load_mechanism(source, given or None)
