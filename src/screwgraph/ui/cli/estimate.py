"""`screwgraph estimate`: states, torques and parameters of a robot or a mechanism from measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screwgraph.ui.cli import options
from screwgraph.ui.cli.estimate_online import print_constants, report_online
from screwgraph.ui.cli.mechanism_options import ModelName, Output, Values, load_model
from screwgraph.ui.cli.options import BaseKind
from screwgraph.ui.cli.outputs import Plots, Report, validate_outputs, write_plots
from screwgraph.ui.cli.usage_errors import as_usage_error, make_usage_error

if TYPE_CHECKING:
    from screwgraph.motion.estimation import Estimate
    from screwgraph.ui.cli.motion_report import Groups

Measured = Annotated[
    str, typer.Option("--measurements", metavar="FILE", help="A .csv file with times t (s) and columns of sensors.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameters",
        metavar="NAME",
        help="A parameter of the file, or one like mass:coupler, damping:joint1; repeatable, or separated by commas.",
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--inputs", metavar="MOTOR", help="A motor or joint of unknown torque; repeatable, or separated by commas."
    ),
]
Sensor = Annotated[
    list[str] | None,
    typer.Option(
        "--sensor", metavar="YAML", help="A sensor, written as in the file's sensors:, which it replaces; repeatable."
    ),
]
ModelSigma = Annotated[
    float,
    typer.Option(
        "--model-error", metavar="X", min=1e-3, max=1e6, help="Factor on the standard deviations of the model."
    ),
]
Lag = Annotated[
    float | None,
    typer.Option("--lag", metavar="S", min=0.0, help="Robots only: estimate by a sliding window of this length (s)."),
]
Start = Annotated[
    str | None,
    typer.Option(
        "--state", metavar="FILE", help="Robots only: a JSON file with q and qd near which the motion begins."
    ),
]

HELP = """Estimate the motion of a robot or a planar mechanism, torques and parameters from measurements.

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

With --lag, each state is estimated from the measurements up to its time, as in a loop of fixed rate: times t must be
evenly spaced, and delays within the lag.

The motion of a robot begins near its neutral position, at rest, or near --state, like {"q": {"joint1": 0.5}}: within
standard deviations of 1 (rad, m) and 10 (rad/s, m/s). The search begins where the first readings say.

The file that is written has states and torques, and the standard deviation of each, in SI units. Ctrl-C ends the
search early; the estimate from the samples used so far is written.
"""


def estimate(
    context: typer.Context,
    model: ModelName,
    measurements: Measured,
    output: Output,
    parameters: Parameters = None,
    inputs: Inputs = None,
    sensor: Sensor = None,
    model_error: ModelSigma = 1.0,
    lag: Lag = None,
    state: Start = None,
    values: Values = None,
    xacro: options.XacroArgs = None,
    base: options.Base = BaseKind.fixed,
    report: Report = None,
    plot: Plots = None,
    as_json: options.AsJson = False,
) -> None:
    """Estimate, save, and say what was found."""
    from screwgraph import estimate as solve
    from screwgraph.mechanics.mechanism import Mechanism
    from screwgraph.model.formats import read_table
    from screwgraph.motion.estimation import ModelNoise, replay_measurements
    from screwgraph.ui.cli.console import print_json, print_note
    from screwgraph.ui.cli.motion_report import write_report
    from screwgraph.ui.cli.simulation_progress import watch_simulation
    from screwgraph.ui.cli.state_file import read_start

    with as_usage_error(context):
        output, report, plot = validate_outputs(output, report, plot)
    asked = load_model(context, model, values, base, xacro)
    table = read_table(measurements, missing=True)
    until, named = _duration(table), options.split_names(parameters)
    given: dict[str, Any] = {
        "inputs": options.split_names(inputs),
        "sensors": None if not sensor else [_parse_sensor(text) for text in sensor],
        "noise": ModelNoise().times(model_error),
    }
    if state is not None:
        if isinstance(asked, Mechanism):
            raise make_usage_error(
                context, "--state goes with robots", why="a mechanism's file says how the motion begins"
            )
        given["q0"], given["qd0"], _ = read_start(state, asked, None)
    if lag is not None:
        if isinstance(asked, Mechanism):
            raise make_usage_error(
                context, "--lag goes with robots", fix="leave it out: all samples are estimated together"
            )
        with watch_simulation(until, "estimating") as watch:
            online = replay_measurements(asked, table, lag, named, watch=watch, **given)
        report_online(online, watch.wall_time, output, report, plot, as_json)
        return
    with watch_simulation(until, "estimating") as watch:
        found = solve(asked, table, named, watch=watch, **given)
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
    if as_json:
        print_json(summary)
    else:
        _print(summary)


def _parse_sensor(text: str) -> Any:
    """Return a sensor that is written like in a file. Raises BadParameter."""
    import yaml

    try:
        declared = yaml.safe_load(text)
    except yaml.YAMLError:
        declared = None
    if not isinstance(declared, dict):
        raise typer.BadParameter(f"--sensor {text!r} is not like {{sensor: gyro, gyroscope: rod, sigma: 0.01}}")
    return declared


def _duration(table: Mapping[str, Any]) -> float:
    """Return how long measurements last (s), as far as their times are numbers."""
    import numpy as np

    times = np.concatenate([[], *(table[name] for name in table if name == "t" or name.startswith("t:"))])
    known = times[np.isfinite(times)]
    return float(np.ptp(known)) if len(known) else 1.0


def _last(bias: Any) -> list[float]:
    """Return a bias (m,), that of the last instant of one that walks (N, m)."""
    return (bias[-1] if bias.ndim > 1 else bias).tolist()


def _summary(found: Estimate, wall_time: float, output: str) -> dict[str, Any]:
    import numpy as np

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
    from screwgraph.ui.cli.motion_report import group_motion_panels
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
