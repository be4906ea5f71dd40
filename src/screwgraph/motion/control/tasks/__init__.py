"""What controllers follow: joints, frames, the centre of mass; one kind a file."""

from screwgraph.motion.control.tasks.base import ControlTask, TaskRow
from screwgraph.motion.control.tasks.center_of_mass import CenterOfMassTask
from screwgraph.motion.control.tasks.frame import FrameTask
from screwgraph.motion.control.tasks.posture import PostureTask

__all__ = ["CenterOfMassTask", "ControlTask", "FrameTask", "PostureTask", "TaskRow"]
