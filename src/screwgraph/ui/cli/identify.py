"""`screwgraph identify`: inertias, friction and payloads of a model from a log of positions and torques."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import typer

from screwgraph import identify as solve
from screwgraph.ui.cli.command import Command
from screwgraph.ui.cli.console import as_usage_error, print_json, print_note, show_progress
from screwgraph.ui.cli.model_source import ModelSource
from screwgraph.ui.cli.options import Flag
from screwgraph.ui.cli.outputs import WIDTH, draw_sections

if TYPE_CHECKING:
    from screwgraph.motion.identification import Identified

FLAGS = {
    "log": Flag("A .csv or .npz file of positions and torques; repeatable.", "FILE"),
    "output": Flag("The model that was found: .yaml, of robots also .urdf.", "FILE", "-o"),
    "payload": Flag(metavar="FRAME"),
    "motor_constant": Flag("Torque per current (N m/A), ? where unknown; repeatable.", "JOINT=X"),
    "contact": Flag("An unknown wrench acts there; FRAME.force: no moment; repeatable.", "FRAME"),
    "cutoff": Flag(metavar="HZ"),
    "motion": Flag("filtered, or estimated: a spline found with the parameters.", "NAME"),
    "loss": Flag(metavar="NAME"),
    "report": Flag("Also write an .html page with tables and residuals.", "FILE"),
}

HELP = """\
Columns of a .csv file: t (s), q:JOINT, tau:JOINT, and qd:JOINT and qdd:JOINT where they are known; i:JOINT are
currents (A). Of mechanisms, q:COORDINATE of as many as there are degrees of freedom, and tau:MOTOR. An .npz file has
arrays t, q, tau. Torques determine combinations of parameters, which are printed
with their standard deviations. The model that is written has parameters of real bodies, near the file's where torques
do not determine them.

\b
Example:
  screwgraph identify panda --log run.csv -o identified.yaml --report identified.html
  screwgraph identify linkage.yaml --log run.csv -o identified.yaml
  screwgraph identify arm.urdf --log a.npz --log b.npz --parameters payload --payload tool0 -o loaded.urdf
"""


def identify(
    source: ModelSource,
    asked: Mapping[str, Any],
    log: list[str],
    output: str,
    motor_constant: list[str] | None = None,
    contact: list[str] | None = None,
    report: str | None = None,
    json: bool = False,
) -> None:
    """Identify, save, and say what was found."""
    from screwgraph.ui.view import check_page_path

    with as_usage_error():
        constants = dict(_constant(text) for text in motor_constant or ())
        if report is not None:
            check_page_path(report)
    model = source.load()
    with show_progress("identifying"):
        found = solve(model, log, motor_constants=constants, contacts=tuple(contact or ()), **asked)
    found.save(output)
    for doubt in found.doubts:
        print_note(f"warning: {doubt}")
    if report is not None:
        write_identify_report(found, report)
    summary = _summary(found, output)
    return print_json(summary) if json else _print(found, summary)


COMMAND = Command(
    identify,
    HELP,
    FLAGS,
    model="xacro packages base values",
    query=solve,
    takes="parameters payload cutoff motion loss",
)


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
        found.model.kind: found.model.name,
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
        f"{found.model.name} from {found.samples} samples, condition {found.condition:.3g}"
    )
    typer.echo(str(found))
    for name, of in summary["motor_constants"].items():
        typer.echo(f"motor constant of {name} = {of['value']:.6g} +- {of['sigma']:.2g} N m/A")
    left = (f"{name} {100.0 * x / max(found.torque[name], 1e-300):.3g} %" for name, x in found.validation.items())
    typer.echo(f"torques held out, not explained: {', '.join(left)}")


def write_identify_report(found: Identified, path: str) -> None:
    """Write a report as HTML. Raises InputError where it cannot be written."""
    from screwgraph.ui.draw import Panel, draw_histories, encode
    from screwgraph.ui.view import Picture, Pictures, Table, Text, save_report

    def picture(i: int, name: str) -> Picture:
        torque, fit = found.measured[:, i], found.predicted[:, i]
        panels = [
            Panel("torque (N m, N)", {"measured": torque, "explained": fit}),
            Panel("residual (N m, N)", {"residual": torque - fit}),
        ]
        return Picture(name, encode(draw_histories(found.t, panels, width=WIDTH), ".svg"), name)

    def pictures() -> Iterator[Pictures]:
        curves = [picture(i, name) for i, name in enumerate(found.noise)]
        yield Pictures("Residuals", curves, "Some samples, with what the combinations explain of them.")

    with show_progress("drawing"):
        residuals = draw_sections("Residuals", pictures)
    combined = [(text, x, s) for text, (x, s) in found.combinations.items()]
    singles = [(name, x, found.sigma[name], _claim(found, name)) for name, x in found.parameters.items()]
    torques = [(n, found.torque[n], found.noise[n], found.validation[n]) for n in found.noise]
    sections = [
        Table("Summary", ("quantity", "value"), list(_rows(found))),
        Table("Combinations that torques show (SI units)", ("combination", "value", "standard deviation"), combined),
        Table(
            "Torques (N m, N)",
            ("coordinate", "root mean square", "noise", "unexplained of what was held out"),
            torques,
        ),
        *residuals,
        Table("Parameters of real bodies (SI units)", ("parameter", "value", "standard deviation", "shown"), singles),
    ]
    if found.unexcited:
        sections.insert(1, Text("Not excited", "The motion does not show: " + "; ".join(found.unexcited)))
    if found.doubts:
        sections.insert(1, Text("Doubts", "; ".join(found.doubts)))
    save_report(f"Identification of {found.model.name}", sections, path)


def _rows(found: Identified) -> Iterator[tuple[str, object]]:
    yield "samples", found.samples
    yield "parameters", len(found.base.labels)
    yield "combinations that torques show", found.base.rank
    yield "condition number of the equations", found.condition


def _claim(found: Identified, name: str) -> str:
    if name in found.identifiable:
        return "by itself"
    return "by the prior" if name in found.unidentifiable else "with others"
