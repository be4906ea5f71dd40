"""Tasks, feet and limits in YAML files."""

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from screwgraph.model.robot.shapes import Box
from screwgraph.motion.control import (
    AxisTask,
    BallBarrier,
    CapsuleBarrier,
    CenterOfMassTask,
    ContactForceTask,
    ControlLimits,
    DampingTask,
    EffortTask,
    FrameTask,
    GlidingPoint,
    LinkCapsule,
    MomentumTask,
    PlaneBarrier,
    PostureTask,
    PowerLimit,
    SelfCollisionBarrier,
    ShapeBarrier,
    Sole,
    load_controller,
)
from tests.motion.control.robots import arm

FILE = """
tasks:
  - {frame: trunk, of: position, stiffness: 200}
  - {posture: [a, b], damping: 3, weight: 1e-4, level: 2}
  - {center_of_mass: yes, weight: 0}
  - {axis_of: trunk, axis: [0, 1, 0], stiffness: 30}
  - {momentum: yes, damping: 2}
  - {damped: [a], weight: 1e-3}
  - {force: foot, weight: 1e-5}
  - {effort: yes, weight: 2, name: push}
references: {push: [1, 2 * 3], person: [[1, 0, 0]]}
soles: [{frame: hand, length: 0.2, width: 0.1, at: [1, 2, 3], x: [0, 1, 0], normal: [1, 0, 0], friction: 0.5}]
contacts: [{frame: foot, radius: 0.02, friction: 0.7}]
gliding: [{frame: hand, radius: 0.03, at: [0, 0, 1], friction: 0.2}, {frame: tool}]
ground: {height: 0.1}
limits: {dt: 2e-3, acceleration: 50, velocity: no, normal_force: 3, glide_damping: 20, power: 300}
actuated: [lift, bend]
barriers:
  - {capsule: {frame: hand, radius: 0.1, start: [0, 0, 1], end: [1, 0, 0]}, plane: {height: 0.2}, rate: 4, margin: 0.1}
  - {capsule: {frame: hand, radius: 0.1}, from: {frame: foot, radius: 0.2}}
  - {capsule: {frame: hand, radius: 0.1}, ball: person, radius: 0.3}
  - {capsule: {frame: hand, radius: 0.1}, shape: {frame: foot, box: [1, 2, 3]}}
  - {self_collision: [{frame: hand, radius: 0.1}, {frame: foot, radius: 0.2}]}
"""


def test_all_entries(tmp_path):
    (tmp_path / "all.yaml").write_text(FILE)
    found = load_controller(tmp_path / "all.yaml")
    assert found.tasks == (
        FrameTask("trunk", "position", stiffness=200.0),
        PostureTask(("a", "b"), damping=3.0, weight=1e-4, level=2),
        CenterOfMassTask(weight=0.0),
        AxisTask("trunk", (0.0, 1.0, 0.0), stiffness=30.0),
        MomentumTask(2.0),
        DampingTask(("a",), weight=1e-3),
        ContactForceTask("foot", weight=1e-5),
        EffortTask(weight=2.0, name="push"),
    )
    assert found.contacts == (
        sg.Contact("foot", radius=0.02, friction=0.7),
        Sole("hand", 0.2, 0.1, (1.0, 2.0, 3.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), 0.5),
        GlidingPoint("hand", 0.03, (0.0, 0.0, 1.0), 0.2),
        GlidingPoint("tool"),
    )
    assert found.ground == sg.Plane(height=0.1)
    assert found.limits == ControlLimits(
        dt=2e-3,
        acceleration=50.0,
        velocity=False,
        normal_force=3.0,
        glide_damping=20.0,
        others=(PowerLimit(300.0),),
    )
    hand, foot, line = LinkCapsule("hand", 0.1), LinkCapsule("foot", 0.2), ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    assert found.barriers == (
        PlaneBarrier(LinkCapsule("hand", 0.1, *line), sg.Plane(height=0.2), rate=4.0, margin=0.1),
        CapsuleBarrier(hand, foot),
        BallBarrier(hand, 0.3, "person"),
        ShapeBarrier(hand, sg.OtherBody("foot", Box((1.0, 2.0, 3.0)))),
        SelfCollisionBarrier((hand, foot)),
    )
    assert found.actuated == ("lift", "bend")
    assert found.references == {"push": [1.0, 6.0], "person": [[1.0, 0.0, 0.0]]}


