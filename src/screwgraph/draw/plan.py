"""Planned motions over time, with their limits and goals, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.plan import Plan
from screwgraph.plan.bounds import bounds, wanted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = {
    "q": "position (rad, m)",
    "qd": "velocity (rad/s, m/s)",
    "qdd": "acceleration (rad/s², m/s²)",
    "tau": "effort (N m, N)",
}
WIDTH, HEIGHT = 6.5, 2.2


def draw_motion(plan: Plan, kinds: Sequence[str] = tuple(NAMES)) -> Figure:
    """Draw q, qd, qdd and tau of every coordinate over time.

    Dashed lines are limits, circles are what goals ask for. Efforts of joints that are not actuated are left out.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT * len(kinds) + 0.5), layout="constrained")
    rows: Any = figure.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0]
    labels = plan.transcription.steps.mechanics.labels
    for axes, kind in zip(rows, kinds, strict=True):
        _curves(axes, plan, kind, labels)
    rows[-1].set_xlabel("time (s)")
    if len(labels) <= 12:
        rows[0].legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7, frameon=False)
    if not plan.feasible:
        figure.suptitle(f"NOT FEASIBLE: violation {plan.violation:.2g}", color="crimson", fontsize=9)
    return figure


def _curves(axes: Axes, plan: Plan, kind: str, labels: Sequence[str]) -> None:
    values = getattr(plan, kind)
    shown = plan.transcription.steps.actuated if kind == "tau" else range(values.shape[1])
    names = labels if values.shape[1] == len(labels) else [f"q[{i}]" for i in range(values.shape[1])]
    for c in shown:
        axes.plot(plan.t, values[:, c], color=_colour(c), linewidth=1.2, label=names[c])
    low, high = float(values.min()), float(values.max())
    room = 0.6 * max(high - low, 1e-3)
    for b in bounds(plan):
        if b.kind == kind and low - room <= b.value <= high + room:
            axes.axhline(b.value, color=_colour(b.coordinate), linewidth=0.8, linestyle="--")
    for w in wanted(plan):
        if w.kind == kind:
            axes.plot([w.time], [w.value], "o", color=_colour(w.coordinate), markersize=4, markerfacecolor="white")
    axes.set_ylabel(NAMES[kind], fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, linewidth=0.3)


def draw_costs(plan: Plan) -> Figure:
    """Draw what each item of a task costs."""
    names = list(plan.costs)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, 0.5 + 0.3 * max(len(names), 1)), layout="constrained")
    axes = figure.subplots()
    axes.barh(np.arange(len(names)), [plan.costs[n] for n in names], color=_colour(0))
    for i, name in enumerate(names):
        axes.text(plan.costs[name], i, f" {plan.costs[name]:.4g}", va="center", fontsize=7)
    axes.set_yticks(np.arange(len(names)), names, fontsize=7)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("cost", fontsize=8)
    axes.tick_params(labelsize=7)
    return figure


def _colour(coordinate: int) -> str:
    return f"C{coordinate % 10}"
