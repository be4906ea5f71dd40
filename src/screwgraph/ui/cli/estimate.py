"""`screwgraph estimate`: states, torques and parameters of a robot or a mechanism from measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import typer
import yaml

from screwgraph import estimate as solve
from screwgraph.model.formats import read_table
from screwgraph.motion.estimation import ModelNoise, replay_measurements
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error, make_usage_error, print_json, print_note
from screwgraph.ui.cli.model_source import ModelSource
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.outputs import group_motion_panels, validate_outputs, write_plots, write_report
from screwgraph.ui.cli.simulation_progress import watch_simulation
from screwgraph.ui.cli.state_file import read_start

if TYPE_CHECKING:
    from screwgraph.motion.estimation import Estimate, Replay
    from screwgraph.ui.cli.outputs import Groups

FLAGS = {
    "measurements": Flag("A .csv file with times t (s) and columns of sensors.", "FILE"),
    "inputs": Flag(metavar="MOTOR"),
    "sensor": Flag("A sensor, written as in the file's sensors:, which it replaces; repeatable.", "YAML"),
    "model_error": Flag("Factor on the standard deviations of the model.", "X", min=1e-3, max=1e6),
    "lag": Flag("Estimate by a sliding window of this length (s).", "S", min=0.0),
    "state": Flag("Robots only: a JSON file with q and qd near which the motion begins.", "FILE"),
}

HELP = """\
Batch least squares on its factor graph: constraints and dynamics are nearly exact, sensors have the standard
deviations of the file's sensors:, or of --sensor. Columns have the name of the sensor, with _x, _y, ... where it
measures several numbers, and tau:MOTOR for known torques. Empty cells were not measured; a column t:SENSOR has the
times of a sensor with its own sampling. Sensors of robots: joint_position, joint_velocity, joint_torque of a joint;
position, height, pose, gyroscope, accelerometer, contact (1 or 0), force of a frame; with delay, bias, huber, and of
contacts slip besides sigma.
Columns of robots named KIND:TARGET need no --sensor. Frames with contacts get unknown forces.

\b
Example:
  screwgraph estimate four_bar_angle --measurements gyros.csv --parameters mass:coupler -o estimate.csv
  screwgraph estimate four_bar_angle --measurements gyros.csv --inputs theta -o estimate.csv --plot pictures
  screwgraph estimate rr --measurements m.csv --sensor "{sensor: a, joint_position: joint1, sigma: 0.001}" -o e.npz
  screwgraph estimate four_bar_angle --measurements gyros.csv --lag 0.05 -o estimate.csv
  screwgraph estimate a1 --base floating --measurements log.csv -o out
  screwgraph estimate a1 --base floating --measurements log.csv --lag 0.01 -o out
  screwgraph estimate a1 --base floating --measurements log.csv --state start.json -o out
  screwgraph estimate arm.yaml --measurements m.csv --sensor "{sensor: imu, gyroscope: rod, sigma: 0.01}" -o e.npz
with a gyros.csv like
  t,crank_gyro,coupler_gyro
  0,0.002,-0.011
  0.01,0.03,0.008
or a log.csv like
  t,joint_position:FR_hip_joint,tau:FR_hip_joint,gyroscope:trunk_x,gyroscope:trunk_y,gyroscope:trunk_z,contact:FR_foot

With --lag, each state is estimated from the measurements up to its time, as in a loop of fixed rate: that of the times
t where these are even. Sensors with times t:NAME of their own are read at these; delays must be within the lag.

The motion of a robot begins near its neutral position, at rest, or near --state, like {"q": {"joint1": 0.5}}: within
standard deviations of 1 (rad, m) and 10 (rad/s, m/s). The search begins where the first readings say.

