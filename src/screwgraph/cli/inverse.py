"""`screwgraph inverse`: torques that make a robot or a planar mechanism follow a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screwgraph.cli import options
from screwgraph.cli.failures import usage
from screwgraph.cli.mechanisms import ModelName, Output, Values, is_mechanism, loaded, no_values
from screwgraph.cli.options import BaseKind
from screwgraph.cli.outputs import Plots, Report, check_outputs, write_plots
from screwgraph.cli.robot_trajectories import inverse_of_robot, load

if TYPE_CHECKING:
    from screwgraph import Mechanism
    from screwgraph.cli.mechanism_report import Groups
    from screwgraph.mechanism import InverseSolution

Trajectory = Annotated[
    str, typer.Option("--trajectory", metavar="FILE", help="A .csv file with times t (s) and coordinates (m, rad).")
]

HELP = """Find the torques that make a robot or a planar mechanism follow a trajectory.

Of robots, inverse dynamics at each sample. The factor graph of a mechanism grows in four stages: positions, velocities
and accelerations, velocity constraints, dynamics.

\b
Example:
  screwgraph inverse four_bar_angle --trajectory trajectory.csv -o torques.csv
  screwgraph inverse rr --trajectory trajectory.csv -o torques.csv --report torques.html --plot pictures
with a trajectory.csv like
  t,theta
  0,0
  0.01,0.0005

The trajectory has the coordinates of all joints of a robot, or of the independent ones of a closed chain; of a
mechanism as many as it has degrees of freedom; at equal time steps. A table that `screwgraph simulate` wrote will do.
The file that is written has the columns t, q, qd, qdd, tau, energy, work and violation, in SI units. Ctrl-C ends the
search early; what was found is written.
"""


def inverse(
    context: typer.Context,
    model: ModelName,
    trajectory: Trajectory,
    output: Output,
    values: Values = None,
    base: options.Base = BaseKind.fixed,
    report: Report = None,
    plot: Plots = None,
    as_json: options.AsJson = False,
) -> None:
    """Solve, save, and say how well it went."""
    from screwgraph import inverse_trajectory
    from screwgraph.cli.mechanism_report import run_groups
    from screwgraph.cli.motion import watched
    from screwgraph.cli.streams import note, print_json
    from screwgraph.formats import read_table

    with usage(context):
        check_outputs(output, report, plot)
    if not is_mechanism(model):
        no_values(context, values)
        return inverse_of_robot(load(model, base), read_table(trajectory), output, report, plot, as_json)
    mechanism = loaded(model, values)
    wanted = _wanted(mechanism, read_table(trajectory))
    with watched(4.0, "solving", "stages") as watch:
        found = inverse_trajectory(mechanism, wanted, watch=watch)
    found.run.save(output)
    if found.status.is_stopped:
        note(f"interrupted in stage {len(found.stages)}: the results so far are kept")
    figures = _figures(mechanism, found, watch.wall_time, output)
    groups = run_groups(found.run)
    if report is not None:
        _report(found, groups, figures, report)
    figures |= write_plots(found.t, groups, plot)
    if as_json:
        print_json(figures)
    else:
        errors = ", ".join(f"{name} {error:.3g}" for name, error in found.errors.items())
        largest = f"largest {figures['torque']:.4g} N m" if figures["torque"] is not None else "not found yet"
        took = f"{figures['samples']} samples in {figures['wall_time']:.3g} s"
        typer.echo(f"{output}: torques of {mechanism.name}, {took}, {largest}")
        typer.echo(f"error of the trajectory: {errors}; constraint error {figures['violation']:.3g}")
    return None


def _wanted(mechanism: Mechanism, table: Any) -> Any:
    """Return the columns of a trajectory; of a table of a simulation, those of the independent coordinates."""
    from dataclasses import replace

    names = {f"q:{name}": name for name in mechanism.independent_coordinates}
    if "t" not in table or not all(name in table for name in names):
        return table
    return replace(table, columns={"t": table["t"]} | {name: table[column] for column, name in names.items()})


def _figures(mechanism: Mechanism, found: InverseSolution, wall_time: float, output: str) -> dict[str, Any]:
    import numpy as np

    return {
        "robot": mechanism.name,
        "samples": len(found.t),
        "wall_time": wall_time,
        "stages": len(found.stages),
        "iterations": [stage.iterations for stage in found.stages],
        "errors": dict(found.errors),
        "torque": None if np.isnan(found.tau).any() else float(np.abs(found.tau).max(initial=0.0)),
        "violation": float(found.run.violation.max()),
        "status": found.status.value,
        "output": output,
    }


def _report(found: InverseSolution, groups: Groups, figures: Mapping[str, Any], path: str) -> None:
    from screwgraph.cli.mechanism_report import write_mechanism_report
    from screwgraph.cli.streams import working

    run = found.run
    units = {"samples": "", "wall_time": "s", "stages": "", "torque": "N m", "violation": "m, rad"}
    summary = [(name.replace("_", " "), figures[name], unit) for name, unit in units.items()]
    summary += [(f"largest distance of {name}", error, "m, rad") for name, error in found.errors.items()]
    with working("drawing"):
        title = f"Inverse dynamics of {run.mechanism.name}"
        write_mechanism_report(run.mechanism, title, (run.t, run.q), groups, summary, path)