def test_numbers_are_arithmetic(tmp_path):
    (tmp_path / "arm.yaml").write_text(
        "tasks: [{posture: [], stiffness: 4*pi**2}]\nreferences: {posture: [pi, deg2rad(45), -pi/2]}\n"
    )
    found = load_controller(tmp_path / "arm.yaml", arm())
    assert found.tasks[0].gains[0] == 4.0 * np.pi**2
    np.testing.assert_allclose(found.references["posture"], [np.pi, 0.25 * np.pi, -0.5 * np.pi])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("limits: {dt: 1}", "1: the file has no tasks"),
        ("tasks: []", "1: the file has no tasks"),
        ("tasks: [{fraem: x}]", "1: a task: there is no key 'fraem'"),
        ("tasks: [{frame: x, posture: []}]", "a task has frame and posture: it must have one of frame, impedance"),
        ("tasks: [{posture: [], of: pose}]", "it does not go with posture"),
        ("tasks: [{frame: x, of: height}]", "1: a task: .*height"),
        ("tasks: [{center_of_mass: no}]", "leave the task out"),
        ("tasks: [{posture: [], weight: -1}]", "1: a task: .*weight.* is -1"),
        ("tasks: [{posture: []}]\nlimits: {dt: 0}", "2: limits: dt"),
        ("tasks: [{posture: []}]\nlimits: {effort: maybe}", "2: limits: effort is 'maybe'"),
        ("tasks: [{posture: []}]\nground: {height: 1}", "a ground without contacts"),
        ("tasks: 3", "a list"),
        ("tasks: [{posture: [], level: 0.5}]", "a whole number"),
        ("tasks: [{force: foot, stiffness: 1}]", "it does not go with force"),
        ("tasks: [{impedance: foot, inertia: 1}]", "has no stiffness"),
        ("tasks: [{impedance: foot, stiffness: [1, 2], damping: 1}]", "1: .*one of each direction"),
        ("tasks: [{impedance: foot, stiffness: 1, inertia: [[1, 2], 3]}]", "1: .*"),
        ("tasks: [{posture: []}]\nsoles: [{frame: foot, length: 1}]", "2: a sole: width is missing"),
        ("tasks: [{posture: []}]\nsoles: [{frame: foot, length: 0, width: 1}]", "2: a sole: .*length must be positive"),
        ("tasks: [{posture: []}]\ngliding: [{radius: 1}]", "2: a point that glides: frame is missing"),
        ("tasks: [{posture: []}]\ngliding: [{frame: x, radius: -1}]", "2: a point that glides: .*radius"),
        ("tasks: [{posture: []}]\nlimits: {normal_force: -1}", "2: limits: normal_force"),
        ("tasks: [{posture: []}]\nbarriers: [{plane: {height: 1}}]", "2: a barrier: capsule is missing"),
        ("tasks: [{posture: []}]\nbarriers:\n  - {capsule: {frame: x, radius: 1}}", "3: .*one of from, ball"),
        (
            "tasks: [{posture: []}]\nbarriers: [{capsule: {frame: x, radius: 1}, ball: b}]",
            "2: a barrier: radius is missing",
        ),
        (
            "tasks: [{posture: []}]\nbarriers: [{capsule: {frame: x}, ball: b, radius: 1}]",
            "2: a capsule: radius is missing",
        ),
        ("tasks: [{posture: []}]\nbarriers: [{self_collision: 3}]", "2: .*a list"),
        (
            "tasks: [{posture: []}]\nbarriers: [{capsule: {frame: x, radius: -1}, plane: {}}]",
            "2: a barrier: .*radius -1",
        ),
        ("tasks: [{posture: []}]\nbarriers: [{capsule: {frame: x, radius: 1}, plane: {}, rate: 0}]", "2: .*rate"),
        ("tasks: [{posture: []}]\nbarriers: [{capsule: {frame: x, radius: 1}, plane: {}, radius: 1}]", "go with plane"),
        ("tasks: [{posture: []}]\nlimits: {power: 0}", "2: limits: the largest power is 0"),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path, text, complaint):
    (tmp_path / "wrong.yaml").write_text(text)
    with pytest.raises(ModelError, match=complaint):
        load_controller(tmp_path / "wrong.yaml")


