"""Controllers: tasks, contacts and limits of a robot as one function from its state to torques."""

from screwgraph.motion.control.contacts import HeldContact, Sole
from screwgraph.motion.control.controller import controller, stack_contacts, stack_gains
from screwgraph.motion.control.controller_files import ControllerFile, load_controller
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.tasks import (
    CenterOfMassTask,
    ContactForceTask,
    ControlTask,
    EffortTask,
    FrameTask,
    MotionTask,
    PostureTask,
)

__all__ = [
    "CenterOfMassTask",
    "ContactForceTask",
    "ControlLimits",
    "ControlTask",
    "ControllerFile",
    "EffortTask",
    "FrameTask",
    "HeldContact",
    "MotionTask",
    "PostureTask",
    "Sole",
    "controller",
    "load_controller",
    "stack_contacts",
    "stack_gains",
]
