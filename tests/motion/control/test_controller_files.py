"""Tasks, feet and limits in YAML files."""

import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from screwgraph.motion.control import CenterOfMassTask, ControlLimits, FrameTask, PostureTask, load_controller

FILE = """
tasks:
  - {frame: trunk, of: position, stiffness: 200}
  - {posture: [a, b], damping: 3, weight: 1e-4}
  - {center_of_mass: yes, weight: 0}
contacts: [{frame: foot, radius: 0.02, friction: 0.7}]
ground: {height: 0.1}
limits: {dt: 2e-3, acceleration: 50, velocity: no}
"""


def test_all_entries(tmp_path):
    (tmp_path / "all.yaml").write_text(FILE)
    found = load_controller(tmp_path / "all.yaml")
    assert found.tasks == (
        FrameTask("trunk", "position", stiffness=200.0),
        PostureTask(("a", "b"), damping=3.0, weight=1e-4),
        CenterOfMassTask(weight=0.0),
    )
    assert found.contacts == (sg.Contact("foot", radius=0.02, friction=0.7),)
    assert found.ground == sg.Plane(height=0.1)
    assert found.limits == ControlLimits(dt=2e-3, acceleration=50.0, velocity=False)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("limits: {dt: 1}", "1: the file has no tasks"),
        ("tasks: [{fraem: x}]", "1: a task: there is no key 'fraem'"),
        ("tasks: [{frame: x, posture: []}]", "one of frame, posture, center_of_mass"),
        ("tasks: [{posture: [], of: pose}]", "it goes with frame"),
        ("tasks: [{frame: x, of: height}]", "1: a task: .*height"),
        ("tasks: [{center_of_mass: no}]", "leave the task out"),
        ("tasks: [{posture: [], weight: -1}]", "1: a task: .*weight.* is -1"),
        ("tasks: [{posture: []}]\nlimits: {dt: 0}", "2: limits: dt"),
        ("tasks: [{posture: []}]\nlimits: {effort: maybe}", "2: limits: effort is 'maybe'"),
        ("tasks: [{posture: []}]\nground: {height: 1}", "there are no contacts"),
        ("tasks: 3", "a list"),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path, text, complaint):
    (tmp_path / "wrong.yaml").write_text(text)
    with pytest.raises(ModelError, match=complaint):
        load_controller(tmp_path / "wrong.yaml")
