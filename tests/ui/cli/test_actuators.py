"""`--actuators`: efforts of a robot's actuators in the place of joint torques."""

from __future__ import annotations

import json

import numpy as np
import pytest

import screwgraph as sg

ARM = """
name: arm
base: {link: ground}
bodies:
  - {link: upper, joint: shoulder, parent: ground, axis: y, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
  - {link: lower, joint: elbow, axis: y, at: [0.4, 0, 0], mass: 0.5, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
actuators:
  - {actuator: motor, terms: {shoulder: 5}}
  - {actuator: belt, terms: {shoulder: 2, elbow: -2}}
"""
B = np.array([[5.0, 2.0], [0.0, -2.0]])
"""Torques of shoulder and elbow by efforts of motor and belt."""


@pytest.fixture(name="arm")
def arm_file(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(ARM)
    return path


def test_forward_dynamics_take_efforts(command, state_file, arm):
    state = state_file('{"q": [0.3, -0.4], "qd": [1, 2], "effort": {"belt": 3, "motor": 0.5}}')
    answer = command("solve", arm, "--problem", "forward", "--actuators", "--state", state, "--json").json
    expected = sg.forward_dynamics(sg.load(arm))([0.3, -0.4], [1.0, 2.0], B @ [0.5, 3.0])
    np.testing.assert_allclose(answer["result"], expected, rtol=1e-12)
    assert answer["given_names"] == ["effort:motor[0]", "effort:belt[0]"]
    assert answer["result_names"] == ["qdd:shoulder[0]", "qdd:elbow[0]"]
    text = command("solve", arm, "--problem", "forward", "--actuators", "--random", 2).out
    assert "effort (given; N m, N)" in text
    assert "2*shoulder - 2*elbow" in text


def test_inverse_dynamics_give_efforts(command, state_file, arm):
    state = state_file('{"q": [[0.3, -0.4], [1, 1]], "qdd": [1, 2]}')
    answer = command("solve", arm, "--problem", "inverse", "--actuators", "--state", state, "--json").json
    tau = sg.inverse_dynamics(sg.load(arm))([[0.3, -0.4], [1.0, 1.0]], [0.0, 0.0], [1.0, 2.0])
    np.testing.assert_allclose(np.array(answer["result"]) @ B.T, tau, rtol=1e-12)
    assert answer["result_names"] == ["effort:motor[0]", "effort:belt[0]"]
    text = command("solve", arm, "--problem", "inverse", "--actuators", "--state", state).out
    assert "effort (result; N m, N)" in text
    rows = [line.replace("│", " ").split() for line in text.splitlines()]
    printed = [[float(row[1]) for row in rows if row[:1] == [name]] for name in ("motor", "belt")]
    np.testing.assert_allclose(printed, np.array(answer["result"]).T, rtol=1e-3)


def test_efforts_stay_within_bounds_where_that_is_asked_for(command, state_file, arm):
    arm.write_text(ARM.replace("{shoulder: 2, elbow: -2}}", "{shoulder: 2, elbow: -2}, bounds: [-100, 0]}"))
    arm.write_text(arm.read_text() + "  - {actuator: servo, terms: {elbow: 1}}\n")
    state = state_file('{"q": [0.3, -0.4]}')
    asked = ("solve", arm, "--problem", "inverse", "--actuators", "--state", state, "--json")
    (free,), (bound,) = (np.atleast_2d(command(*asked, *more).json["result"]) for more in ((), ("--effort-limits",)))
    torques = sg.inverse_dynamics(sg.load(arm))([0.3, -0.4], [0.0, 0.0], [0.0, 0.0])
    assert free[1] > 0.0 == bound[1]
    np.testing.assert_allclose(bound, [torques[0] / 5.0, 0.0, torques[1]], rtol=1e-9, atol=1e-12)


def test_named_actuators_alone_drive(command, arm, tmp_path):
    more = tmp_path / "more.yaml"
    more.write_text(f"{ARM}  - {{actuator: spare, terms: {{elbow: 7}}}}\n")
    options = ("--problem", "inverse", "--actuators", "--seed", 3, "--json")
    answer = command("solve", more, *options, "--actuated", "motor,spare").json
    assert answer["result_names"] == ["effort:motor[0]", "effort:spare[0]"]
    tau = sg.inverse_dynamics(sg.load(arm))(answer["q"], answer["qd"], answer["given"])
    np.testing.assert_allclose([5.0 * answer["result"][0], 7.0 * answer["result"][1]], tau, rtol=1e-12)


def test_motions_begin_under_constant_efforts(command, state_file, arm, tmp_path):
    state = state_file('{"q": {"elbow": 0.2}, "effort": [1, 2]}')
    path = tmp_path / "run.npz"
    done = command("simulate", arm, "--actuators", "--state", state, "--time", "0.02", "-o", path)
    assert done.status == 0
    with np.load(path) as run:
        np.testing.assert_allclose(run["tau"], np.tile(B @ [1.0, 2.0], (21, 1)))


def test_lever_arms_follow_the_position(command, state_file, arm, tmp_path):
    bent = tmp_path / "bent.yaml"
    bent.write_text(f"{ARM}  - {{actuator: tendon, displacement: 0.05*sin(e), joints: {{e: elbow}}}}\n")
    path = tmp_path / "run.npz"
    state = state_file('{"effort": {"tendon": 4}}')
    assert command("simulate", bent, "--actuators", "--state", state, "--time", "0.02", "-o", path).status == 0
    with np.load(path) as run:
        np.testing.assert_allclose(run["tau"][:, 1], 0.2 * np.cos(run["q"][:, 1]), rtol=1e-12)


def test_trajectories_get_columns_of_efforts(command, arm, tmp_path):
    t = np.linspace(0.0, 1.0, 21)
    table = tmp_path / "wanted.csv"
    np.savetxt(table, np.column_stack([t, np.sin(t), t**2]), delimiter=",", header="t,shoulder,elbow", comments="")
    for path in (tmp_path / "torques.csv", tmp_path / "torques.npz"):
        done = command("inverse", arm, "--trajectory", table, "--actuators", "-o", path, "--json")
        assert set(done.json["effort"]) == {"motor", "belt"}
    read = np.genfromtxt(tmp_path / "torques.csv", delimiter=",", names=True, deletechars="")
    tau = np.column_stack([read["tau:shoulder[0]"], read["tau:elbow[0]"]])
    np.testing.assert_allclose(np.column_stack([read["effort:motor"], read["effort:belt"]]) @ B.T, tau, atol=1e-10)
    with np.load(tmp_path / "torques.npz") as arrays:
        assert arrays["effort"].shape == (21, 2)
        assert list(arrays["columns"][-2:]) == ["effort:motor", "effort:belt"]
    plain = command("inverse", arm, "--trajectory", table, "--actuators", "-o", tmp_path / "x.csv").out
    assert "largest efforts of actuators (N m, N): motor" in plain


def test_code_takes_efforts(command, arm, tmp_path):
    done = command("compile", arm, "--functions", "forward", "--actuators", "--lang", "c", "-o", tmp_path)
    assert "effort: 2" in done.out


@pytest.mark.parametrize(
    ("status", "arguments", "complaint"),
    [
        (2, ("solve", "arm", "--problem", "hybrid", "--accelerations", "elbow", "--actuators"), "--problem hybrid"),
        (2, ("solve", "four_bar_angle", "--problem", "forward", "--actuators"), "goes with robots"),
        (1, ("solve", "rr", "--problem", "forward", "--actuators"), "robot 'rr' has no actuators"),
        (2, ("simulate", "arm", "--actuators", "-o", "x.csv"), "--actuators needs --state"),
    ],
)
def test_where_there_are_no_efforts_they_are_refused(refused, arm, monkeypatch, status, arguments, complaint):
    monkeypatch.chdir(arm.parent)
    named = [str(arm) if a == "arm" else a for a in arguments]
    assert complaint in refused(status, *named).err


@pytest.mark.parametrize(
    ("effort", "complaint"),
    [
        ([1.0], "effort does not have one number for each actuator, 2 in all"),
        ({"motr": 1.0}, "no actuator is called 'motr'"),
        ({"motor": [1.0, 2.0], "belt": [1.0, 2.0, 3.0]}, "the actuators of effort have different numbers of states"),
        ({"motor": "much"}, "it must be a number"),
    ],
)
def test_states_with_bad_efforts_are_refused(refused, state_file, arm, effort, complaint):
    state = state_file(json.dumps({"effort": effort}))
    assert complaint in refused(1, "solve", arm, "--problem", "forward", "--actuators", "--state", state).err
