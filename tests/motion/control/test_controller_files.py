"""Tasks, feet and limits in YAML files."""

import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from screwgraph.motion.control import (
    AxisTask,
    CenterOfMassTask,
    ContactForceTask,
    ControlLimits,
    DampingTask,
    EffortTask,
    FrameTask,
    MomentumTask,
    PostureTask,
    Sole,
    load_controller,
)

FILE = """
tasks:
  - {frame: trunk, of: position, stiffness: 200}
  - {posture: [a, b], damping: 3, weight: 1e-4, level: 2}
  - {center_of_mass: yes, weight: 0}
  - {axis_of: trunk, axis: [0, 1, 0], stiffness: 30}
  - {momentum: yes, damping: 2}
  - {damped: [a], weight: 1e-3}
  - {force: foot, weight: 1e-5}
  - {effort: yes, weight: 2}
soles: [{frame: hand, length: 0.2, width: 0.1, at: [1, 2, 3], x: [0, 1, 0], normal: [1, 0, 0], friction: 0.5}]
contacts: [{frame: foot, radius: 0.02, friction: 0.7}]
ground: {height: 0.1}
limits: {dt: 2e-3, acceleration: 50, velocity: no, normal_force: 3, glide_damping: 20}
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
        EffortTask(weight=2.0),
    )
    assert found.contacts == (
        sg.Contact("foot", radius=0.02, friction=0.7),
        Sole("hand", 0.2, 0.1, (1.0, 2.0, 3.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), 0.5),
    )
    assert found.ground == sg.Plane(height=0.1)
    assert found.limits == ControlLimits(
        dt=2e-3, acceleration=50.0, velocity=False, normal_force=3.0, glide_damping=20.0
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("limits: {dt: 1}", "1: the file has no tasks"),
        ("tasks: [{fraem: x}]", "1: a task: there is no key 'fraem'"),
        ("tasks: [{frame: x, posture: []}]", "one of frame, axis_of, posture, center_of_mass"),
        ("tasks: [{posture: [], of: pose}]", "it does not go with posture"),
        ("tasks: [{frame: x, of: height}]", "1: a task: .*height"),
        ("tasks: [{center_of_mass: no}]", "leave the task out"),
        ("tasks: [{posture: [], weight: -1}]", "1: a task: .*weight.* is -1"),
        ("tasks: [{posture: []}]\nlimits: {dt: 0}", "2: limits: dt"),
        ("tasks: [{posture: []}]\nlimits: {effort: maybe}", "2: limits: effort is 'maybe'"),
        ("tasks: [{posture: []}]\nground: {height: 1}", "there are no contacts"),
        ("tasks: 3", "a list"),
        ("tasks: [{posture: [], level: 0.5}]", "a whole number"),
        ("tasks: [{force: foot, stiffness: 1}]", "it does not go with force"),
        ("tasks: [{posture: []}]\nsoles: [{frame: foot, length: 1}]", "2: .*must have a width"),
        ("tasks: [{posture: []}]\nsoles: [{frame: foot, length: 0, width: 1}]", "2: a sole: .*length must be positive"),
        ("tasks: [{posture: []}]\nlimits: {normal_force: -1}", "2: limits: normal_force"),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path, text, complaint):
    (tmp_path / "wrong.yaml").write_text(text)
    with pytest.raises(ModelError, match=complaint):
        load_controller(tmp_path / "wrong.yaml")
