"""Planning in one call."""

from __future__ import annotations

import os
from typing import Any

from screwgraph.plan.plan import Plan
from screwgraph.plan.planner import Planner
from screwgraph.plan.read import read_task
from screwgraph.plan.task import Task


def plan(task: Task | str | os.PathLike[str], **options: Any) -> Plan:
    """Plan a motion.

    Args:
        task: a `Task`, a task file, or the name of a built-in task.
        options: as for `Planner.solve`.

    Raises:
        ModelError: the file is not a task.
        InputError: the task contradicts itself or its robot. That no plan was found is no error: see `Plan.status`.
    """
    return Planner(task if isinstance(task, Task) else read_task(task)).solve(**options)
