"""`screwgraph solve`: the right numbers at the right joints."""

from __future__ import annotations

import json

import numpy as np
import pytest

import screwgraph as sg
from tests.model.formats.helpers import rich_robot

PENDULUM = """<robot name="pendulum"><link name="base"/>
<link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
  <inertia ixx="0" iyy="0.1" izz="0"/></inertial></link>
<joint name="pivot" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""
MASS, LENGTH, INERTIA = 2.0, 0.5, 0.1 + 2.0 * 0.5**2


@pytest.fixture
def pendulum(tmp_path):
    path = tmp_path / "pendulum.urdf"
    path.write_text(PENDULUM)
    return path


def test_a_pendulum_obeys_its_equation_of_motion(command, pendulum, state_file):
    state = state_file('{"q": [[0.3], [-1.2]], "qd": [0.4], "qdd": {"pivot": [1.5, -2]}}')
    answer = command("solve", pendulum, "--problem", "inverse", "--state", state, "--json").json
    q, qdd = np.array([0.3, -1.2]), np.array([1.5, -2.0])
    expected = INERTIA * qdd + MASS * 9.81 * LENGTH * np.sin(q)
    np.testing.assert_allclose(np.array(answer["result"])[:, 0], expected, rtol=1e-12)
    assert answer["result_names"] == ["tau:pivot[0]"]
    assert answer["qd"] == [[0.4], [0.4]]


def test_a_force_that_carries_the_weight_leaves_no_torque(command, pendulum, state_file):
    q = 0.7
    up = MASS * 9.81 * np.array([np.sin(q) * -1.0, 0.0, np.cos(q)])  # in the bob's axes
    wrench = [*np.cross([0.0, 0.0, -LENGTH], up), *up]
    state = state_file(json.dumps({"q": [q], "external_wrenches": {"bob": list(wrench)}}))
    answer = command("solve", pendulum, "--problem", "inverse", "--state", state, "--json").json
    assert answer["result"] == pytest.approx([0.0], abs=1e-12)
    assert answer["external_wrenches"]["bob"] == pytest.approx(wrench)


@pytest.mark.parametrize("problem", ["inverse", "forward", "hybrid"])
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.sampled(3)
def test_the_answer_is_that_of_the_library(command, problem, base):
    robot = sg.load("a1", base=base)
    named = robot.joint_names[1:4]
    options = ("--accelerations", ",".join(named)) if problem == "hybrid" else ()
    answer = command(
        "solve", "a1", "--base", base, "--problem", problem, *options, "--random", 3, "--seed", 5, "--json"
    ).json
    functions = {
        "inverse": sg.inverse_dynamics,
        "forward": sg.forward_dynamics,
        "hybrid": lambda robot: sg.hybrid_dynamics(robot, named),
    }
    expected = functions[problem](robot)(answer["q"], answer["qd"], answer["given"])
    np.testing.assert_allclose(answer["result"], expected, rtol=1e-9, atol=1e-9)
    assert np.shape(answer["result"]) == (3, robot.nv)


def test_forward_undoes_inverse(command, state_file):
    inverse = command("solve", "iiwa14", "--problem", "inverse", "--json").json
    state = state_file(json.dumps({"q": inverse["q"], "qd": inverse["qd"], "tau": inverse["result"]}))
    forward = command("solve", "iiwa14", "--problem", "forward", "--state", state, "--json").json
    np.testing.assert_allclose(forward["result"], inverse["given"], rtol=1e-9)


def test_hybrid_names_what_is_given_and_what_is_found(command):
    answer = command("solve", "rrr", "--problem", "hybrid", "--accelerations", "joint2", "--json").json
    assert answer["given_names"] == ["tau:joint1[0]", "qdd:joint2[0]", "tau:joint3[0]"]
    assert answer["result_names"] == ["qdd:joint1[0]", "tau:joint2[0]", "qdd:joint3[0]"]


def test_the_same_seed_gives_the_same_state(command):
    first, again, other = (
        command("solve", "rr", "--problem", "inverse", "--seed", seed, "--json").out for seed in (4, 4, 5)
    )
    assert first == again != other
    assert json.loads(first)["state"] == "a random state, seed 4"
    assert command("solve", "rr", "--problem", "inverse", "--json").json["state"] == "a random state, seed 0"


@pytest.mark.suite
def test_every_order_gives_the_same_answer(command):
    answers = [
        command("solve", "puma560", "--problem", "forward", "--ordering", name, "--json").json
        for name in ("auto", *sg.orderings.ORDERINGS)
    ]
    for answer in answers:
        np.testing.assert_allclose(answer["result"], answers[0]["result"], rtol=1e-9)
        assert answer["operations"]["total"] == sum(n for s, n in answer["operations"].items() if s != "total")
    assert [answer["ordering"] for answer in answers[1:]] == list(sg.orderings.ORDERINGS)


def test_named_frames_take_wrenches(command):
    options = (
        "--problem",
        "inverse",
        "--external-wrenches",
        "tool",
        "--external-wrenches",
        "link2,link4,tool",
        "--json",
    )
    assert list(command("solve", "puma560", *options).json["external_wrenches"]) == ["tool", "link2", "link4"]


def test_the_table_has_a_row_for_each_coordinate_with_units(command):
    out = command("solve", "cart_pole", "--problem", "inverse", "--seed", "1").out
    answer = command("solve", "cart_pole", "--problem", "inverse", "--seed", "1", "--json").json
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line and line.split()[0] in answer["joints"]}
    assert rows["x"][2::2] == ["m", "m/s", "m/s²", "N"]
    assert rows["theta"][2::2] == ["rad", "rad/s", "rad/s²", "N", "m"][:4]
    assert [float(word) for word in rows["x"][1::2]] == pytest.approx(
        [answer[name][0] for name in ("q", "qd", "given", "result")], rel=1e-3
    )
    assert f"{answer['operations']['total']} operations" in out
    assert "ordering rnea" in out
    assert "seed 1" in out


def test_many_states_are_cut_in_tables_and_complete_in_json(command):
    options = ("solve", "rr", "--problem", "forward", "--random", 25)
    out = command(*options).out
    assert "state 10 of 25" in out
    assert "state 11 of 25" not in out
    assert "15 more states" in out
    assert len(command(*options, "--json").json["result"]) == 25


def test_joints_of_all_types_are_solved(command, tmp_path):
    path = tmp_path / "rich.yaml"
    sg.save(rich_robot(), path)
    result = command("solve", path, "--problem", "inverse")
    assert result.status == 0
    assert all(joint.name in result.out for joint in sg.load(path).joints)


def test_the_algorithm_is_printed_on_request(command):
    options = ("solve", "rrr", "--problem", "inverse", "--ordering", "rnea")
    algorithm = sg.inverse_dynamics(sg.load("rrr"), ordering="rnea").algorithm()
    assert algorithm in command(*options, "--algorithm").out
    assert command(*options, "--algorithm", "--json").json["algorithm"] == algorithm
    assert algorithm not in command(*options).out


def test_warnings_of_the_robot_stand_beside_the_answer(command):
    assert command("solve", "puma560", "--problem", "inverse").err.startswith("warning: puma560.yaml")
    assert command("solve", "rrr", "--problem", "inverse").err == ""


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--problem", "inwerse"),
        ("--problem", "hybrid"),
        ("--problem", "inverse", "--accelerations", "joint1"),
        ("--problem", "inverse", "--ordering", "rnae"),
        ("--problem", "inverse", "--random", "0"),
        ("--problem", "inverse", "--random", "many"),
        ("--problem", "inverse", "--seed", "-1"),
        ("--problem", "inverse", "--state", "s.json", "--seed", "1"),
        ("--problem", "inverse", "--state", "s.json", "--random", "1"),
    ],
)
def test_options_that_make_no_sense_are_wrong_use(refused, options):
    assert refused(2, "solve", "puma560", *options).err.startswith("screwgraph solve: ")


def test_a_misspelt_order_is_guessed(refused):
    assert "did you mean rnea" in refused(2, "solve", "rrr", "--problem", "inverse", "--ordering", "rnae").err


@pytest.mark.parametrize(
    "options",
    [("hybrid", "--accelerations", "jiont1"), ("inverse", "--external-wrenches", "lnik1")],
    ids=lambda o: o[0],
)
def test_unknown_parts_of_the_robot_are_guessed(refused, options):
    assert "did you mean" in refused(1, "solve", "puma560", "--problem", *options).err


@pytest.mark.parametrize("problem", ["inverse", "forward"])
def test_a_robot_without_joints_has_empty_answers(command, refused, problem, state_file):
    options = ("solve", "rrr", "--lock", "joint1,joint2,joint3", "--problem", problem)
    assert command(*options).status == 0
    assert command(*options, "--state", state_file("{}"), "--json").json["result"] == []
    refused(1, *options, "--state", state_file('{"q": [1]}'))


def test_a_joint_that_moves_no_inertia_is_named(refused, tmp_path):
    path = tmp_path / "empty.urdf"
    path.write_text(PENDULUM.replace('<mass value="2"/>', '<mass value="0"/>').replace('iyy="0.1"', 'iyy="0"'))
    assert "'pivot'" in refused(1, "solve", path, "--problem", "forward").err


def test_redundantly_driven_joints_share_the_effort(command):
    answer = command("solve", "four_bar_linkage", "--problem", "inverse", "--actuated", "joint1,joint3", "--json").json
    first, passive, second = answer["result"]
    assert abs(first) > 0.0
    assert abs(second) > 0.0
    assert passive == 0.0
    assert answer["actuated"] == ["joint1", "joint3"]


def test_too_few_driven_joints_are_one_line(command):
    outcome = command("solve", "five_bar", "--problem", "inverse", "--actuated", "joint1")
    assert outcome.status == 1
    assert "cannot drive all motions" in outcome.err
    assert "\n" not in outcome.err.strip()
    outcome = command("solve", "five_bar", "--problem", "forward", "--actuated", "joint1")
    assert outcome.status == 2
    assert "--actuated cannot be used with --problem forward" in outcome.err


@pytest.mark.parametrize("joint", ["joint1", "joint2"])
def test_the_independent_joint_of_a_closed_chain_is_named(command, joint):
    asked = ("four_bar_linkage", "--problem", "inverse", "--independent", joint, "--json")
    answer = command("solve", *asked).json
    efforts = dict(zip(answer["result_names"], answer["result"], strict=True))
    assert [name for name, value in efforts.items() if value] == [f"tau:{joint}[0]"]


def test_too_few_independent_joints_are_one_line(refused):
    result = refused(1, "info", "rrr", "--independent", "joint1")
    assert "joint1 have 1 of the robot's 3 degrees of freedom" in result.err
