"""`screwgraph compile`: functions of a model, as a library for other programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from screwgraph.api.deployment import (
    FUNCTIONS,
    LONGEST,
    Choice,
    asked_functions,
    check_names,
    check_prefix,
    export_library,
)
from screwgraph.compiler import BACKENDS
from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind

Language = StrEnum("Language", {name: name for name in BACKENDS})
"""What the code is written in."""


class Number(StrEnum):
    """Number type of the code."""

    float64 = "float64"
    float32 = "float32"


Functions = Annotated[
    list[str],
    typer.Option(
        "--functions",
        metavar="NAME",
        help="Functions, see above; repeatable, or separated by commas. With + between, one function of several "
        "results: control=mass_matrix+bias.",
    ),
]
Prefix = Annotated[
    str | None, typer.Option("--prefix", metavar="NAME", help="Prefix of all names; by default the robot's name.")
]
Dtype = Annotated[Number, typer.Option("--dtype", help="Number type of the code.")]
Lang = Annotated[Language, typer.Option("--lang", help="Language of the code.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="Output folder; created if missing.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that are no earlier export, or were changed since.")
]
Report = Annotated[bool, typer.Option("--report", help="Print the operations saved by each pass.")]

Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameters",
        metavar="NAME",
        help="Parameters that are inputs, fields of a structure: link7, joint3.friction, ...; repeatable, or separated "
        "by commas.",
    ),
]
Payload = Annotated[
    str | None,
    typer.Option("--payload", metavar="FRAME", help="A link or frame that carries a body whose inertia is an input."),
]

LANGUAGES = "\n".join(f"  {name + ':':<9} {backend.about};" for name, backend in BACKENDS.items())
NAMES = "\n".join(
    f"  {name + (':FRAME' if kind.of_frame else ''):<28} {kind.about};" for name, kind in FUNCTIONS.items()
)
HELP = f"""Write functions of a robot as a library for other programs.

\b
Languages:
{LANGUAGES}

\b
Functions:
{NAMES}

\b
Example:
  screwgraph compile panda --functions forward,mass_matrix,jacobian:panda_hand_tcp --lang c -o code
  screwgraph compile panda --functions inverse --lang cpp -o code --payload panda_hand_tcp
  screwgraph compile a1 --base floating --functions control=mass_matrix+bias --prefix dog --lang rust -o dog
  screwgraph compile slider_crank --functions inverse --lang c -o code
"""


def compile_(
    context: typer.Context,
    robot: options.RobotName,
    functions: Functions,
    lang: Lang,
    output: Output,
    prefix: Prefix = None,
    ordering: options.OrderingName = None,
    accelerations: options.Accelerations = None,
    actuators: options.Actuators = False,
    external_wrenches: options.ExternalWrenches = None,
    parameters: Parameters = None,
    payload: Payload = None,
    dtype: Dtype = Number.float64,
    overwrite: Overwrite = False,
    report: Report = False,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    independent: options.Independent = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
) -> None:
    """Write files, and say where they are."""
    from screwgraph.compiler.backends.c import make_identifiers
    from screwgraph.model.load import is_mechanism
    from screwgraph.ui.cli.console import show_progress
    from screwgraph.ui.cli.mechanism_options import load_mechanism_with_values, refuse_robot_options
    from screwgraph.ui.cli.usage_errors import as_usage_error, make_usage_error

    if dtype.value not in BACKENDS[lang.value].dtypes:
        others = " or ".join(name for name, backend in BACKENDS.items() if dtype.value in backend.dtypes)
        what = f"--dtype {dtype.value} cannot be used with --lang {lang.value}"
        raise make_usage_error(context, what, fix=f"use --lang {others}")
    names = options.split_names(functions)
    choice = Choice(
        ordering=ordering or "auto",
        external_wrenches=options.split_names(external_wrenches),
        accelerations=options.split_names(accelerations),
        parameters=options.split_names(parameters),
        payload=payload,
        actuators=actuators,
    )
    with as_usage_error(context):
        check_names(names, choice)
        if prefix is not None:
            check_prefix(prefix)
    if is_mechanism(robot):
        if actuators:
            raise make_usage_error(
                context, "--actuators goes with robots", why="motors act on the angles of mechanisms"
            )
        refuse_robot_options(
            context, lock, independent, gravity, no_damping, strict, snap, model_name, xacro, base is not BaseKind.fixed
        )
        model = load_mechanism_with_values(robot)
    else:
        model = options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name, xacro, independent)
        options.print_warnings(model)
    made = {name: f.astype(dtype.value) for name, f in asked_functions(model, names, choice, show_progress).items()}
    own = make_identifiers([model.name[:LONGEST]])[0].lower() if prefix is None else prefix
    paths = export_library(made, output, prefix=own, language=lang.value, about=model.name, overwrite=overwrite)
    for name, f in made.items():
        typer.echo(f"{name}: {f}")
    for path in paths:
        typer.echo(path)
    if report:
        for name, f in made.items():
            typer.echo(f"{name}:\n{f.report()}")
