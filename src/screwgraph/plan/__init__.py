"""Planning: a trajectory as a factor graph over time."""

import sys
from types import ModuleType

from screwgraph.plan.collocation import COLLOCATIONS
from screwgraph.plan.excitation import Excitation
from screwgraph.plan.models import MechanismCoordinates
from screwgraph.plan.phases import Phase, horizon
from screwgraph.plan.plan import Plan
from screwgraph.plan.plan_files import save_plan
from screwgraph.plan.planner import Planner
from screwgraph.plan.planning import plan
from screwgraph.plan.replanner import Replanner
from screwgraph.plan.task import Task
from screwgraph.plan.task_files import read_task, task_names

__all__ = [
    "COLLOCATIONS",
    "Excitation",
    "MechanismCoordinates",
    "Phase",
    "Plan",
    "Planner",
    "Replanner",
    "Task",
    "horizon",
    "plan",
    "read_task",
    "save_plan",
    "task_names",
]


class _Room(ModuleType):
    """`sg.plan` is this package and, called, its function: `sg.plan("cp2")`."""

    __call__ = staticmethod(plan)


sys.modules[__name__].__class__ = _Room
