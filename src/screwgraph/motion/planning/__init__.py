"""Planning: a trajectory as a factor graph over time."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.motion.planning.collocation import COLLOCATIONS
from screwgraph.motion.planning.exact_path import ExactPath
from screwgraph.motion.planning.models import MechanismCoordinates
from screwgraph.motion.planning.phases import Phase, horizon
from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.planning.plan_files import save_plan
from screwgraph.motion.planning.search.planner import Planner
from screwgraph.motion.planning.search.planning import plan
from screwgraph.motion.planning.search.replanner import Replanner
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.task_files import print_task, read_task, task_names
from screwgraph.motion.planning.timing.timed_path import TimedPath

__all__ = [
    "COLLOCATIONS",
    "ExactPath",
    "MechanismCoordinates",
    "Phase",
    "Plan",
    "Planner",
    "Replanner",
    "Task",
    "TimedPath",
    "horizon",
    "plan",
    "print_task",
    "read_task",
    "save_plan",
    "task_names",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
