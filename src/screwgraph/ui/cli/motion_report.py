"""A motion of a robot or a mechanism as a report: numbers, curves with their units, an animation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from screwgraph import Trajectory

if TYPE_CHECKING:
    from screwgraph.motion.simulation import Place
    from screwgraph.ui.draw import Panel

RATE = 30.0
Groups = Mapping[str, "Sequence[Panel]"]
"""Panels of curves over time, by the name of what they show."""
UNITS = {"method": "", "steps": "", "time": "s", "wall_time": "s", "energy": "J", "energy_drift": "J"}
UNITS |= {"samples": "", "status": "", "stages": "", "torque": "N m", "violation": "rad, m"}
"""Values of a summary, and their units."""


def group_motion_panels(motion: Trajectory) -> Groups:
    """Return panels of coordinates and velocities, of torques, and of what says how well the motion obeys mechanics."""
    from screwgraph.ui.draw import Panel, motion_panels

    errors = [Panel("energy (J)", {"energy": motion.energy})]
    errors.append(Panel("energy balance residual (J)", {"residual": motion.energy_residual}))
    if motion.model.is_closed:
        errors.append(Panel("loop-closure error (rad, m)", {"largest": motion.violation}))
    coordinates = [*motion_panels(motion, "q"), *motion_panels(motion, "qd")]
    groups = {"Coordinates": coordinates, "Torques": motion_panels(motion, "tau"), "Errors": errors}
    return {name: group for name, group in groups.items() if group}


def write_report(
    motion: Trajectory,
    groups: Groups,
    numbers: Mapping[str, Any],
    path: str,
    title: str,
    more: Sequence[tuple[str, object, str]] = (),
    curves: Sequence[Place] = (),
) -> None:
    """Write a report as HTML: a table of numbers, with more rows, the motion with curves of places, groups of panels.

    Raises:
        InputError: it cannot be written.
    """
    from screwgraph.ui.cli.console import show_progress
    from screwgraph.ui.cli.pictures import draw_sections
    from screwgraph.ui.draw import draw_histories, draw_paths, encode
    from screwgraph.ui.view import Animation, Picture, Table, save_report, trajectory_scene

    def pictures() -> Iterator[Picture]:
        for name, group in groups.items():
            yield Picture(name, encode(draw_histories(motion.t, group), ".svg"))
        if curves:
            yield Picture("Paths", encode(draw_paths(motion, curves), ".svg"))

    with show_progress("drawing"):
        drawn = draw_sections("Curves", pictures)
        scene = trajectory_scene(motion, rate=RATE, paths=curves)
        summary = [(name.replace("_", " "), numbers[name], unit) for name, unit in UNITS.items() if name in numbers]
        doubts = [("doubt", doubt, "") for doubt in motion.doubts]
        table = Table("Summary", ("quantity", "value", "unit"), [*summary, *more, *doubts])
        save_report(f"{title} of {motion.model.name}", [table, Animation("Motion", scene), *drawn], path)
