"""Quantities over time, one panel for each unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.ui.draw import style
from screwgraph.ui.draw.math_labels import escape_mathtext
from screwgraph.ui.draw.matplotlib_import import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from screwgraph.ui.draw.drawing import Drawing

MOST_POINTS = 600
"""Of a curve; a screen has no more."""
MOST_NAMED = 24
"""Curves of a panel that stand in a legend."""
WIDTH, HEIGHT = 6.5, 1.9
FEW = 6
"""Colours that are easily told apart."""
STYLES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (5, 1.2, 1, 1.2)), (0, (1.2, 1.2)))
"""Of lines, where there are more curves than colours; gaps show what lies below."""
MARGIN = 0.6
"""Limits are shown where curves come nearer than so much of their own range."""
STILL = 1e-6
"""Share of its size by which a curve varies that is drawn as one that stands still: more would be rounding."""
NARROW = 0.1
"""Range of a panel in which curves that are rounding stand still (in its unit)."""
APART = 0.045
"""Of a panel's height, between names of limits."""


Look = tuple[str, Any]
"""A colour and a line style."""


@dataclass(frozen=True)
class Panel:
    """Curves over time on common axes: what they are, with the unit, and their values (N,) by name, or NaN.

    By the same names, `limits` are values that dashed lines show, and `marks` are circles at times (s) and values.
    Curves that vary by less than `rounding` (in the unit of the label) are drawn as ones that stand still.
    """

    __repr__ = one_line

    label: str
    curves: Mapping[str, Float[np.ndarray, " N"]]
    limits: Mapping[str, Sequence[float]] = field(default_factory=dict)
    marks: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    rounding: float = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be seen."""
        return not any(np.isfinite(values).any() for values in self.curves.values())


def draw_histories(
    t: Float[np.ndarray, " N"], rows: Sequence[Panel | Sequence[Panel]], *, width: float | None = None
) -> Drawing:
    """Draw rows of one panel or of several over a common time axis (s); `width` in inches.

    A name has one colour and line style in all panels, and stands in the legend of the first one that it is in. Panels
    without any value are left out.

    Raises:
        InputError: no panel that has a value, or a curve of another length than t.
    """
    every = [(row,) if isinstance(row, Panel) else tuple(row) for row in rows]
    lines = [row for row in ([panel for panel in row if not panel.is_empty] for row in every) if row]
    if not any(lines):
        raise InputError("there is nothing to draw", fix="give one panel at least")
    columns = max(map(len, lines))
    width = width or WIDTH * max(1.0, columns / 2)
    figure = new_figure(figsize=(width, HEIGHT * len(lines) + 0.6), facecolor=style.PAPER, layout="constrained")
    grid: Any = figure.subplots(len(lines), columns, sharex=True, squeeze=False)
    looks = line_looks([name for row in lines for panel in row for name in panel.curves])
    named: set[str] = set()
    for line, row in zip(grid, lines, strict=True):
        for axes, panel in zip_longest(line, row):
            if panel is None:
                axes.set_axis_off()
            else:
                fresh = [name for name in panel.curves if name not in named]
                _draw_panel(axes, np.asarray(t), panel, looks, fresh)
                _legend(axes, fresh, width / columns)
                named |= panel.curves.keys()
    for axes, below in zip(grid.ravel(), [*grid[1:].ravel(), *[None] * columns], strict=True):
        if below is None or not below.axison:
            axes.set_xlabel("time (s)", fontsize=8)
            axes.tick_params(labelbottom=True)
    return figure


def _draw_panel(
    axes: Axes, t: Float[np.ndarray, " N"], panel: Panel, looks: Mapping[str, Look], fresh: Sequence[str]
) -> None:
    for name, values in panel.curves.items():
        if np.shape(values) != t.shape:
            raise InputError(f"the curve {name!r} has the shape {np.shape(values)}, time {t.shape}")
        known = np.flatnonzero(np.isfinite(values))
        if len(known) > MOST_POINTS:
            known = known[np.unique(np.linspace(0, len(known) - 1, MOST_POINTS).astype(int))]
        label, mark = escape_mathtext(name) if name in fresh else None, "" if np.isfinite(values).all() else "."
        colour, line = looks[name]
        options: Any = {"color": colour, "linestyle": line, "linewidth": 1.2, "marker": mark, "markersize": 3.0}
        axes.plot(t[known], values[known], label=label, **options)
    shown = np.concatenate([values[np.isfinite(values)] for values in panel.curves.values()])
    _draw_limits(axes, panel, looks, float(shown.min()), float(shown.max()))
    for name, points in panel.marks.items():
        for time, value in points:
            axes.plot([time], [value], "o", color=looks[name][0], markersize=4, markerfacecolor="white")
    _set_range(axes, float(shown.min()), float(shown.max()), panel.rounding)
    axes.set_ylabel(escape_mathtext(panel.label), fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, linewidth=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_limits(axes: Axes, panel: Panel, looks: Mapping[str, Look], low: float, high: float) -> None:
    """Draw the limits near curves between two values, each with the names of its joints on the right."""
    margin = MARGIN * max(high - low, 1e-3)
    near: dict[float, list[str]] = {}
    for name, values in panel.limits.items():
        for value in values:
            if low - margin <= value <= high + margin:
                near.setdefault(value, []).append(name)
    written = -np.inf
    for value, names in sorted(near.items()):
        axes.axhline(value, color=looks[names[0]][0], linewidth=0.8, linestyle="--")
        text = names[0] if len(names) == 1 else "all" if len(names) == len(panel.curves) else f"{names[0]} ..."
        if len(panel.curves) > 1 and value - written >= APART * (high - low + 2.0 * margin):
            look: Any = {"fontsize": 5.5, "color": looks[names[0]][0], "va": "center", "clip_on": False}
            axes.text(1.01, value, escape_mathtext(text), transform=axes.get_yaxis_transform(), **look)
            written = value


def _set_range(axes: Axes, low: float, high: float, rounding: float) -> None:
    """Write values as they are, without a sum of two numbers; curves that stand still lie amid their panel."""
    axes.ticklabel_format(axis="y", useOffset=False)
    size = max(abs(low), abs(high))
    bottom, top = axes.get_ylim()
    if high - low < STILL * size and top - bottom < 0.2 * size:
        axes.set_ylim(0.5 * (low + high) - 0.1 * size, 0.5 * (low + high) + 0.1 * size)
    elif high - low < rounding and top - bottom < NARROW:
        axes.set_ylim(0.5 * (low + high - NARROW), 0.5 * (low + high + NARROW))


def _legend(axes: Axes, names: Sequence[str], width: float) -> None:
    """Write the names of curves above axes of a width (inches)."""
    if 0 < len(names) <= MOST_NAMED:
        columns = max(1, int(width / (0.55 + 0.06 * max(map(len, names)))))
        axes.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, fontsize=6.5, frameon=False, handlelength=3.0
        )


def line_looks(names: Sequence[str]) -> dict[str, Look]:
    """Return a colour and a line style for each name: up to ten colours of solid lines, else six of each style."""
    every = list(dict.fromkeys(names))
    if len(every) <= 10:
        return {name: (f"C{i}", STYLES[0]) for i, name in enumerate(every)}
    colours = FEW if len(every) <= FEW * len(STYLES) else 10
    return {name: (f"C{i % colours}", STYLES[i // colours % len(STYLES)]) for i, name in enumerate(every)}
