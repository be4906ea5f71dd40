"""Task files: what they say is planned; what is wrong in them is said in one line."""

import re

import pytest

import screwgraph as sg
from screwgraph.base.errors import ScrewgraphError
from screwgraph.motion.planning import Planner, read_task, task_names
from screwgraph.motion.planning.goals.position import complete_position

TASK = """robot: cart_pole
horizon: {steps: 40, dt: 0.05}
actuated: [x]
start: {position: [0, 0]}
goals:
  - {time: end, position: {x: 0.5}, velocity: 0}
costs: {effort: 1}
limits: {effort: 12}
"""


def written(tmp_path, text):
    path = tmp_path / "task.yaml"
    path.write_text(text)
    return path


def test_a_task_file_is_planned(tmp_path):
    plan = sg.plan(written(tmp_path, TASK))
    assert plan.solved
    assert plan.task.name == "task"
    assert plan.q[-1, 0] == pytest.approx(0.5, abs=1e-7)


def test_xacro_robots_take_arguments_and_packages_beside_the_task(tmp_path):
    pytest.importorskip("xacro")
    package = tmp_path / "ws" / "carts"
    package.mkdir(parents=True)
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    sg.save(sg.load("cart_pole"), tmp_path / "cart.urdf")
    text = (tmp_path / "cart.urdf").read_text()
    (package / "cart.xacro").write_text(re.sub("<robot[^>]*>", f"<robot {space}>", text))
    include = '<xacro:include filename="$(find carts)/cart.xacro"/>'
    (tmp_path / "my.xacro").write_text(f'<robot name="$(arg who)" {space}><xacro:arg name="who"/>{include}</robot>')
    for packages in ("{carts: ws/carts}", "[ws]"):
        robot = f"robot: {{file: my.xacro, xacro: {{who: tom}}, packages: {packages}}}"
        task = read_task(written(tmp_path, TASK.replace("robot: cart_pole", robot)))
        assert (task.robot.name, task.robot.nv) == ("tom", 2)
    with pytest.raises(ScrewgraphError, match=r"argument 'who' has no default: the file takes who"):
        read_task(written(tmp_path, TASK.replace("robot: cart_pole", "robot: {file: my.xacro, packages: [ws]}")))
    with pytest.raises(ScrewgraphError, match=r"task.yaml:1: .*there is no folder '"):
        read_task(written(tmp_path, TASK.replace("robot: cart_pole", "robot: {file: my.xacro, packages: [we]}")))


def test_postures_are_read_with_their_weights(tmp_path):
    for said, at, weight in (("{at: {x: 0.5}, weight: 3}", [0.5, 0.0], 3.0), ("{at: [0.5, 1]}", [0.5, 1.0], 1.0)):
        task = read_task(written(tmp_path, TASK.replace("costs: {effort: 1}", f"costs: {{posture: {said}}}")))
        (cost,) = task.costs
        assert cost.weight == weight
        assert complete_position(task.robot, cost.at)[0] == pytest.approx(at)
    (cost,) = read_task(written(tmp_path, TASK.replace("{effort: 1}", "{posture: {weight: 2}}"))).costs
    assert (cost.weight, cost.at) == (2.0, None)


def test_center_and_centre_are_one_key(tmp_path):
    spheres = "[{link: pole, radius: 0.1}]"
    avoid = "obstacles:\n  - avoid: {shapes: [{sphere: {%s: [9, 0, 0], radius: 1}}], spheres: " + spheres + "}\n"
    for word in ("centre", "center"):
        (obstacle,) = read_task(written(tmp_path, TASK + avoid % word)).obstacles
        assert obstacle.shapes[0].centre == (9, 0, 0)
    both = avoid.replace("radius: 1}", "center: [0, 0, 0], radius: 1}") % "centre"
    with pytest.raises(ScrewgraphError, match="there is no key 'center'"):
        read_task(written(tmp_path, TASK + both))


@pytest.mark.parametrize("name", task_names())
def test_built_in_tasks_are_read(name):
    task = read_task(name)
    assert task.name == name
    assert task.costs


