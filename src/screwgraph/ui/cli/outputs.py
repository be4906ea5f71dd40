"""What commands write beside their answer: checks before the work begins, plots after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from jaxtyping import Float

from screwgraph.base.errors import InputError

if TYPE_CHECKING:
    from screwgraph.motion.simulation import Place, Trajectory
    from screwgraph.ui.draw import Panel

Report = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Also write an .html page with values, plots and an animation."),
]
Plots = Annotated[
    str | None,
    typer.Option("--plot", metavar="DIR", help="Also write the plots (.svg) into this folder; created if missing."),
]

Paths = Annotated[
    str | None,
    typer.Option(
        "--paths",
        metavar="PLACE,...",
        help="Also draw the curves of frames or points, or of places on bodies (m): tool0,coupler:1:0.5.",
    ),
]


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
    from screwgraph.ui.cli.console import print_note
    from screwgraph.ui.draw.matplotlib_import import check_installed

    try:
        check_installed()
    except InputError as error:
        print_note(f"{what} are left out: {error}")
        return False
    return True


def make_folder(folder: str) -> Path:
    """Make a folder, if there is none. Raises InputError where that cannot be."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"the folder {folder!r} cannot be created", why=why) from error
    return path


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
    from screwgraph.ui.cli.console import show_progress
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
