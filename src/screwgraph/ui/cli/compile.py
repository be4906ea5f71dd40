"""`screwgraph compile`: functions of a model, as a library for other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from screwgraph import Robot
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
from screwgraph.compiler.backends.c import make_identifiers
from screwgraph.model import Model
from screwgraph.model.robot import snap_rotations
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error, make_usage_error, print_note, show_progress
from screwgraph.ui.cli.model_source import ROBOT, ModelSource, print_warnings
from screwgraph.ui.cli.options import SPRINGS, Flag, parse_springs

NEARLY = 1e-5
"""How far entries of rotations lie from 0 or +-1 where a file has pi/2 as 1.5708."""
LIBRARY_FLAGS = {
    "lang": Flag("Language of the code.", choices=tuple(BACKENDS)),
    "output": Flag("Output folder; created if missing.", "DIR", "-o"),
    "prefix": Flag("Prefix of all names; by default the robot's name.", "NAME"),
    "dtype": Flag("Number type of the code.", choices=("float64", "float32")),
    "overwrite": Flag("Replace files that are no earlier export, or were changed since."),
}
"""Options of all commands that write libraries."""
LOOP_FLAGS = LIBRARY_FLAGS | {
    "lang": replace(LIBRARY_FLAGS["lang"], choices=tuple(name for name, own in BACKENDS.items() if own.has_loops))
}
"""Options of those whose code has loops that end when numbers say so, which some languages cannot have."""
FLAGS = LIBRARY_FLAGS | {
    "functions": Flag(
        "Functions, see above. With + between, one function of several results: control=mass_matrix+bias."
    ),
    "parameters": Flag(
        "Parameters that are inputs, fields of a structure: link7, joint3.friction, ...; of `step` with contacts "
        "ground, too."
    ),
    "friction": Flag("Let joints of `step` have the Coulomb friction of the file."),
    "stops": Flag("Let joints of `step` stop at the position limits of the file."),
    "springs": Flag(SPRINGS.replace("joints", "joints of `step`"), "JOINT:K,..."),
    "effort_limits": Flag("Let `step` cut efforts to the limits of the file."),
    "contacts": Flag("Contacts of `step`: a YAML file, or collisions, as of `screwgraph simulate`.", "FILE"),
    "payload": Flag("A link or frame that carries a body whose inertia is an input.", "FRAME"),
    "report": Flag("Print the operations saved by each pass."),
}

LANGUAGES = "\n".join(f"  {name + ':':<9} {backend.about};" for name, backend in BACKENDS.items())
NAMES = "\n".join(
    f"  {name + (':FRAME' if kind.of_frame else ''):<28} {kind.about};" for name, kind in FUNCTIONS.items()
)
HELP = f"""\b
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
  screwgraph compile a1 --base floating --functions step --contacts feet.yaml --lang c -o step
"""


def compile_functions(
    source: ModelSource,
    functions: tuple[str, ...],
    lang: str,
    output: str,
    prefix: str | None = None,
    ordering: str | None = None,
    accelerations: tuple[str, ...] = (),
    actuators: bool = False,
    external_wrenches: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
    payload: str | None = None,
    contacts: str | None = None,
    friction: bool = False,
    stops: bool = False,
    effort_limits: bool = False,
    springs: str | None = None,
    dtype: str = "float64",
    overwrite: bool = False,
    report: bool = False,
) -> None:
    """Write files, and say where they are."""
    check_library_options(lang, dtype, prefix)
    laws = (friction, stops, effort_limits, parse_springs(springs))
    choice = Choice(
        ordering or "auto", external_wrenches, accelerations, parameters, payload, actuators, contacts or "", *laws
    )
    with as_usage_error():
        check_names(functions, choice)
    if source.is_mechanism and actuators:
        raise make_usage_error("--actuators goes with robots", why="motors act on the angles of mechanisms")
    model = source.load()
    print_warnings(model)
    made = {name: f.astype(dtype) for name, f in asked_functions(model, functions, choice, show_progress).items()}
    paths = write_library(made, model, output, prefix, lang, overwrite)
    for name, f in made.items():
        typer.echo(f"{name}: {f}")
    for path in paths:
        typer.echo(path)
    if isinstance(model, Robot) and not source.snap:
        print_snap_hint(model, made, lambda robot: asked_functions(robot, functions, choice, show_progress))
    if report:
        for name, f in made.items():
            typer.echo(f"{name}:\n{f.report()}")


def check_library_options(lang: str, dtype: str, prefix: str | None) -> None:
    """Raise a usage error where a language does not have a type of numbers, or a prefix is none."""
    if dtype not in BACKENDS[lang].dtypes:
        others = " or ".join(name for name, own in BACKENDS.items() if dtype in own.dtypes and own.has_loops)
        raise make_usage_error(f"--dtype {dtype} cannot be used with --lang {lang}", fix=f"use --lang {others}")
    if prefix is not None:
        with as_usage_error():
            check_prefix(prefix)


def write_library(
    made: Mapping[str, Any], model: Model, output: str, prefix: str | None, lang: str, overwrite: bool
) -> Sequence[Path]:
    """Write functions of a model as a library, by default with its name as a prefix; return the paths."""
    own = make_identifiers([model.name[:LONGEST]])[0].lower() if prefix is None else prefix
    return export_library(made, output, prefix=own, language=lang, about=model.name, overwrite=overwrite)


def print_snap_hint(robot: Robot, made: Mapping[str, Any], make: Callable[[Robot], Mapping[str, Any]]) -> None:
    """Say on stderr how many operations fewer there are if rotations that are nearly right angles are made so.

    `made` are functions of the robot, `make` makes those of another.
    """
    snapped = snap_rotations(robot, NEARLY)
    if len(snapped.warnings) == len(robot.warnings):
        return
    fewer = [
        f"{name} {made[name].operations.total} to {f.operations.total}"
        for name, f in make(snapped).items()
        if f.operations.total < made[name].operations.total
    ]
    if fewer:
        print_note(f"--snap {NEARLY:g} takes operations out ({', '.join(fewer)}): the file has pi/2 with few digits")


COMMAND = Command(compile_functions, HELP, FLAGS, model=ROBOT)
