"""Controllers: tasks, contacts and limits of a robot as one function from its state to torques."""

from screwgraph.motion.control.controller import controller, stack_contacts, stack_gains
from screwgraph.motion.control.controller_files import ControllerFile, load_controller
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.tasks import CenterOfMassTask, ControlTask, FrameTask, PostureTask

__all__ = [
    "CenterOfMassTask",
    "ControlLimits",
    "ControlTask",
    "ControllerFile",
    "FrameTask",
    "PostureTask",
    "controller",
    "load_controller",
    "stack_contacts",
    "stack_gains",
]
