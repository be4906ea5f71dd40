"""Controllers: tasks, contacts and limits of a robot as one function from its state to torques."""

from screwgraph.motion.control.barriers import (
    BallBarrier,
    Barrier,
    CapsuleBarrier,
    FunctionBarrier,
    LinkCapsule,
    PlaneBarrier,
    ShapeBarrier,
)
from screwgraph.motion.control.contacts import HeldContact, Sole
from screwgraph.motion.control.controller import controller, stack_barriers, stack_contacts, stack_gains
from screwgraph.motion.control.controller_files import ControllerFile, load_controller
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.tasks import (
    AxisTask,
    CenterOfMassTask,
    ContactForceTask,
    ControlTask,
    DampingTask,
    EffortTask,
    FrameTask,
    MomentumTask,
    MotionTask,
    PostureTask,
)

__all__ = [
    "AxisTask",
    "BallBarrier",
    "Barrier",
    "CapsuleBarrier",
    "CenterOfMassTask",
    "ContactForceTask",
    "ControlLimits",
    "ControlTask",
    "ControllerFile",
    "DampingTask",
    "EffortTask",
    "FrameTask",
    "FunctionBarrier",
    "HeldContact",
    "LinkCapsule",
    "MomentumTask",
    "MotionTask",
    "PlaneBarrier",
    "PostureTask",
    "ShapeBarrier",
    "Sole",
    "controller",
    "load_controller",
    "stack_barriers",
    "stack_contacts",
    "stack_gains",
]