BALL = "{frame: hnd, radius: 1}"


TIP = "capsule: {frame: tip, radius: 0.1}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tasks:\n  - {posture: []}\n  - {frame: tpi}", "3: a task: no frame is called 'tpi' .*tip"),
        ("tasks:\n  - {posture: [lfit]}", "2: a task: no joint is called 'lfit'"),
        (f"tasks: [{{posture: []}}]\nbarriers:\n  - {{capsule: {BALL}, plane: {{}}}}", "3: a barrier: .*'hnd'"),
        (f"tasks: [{{posture: []}}]\nbarriers:\n  - {{self_collision: [{BALL}, {BALL}]}}", "3: a barrier: .*'hnd'"),
        ("tasks: [{posture: []}]\ncontacts:\n  - {radius: 0.1,\n     frame: toe}", "4: a contact: .*'toe'"),
        ("tasks: [{posture: []}]\nsoles:\n  - {frame: toe, length: 1, width: 1}", "3: a sole: .*'toe'"),
        ("tasks: [{posture: []}]\ngliding:\n  - {frame: toe}", "3: a point that glides: .*'toe'"),
        ("tasks: [{posture: []}]\nactuated: []", "2: actuated: no motor is named"),
        ("tasks: [{axis_of: tip}]\nreferences:\n  tip_axis: [0, 0, 2]", "3: references: tip_axis is .* have length 1"),
        (
            "tasks: [{frame: tip, of: orientation}]\nreferences: {tip_orientation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}",
            "2: references: tip_orientation is .* right-handed",
        ),
        (
            f"tasks: [{{posture: []}}]\nbarriers:\n  - {{{TIP}, ball: q, radius: 1}}",
            "3: a barrier: .*'q': another one is",
        ),
        (f"tasks: [{{posture: []}}]\nbarriers:\n  - {{{TIP}, ball: 2b, radius: 1}}", "3: a barrier: .*'2b': names are"),
        ("tasks:\n  - {posture: []}\n  - {force: tip}", "3: a task: the force on 'tip': 0 contacts"),
        ("tasks:\n  - {frame: tip}\n  - {frame: tip}", "3: a task: two tasks are called"),
        (
            "tasks:\n  - {posture: []}\n  - {posture: [lift],\n     name: posture}",
            "3: a task: two tasks are called 'posture'",
        ),
        (
            "tasks:\n  - {posture: []}\n  - {posture: [lift], name: q}",
            "3: a task: an argument of task 'q' is called 'q'",
        ),
        ("tasks:\n  - {posture: [], name: posture_rates}\n  - {posture: []}", "3: .*'posture_rates': another one is"),
        ("tasks:\n  - {posture: [], name: my goal}", "2: a task: .*'my goal': names are letters"),
        (
            "tasks: [{posture: []}]\nreferences: {postur: [0, 0, 0]}",
            "2: references: no reference .*did you mean posture",
        ),
        ("tasks: [{posture: []}]\nreferences:\n  posture: [0, 0]", "3: references: posture has 2 numbers"),
        ("tasks: [{posture: []}]\nreferences:\n  posture: [0, 0, [1, 2]]", "3: references: posture: "),
        ("tasks: [{posture: []}]\nreferences:\n  posture: [0, 0, up]", "3: references: posture"),
        ("tasks:\n  - {posture: []}\n  - {frame: base}", "3: a task: nothing moves 'base': it is fixed to the ground"),
        ("tasks:\n  - {axis_of: base}", "2: a task: nothing moves 'base'"),
        (
            "tasks: [{posture: []}]\nbarriers:\n  - {capsule: {frame: base, radius: 1}, plane: {}}",
            "3: a barrier: nothing moves 'base'",
        ),
        ("tasks: [{posture: []}]\nactuated: [lift, bend, lift]", "2: actuated: the motor 'lift' is named twice"),
        ("tasks: [{posture: []}]\nactuated: [knee]", "2: actuated: no joint is called 'knee'"),
    ],
)
def test_what_the_robot_does_not_have_has_its_line(tmp_path, text, complaint):
    (tmp_path / "wrong.yaml").write_text(text)
    with pytest.raises(ModelError, match=complaint):
        load_controller(tmp_path / "wrong.yaml", arm())


