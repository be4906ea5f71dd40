"""Quantities over time, one panel for each unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from screwgraph.draw import style
from screwgraph.draw.labels import plain
from screwgraph.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_POINTS = 600
"""Of a curve; a screen has no more."""
MOST_NAMED = 12
"""Curves of a panel that stand in a legend."""
WIDTH, HEIGHT = 8.0, 2.4


@dataclass(frozen=True)
class Panel:
    """Curves over time on common axes: what they are, with the unit, and their values (N,) by name, or NaN."""

    label: str
    curves: Mapping[str, Float[np.ndarray, " N"]]


def draw_histories(t: Float[np.ndarray, " N"], panels: Sequence[Panel]) -> Figure:
    """Draw panels below one another over a common time axis (s).

    Raises:
        InputError: no panel, or a curve of another length than t.
    """
    from matplotlib.figure import Figure

    if not panels:
        raise InputError("there is nothing to draw", fix="give one panel at least")
    figure = Figure(figsize=(WIDTH, 0.5 + HEIGHT * len(panels)), facecolor=style.PAPER, layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, np.asarray(t), panel)
    axes[-1].set_xlabel("time (s)")
    return figure


def _draw_panel(axes: Axes, t: Float[np.ndarray, " N"], panel: Panel) -> None:
    from matplotlib import colormaps

    colours = colormaps["tab20" if len(panel.curves) > 10 else "tab10"].colors  # pyright: ignore[reportAttributeAccessIssue]
    for i, (name, values) in enumerate(panel.curves.items()):
        if np.shape(values) != t.shape:
            raise InputError(f"the curve {name!r} has the shape {np.shape(values)}, time {t.shape}")
        known = np.flatnonzero(np.isfinite(values))
        if len(known) > MOST_POINTS:
            known = known[np.unique(np.linspace(0, len(known) - 1, MOST_POINTS).astype(int))]
        mark = "" if np.isfinite(values).all() else "."
        options = {"color": colours[i % len(colours)], "linewidth": 1.3, "marker": mark, "markersize": 3.0}
        axes.plot(t[known], values[known], label=plain(name), **options)
    axes.set_ylabel(plain(panel.label))
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if 1 < len(panel.curves) <= MOST_NAMED:
        axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
