"""Nodes of controllers, run beside stand-ins for ROS: what they wait for, begin with, keep, and say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui.cli import run
from tests.api.deployment.tools import WARNINGS, done, eigen, found

STAND_IN = Path(__file__).parents[2] / "docs" / "ros_stand_in"
MAIN = """
#define main node_main
#include "src/{name}_node.cpp"
#undef main
using Numbers = std_msgs::msg::Float64MultiArray;
using State = sensor_msgs::msg::JointState;
void send(const std::string &topic, std::vector<double> data) {{ stand_in::send("~/" + topic, Numbers{{data}}); }}
int main() {{
{lines}
}}
"""


def run_node(folder: Path, name: str, *lines: str, tested: bool = False) -> list[str]:
    """Return what a node publishes and says; run the package's own test, too, if it is `tested`."""
    compiler, plain = found("g++", "clang++", "c++"), found("gcc", "clang", "cc")
    (folder / "main.cpp").write_text(MAIN.format(name=name, lines="\n".join(lines)))
    done(plain, "-std=c99", *WARNINGS, "-O1", f"-Iinclude/{name}", "-c", f"src/{name}.c", cwd=folder)
    flags = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-I.", f"-Iinclude/{name}", f"-I{STAND_IN}")
    if tested:
        files = ("-isystem", eigen(), f"test/{name}_test.cpp", f"{name}.o")
        done(compiler, *flags, *files, "-o", "check", "-lm", cwd=folder)
        assert done("./check", cwd=folder) == "0 numbers differ\n"
    done(compiler, *flags, "main.cpp", f"{name}.o", "-o", "main", "-lm", cwd=folder)
    return done("./main", cwd=folder).splitlines()


def published(lines: list[str], topic: str) -> list[list[float]]:
    return [[float(x) for x in line.split()[1:]] for line in lines if line.split()[0] == f"~/{topic}"]


def written(values) -> str:
    return "{" + ", ".join(repr(float(x)) for x in np.ravel(values)) + "}"


def test_a_controller_begins_with_the_values_of_its_tasks(tmp_path):
    """Gains, barriers, and rates of references are not waited for; topics take their place."""
    tasks = [sg.control.PostureTask(stiffness=60.0), sg.control.EffortTask(weight=1e-3)]
    barrier = sg.control.BallBarrier(sg.control.LinkCapsule("link2", 0.1), 0.1)
    control = sg.controller(sg.load("rr"), tasks, barriers=[barrier])
    sg.export_library({"controller": control}, tmp_path, prefix="arm", language="ros2")
    state = 'stand_in::send("joint_states", State{{"joint2", "joint1"}, {0.2, 0.1}, {0.4, 0.3}, {}});'
    gains = np.array([[30.0, 9.0, 2.0], [0.0, 0.0, 1e-2]])
    lines = run_node(
        tmp_path,
        "arm",
        "arm_node node;",
        *(state, 'send("posture", {0.5, -0.5});', state, 'send("ball", {0.9, 9.0, 0.0});', state),
        *('send("effort", {0.0, 1.0});', state, 'send("gains", {1.0});', 'send("gains", {1.0});'),
        *(f'send("gains", {written(gains)});', state),
        tested=True,
    )
    assert [line for line in lines if line.startswith("said: ")] == [
        "said: waits for joint_states ~/ball ~/effort ~/posture",
        "said: waits for ~/ball ~/effort ~/posture",
        "said: waits for ~/ball ~/effort",
        "said: waits for ~/effort",
        "said: left out: ~/gains takes 6 finite numbers",
    ]
    given: dict[str, Any] = {a.name: np.zeros(a.shape) for a in control.arguments}
    given |= {"q": [0.1, 0.2], "qd": [0.3, 0.4], "posture": [0.5, -0.5], "effort": [0.0, 1.0], "ball": [0.9, 9.0, 0.0]}
    given |= {"gains": sg.control.stack_gains(tasks), "barriers": sg.control.stack_barriers([barrier])}
    first = control(**given)
    second = control(**{**given, "gains": gains, "active": first[-2]})
    assert published(lines, "controller/tau") == [pytest.approx(x[0], rel=1e-9) for x in (first, second)]
    assert not published(lines, "controller/active")  # of use to the next call alone


def test_references_of_a_file_are_not_waited_for(tmp_path, capsys):
    file, state = tmp_path / "tasks.yaml", 'State{{"joint1", "joint2"}, {0.1, 0.2}, {0.3, 0.4}, {}}'
    file.write_text("tasks: [{posture: [], name: knees}]\nreferences: {knees: [0.3, -0.2]}")
    given = ("--tasks", str(file), "--lang", "ros2", "-o", str(tmp_path / "code"))
    assert (run(["controller", "rr", *given]), capsys.readouterr().err) == (0, "")
    lines = run_node(tmp_path / "code", "rr", "rr_node node;", f'stand_in::send("joint_states", {state});')
    tasks = [sg.control.PostureTask(name="knees")]
    control = sg.controller(sg.load("rr"), tasks)
    rest = np.zeros((2, 2)), sg.control.stack_gains(tasks), np.zeros(control.arguments[-1].shape)
    assert lines[0] == "said: waits for joint_states"
    assert published(lines, "controller/tau") == [pytest.approx(control([0.1, 0.2], [0.3, 0.4], [0.3, -0.2], *rest)[0])]