@pytest.mark.parametrize(
    ("tasks", "others", "fix"),
    [
        ("{posture: []}, {posture: []}", "", "such as posture_2"),
        ("{posture: []}, {force: tip}", "", "list the contact among contacts"),
        ("{impedance: tip, stiffness: 9}", "", "give it a damping, such as 50"),
        ("{posture: []}", "contacts: [{frame: tip}, {frame: tip}]", "are one sole"),
        ("{frame: tpi}", "", "did you mean tip"),
        ("{posture: []}", "ground: {height: 1}", "contacts: "),
    ],
)
def test_files_are_mended_by_words_of_files(tmp_path, tasks, others, fix):
    """No message tells those who write YAML what to write in Python."""
    (tmp_path / "wrong.yaml").write_text(f"tasks: [{tasks}]\n{others}")
    with pytest.raises(ModelError) as complaint:
        load_controller(tmp_path / "wrong.yaml", arm())
    text = str(complaint.value)
    assert fix in text
    assert not re.search(r"\w=|sg\.", text)


def test_references_are_followed(tmp_path):
    """A robot is held at angles of a file, two tasks of one kind apart, while an effort is that of another one."""
    text = """
tasks:
  - {posture: [turn], name: first, stiffness: 400}
  - {posture: [bend], name: second, stiffness: 400}
references: {first: 0.4, second: [-0.3]}
"""
    (tmp_path / "held.yaml").write_text(text)
    motion = sg.simulate(arm(), time=1.5, dt=2e-3, controller=str(tmp_path / "held.yaml"))
    assert abs(motion.q[-1, 0] - 0.4) < 1e-3
    assert abs(motion.q[-1, 2] + 0.3) < 1e-3


DEGREES = [
    ("posture: [0, 45, 0, -1.5, 0, 1.5, 0]", "posture: the reference of 'panda_joint2' is 45"),
    ("posture: [0, 0, 0, -1.5, 0, 1.5, -3.95]", "'panda_joint7' is -3.95: its range is -2.897 to 2.897 rad"),
    ("posture: [0, 45, 0, -90, 0, 1.5, 0]", "rad, 'panda_joint4' are outside of theirs, too; angles are in radians"),
    ("posture: [0, deg2rad(45), 0, -1.5, 0, 1.5, 0]", ""),
    ("posture: [0, 0, 0, -1.5, 0, 1.5, -3.8]", ""),  # joints are pressed against ends
]


@pytest.mark.parametrize(("reference", "warning"), DEGREES)
def test_references_in_degrees_are_doubted(reference, warning, tmp_path):
    path = tmp_path / "reach.yaml"
    path.write_text(f"tasks: [{{posture: []}}]\nreferences:\n  {reference}")
    found = load_controller(path, sg.load("panda"))
    assert len(found.warnings) == bool(warning)
    for line in found.warnings:
        assert line.startswith(f"{path}:3: ")
        assert warning in line
    path.write_text(f"limits: {{position: no}}\n{path.read_text()}")  # whose ranges are none, as of rotors
    assert not load_controller(path, sg.load("panda")).warnings


@pytest.mark.parametrize(
    ("model", "joint", "value", "is_doubted"),
    [
        ("bodies:\n- {link: a, joint: wheel, mass: 1}", "wheel", 30.0, False),
        ("bodies:\n- {link: a, joint: wheel, mass: 1}", "wheel", 90.0, True),
        ("bodies:\n- {link: a, joint: rail, type: prismatic, mass: 1}", "rail", 90.0, False),
    ],
)
def test_joints_without_ranges_turn_five_times(model, joint, value, is_doubted, tmp_path):
    path, robot = tmp_path / "turn.yaml", sg.load(model)
    path.write_text(f"tasks:\n- posture: [{joint}]\n  name: turn\nreferences: {{turn: [{value}]}}")
    found = load_controller(path, robot).warnings
    assert len(found) == is_doubted
    assert not is_doubted or "turn: the reference of 'wheel' is 90: it has no range" in found[0]
