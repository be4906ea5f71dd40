"""`screwgraph controller`: a whole-body controller of a model, as a library for other programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import typer

from screwgraph.compiler import set_nominal
from screwgraph.motion.control import controller, load_controller, stack_barriers, stack_contacts, stack_gains
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.compile import LOOP_FLAGS, check_library_options, write_library
from screwgraph.ui.cli.console import show_progress
from screwgraph.ui.cli.model_source import ROBOT, ModelSource, print_warnings
from screwgraph.ui.cli.options import Flag

FLAGS = LOOP_FLAGS | {"tasks": Flag("YAML file of tasks, contacts and limits, see above.", "FILE")}
HELP = """The function takes the state, references of each task and their rates, gains, contacts, and the active rows
of its last call; it returns torques, accelerations, forces, active rows, and a status. Gains, references, contacts
and barriers of the file are printed: they are arguments. A node of ROS 2 begins with them.

\b
Example of a file:
  tasks:
    - {frame: trunk, of: pose, stiffness: 200}
    - {posture: [], stiffness: 25, weight: 1e-4}
    - {posture: [FR_calf_joint], name: knee, weight: 0}
  contacts: [{frame: FR_foot, radius: 0.02, friction: 0.7}]
  limits: {dt: 1e-3, acceleration: 100, velocity: no}
  barriers: [{capsule: {frame: trunk, radius: 0.1}, plane: {height: 0.05}}]
  references: {knee: -1.2}

\b
Example:
  screwgraph controller a1 --base floating --tasks stand.yaml --lang c -o code
"""


def write_controller(
    source: ModelSource,
    tasks: str,
    lang: str,
    output: str,
    prefix: str | None = None,
    dtype: str = "float64",
    overwrite: bool = False,
) -> None:
    """Write files, and say where they are."""
    check_library_options(lang, dtype, prefix)
    model = source.load()
    said = load_controller(tasks, model)
    print_warnings(model, said.warnings)
    with show_progress("making the controller"):
        made = controller(model, said.tasks, **said.options, dtype=dtype)
        made = replace(made, arguments=set_nominal(made.arguments, said.references))
    paths = write_library({"controller": made}, model, output, prefix, lang, overwrite)
    typer.echo(f"controller: {made}")
    for task, (stiffness, damping, weight) in zip(said.tasks, stack_gains(said.tasks), strict=True):
        typer.echo(f"gains of {task.name}: {stiffness:g} {damping:g} {weight:g}")
    own = {name: value for task in said.tasks for name, value in task.constants.items()}
    for name, value in {**own, **said.references}.items():
        typer.echo(f"reference {name}: {' '.join(f'{x:g}' for x in np.ravel(value))}")
    for contact in said.contacts:
        on, friction = stack_contacts([contact])[0]
        typer.echo(f"contact of {contact.frame}: {on:g} {friction:g}")
    for barrier in said.barriers:
        rate, margin = stack_barriers([barrier])[0]
        typer.echo(f"barrier {barrier.name}: {rate:g} {margin:g}")
    for path in paths:
        typer.echo(path)


COMMAND = Command(write_controller, HELP, FLAGS, model=f"{ROBOT} values")