The file that is written has states and torques, and the standard deviation of each, in SI units. Ctrl-C ends the
search early; the estimate from the samples used so far is written.
"""


def estimate(
    source: ModelSource,
    asked: Mapping[str, Any],
    measurements: str,
    output: str,
    sensor: list[str] | None = None,
    model_error: float = 1.0,
    lag: float | None = None,
    state: str | None = None,
    report: str | None = None,
    plot: str | None = None,
    json: bool = False,
) -> None:
    """Estimate, save, and say what was found."""
    with as_usage_error():
        output, report, plot = validate_outputs(output, report, plot)
    model: Any = source.load()
    table = read_table(measurements, missing=True)
    until, given = _duration(table), dict(asked)
    given["sensors"] = None if not sensor else [_parse_sensor(text) for text in sensor]
    given["noise"] = ModelNoise().times(model_error)
    if state is not None:
        if not model.has_frames:
            raise make_usage_error("--state goes with robots", why="a mechanism's file says how the motion begins")
        given["q0"], given["qd0"], _ = read_start(state, model, None)
    if lag is not None:
        with watch_simulation(until, "estimating") as watch:
            online = replay_measurements(model, table, lag, watch=watch, **given)
        return report_online(online, watch.wall_time, output, report, plot, json)
    with watch_simulation(until, "estimating") as watch:
        found = solve(model, table, watch=watch, **given)
    found.save(output)
    if found.status.is_stopped:
        print_note(f"interrupted with {len(found.t)} samples used: the results so far are kept")
    for doubt in found.doubts:
        print_note(f"warning: {doubt}")
    summary, groups = _summary(found, watch.wall_time, output), _groups(found)
    if report is not None:
        more = [(name, value, "") for name, value in found.parameters.items()]
        more += [(f"standard deviation of {name}", sigma, "") for name, sigma in found.sigma.items()]
        more += [
            (f"offset of {name}, {i}", x, "")
            for name, offset in found.offsets.items()
            for i, x in zip("xyz", _last(offset), strict=False)
        ]
        write_report(found.run, groups, summary, report, "Estimate", more)
    summary |= write_plots(found.t, groups, plot)
    return print_json(summary) if json else _print(summary)


COMMAND = Command(estimate, HELP, FLAGS, model="values xacro packages base", query=solve, takes="parameters inputs")


def _parse_sensor(text: str) -> Any:
    """Return a sensor that is written like in a file. Raises BadParameter."""
    try:
        declared = yaml.safe_load(text)
    except yaml.YAMLError:
        declared = None
    if not isinstance(declared, dict):
        raise typer.BadParameter(f"--sensor {text!r} is not like {{sensor: gyro, gyroscope: rod, sigma: 0.01}}")
    return declared


def _duration(table: Mapping[str, Any]) -> float:
    """Return how long measurements last (s), as far as their times are numbers."""
    times = np.concatenate([[], *(table[name] for name in table if name == "t" or name.startswith("t:"))])
    known = times[np.isfinite(times)]
    return float(np.ptp(known)) if len(known) else 1.0


def _last(bias: Any) -> list[float]:
    """Return a bias (m,), that of the last instant of one that walks (N, m)."""
    return (bias[-1] if bias.ndim > 1 else bias).tolist()


def _summary(found: Estimate, wall_time: float, output: str) -> dict[str, Any]:
    return {
        "robot": found.model.name,
        "samples": len(found.t),
        "wall_time": wall_time,
        "status": found.status.value,
        "iterations": found.result.iterations,
        "parameters": {n: {"value": x, "sigma": found.sigma[n]} for n, x in found.parameters.items()},
        "residuals": {
            name: float(np.sqrt(np.nanmean(r * r))) for name, r in found.residuals.items() if np.isfinite(r).any()
        },
        "offsets": {
            name: {"value": _last(x), "sigma": _last(found.offsets_sigma[name])} for name, x in found.offsets.items()
        },
        "slips": [asdict(slip) for slip in found.slips],
        "model_error": found.model_error,
        "misfit": dict(found.misfit),
        "undetermined": list(found.undetermined),
        "unobserved": list(found.unobserved),
        "output": output,
    }


def _print(summary: Mapping[str, Any]) -> None:
    typer.echo(
        f"{summary['output']}: {summary['robot']}, {summary['samples']} samples in {summary['wall_time']:.3g} s, "
        f"{summary['status']}"
    )
    print_constants(summary)
    for slip in summary["slips"]:
        typer.echo("{frame} slips from {start:.6g} to {end:.6g} s, at up to {speed:.3g} m/s".format(**slip))
    residuals = ", ".join(f"{name} {size:.3g}" for name, size in summary["residuals"].items())
    typer.echo(f"root mean square residuals: {residuals}")


def _groups(found: Estimate) -> Groups:
    from screwgraph.ui.draw import Panel, panels_by_unit

    rates = found.model.columns["qd"]  # positions have as many directions, of the same units
    of = {i: replace(column, unit=column.unit.removesuffix("/s")) for i, column in enumerate(rates)}
    spread = panels_by_unit("standard deviation", of, found.q_sigma)
    residuals = [Panel("residual", found.residuals)] if found.residuals else []
    pushed = [
        Panel(f"{what} of {frame} (N)", dict(zip("xyz", values.T, strict=True)))
        for what, of in (("force", found.forces), ("standard deviation", found.forces_sigma))
        for frame, values in of.items()
    ]
    groups = {
        **group_motion_panels(found.run),
        "Contact forces": pushed,
        "Standard deviations": spread,
        "Residuals": residuals,
    }
    return {name: group for name, group in groups.items() if group}


def report_online(
    found: Replay, wall_time: float, output: str, report: str | None, plot: str | None, as_json: bool
) -> None:
    """Save the motion, write report and plots, and say what was found."""
    found.run.save(output)
    for doubt in found.smoother.doubts:
        print_note(f"warning: {doubt}")
    summary, groups = _summarise_replay(found, wall_time, output), group_motion_panels(found.run)
    if report is not None:
        more = [(name, of["value"], "") for name, of in summary["parameters"].items()]
        write_report(found.run, groups, summary, report, "Estimate", more)
    summary |= write_plots(found.run.t, groups, plot)
    if as_json:
        print_json(summary)
    else:
        _print_replay(summary)


def _summarise_replay(found: Replay, wall_time: float, output: str) -> dict[str, Any]:
    smoother = found.smoother
    is_full = smoother.count >= smoother.window
    sigma = smoother.sigma() if is_full else {}
    return {
        "robot": smoother.model.name,
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
        "misfit": smoother.misfit,
        "doubts": list(smoother.doubts),
        "offsets": {
            name: {"value": x.tolist(), "sigma": sigma[f"offset {name}"].tolist()}
            for name, x in smoother.offsets.items()
        },
        "slips": [{"time": t, "frame": frame} for t, frame in found.slips],
        "output": output,
    }


def _print_replay(summary: Mapping[str, Any]) -> None:
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
