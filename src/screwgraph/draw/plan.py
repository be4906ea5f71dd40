"""Planned motions over time, with their limits and goals, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.draw.labels import plain
from screwgraph.plan import Plan
from screwgraph.plan.bounds import bounds, wanted
from screwgraph.plan.kinds import label
from screwgraph.robot import units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = {"q": "position", "qd": "velocity", "qdd": "acceleration", "tau": "effort"}
"""What is drawn, and the name of the field of `Units` that has its units."""
WIDTH, HEIGHT = 6.5, 1.9
MOST_NAMED = 24
"""Curves of a figure that stand in legends."""


@dataclass(frozen=True)
class Curve:
    """One coordinate: its column in its array, its name, and the number that its colour goes by."""

    column: int
    name: str
    number: int


@dataclass(frozen=True)
class _Panel:
    kind: str
    unit: str
    curves: tuple[Curve, ...]


def draw_motion(plan: Plan, kinds: Sequence[str] = tuple(KINDS), *, width: float | None = None) -> Figure:
    """Draw q, qd, qdd and tau of every coordinate over time, a panel for each kind and unit; `width` in inches.

    Kinds are rows and units are columns; the units of a single kind stand below one another. Dashed lines are limits,
    where these are near the motion; circles are what goals ask for. Torques of joints that are not actuated are left
    out.
    """
    from matplotlib.figure import Figure

    rows = [found for found in (tuple(_panels(plan, kind)) for kind in kinds) if found]
    if len(rows) == 1:
        rows = [(panel,) for panel in rows[0]]
    columns = max(map(len, rows), default=1)
    width = width or WIDTH * max(1.0, columns / 2)
    figure = Figure(figsize=(width, HEIGHT * max(len(rows), 1) + 0.6), layout="constrained")
    grid: Any = figure.subplots(max(len(rows), 1), columns, sharex=True, squeeze=False)
    named: set[str] = set()
    for line, panels in zip(grid, rows, strict=False):
        for axes, panel in zip_longest(line, panels):
            if panel is None:
                axes.set_axis_off()
            else:
                _draw(axes, plan, panel, named, width / columns)
    for axes, below in zip(grid.ravel(), [*grid[1:].ravel(), *[None] * columns], strict=True):
        if below is None or not below.axison:
            axes.set_xlabel("time (s)", fontsize=8)
            axes.tick_params(labelbottom=True)
    if not plan.feasible:
        figure.suptitle(f"NOT FEASIBLE: violation {plan.violation:.2g}", color="crimson", fontsize=9)
    return figure


def _panels(plan: Plan, kind: str) -> Iterator[_Panel]:
    """Yield the coordinates of a kind by their units, quaternions last."""
    found: dict[str, list[Curve]] = {}
    column, velocity = 0, 0
    actuated = plan.transcription.steps.actuated if kind == "tau" else None
    for joint in plan.task.robot.joints:
        named = getattr(units(joint.type), KINDS[kind])
        for i, unit in enumerate(named):
            if actuated is None or velocity + i in actuated:
                name = joint.name if len(named) == 1 else f"{joint.name}[{i}]"
                found.setdefault(unit, []).append(Curve(column + i, name, velocity + i))
        column, velocity = column + len(named), velocity + joint.type.nv
    if kind in _present(plan):
        for unit in sorted(found, key=_turning):
            yield _Panel(kind, unit, tuple(found[unit]))


def _turning(unit: str) -> int:
    """Tell lengths, angles and quaternions apart, in this order."""
    return 2 if not unit else int("rad" in unit or unit == "N m")


def _present(plan: Plan) -> set[str]:
    """Return the kinds that a plan has: without dynamics there are no torques."""
    return {kind for kind in KINDS if kind != "tau" or plan.tau.any()}


def _draw(axes: Axes, plan: Plan, panel: _Panel, named: set[str], width: float) -> None:
    values, colours = getattr(plan, panel.kind), {}
    for curve in panel.curves:
        colour = _colour(curve.number, plan.task.robot.nv)
        colours[curve.column] = colour
        label = "" if curve.name in named else curve.name
        axes.plot(plan.t, values[:, curve.column], color=colour, linewidth=1.2, label=plain(label) or None)
    shown = values[:, [curve.column for curve in panel.curves]]
    low, high = float(shown.min()), float(shown.max())
    room = 0.6 * max(high - low, 1e-3)
    for b in bounds(plan):
        if b.kind == panel.kind and b.coordinate in colours and low - room <= b.value <= high + room:
            axes.axhline(b.value, color=colours[b.coordinate], linewidth=0.8, linestyle="--")
    for w in wanted(plan):
        if w.kind == panel.kind and w.coordinate in colours:
            axes.plot([w.time], [w.value], "o", color=colours[w.coordinate], markersize=4, markerfacecolor="white")
    _finish(axes, f"{KINDS[panel.kind]} ({panel.unit or 'quaternion'})")
    fresh = {curve.name for curve in panel.curves} - named
    if 0 < len(fresh) <= MOST_NAMED:
        columns = max(1, int(width / (0.45 + 0.06 * max(map(len, fresh)))))
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, fontsize=6.5, frameon=False)
        named |= fresh


def _finish(axes: Axes, quantity: str) -> None:
    axes.set_ylabel(quantity, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, linewidth=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def draw_costs(plan: Plan, *, width: float = WIDTH) -> Figure:
    """Draw what each item of a task costs; `width` in inches."""
    from matplotlib.figure import Figure

    names = list(plan.costs)
    figure = Figure(figsize=(width, 0.6 + 0.3 * max(len(names), 1)), layout="constrained")
    axes = figure.subplots()
    axes.barh(np.arange(len(names)), [plan.costs[n] for n in names], color="C0")
    for i, name in enumerate(names):
        axes.text(plan.costs[name], i, f" {plan.costs[name]:.4g}", va="center", fontsize=7)
    axes.set_yticks(np.arange(len(names)), [plain(label(plan.task, n)) for n in names], fontsize=7)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("cost", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _colour(number: int, count: int) -> Any:
    """Return the colour of a coordinate; where there are many, twenty are told apart."""
    from matplotlib import colormaps

    if count <= 10:
        return f"C{number % 10}"
    return colormaps["tab20"].colors[number % 20]  # pyright: ignore[reportAttributeAccessIssue]