WRONG = {
    "unknown key": ("costs:", "cost:", r"task.yaml:7: a task: there is no key 'cost' \(did you mean 'costs'\?\)"),
    "no horizon": ("horizon: {steps: 40, dt: 0.05}\n", "", "the task has no horizon"),
    "no robot": ("robot: cart_pole\n", "", "the task has no robot"),
    "unknown robot": ("cart_pole", "cart_bole", r"task.yaml:1: .*did you mean"),
    "no file": ("cart_pole", "other/robot.urdf", r"task.yaml:1: there is no file 'other/robot.urdf'"),
    "zero dt": ("dt: 0.05", "dt: 0", r"task.yaml:2: horizon: the horizon: dt is 0.0: it must be a positive number"),
    "negative steps": ("steps: 40", "steps: -4", "task.yaml:2: .* has -4 steps"),
    "steps that no memory holds": (
        "steps: 40",
        "steps: 1e9",
        r"1000000000 steps are too many unknowns.*at most 500000",
    ),
    "negative limit": ("limits: {effort: 12}", "limits: {effort: -12}", "effort limit -12: one number b means -b to b"),
    "half a step": ("steps: 40", "steps: 4.5", "it must be a whole number"),
    "both": ("dt: 0.05", "dt: 0.05, duration: 2", "needs dt or a duration, and not both"),
    "unknown joint": ("{x: 0.5}", "{y: 0.5}", "task.yaml:6: .*no joint is called 'y'"),
    "late": ("time: end", "time: 7", "task.yaml:6: goal 1: the time 7 s is outside of the horizon: it ends at 2 s"),
    "early": ("time: end", "time: -0.1", "task.yaml:6: goal 1: the time -0.1 s is outside of the horizon"),
    "no interval": ("time: end", "time: [1.01, 0.3]", "task.yaml:6: goal 1: the times 1.01..0.3 s are not an interval"),
    "goal of nothing": ("position: {x: 0.5}, velocity: 0", "sigma: 1", "goal 1.*it must have one of position"),
    "unknown cost": ("{effort: 1}", "{torque: 1}", "costs: there is no 'torque'"),
    "negative weight": ("{effort: 1}", "{effort: -1}", "cost 1: a weight is -1"),
    "unknown limit": ("limits: {effort: 12}", "limits: [power]", "limits: there is no 'power'"),
    "limits of a robot without": ("limits: {effort: 12}", "limits: [velocity]", "'cart_pole' has no velocity limits"),
    "limits upside down": (
        "limits: {effort: 12}",
        "limits: {position: [2, 1]}",
        "are 2 and 1: the first must be lower",
    ),
    "start beyond a limit": (
        "limits: {effort: 12}",
        "limits: {position: [1, 2]}",
        "limit 1: at the start joint 'x' stands at 0: its lower limit is 1",
    ),
    "limits in a list": (
        "limits: {effort: 12}",
        "limits: {effort: {bounds: [1, 2, 3]}}",
        "it must be",
    ),
    "long start": ("[0, 0]", "[0, 0, 0]", "it must be 2 numbers, not 3"),
    "actuated": ("actuated: [x]", "actuated: [z]", "task.yaml:3: .*no joint is called 'z'"),
    "collocation": ("costs:", "collocation: simpson\ncosts:", "no collocation is called 'simpson'"),
    "guess": ("costs:", "guess: fly\ncosts:", "no guess is called 'fly'"),
    "phase": (
        "horizon: {steps: 40, dt: 0.05}",
        "phases:\n  - {steps: 4, duration: 0}",
        "task.yaml:3: phase 1: the horizon: duration is 0.0",
    ),
    "time that is given": ("{effort: 1}", "{time: 1}", "cost 1: the time is given"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(tmp_path, case, monkeypatch):
    old, new, words = WRONG[case]
    assert old in TASK
    written(tmp_path, TASK.replace(old, new))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScrewgraphError, match=words) as caught:
        sg.plan("task.yaml")
    assert "\n" not in str(caught.value)


def test_a_missing_task_is_named():
    with pytest.raises(ScrewgraphError, match=r"there is no task 'cp3' \(did you mean 'cp2'\?\)"):
        sg.plan("cp3")


def test_a_robots_file_is_no_task(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sg.save(sg.load("rrr"), "arm.urdf")
    with pytest.raises(ScrewgraphError, match=r"arm.urdf: this is an XML file, and no task .*robot: arm.urdf"):
        sg.plan("arm.urdf")


def test_frames_of_a_task_stand_on_links_and_on_frames_with_expressions(tmp_path):
    text = """robot:
  file: panda
  frames:
    - {frame: grasp, link: panda_hand, at: [0, 0, reach], rpy: [0, 0, pi/2]}
    - {frame: beside, link: grasp, at: [0.02, 0, 0]}
parameters: {reach: 0.1034}
horizon: {steps: 4, duration: 1}
goals: [{time: end, pose: {frame: beside, xyz: [0.5, 0.1, 0.4]}}]
"""
    robot = read_task(written(tmp_path, text)).robot
    grasp, beside, known = sg.forward_kinematics(robot, ["grasp", "beside", "panda_hand_tcp"])(robot.neutral())
    assert grasp[:3, 3] == pytest.approx(known[:3, 3], abs=1e-12)
    assert beside[:3, 3] == pytest.approx(grasp[:3, 3] + 0.02 * grasp[:3, 0], abs=1e-12)
    assert grasp[:3, 0] == pytest.approx(known[:3, 1], abs=1e-12)


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        ("{frame: grasp, link: panda_hnad}", "task.yaml:1: .*panda_hnad.*panda_hand"),
        ("{frame: panda_hand, link: panda_link7}", "task.yaml:1: .*has a frame 'panda_hand' already"),
        ("{frame: grasp, link: panda_hand, on: 1}", "task.yaml:1: .*on"),
        ("{link: panda_hand}", "task.yaml:1: a frame has no frame"),
    ],
)
def test_frames_that_cannot_be_are_refused_in_one_line(tmp_path, frame, why):
    text = f"robot: {{file: panda, frames: [{frame}]}}\nhorizon: {{steps: 4, duration: 1}}\n"
    with pytest.raises(ScrewgraphError, match=why) as refused:
        read_task(written(tmp_path, text))
    assert "\n" not in str(refused.value)


def test_spheres_that_overlap_at_the_start_are_named_as_an_entry_to_copy(tmp_path):
    text = """robot: panda
horizon: {steps: 4, duration: 1}
start: {position: [0, 0, 0, -1.5, 0, 1.5, 0]}
obstacles:
  - avoid_itself:
      spheres:
        - {link: panda_link1, radius: 0.01}
        - {link: panda_link3, radius: 0.3}
        - {link: panda_link5, radius: 0.3}
        - {link: panda_link7, radius: 0.3}
"""
    with pytest.raises(ScrewgraphError) as refused:
        sg.plan(written(tmp_path, text))
    (entry,) = re.findall(r"allowed: (\[\[.*\]\])", str(refused.value))
    assert entry == "[[panda_link3, panda_link5], [panda_link3, panda_link7], [panda_link5, panda_link7]]"
    Planner(read_task(written(tmp_path, f"{text}      allowed: {entry}\n")))
