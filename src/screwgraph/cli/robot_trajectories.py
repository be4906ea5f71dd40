"""`screwgraph inverse` and `screwgraph estimate` of robots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from screwgraph.cli import options
from screwgraph.cli.options import BaseKind
from screwgraph.cli.outputs import write_plots

if TYPE_CHECKING:
    from screwgraph import Robot, Trajectory
    from screwgraph.draw import Panel
    from screwgraph.formats import Table
    from screwgraph.mechanism import Estimate


def load(source: str, base: BaseKind) -> Robot:
    """Load a robot, with its damping and gravity. Raises ModelError."""
    return options.load_robot(source, base, None, None, False, False, 0.0, None)


def inverse_of_robot(
    robot: Robot, table: Table, output: str, report: str | None, plot: str | None, as_json: bool
) -> None:
    """Find torques, save, and say how well it went."""
    from screwgraph import inverse_trajectory
    from screwgraph.cli.motion import as_figures, watched
    from screwgraph.cli.streams import print_json

    with watched(1.0, "solving", "trajectories") as watch:
        found = inverse_trajectory(robot, _coordinates(robot, table), watch=watch)
    found.run.save(output)
    figures = as_figures(robot.name, found.run, watch, output)
    figures |= {"errors": dict(found.errors), "torque": float(abs(found.tau).max(initial=0.0))}
    figures |= _drawn(found.run, figures, f"Inverse dynamics of {robot.name}", report, plot)
    if as_json:
        print_json(figures)
    else:
        typer.echo(f"{output}: torques of {robot.name}, {len(found.t)} samples, largest {figures['torque']:.4g} N m, N")
        typer.echo(
            f"off the trajectory: {max(found.errors.values()):.3g}; loop-closure error {figures['violation']:.3g}"
        )


def _coordinates(robot: Robot, table: Table) -> Table:
    """Return the columns of a trajectory; of a table of a simulation, those of the positions."""
    names = {
        f"q:{j.name}[{i}]": j.name if j.type.nq == 1 else f"{j.name}[{i}]"
        for j in robot.joints
        for i in range(j.type.nq)
    }
    if "t" not in table or not all(name in table for name in names):
        return table
    return replace(table, columns={"t": table["t"]} | {label: table[name] for name, label in names.items()})


def report_estimate(
    robot: Robot, found: Estimate, figures: Mapping[str, Any], report: str | None, plot: str | None
) -> dict[str, Any]:
    """Draw an estimated motion; return the files written."""
    from screwgraph import Trajectory
    from screwgraph.draw import Panel
    from screwgraph.simulation import energies, work_done

    dt = float(found.t[1] - found.t[0])
    energy, work = energies(robot, found.q, found.qd), work_done(robot, dt, found.qd, found.tau)
    still = 0.0 * energy
    motion = Trajectory(robot, "estimate", found.t, found.q, found.qd, found.qdd, found.tau, energy, work, still)
    whole = {**figures, "method": "estimate", "steps": len(found.t) - 1, "time": float(found.t[-1] - found.t[0])}
    whole |= {"energy": float(energy[-1]), "energy_drift": motion.energy_drift, "violation": 0.0}
    left = {"Residuals": [Panel("residual", dict(found.residuals))]}
    return _drawn(motion, whole, f"Estimate of {robot.name}", report, plot, left)


def _drawn(
    motion: Trajectory,
    figures: Mapping[str, Any],
    title: str,
    report: str | None,
    plot: str | None,
    more: Mapping[str, Sequence[Panel]] | None = None,
) -> dict[str, Any]:
    from screwgraph.cli.motion_report import motion_panels, write_report
    from screwgraph.cli.streams import working

    groups = motion_panels(motion)
    if report is not None:
        with working("drawing"):
            write_report(motion, groups, figures, report, title)
    return write_plots(motion.t, {**groups, **(more or {})}, plot)
