"""`screwgraph compile`: the code of a problem, as files for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from screwgraph.cli import options
from screwgraph.cli.options import BaseKind
from screwgraph.compiler import BACKENDS, Function

Language = StrEnum("Language", {name: name for name in BACKENDS})
"""What the code is written in."""


class Number(StrEnum):
    """What the code computes with."""

    float64 = "float64"
    float32 = "float32"


Dtype = Annotated[Number, typer.Option("--dtype", help="Number type of the code.")]
Lang = Annotated[Language, typer.Option("--lang", help="Language of the code.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="DIR", help="Output folder; created if missing.")]
Report = Annotated[bool, typer.Option("--report", help="Print the operations saved by each pass.")]

Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameters",
        metavar="NAME",
        help="Parameters that are inputs: link7, joint3.friction, ...; repeatable, or separated by commas.",
    ),
]
Payload = Annotated[
    str | None,
    typer.Option("--payload", metavar="FRAME", help="A link or frame at which a body is whose inertia is an input."),
]

LANGUAGES = "\n".join(f"{name + ':':<7} {backend.about};" for name, backend in BACKENDS.items())
HELP = f"""Write the code of a problem.

\b
{LANGUAGES}

\b
Example:
  screwgraph compile panda --problem forward --lang c -o code
  screwgraph compile panda --problem inverse --lang c -o code --payload panda_hand_tcp
  screwgraph compile slider_crank --problem inverse --lang c -o code
"""


def compile_(
    context: typer.Context,
    robot: options.RobotName,
    problem: options.ProblemKind,
    lang: Lang,
    output: Output,
    ordering: options.OrderingName = None,
    accelerations: options.Accelerations = None,
    actuators: options.Actuators = False,
    external_wrenches: options.ExternalWrenches = None,
    parameters: Parameters = None,
    payload: Payload = None,
    dtype: Dtype = Number.float64,
    report: Report = False,
    base: options.Base = BaseKind.fixed,
    lock: options.Lock = None,
    gravity: options.Gravity = None,
    no_damping: options.NoDamping = False,
    strict: options.Strict = False,
    snap: options.Snap = 0.0,
    model_name: options.Model = None,
    xacro: options.XacroArgs = None,
) -> None:
    """Write files, and say where they are."""
    from screwgraph.cli.failures import wrong_use
    from screwgraph.cli.mechanisms import loaded, refuse_robot_options
    from screwgraph.cli.problem import check_accelerations, check_efforts, compiled
    from screwgraph.models import is_mechanism

    if dtype.value not in BACKENDS[lang.value].dtypes:
        others = " or ".join(name for name, backend in BACKENDS.items() if dtype.value in backend.dtypes)
        what = f"--dtype {dtype.value} cannot be used with --lang {lang.value}"
        raise wrong_use(context, what, fix=f"use --lang {others}")
    named = options.names(accelerations)
    check_accelerations(context, problem, named)
    if is_mechanism(robot):
        refuse_robot_options(
            context, lock, gravity, no_damping, strict, snap, model_name, xacro, base is not BaseKind.fixed
        )
        model = loaded(robot)
    else:
        model = options.load_robot(robot, base, lock, gravity, no_damping, strict, snap, model_name, xacro)
        options.note_warnings(model)
    check_efforts(context, problem, actuators, model)
    frames = options.names(external_wrenches)
    live = {"parameters": options.names(parameters), "payload": payload}
    function = compiled(model, problem, named, ordering or "auto", frames, actuators=actuators, **live)
    function = function.astype(dtype.value)
    for path in _write(function, lang, Path(output)):
        typer.echo(f"{path}: {function}")
    if report:
        typer.echo(function.report())


def _write(function: Function, lang: Language, folder: Path) -> list[Path]:
    from screwgraph import InputError
    from screwgraph.formats import write_atomically

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("the folder cannot be created", at=str(folder), why=error.strerror or str(error)) from error
    files = function.code(lang.value)
    paths = []
    for suffix, text in files.items():
        paths.append(folder / f"{function.name}{suffix}")
        write_atomically(paths[-1], text.encode("utf-8"), str(paths[-1]))
    return paths
