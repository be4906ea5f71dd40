"""What costs are divided by in a search: squared efforts of machines of tons, or of grams, are far from 1 in SI units.

Beside 1e12, limits and barriers count for nothing; beside 1e-12, costs do.
"""

from __future__ import annotations

import numpy as np

from screwgraph.plan.costs import Effort
from screwgraph.plan.regularisation import effort_weights, measured_efforts
from screwgraph.plan.steps import Steps
from screwgraph.plan.task import Task
from screwgraph.plan.transcribe import wrenches

LARGEST, SMALLEST = 1e4, 1e-4
"""Costs between which searches go as well without: beyond, costs are divided so that they are like these."""


def cost_scale(task: Task, steps: Steps) -> float:
    """Return what a task's costs are divided by, from the efforts that hold its robot and accelerate it by 1.

    Other costs count as 1, since their units are not those of masses.
    """
    if not task.dynamics or not steps.actuated:
        return 1.0
    each = effort_weights(task, steps)
    holding, moving = measured_efforts(steps, wrenches(task, steps))
    typical = sum(p.duration for p in task.phases) * float(each @ holding + (moving @ each).sum())
    others = any(not isinstance(cost, Effort) for cost in task.costs)
    if not typical > 0.0 or not np.isfinite(typical) or (others and typical < 1.0):
        return 1.0
    return typical / float(np.clip(typical, SMALLEST, LARGEST))
