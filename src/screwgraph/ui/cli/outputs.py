"""What commands write beside their answer: checks before the work begins, plots and reports after it."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.ui.cli.console import print_note, show_progress

if TYPE_CHECKING:
    from screwgraph.motion.simulation import Place, Trajectory
    from screwgraph.ui.draw import Panel
    from screwgraph.ui.view import Picture, Pictures, Text

RATE = 30.0
WIDTH = 4.8
"""Of a picture in a report (inches): on a phone its letters are still large enough."""
Groups = Mapping[str, "Sequence[Panel]"]
"""Panels of curves over time, by the name of what they show."""
UNITS = {"method": "", "steps": "", "time": "s", "wall_time": "s", "energy": "J", "energy_drift": "J"}
UNITS |= {"samples": "", "status": "", "stages": "", "torque": "N m", "violation": "rad, m"}
"""Values of a summary, and their units."""


def parse_places(named: str | None) -> tuple[Place, ...]:
    """Return the places of `--paths`. Raises InputError where a place on a body is no list of numbers."""
    found: list[Place] = []
    for text in (named or "").split(","):
        name, *at = text.strip().split(":")
        try:
            found += [(name, tuple(map(float, at)))] if at else [name] if name else []
        except ValueError:
            raise InputError(f"--paths {text!r} is no place on a body", fix="write coupler:1:0.5 (m)") from None
    return tuple(found)


def validate_outputs(output: str, report: str | None, plots: str | None) -> tuple[str, str | None, str | None]:
    """Return where a table, a page and pictures go: an output without a suffix is a folder for all three.

    Folders are made. Raises InputError where something cannot be written, or `plots` are asked for and cannot be drawn.
    """
    from screwgraph.motion.simulation import check_path
    from screwgraph.ui.draw.matplotlib_import import check_installed

    if plots is not None:
        check_installed()
    if not Path(output).suffix:
        folder = make_folder(output)
        output, report = str(folder / "motion.npz"), report or str(folder / "report.html")
        plots = plots or (str(folder) if can_draw("plots") else None)
    check_path(output)
    if report is not None:
        from screwgraph.ui.view import check_page_path

        check_page_path(report)
    if plots is not None:
        make_folder(plots)
    return output, report, plots


def can_draw(what: str) -> bool:
    """Whether there is what draws pictures; where not, what is left out is said on stderr."""
    from screwgraph.ui.draw.matplotlib_import import check_installed

    try:
        check_installed()
    except InputError as error:
        print_note(f"{what} are left out: {error}")
        return False
    return True


def make_folder(folder: str) -> Path:
    """Make a folder, if there is none; it goes where nothing was written. Raises InputError where that cannot be."""
    path = Path(folder)
    try:
        if not path.is_dir():
            path.mkdir(parents=True, exist_ok=True)
            atexit.register(_remove_empty, path.resolve())
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"the folder {folder!r} cannot be created", why=why) from error
    return path


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # it has files
        folder.rmdir()


def write_plots(
    t: Float[np.ndarray, " N"],
    groups: Mapping[str, Sequence[Panel]],
    folder: str | None,
    motion: Trajectory | None = None,
    curves: Sequence[Place] = (),
) -> dict[str, list[str]]:
    """Draw each group of panels, and curves of a motion, into files: {"plots": files}, or nothing without folder.

    Raises:
        InputError: a file cannot be written.
    """
    if folder is None:
        return {}
    from screwgraph.ui.draw import draw_histories, draw_paths, save

    files = []
    with show_progress("drawing"):
        for name, panels in groups.items():
            path = Path(folder) / f"{name.lower().replace(' ', '_')}.svg"
            save(draw_histories(t, panels), path)
            files.append(str(path))
        if motion is not None and curves:
            files.append(str(Path(folder) / "paths.svg"))
            save(draw_paths(motion, curves), files[-1])
    return {"plots": files}


def group_motion_panels(motion: Trajectory) -> Groups:
    """Return panels of coordinates and velocities, of torques, and of what says how well the motion obeys mechanics.

    Torques that are always zero have no panel.
    """
    from screwgraph.ui.draw import Panel, motion_panels

    errors = [Panel("energy (J)", {"energy": motion.energy})]
    errors.append(Panel("energy balance residual (J)", {"residual": motion.energy_residual}))
    if motion.model.is_closed:
        errors.append(Panel("loop-closure error (rad, m)", {"largest": motion.violation}))
    coordinates = [*motion_panels(motion, "q"), *motion_panels(motion, "qd")]
    groups = {"Coordinates": coordinates, "Torques": motion_panels(motion, "tau", zeros=False), "Errors": errors}
    seen = {name: [panel for panel in group if not panel.is_empty] for name, group in groups.items()}
    return {name: group for name, group in seen.items() if group}


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


def draw_sections(title: str, draw: Callable[[], Iterable[Picture | Pictures]]) -> list[Picture | Pictures | Text]:
    """Return the pictures of a report; without matplotlib, one section that says so."""
    from screwgraph.ui.draw.matplotlib_import import check_installed
    from screwgraph.ui.view import Text

    try:
        check_installed()
    except InputError as error:
        return [Text(title, f"Not drawn: {error}.")]
    return list(draw())
