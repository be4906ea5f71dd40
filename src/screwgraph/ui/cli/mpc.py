"""`screwgraph mpc`: a model-predictive controller of a model, as a library for other programs."""

from __future__ import annotations

import typer

from screwgraph.motion.control import mpc
from screwgraph.motion.control.predictive.horizon_files import HorizonFile, load_horizon
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.compile import LOOP_FLAGS, check_library_options, write_library
from screwgraph.ui.cli.console import show_progress
from screwgraph.ui.cli.model_source import ROBOT, ModelSource, print_warnings
from screwgraph.ui.cli.options import Flag

FLAGS = LOOP_FLAGS | {"horizon": Flag("YAML file of the horizon, limits and contacts, see above.", "FILE")}
HELP = """The function takes the state, references and weights, how far time went on, and the solution of its last
call; it returns torques, the motion that is expected, feedback, the next solution, and a status. A node of
ROS 2 keeps solution and time.

\b
Example of a file:
  dt: 0.01
  horizon: 32
  limits: {velocity: 1.5, effort: {panda_joint1: 50}}
of a robot on feet also
  soles: [{frame: left_foot, length: 0.17, width: 0.05}]
  contacts: [{frame: heel, radius: 0.02, friction: 0.7}]

\b
Example:
  screwgraph mpc panda --horizon reach.yaml --lang c -o code
"""


def write_predictive_controller(
    source: ModelSource,
    lang: str,
    output: str,
    horizon: str | None = None,
    prefix: str | None = None,
    dtype: str = "float64",
    overwrite: bool = False,
) -> None:
    """Write files, and say where they are."""
    check_library_options(lang, dtype, prefix)
    model = source.load()
    said = HorizonFile() if horizon is None else load_horizon(horizon, model)
    print_warnings(model, said.warnings)
    with show_progress("making the controller"):
        made = mpc(model, **said.options, dtype=dtype)
    paths = write_library({"mpc": made}, model, output, prefix, lang, overwrite)
    typer.echo(f"mpc: {made}")
    for path in paths:
        typer.echo(path)


COMMAND = Command(write_predictive_controller, HELP, FLAGS, model=f"{ROBOT} values")
