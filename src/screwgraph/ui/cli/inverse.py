"""`screwgraph inverse`: torques that make a robot or a planar mechanism follow a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from screwgraph import Trajectory, inverse_dynamics, inverse_trajectory
from screwgraph.motion.estimation.inverse_trajectory import FOLLOWERS, read_trajectory
from screwgraph.motion.simulation.motion_files import save_motion
from screwgraph.motion.simulation.trajectory import BALANCE
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error, print_json, print_note
from screwgraph.ui.cli.model_source import ModelSource
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.outputs import group_motion_panels, validate_outputs, write_plots, write_report
from screwgraph.ui.cli.problem_functions import check_efforts
from screwgraph.ui.cli.simulation_progress import summarise_motion, watch_simulation

if TYPE_CHECKING:
    from screwgraph.motion.estimation import InverseSolution

FLAGS = {
    "trajectory": Flag(
        "A .csv file with times t (s) and coordinates (m, rad); or numbers alone, t and all joints or angles.", "FILE"
    ),
    "noise": Flag(
        "Standard deviation of the trajectory (m, rad), by which it is smoothed; by default it is estimated.", min=0.0
    ),
}

HELP = """\
Robots: inverse dynamics at each sample. Mechanisms: a factor graph that is solved in four stages, with positions,
velocities and accelerations, velocity constraints, dynamics.

\b
Example:
  screwgraph inverse four_bar_angle --trajectory trajectory.csv -o torques.csv
  screwgraph inverse rr --trajectory trajectory.csv -o torques.csv --report torques.html --plot pictures
with a trajectory.csv like
  t,theta
  0,0
  0.01,0.0005

The trajectory has the coordinates of all joints of a robot, or of the independent ones of a closed chain; of a
mechanism as many as it has degrees of freedom; at equal time steps. Tables of `screwgraph simulate` are accepted.
The file that is written has the columns t, q, qd, qdd, tau, energy, work and violation, in SI units; with --actuators
also effort, of the actuators, of minimum norm where there are more of these than degrees of freedom. Ctrl-C ends the
search early; the result so far is written.
"""


def inverse(
    source: ModelSource,
    asked: Mapping[str, Any],
    trajectory: str,
    output: str,
    actuators: bool = False,
    report: str | None = None,
    plot: str | None = None,
    json: bool = False,
) -> None:
    """Solve, save, and say how well it went."""
    with as_usage_error():
        output, report, plot = validate_outputs(output, report, plot)
    model = source.load()
    follower = FOLLOWERS[model.kind]
    wanted = read_trajectory(model, trajectory)
    check_efforts("inverse", actuators, model)
    with watch_simulation(float(follower.stages), "solving", "stages") as watch:
        found = inverse_trajectory(model, wanted, watch=watch, **asked)
    efforts = _efforts(found.run) if actuators else {}
    _save(found.run, efforts, output)
    if found.status.is_stopped:
        print_note(f"interrupted in stage {len(found.stages)}: the results so far are kept")
    for doubt in found.doubts:
        print_note(f"warning: {doubt}")
    summary = summarise_motion(model.name, found.run, watch, output) | _summary(found)
    if efforts:
        summary["effort"] = {name: float(np.abs(values).max()) for name, values in efforts.items()}
    groups = group_motion_panels(found.run)
    if report is not None:
        more = [(f"largest distance of {name}", error, "m, rad") for name, error in found.errors.items()]
        more += [(f"noise of {name}", level, "m, rad") for name, level in found.noise.items()]
        write_report(found.run, groups, summary, report, "Inverse dynamics", more)
    summary |= write_plots(found.t, groups, plot)
    if json:
        print_json(summary)
    else:
        errors, levels = (
            ", ".join(f"{name} {size:.3g}" for name, size in sizes.items()) for sizes in (found.errors, found.noise)
        )
        largest = f"largest {summary['torque']:.4g} (N m, N)" if summary["torque"] is not None else "not found yet"
        took = f"{summary['samples']} samples in {summary['wall_time']:.3g} s"
        typer.echo(f"{output}: torques of {model.name}, {took}, {largest}")
        if efforts:
            listed = ", ".join(f"{name} {value:.4g}" for name, value in summary["effort"].items())
            typer.echo(f"largest efforts of actuators (N m, N): {listed}")
        typer.echo(f"smoothed by its noise: {levels}")
        typer.echo(f"error of the trajectory: {errors}; loop-closure error {summary['violation']:.3g}")


COMMAND = Command(inverse, HELP, FLAGS, model="values xacro packages base", query=inverse_trajectory, takes="noise")


def _efforts(motion: Trajectory) -> dict[str, np.ndarray]:
    """Return the efforts of a robot's actuators along a motion, by name. Raises InputError: it has none."""
    robot: Any = motion.model
    found = inverse_dynamics(robot, actuators=True)(motion.q, motion.qd, motion.qdd)
    return {actuator.name: found[:, i] for i, actuator in enumerate(robot.actuators)}


def _save(motion: Trajectory, efforts: Mapping[str, np.ndarray], path: str) -> None:
    """Write a motion, and columns of efforts after its own."""
    if not efforts:
        return motion.save(path)
    arrays = {name: getattr(motion, name) for name in BALANCE}
    arrays["effort"] = np.stack(list(efforts.values()), axis=1)
    return save_motion(path, motion, arrays, (*BALANCE, *(f"effort:{name}" for name in efforts)))


def _summary(found: InverseSolution) -> dict[str, Any]:
    return {
        "samples": len(found.t),
        "stages": len(found.stages),
        "iterations": [stage.iterations for stage in found.stages],
        "errors": dict(found.errors),
        "noise": dict(found.noise),
        "torque": None if np.isnan(found.tau).any() else float(np.abs(found.tau).max(initial=0.0)),
        "status": found.status.value,
    }