def test_a_predictive_controller_keeps_its_solution_and_the_time(tmp_path):
    """`advance` is the time between calls by the node's clock, zero at first; nothing of `next` is published."""
    control = sg.mpc(sg.load("cart_pole"), 0.05, 4, actuated=["x"])
    sg.export_library({"mpc": control}, tmp_path, prefix="cart", language="ros2")
    weights = sg.control.stack_weights(sg.load("cart_pole"), position=1.0, velocity=0.1, effort=0.01, actuated=["x"])
    references = sg.control.stack_references(control, [0.0, 3.0])
    lines = run_node(
        tmp_path,
        "cart",
        *('stand_in::parameters["timer_rate"] = 100.0;', "cart_node node;", "stand_in::timer();"),
        *(2 * ['stand_in::send("joint_states", State{{"x", "theta"}, {0.0, 2.8}, {}, {}});']),
        'stand_in::send("joint_states", State{{"x", "theta"}, {0.0, 2.8}, {0.0, 0.0}, {}});',
        *(f'send("references", {written(references)});', "stand_in::timer();", "stand_in::clock = 3.0;"),
        *(f'send("weights", {written(weights)});', "stand_in::timer();"),
        *("stand_in::clock = 3.02;", "stand_in::timer();", "stand_in::clock = 3.05;", "stand_in::timer();"),
        tested=True,
    )
    previous, expected = np.zeros(control.arguments[-1].shape), []
    for advance in (0.0, 0.4, 0.6):
        tau, *_, previous, _ = control([0.0, 2.8], [0.0, 0.0], references, weights, advance, previous)
        expected.append(pytest.approx(tau, rel=1e-9))
    assert published(lines, "mpc/tau") == expected
    assert [line for line in lines if line.startswith("said: ")] == [
        "said: waits for joint_states ~/references ~/weights",
        "said: left out: joint states without a velocity of x",
        "said: waits for ~/weights",
    ]
    assert not published(lines, "mpc/next")
    node = (tmp_path / "src" / "cart_node.cpp").read_text()
    assert "mpc/next" not in node
    core = (tmp_path / "include" / "cart" / "cart_core.hpp").read_text()
    assert '"advance"' not in core  # no topics
    assert '"previous"' not in core


def test_velocities_that_no_function_takes_are_not_asked_for(tmp_path):
    robot = sg.load("rr")
    sg.export_library({"inertia": sg.mass_matrix(robot)}, tmp_path, prefix="arm", language="ros2")
    state = 'stand_in::send("joint_states", State{{"joint1", "joint2"}, {0.1, 0.2}, {}, {}});'
    lines = run_node(tmp_path, "arm", "arm_node node;", state)
    assert published(lines, "inertia") == [pytest.approx(sg.mass_matrix(robot)([0.1, 0.2]).ravel())]


def test_robots_of_vectors_answer_once_a_state(tmp_path):
    """Positions come first: an answer to them would have the velocities of the state before."""
    robot = sg.load("rr", base="floating")
    sg.export_library({"bias": sg.bias_forces(robot)}, tmp_path, prefix="arm", language="ros2")
    q, qd = robot.neutral(), np.arange(1.0, robot.nv + 1.0)
    state = (f'send("q", {written(q)});', f'send("qd", {written(qd)});', 'send("q", {1.0});')
    lines = run_node(tmp_path, "arm", "arm_node node;", *state)
    assert lines[0] == "said: waits for ~/q ~/qd"
    assert published(lines, "bias") == [pytest.approx(sg.bias_forces(robot)(q, qd))]
    assert lines[-1] == f"said: left out: ~/q takes {robot.nq} finite numbers"


def test_controllers_of_one_library_have_their_own(tmp_path):
    """Gains of two controllers differ, and so do their last solutions."""
    robot, q, qd = sg.load("rr"), [0.1, 0.2], [0.3, 0.4]
    tasks = {"soft": [sg.control.PostureTask(stiffness=9.0)], "stiff": [sg.control.PostureTask(stiffness=400.0)]}
    made = {name: sg.controller(robot, own) for name, own in tasks.items()}
    sg.export_library(made, tmp_path, prefix="arm", language="ros2")
    state = 'stand_in::send("joint_states", State{{"joint1", "joint2"}, {0.1, 0.2}, {0.3, 0.4}, {}});'
    lines = run_node(tmp_path, "arm", "arm_node node;", 'send("posture", {0.5, -0.5});', state)
    for name, control in made.items():
        rest = np.zeros((2, 2)), sg.control.stack_gains(tasks[name]), np.zeros(control.arguments[-1].shape)
        assert published(lines, f"{name}/tau") == [pytest.approx(control(q, qd, [0.5, -0.5], *rest)[0], rel=1e-9)]
