"""What the items of a task cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screwgraph.motion.planning import Plan
from screwgraph.motion.planning.item_labels import label_item
from screwgraph.ui.draw.math_labels import escape_mathtext
from screwgraph.ui.draw.matplotlib_import import new_figure
from screwgraph.ui.draw.time_plots import WIDTH

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing


def draw_costs(plan: Plan, *, width: float = WIDTH) -> Drawing:
    """Draw what each item of a task costs; `width` in inches."""
    names = list(plan.costs)
    figure = new_figure(figsize=(width, 0.6 + 0.3 * max(len(names), 1)), layout="constrained")
    axes = figure.subplots()
    axes.barh(np.arange(len(names)), [plan.costs[n] for n in names], color="C0")
    for i, name in enumerate(names):
        axes.text(plan.costs[name], i, f" {plan.costs[name]:.4g}", va="center", fontsize=7)
    axes.set_yticks(np.arange(len(names)), [escape_mathtext(label_item(plan.task, n)) for n in names], fontsize=7)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_xlabel("cost", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
