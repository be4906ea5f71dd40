"""What no controller can be of: an error of one line each."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import ControlLimits, FrameTask, PostureTask, Sole, controller
from tests.motion.control.robots import arm, feet, tripod
from tests.motion.simulation.robots import free_body


def complains(match):
    return pytest.raises(InputError, match=match)


def test_models_and_tasks():
    with complains("a controller without tasks"):
        controller(arm(), [])
    with complains("two tasks are called 'posture'"):
        controller(arm(), [PostureTask(), PostureTask(weight=2.0)])
    with complains("'hand'"):
        controller(arm(), [FrameTask("hand")])
    with complains("pose"):
        FrameTask("tip", of="height")
    with complains("stiffness of task 'posture' is -1.0"):
        PostureTask(stiffness=-1.0)
    with complains("expected a robot, got the mechanism"):
        controller(sg.load("four_bar"), [PostureTask()])
    with complains("'lift', which has 3|'floating_base', which has 7"):
        controller(tripod(), [PostureTask(joints=("floating_base",))])
    with complains("tasks"):
        controller(arm(), ["tip"])
    with complains("no joint of it has a motor"):
        controller(free_body(), [FrameTask("body")])


def test_quaternions_that_are_not_unit():
    robot = tripod()
    f = controller(robot, [FrameTask(robot.links[1].name, of="position")])
    values = [np.zeros(a.shape) for a in f.arguments]
    values[0] = robot.neutral()
    f(*values)
    values[0][3:7] *= 1.1
    with complains(r"quaternion .* of 'q' has the length 1\.1"):
        f(*values)


def test_feet_and_limits():
    with complains("a controller.* 3 joint coordinates of its own|has 3 joint coordinates of its own"):
        controller(arm(), [PostureTask()], contacts=[Sole("tip", 0.1, 0.1)])
    with complains("has 0 joint coordinates of its own"):
        controller(tripod(), [PostureTask()], contacts=[sg.Contact("body")])
    with complains("'nobody'"):
        controller(tripod(), [PostureTask()], contacts=[*feet(), sg.Contact("nobody")])
    with complains("dt of the limits is 0"):
        ControlLimits(dt=0.0)
    with complains("acceleration of the limits is inf"):
        ControlLimits(acceleration=np.inf)
