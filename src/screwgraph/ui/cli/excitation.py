"""`screwgraph excitation`: a motion whose torques show a model's parameters, for `screwgraph identify`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import typer

from screwgraph import excitation as plan_motion
from screwgraph.motion.identification.excitation import OBJECTIVES, Excitation
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error, print_json, show_progress
from screwgraph.ui.cli.model_source import ModelSource
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.outputs import group_motion_panels, validate_outputs, write_plots, write_report

FLAGS = {
    "parameters": Flag("Links or bodies, or parameters, to be shown; all by default", "NAME"),
    "payload": Flag(metavar="FRAME"),
    "period": Flag("Of the motion (s).", "S"),
    "harmonics": Flag("Of the Fourier series, 2 or more.", "N"),
    "objective": Flag(
        "information: the largest determinant of the information matrix; condition: the least condition number.",
        choices=OBJECTIVES,
    ),
    "velocity": Flag("A limit for all joints (rad/s, m/s), beside those of the file.", "V"),
    "acceleration": Flag(metavar="A"),
    "seed": Flag("Of the random motion that the search begins with."),
    "points": Flag(metavar="N"),
}

HELP = """\
Joints, or motors of a mechanism, move by finite Fourier series, from rest to rest, within limits of position, velocity
and torque. Obstacles, and the robot itself, are not regarded.

\b
Example:
  screwgraph excitation panda --parameters panda_link7 --period 5 --acceleration 8 -o motion.csv
  screwgraph excitation four_bar_angle --velocity 6 -o motion.npz --report motion.html

The file that is written has the columns t, q, qd, qdd, tau, energy, work and violation, in SI units; tau are the
torques that the file's parameters predict. Let the robot follow q, log positions and torques, and give the log to
`screwgraph identify`; `screwgraph view` shows the motion.
"""


def excitation(
    source: ModelSource,
    asked: Mapping[str, Any],
    output: str,
    report: str | None = None,
    plot: str | None = None,
    json: bool = False,
) -> None:
    """Plan, save, and say how well the motion shows the parameters."""
    with as_usage_error():
        output, report, plot = validate_outputs(output, report, plot)
    model = source.load()
    with show_progress("planning"):
        found = plan_motion(model, **asked)
        found.run.save(output)
    summary, groups = _summary(found, output), group_motion_panels(found.run)
    if report is not None:
        rows = [("combinations of parameters", found.base.rank, ""), ("condition number", found.condition, "")]
        write_report(found.run, groups, summary, report, "Excitation", rows)
    summary |= write_plots(found.run.t, groups, plot)
    return print_json(summary) if json else _print(summary)


COMMAND = Command(
    excitation,
    HELP,
    FLAGS,
    model="xacro packages base values",
    query=plan_motion,
    takes="parameters payload period harmonics objective velocity acceleration seed points",
)


def _summary(found: Excitation, output: str) -> dict[str, Any]:
    """Return numbers that say what the motion is, in values that JSON has."""
    run = found.run
    largest = {kind: np.abs(getattr(run, kind)).max(axis=0) for kind in ("qd", "qdd", "tau")}
    return {
        run.model.kind: run.model.name,
        "combinations": list(found.base.expressions),
        "condition": found.condition,
        "information": found.information,
        "samples": len(run.t),
        "time": float(run.t[-1]),
        **{
            f"largest_{kind}": dict(zip((c.name for c in run.model.columns[kind]), numbers.tolist(), strict=True))
            for kind, numbers in largest.items()
        },
        "torque": float(largest["tau"].max()),
        "violation": float(run.violation.max()),
        "output": output,
    }


def _print(summary: Mapping[str, Any]) -> None:
    name = summary.get("robot") or summary.get("mechanism")
    typer.echo(
        f"{summary['output']}: {len(summary['combinations'])} combinations of parameters of {name}, condition "
        f"{summary['condition']:.3g}, {summary['samples']} samples in {summary['time']:g} s"
    )
    listed = (f"{motor.removesuffix('[0]')} {torque:.4g}" for motor, torque in summary["largest_tau"].items())
    typer.echo(f"largest torques (N m, N): {', '.join(listed)}")
