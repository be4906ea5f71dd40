"""Curves that frames and points follow: coupler curves of mechanisms, end-effector paths of robots."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.simulation import Place, Trajectory, label_of, smooth_path
from screwgraph.ui.draw import style
from screwgraph.ui.draw.math_labels import escape_mathtext
from screwgraph.ui.draw.matplotlib_import import new_figure
from screwgraph.ui.draw.time_plots import line_looks

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

FLAT = 1e-6
"""Share of its size by which a curve may leave a coordinate plane and still be drawn in it alone."""
SIDE = 3.6
"""Of a panel (inches)."""


def draw_paths(motion: Trajectory, places: Sequence[Place]) -> Drawing:
    """Draw the paths of frames, points or places on bodies, all axes alike; a dot marks where they begin.

    Planar motions take one panel, others three: seen along y, x and z.

    Args:
        motion: of a robot or a mechanism.
        places: names of frames, links or points, or (link, frame or body, place on it in m).

    Raises:
        InputError: there is no such place, or none is named.
    """
    if not places:
        raise InputError("there is no path to draw", fix='draw_paths(run, ["tool0"])')
    paths = {label_of(place): smooth_path(motion, place) for place in places}
    views, looks = _views(list(paths.values())), line_looks(list(paths))
    figure = new_figure(figsize=(SIDE * len(views), SIDE + 0.4), facecolor=style.PAPER, layout="constrained")
    every: Any = figure.subplots(1, len(views), squeeze=False)[0]
    for axes, (i, j) in zip(every, views, strict=True):
        for name, path in paths.items():
            colour, line = looks[name]
            axes.plot(path[:, i], path[:, j], color=colour, linestyle=line, linewidth=1.2, label=escape_mathtext(name))
            axes.plot(path[:1, i], path[:1, j], "o", color=colour, markersize=4)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel(f"{'xyz'[i]} (m)", fontsize=8)
        axes.set_ylabel(f"{'xyz'[j]} (m)", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(visible=True, linewidth=0.3)
    handles, names = every[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4, fontsize=7, frameon=False, handlelength=3.0)
    return figure


def _views(paths: Sequence[Float[np.ndarray, "N d"]]) -> list[tuple[int, int]]:
    """Return the pairs of axes of each panel."""
    if paths[0].shape[1] == 2:
        return [(0, 1)]
    points = np.concatenate(paths)
    spread = np.ptp(points, axis=0)
    level = [k for k in range(3) if spread[k] <= FLAT * spread.max()]
    pairs = [(0, 2), (1, 2), (0, 1)]
    return [pair for pair in combinations(range(3), 2) if level[0] not in pair] if len(level) == 1 else pairs
