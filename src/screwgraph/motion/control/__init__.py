"""Controllers: tasks, contacts and limits of a robot as one function from its state to torques."""

from screwgraph.motion.control.barriers import (
    BallBarrier,
    Barrier,
    CapsuleBarrier,
    FunctionBarrier,
    LinkCapsule,
    PlaneBarrier,
    SelfCollisionBarrier,
    ShapeBarrier,
)
from screwgraph.motion.control.contacts import GlidingPoint, HeldContact, Sole
from screwgraph.motion.control.control_loop import ControlLoop, ControlReport
from screwgraph.motion.control.controller import controller, stack_barriers, stack_contacts, stack_gains
from screwgraph.motion.control.controller_files import ControllerFile, load_controller
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.predictive import (
    Gait,
    HorizonLimits,
    PredictedMotion,
    Walk,
    WalkReferences,
    converge,
    mpc,
    stack_references,
    stack_schedule,
    stack_weights,
)
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
    "ControlLoop",
    "ControlReport",
    "ControlTask",
    "ControllerFile",
    "DampingTask",
    "EffortTask",
    "FrameTask",
    "FunctionBarrier",
    "Gait",
    "GlidingPoint",
    "HeldContact",
    "HorizonLimits",
    "LinkCapsule",
    "MomentumTask",
    "MotionTask",
    "PlaneBarrier",
    "PostureTask",
    "PredictedMotion",
    "SelfCollisionBarrier",
    "ShapeBarrier",
    "Sole",
    "Walk",
    "WalkReferences",
    "controller",
    "converge",
    "load_controller",
    "mpc",
    "stack_barriers",
    "stack_contacts",
    "stack_gains",
    "stack_references",
    "stack_schedule",
    "stack_weights",
]
