"""What `screwgraph estimate --lag` says and writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from screwgraph.ui.cli.outputs import write_plots

if TYPE_CHECKING:
    from screwgraph.motion.estimation import Replay


def report_online(
    found: Replay, wall_time: float, output: str, report: str | None, plot: str | None, as_json: bool
) -> None:
    """Save the motion, write report and plots, and say what was found."""
    from screwgraph.ui.cli.console import print_json, print_note
    from screwgraph.ui.cli.motion_report import group_motion_panels, write_report

    found.run.save(output)
    if found.smoother.count >= found.smoother.window and not found.smoother.converged:
        print_note(
            "warning: the search for the first window did not converge: first estimates, and contacts, may be wrong"
        )
    summary, groups = _summary(found, wall_time, output), group_motion_panels(found.run)
    if report is not None:
        more = [(name, of["value"], "") for name, of in summary["parameters"].items()]
        write_report(found.run, groups, summary, report, "Estimate", more)
    summary |= write_plots(found.run.t, groups, plot)
    if as_json:
        print_json(summary)
    else:
        _print(summary)


def _summary(found: Replay, wall_time: float, output: str) -> dict[str, Any]:
    import numpy as np

    smoother = found.smoother
    is_full = smoother.count >= smoother.window
    sigma = smoother.sigma() if is_full else {}
    return {
        "robot": smoother.robot.name,
        "samples": len(found.run.t),
        "window": smoother.window,
        "wall_time": wall_time,
        "update": float(np.median(found.seconds)),
        "parameters": {
            name: {"value": value, "sigma": float(sigma["parameters"][i])}
            for i, (name, value) in enumerate(smoother.parameters.items())
            if is_full
        },
        "converged": smoother.converged,
        "offsets": {
            name: {"value": x.tolist(), "sigma": sigma[f"offset {name}"].tolist()}
            for name, x in smoother.offsets.items()
        },
        "slips": [{"time": t, "frame": frame} for t, frame in found.slips],
        "output": output,
    }


def _print(summary: Mapping[str, Any]) -> None:
    typer.echo(
        f"{summary['output']}: {summary['robot']}, {summary['samples']} updates in {summary['wall_time']:.3g} s, "
        f"{1e3 * summary['update']:.3g} ms each in windows of {summary['window']}"
    )
    print_constants(summary)
    times: dict[str, list[float]] = {}
    for slip in summary["slips"]:
        times.setdefault(slip["frame"], []).append(slip["time"])
    for frame, at in times.items():
        typer.echo(f"{frame} slips at {len(at)} updates, from {at[0]:.6g} to {at[-1]:.6g} s")


def print_constants(summary: Mapping[str, Any]) -> None:
    """Print parameters and the offsets of sensors, with their standard deviations."""
    for name, found in summary["parameters"].items():
        typer.echo(f"{name} = {found['value']:.6g} +- {found['sigma']:.2g}")
    for name, found in summary["offsets"].items():
        pairs = zip(found["value"], found["sigma"], strict=True)
        typer.echo(f"{name} is off by {', '.join(f'{x:.3g} +- {s:.2g}' for x, s in pairs)}")
