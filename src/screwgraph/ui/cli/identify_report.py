"""An identification as a report: tables of what was found, torques and what is left of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screwgraph.motion.identification import Identified

WIDTH = 4.8
"""Of a picture (inches): on a phone its letters are still large enough."""


def write_identify_report(found: Identified, path: str) -> None:
    """Write a report as HTML. Raises InputError where it cannot be written."""
    from screwgraph.ui.cli.console import show_progress
    from screwgraph.ui.cli.pictures import draw_sections
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
        Table("Summary", ("quantity", "value"), list(_summary(found))),
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
    save_report(f"Identification of {found.robot.name}", sections, path)


def _summary(found: Identified) -> Iterator[tuple[str, object]]:
    yield "samples", found.samples
    yield "parameters", len(found.base.labels)
    yield "combinations that torques show", found.base.rank
    yield "condition number of the equations", found.condition


def _claim(found: Identified, name: str) -> str:
    if name in found.identifiable:
        return "by itself"
    return "by the prior" if name in found.unidentifiable else "with others"
