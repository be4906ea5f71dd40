"""Actuators in the YAML format: what they mean, that they come back, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg

TEXT = """
parameters: {r: 0.05}
bodies:
  - {link: a, joint: hip, axis: y, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
  - {link: b, joint: knee-2, axis: y, at: [0, 0, 1], mass: 1, inertia: [1, 1, 1, 0, 0, 0]}
actuators:
"""
LINES = [
    "{actuator: motor, terms: {hip: 9, knee-2: -1/r}}",
    "{actuator: tendon, displacement: r*sin(k) + hip + 1, joints: {k: knee-2}}",
]


def load(tmp_path, *lines: str) -> sg.Robot:
    path = tmp_path / "robot.yaml"
    path.write_text(TEXT + "".join(f"  - {line}\n" for line in lines))
    return sg.load(path)


def test_lever_arms_are_those_that_were_written(tmp_path):
    q = np.array([0.3, 0.7])
    np.testing.assert_allclose(
        load(tmp_path, *LINES).actuation_matrix(q), [[9.0, 1.0], [-20.0, 0.05 * np.cos(0.7)]], rtol=1e-15
    )


def test_actuators_come_back_as_they_were(tmp_path):
    robot = load(tmp_path, *LINES)
    sg.save(robot, tmp_path / "again.yaml")
    again = sg.load(tmp_path / "again.yaml")
    assert [repr(a) for a in again.actuators] == [repr(a) for a in robot.actuators]
    with pytest.raises(sg.ModelError, match="save as"):
        sg.save(robot, tmp_path / "again.urdf")


def test_a_motor_on_a_loop_comes_back(tmp_path):
    sg.save(sg.load("five_bar"), tmp_path / "five_bar.yaml")
    name = sg.load("five_bar").loops[0].name
    path = tmp_path / "driven.yaml"
    path.write_text((tmp_path / "five_bar.yaml").read_text() + f"actuators:\n- {{actuator: m, loop: {name}}}\n")
    sg.save(sg.load(path), tmp_path / "again.yaml")
    assert repr(sg.load(tmp_path / "again.yaml").actuators[0]) == f"<actuator 'm': the joint of loop {name!r}>"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{actuator: m}", "none of terms, displacement, loop, cable"),
        ("{actuator: m, terms: {hip: 1}, loop: x}", "terms and loop"),
        ("{terms: {hip: 1}}", "has no name"),
        ("{actuator: m, displacement: hip = 2}", "it is no equation"),
        ("{actuator: m, displacement: 2}", "moves no joint"),
        ("{actuator: m, terms: {hop: 1}}", "no joint has that name"),
        ("{actuator: m, loop: x}", "no loop has that name"),
        ("{actuator: m, gear: 9, terms: {hip: 1}}", "gear"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(tmp_path, line, said):
    with pytest.raises(sg.ModelError, match=rf"robot.yaml:7.*{said}"):
        load(tmp_path, line)
