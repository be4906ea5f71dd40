"""Tables of the command line, its JSON and the library say the same numbers: JSON to the last digit, tables rounded."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import screwgraph as sg

ROBOT = """name: two
bodies:
  - {link: upper, joint: shoulder, axis: y, mass: 1.7, com: [0.03, 0, -0.21], inertia: [0.021, 0.023, 0.004],
     limits: {lower: -1.3, upper: 2.1, velocity: 3.7, effort: 41}, damping: 0.13}
  - {link: slider, joint: slide, type: prismatic, axis: z, at: [0, 0, -0.43], mass: 0.6, inertia: [0.002, 0.003, 0.001],
     limits: {lower: -0.11, upper: 0.17, velocity: 0.9, effort: 53}}
"""
STATE = {"q": [0.71, -0.05], "qd": [-1.31, 0.47]}
FUNCTIONS = {"inverse": (sg.inverse_dynamics, "qdd", "tau"), "forward": (sg.forward_dynamics, "tau", "qdd")}
SHOWN = 4
"""Digits of tables."""


@pytest.fixture
def robot_path(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(ROBOT)
    return path


def numbers(text):
    """Return all numbers of a line that stand alone."""
    return [float(word) for word in re.findall(r"(?<!\S)-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\S)", text)]


@pytest.mark.parametrize("problem", FUNCTIONS)
def test_answers(command, robot_path, state_file, problem):
    make, known, asked = FUNCTIONS[problem]
    robot, given = sg.load(robot_path), [2.31, -7.9]
    expected = make(robot)(STATE["q"], STATE["qd"], given)
    arguments = ("solve", robot_path, "--problem", problem, "--state", state_file(json.dumps({**STATE, known: given})))
    answer, out = command(*arguments, "--json").json, command(*arguments).out
    assert answer["result"] == expected.tolist()
    assert (answer["q"], answer["qd"], answer["given"]) == (STATE["q"], STATE["qd"], given)
    assert answer["operations"]["total"] == make(robot).operations.total
    assert f"{asked} (result)" in out
    for i, name in enumerate(robot.joint_names):
        (line,) = (line for line in out.splitlines() if line.split()[:1] == [name])
        shown = [float(f"{x:.{SHOWN}g}") for x in (STATE["q"][i], STATE["qd"][i], given[i], expected[i])]
        assert numbers(line) == shown


def test_motions(command, robot_path, state_file, tmp_path):
    robot, tau, path = sg.load(robot_path), [0.3, 6.1], tmp_path / "motion.npz"
    state = state_file(json.dumps({**STATE, "tau": tau}))
    arguments = ("simulate", robot_path, "--time", 0.2, "--dt", 0.01, "--method", "rk4", "--state", state, "-o", path)
    summary = command(*arguments, "--json").json
    run = sg.simulate(robot, STATE["q"], STATE["qd"], time=0.2, dt=0.01, method="rk4", tau=tau)
    with np.load(path) as arrays:
        for name in ("t", "q", "qd", "qdd", "tau", "energy", "work", "violation"):
            np.testing.assert_array_equal(arrays[name], getattr(run, name))
    assert (summary["steps"], summary["energy_drift"], summary["violation"]) == (20, run.energy_drift, 0.0)
    shown = re.search(r"energy drift ([^ ,\n]+)", command(*arguments).out)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(run.energy_drift, rel=0.06)


def test_descriptions(command, robot_path):
    robot = sg.load(robot_path)
    said, out = command("info", robot_path, "--json").json, command("info", robot_path).out
    assert (said["nq"], said["nv"], said["gravity"]) == (robot.nq, robot.nv, list(robot.gravity))
    assert said["mass"] == sum(link.inertia.mass for link in robot.links)
    assert f"mass {said['mass']:g} kg" in out
    for joint, own, i in zip(robot.joints, said["joints"], range(robot.nv), strict=True):
        limits = {"lower": robot.limits.lower[i], "upper": robot.limits.upper[i]}
        limits |= {"velocity": robot.limits.velocity[i], "effort": robot.limits.effort[i]}
        assert own["limits"] == limits
        assert own["damping"] == np.ravel(joint.damping)[0]
        (line,) = (line for line in out.splitlines() if f" {joint.name} " in line)
        assert numbers(line)[-4:] == list(limits.values())
    for link, own in zip(robot.links[1:], said["links"][1:], strict=True):
        assert own["mass"] == link.inertia.mass
        np.testing.assert_array_equal(own["com"], link.inertia.com)
        (line,) = (line for line in out.splitlines() if line.split()[1:2] == [link.name])
        assert numbers(line)[1] == own["mass"]
