"""Planning: a trajectory as a factor graph over time."""

from screwgraph.planning.collocation import COLLOCATIONS
from screwgraph.planning.excitation import Excitation
from screwgraph.planning.models import MechanismCoordinates
from screwgraph.planning.phases import Phase, horizon
from screwgraph.planning.plan import Plan
from screwgraph.planning.plan_files import save_plan
from screwgraph.planning.planner import Planner
from screwgraph.planning.planning import plan
from screwgraph.planning.replanner import Replanner
from screwgraph.planning.task import Task
from screwgraph.planning.task_files import read_task, task_names

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
