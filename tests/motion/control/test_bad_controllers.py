"""What no controller can be of: an error of one line each."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.motion.control import (
    AxisTask,
    BallBarrier,
    ControlLimits,
    ControlLoop,
    FrameTask,
    FunctionBarrier,
    GlidingPoint,
    LinkCapsule,
    PostureTask,
    Sole,
    controller,
    stack_barriers,
    stack_contacts,
    stack_gains,
)
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
    with complains("mechanism 'four_bar' has no motors"):
        controller(sg.load("four_bar"), [PostureTask()])
    with complains("'lift', which has 3|'floating_base', which has 7"):
        controller(tripod(), [PostureTask(joints=("floating_base",))])
    with complains("tasks"):
        controller(arm(), ["tip"])
    with complains("level: expected an integer, got float 1.5"):
        FrameTask("tip", level=1.5)
    with complains("the level of task 'posture' is -1"):
        PostureTask(level=-1)
    with complains("weight: expected a number, got str 'much'"):
        PostureTask(weight="much")
    with complains("joints joint1, joint1: one is named twice"):
        controller(sg.load("rr"), [PostureTask(("joint1", "joint1"))])
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
    with complains("they must have directions"):
        Sole("tip", 0.1, 0.1, x=(0.0, 0.0, 0.0))
    with complains("dt of the limits is 0"):
        ControlLimits(dt=0.0)
    with complains("acceleration of the limits is inf"):
        ControlLimits(acceleration=np.inf)


def test_arguments_of_barriers_have_names_of_their_own():
    robot, tool = sg.load("rr"), LinkCapsule("tool", 0.1)
    for name in ("q", "posture", "posture_rates", "gains", "barriers", "active"):
        with complains(f"is called '{name}'.*: another one is, too"):
            controller(robot, [PostureTask()], barriers=[BallBarrier(tool, 0.1, name)])
    for name in ("", "a b", "1x"):
        with complains("names are letters, digits and _"):
            controller(robot, [PostureTask()], barriers=[BallBarrier(tool, 0.1, name)])
    with complains("ball 'ball' has the radius -1"):
        BallBarrier(tool, -1.0)


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_live_numbers_without_sense_have_no_torque(bad):
    robot, tasks, barriers = sg.load("rr"), [PostureTask()], [BallBarrier(LinkCapsule("tool", 0.1), 0.1)]
    call = controller(robot, tasks, barriers=barriers)
    state, rates, active = np.array([0.3, 0.4]), np.zeros((2, 2)), np.zeros(call.arguments[-1].shape)
    gains, ball, numbers = stack_gains(tasks), np.array([0.0, 5.0, 0.0]), stack_barriers(barriers)

    def answer(gains=gains, ball=ball, numbers=numbers):
        with np.errstate(all="ignore"):
            tau, *_, solution = call(state, 0 * state, 0 * state, rates, ball, np.zeros((2, 3)), gains, numbers, active)
        return tau, solution[0]

    assert answer()[1] == 0.0
    wrong = [{"gains": gains * [1.0, 1.0, bad]}]
    if not bad < 0.0:
        wrong += [{"ball": np.array([bad, 5.0, 0.0])}, {"numbers": np.array([[10.0, bad]])}]
    for numbers_without_sense in wrong:
        tau, status = answer(**numbers_without_sense)
        assert status == 3.0
        assert not tau.any()


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("speed", [1e155, 1e200, np.inf])
def test_motions_too_fast_for_numbers_have_no_torque(speed, levels):
    """Squares of velocities are infinite: rows whose bounds are no numbers are not left out."""
    tasks = [FrameTask("tip", of="position"), PostureTask(level=levels - 1)]
    for options in ({}, {"barriers": [BallBarrier(LinkCapsule("tip", 0.1), 0.1)]}):
        call = controller(arm(), tasks, **options)
        values = [np.zeros(a.shape) for a in call.arguments]
        named = dict(zip((a.name for a in call.arguments), values, strict=True))
        named["gains"][:] = stack_gains(tasks)
        for barrier in options.get("barriers", ()):
            named["ball"][:], named["barriers"][:] = [5.0, 0.0, 0.0], stack_barriers([barrier])
        assert call(*values)[-1][0] == 0.0
        for i in range(3):
            named["qd"][:] = 0.0
            named["qd"][i] = speed
            with np.errstate(all="ignore"):
                *results, solution = call(*values)
            assert solution[0] == 3.0
            assert not any(np.any(x) for x in (*results[:2], solution[2]))


@pytest.mark.parametrize(("column", "bad"), [(0, np.nan), (1, np.nan), (1, -0.5)])
def test_feet_without_friction_coefficients_have_no_torque(column, bad):
    robot, contacts = tripod(), feet()
    tasks = [FrameTask(robot.links[1].name, of="position")]
    call = controller(robot, tasks, contacts=contacts)
    values = [np.zeros(a.shape) for a in call.arguments]
    names = [a.name for a in call.arguments]
    values[0], values[names.index("gains")] = robot.neutral(), stack_gains(tasks)
    live = values[names.index("contacts")] = stack_contacts(contacts)
    assert call(*values)[-1][0] < 3.0
    live[0, column] = bad
    with np.errstate(all="ignore"):
        tau, *_, solution = call(*values)
    assert solution[0] == 3.0
    assert not tau.any()


@pytest.mark.parametrize(
    ("task", "wrong"),
    [
        (FrameTask("tip"), np.diag([2.0, 2.0, 2.0, 1.0])),
        (FrameTask("tip", of="orientation"), np.zeros((3, 3))),
        (FrameTask("tip", of="orientation"), np.diag([1.0, 1.0, -1.0])),
        (AxisTask("tip"), np.array([0.0, 0.0, 3.0])),
    ],
)
def test_orientations_that_are_none_have_no_torque(task, wrong):
    robot = arm()
    call = controller(robot, [task])
    values = [np.zeros(a.shape) for a in call.arguments]
    place = [a.name for a in call.arguments].index(task.name)
    values[-2], values[place] = stack_gains([task]), task.hold(robot, np.zeros(robot.nq))[task.name]
    assert call(*values)[-1][0] == 0.0
    values[place] = wrong
    tau, *_, solution = call(*values)
    assert solution[0] == 3.0
    assert not tau.any()


def rhombus() -> sg.Robot:
    """Return a linkage of four equal bars, which is flat where all joints are at 0."""
    bars = "".join(
        f'<link name="{name}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.08" '
        f'izz="0.08" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{name}_joint" type="revolute"><parent '
        f'link="{parent}"/><child link="{name}"/><origin xyz="{x} 0 0"/><axis xyz="0 0 1"/><limit lower="-4" upper="4" '
        f'effort="20" velocity="50"/></joint>'
        for name, parent, x in (("crank", "base", 0), ("coupler", "crank", 1), ("rocker", "base", 1))
    )
    loop = (
        '<loop name="closing" type="continuous"><predecessor link="coupler"><origin xyz="1 0 0"/></predecessor>'
        '<successor link="rocker"><origin xyz="1 0 0"/></successor><axis xyz="0 0 1"/></loop>'
    )
    return sg.load(f'<robot name="rhombus"><link name="base"/>{bars}{loop}</robot>')


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # code is made at a singular neutral position
def test_singular_positions_have_no_torque():
    """Flat, the crank moves the coupler or the rocker: pivots vanish. Efforts were no numbers, with the status 0."""
    robot = rhombus()
    call = controller(robot, [PostureTask(robot.independent_joints)])
    rest = np.zeros(1), np.zeros((2, 1)), stack_gains([PostureTask()]), np.zeros(call.arguments[-1].shape)
    assert call(robot.close_loops([1.0, -1.0, 1.0]), np.zeros(3), *rest)[-1][0] == 0.0
    tau, *others, solution = call(np.zeros(3), np.zeros(3), *rest)
    assert solution[0] == 3.0
    assert not tau.any()
    assert all(np.isfinite(x).all() for x in others)


def test_what_is_told_in_one_line():
    robot = sg.load("rr")
    assert PostureTask("joint1").joints == ("joint1",)
    for wrong in ({"end": (0.0, 0.0)}, {"start": (0.0, 0.0, 0.0, 0.0)}):
        with complains("of the capsule of 'tool' is not 3 finite numbers"):
            LinkCapsule("tool", 0.1, **wrong)
    with complains("x of the sole of 'tool' is not 3 finite numbers"):
        Sole("tool", 0.1, 0.1, x=(1.0, 0.0))
    with complains("the point of 'tool' is not 3 finite numbers"):
        GlidingPoint("tool", at=(1.0, np.nan, 0.0))
    for value in (3.0, None, []):
        with complains("the function of barrier 'own' returns .*a list of numbers, one at least"):
            controller(robot, [PostureTask()], barriers=[FunctionBarrier("own", lambda robot, q, qd, x=value: x)])
    for q0 in (np.zeros(3), np.full(2, np.nan)):
        with complains("q0 is not 2 finite numbers"):
            ControlLoop(robot, [PostureTask()], q0=q0)
    with complains("posture is not finite"):
        ControlLoop(robot, [PostureTask()], references={"posture": [np.nan, 0.0]})
    with complains("stack_gains: tasks: expected a list of ControlTasks"):
        stack_gains(PostureTask())
    with complains("stack_contacts: contacts: expected a list"):
        stack_contacts(sg.Contact("tool"))
