"""`screwgraph identify`: inertias, friction and payloads of a robot from a log of positions and torques."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from screwgraph.ui.cli import options
from screwgraph.ui.cli.options import BaseKind
from screwgraph.ui.cli.usage_errors import as_usage_error

if TYPE_CHECKING:
    from screwgraph.motion.identification import Identified

RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="A robot: a file, or a built-in one such as panda.")]
Logs = Annotated[
    list[str],
    typer.Option("--log", metavar="FILE", help="A .csv or .npz file of positions and torques; repeatable."),
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="The robot that was found: .yaml or .urdf.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameters",
        metavar="NAME",
        help="A link, joint1.friction, joint1.damping, joint1.armature, payload; repeatable, or separated by commas.",
    ),
]
Payload = Annotated[
    str | None, typer.Option("--payload", metavar="FRAME", help="The frame or link that carries an unknown body.")
]
Constants = Annotated[
    list[str] | None,
    typer.Option(
        "--motor-constant", metavar="JOINT=X", help="Torque per current (N m/A), ? where unknown; repeatable."
    ),
]
Contacts = Annotated[
    list[str] | None,
    typer.Option(
        "--contact", metavar="FRAME", help="An unknown wrench acts there; FRAME.force: no moment; repeatable."
    ),
]
Motion = Annotated[
    str, typer.Option("--motion", metavar="NAME", help="filtered, or estimated: a spline found with the parameters.")
]
Cutoff = Annotated[
    float | None,
    typer.Option(
        "--cutoff", metavar="HZ", help="Cutoff frequency of the position filter; default: chosen from the motion."
    ),
]
RobustLoss = Annotated[
    str | None, typer.Option("--loss", metavar="NAME", help="Against outliers: huber, cauchy, tukey, geman_mcclure.")
]
Page = Annotated[
    str | None, typer.Option("--report", metavar="FILE", help="Also write an .html page with tables and residuals.")
]

HELP = """Identify inertias, friction and payloads of a robot from logs of positions and torques.

Columns of a .csv file: t (s), q:JOINT, tau:JOINT, and qd:JOINT and qdd:JOINT where they are known; i:JOINT are
currents (A). An .npz file has arrays t, q, tau. Torques determine combinations of parameters, which are printed
with their standard deviations. The robot that is written has parameters of real bodies, near the file's where torques
do not determine them.

\b
Example:
  screwgraph identify panda --log run.csv -o identified.yaml --report identified.html
  screwgraph identify arm.urdf --log a.npz --log b.npz --parameters payload --payload tool0 -o loaded.urdf
"""


def identify(
    context: typer.Context,
    robot: RobotName,
    log: Logs,
    output: Output,
    parameters: Parameters = None,
    payload: Payload = None,
    motor_constant: Constants = None,
    contact: Contacts = None,
    cutoff: Cutoff = None,
    motion: Motion = "filtered",
    loss: RobustLoss = None,
    xacro: options.XacroArgs = None,
    base: options.Base = BaseKind.fixed,
    report: Page = None,
    as_json: options.AsJson = False,
) -> None:
    """Identify, save, and say what was found."""
    from screwgraph import identify as solve
    from screwgraph.ui.cli.console import print_json, print_note, show_progress
    from screwgraph.ui.cli.identify_report import write_identify_report
    from screwgraph.ui.view import check_page_path

    with as_usage_error(context):
        constants = dict(_constant(text) for text in motor_constant or ())
        if report is not None:
            check_page_path(report)
    asked = options.load_robot(robot, base, None, None, False, False, 0.0, None, xacro)
    named = options.split_names(parameters)
    with show_progress("identifying"):
        found = solve(
            asked,
            log,
            named or None,
            payload=payload,
            motor_constants=constants,
            contacts=tuple(contact or ()),
            cutoff=cutoff,
            motion=motion,
            loss=loss,
        )
    found.save(output)
    for doubt in found.doubts:
        print_note(f"warning: {doubt}")
    if report is not None:
        write_identify_report(found, report)
    summary = _summary(found, output)
    if as_json:
        print_json(summary)
    else:
        _print(found, summary)


def _constant(text: str) -> tuple[str, float | None]:
    """Return a joint and its motor constant, None where it is unknown. Raises BadParameter."""
    name, _, value = text.partition("=")
    if value.strip() == "?":
        return name.strip(), None
    try:
        return name.strip(), float(value)
    except ValueError:
        raise typer.BadParameter(f"--motor-constant {text!r} is not JOINT=NUMBER or JOINT=?") from None


def _summary(found: Identified, output: str) -> dict[str, Any]:
    return {
        "robot": found.robot.name,
        "samples": found.samples,
        "condition": found.condition,
        "combinations": {text: {"value": x, "sigma": s} for text, (x, s) in found.combinations.items()},
        "parameters": {name: {"value": x, "sigma": found.sigma[name]} for name, x in found.parameters.items()},
        "motor_constants": {
            name: {"value": x, "sigma": found.motor_constants_sigma[name]} for name, x in found.motor_constants.items()
        },
        "identifiable": list(found.identifiable),
        "unidentifiable": list(found.unidentifiable),
        "unexcited": list(found.unexcited),
        "doubts": list(found.doubts),
        "noise": dict(found.noise),
        "validation": dict(found.validation),
        "robot_validation": dict(found.robot_validation),
        "output": output,
    }


def _print(found: Identified, summary: Mapping[str, Any]) -> None:
    typer.echo(
        f"{summary['output']}: {found.base.rank} combinations of {len(found.base.labels)} parameters of "
        f"{found.robot.name} from {found.samples} samples, condition {found.condition:.3g}"
    )
    typer.echo(str(found))
    for name, of in summary["motor_constants"].items():
        typer.echo(f"motor constant of {name} = {of['value']:.6g} +- {of['sigma']:.2g} N m/A")
    left = (f"{name} {100.0 * x / max(found.torque[name], 1e-300):.3g} %" for name, x in found.validation.items())
    typer.echo(f"torques held out, not explained: {', '.join(left)}")
