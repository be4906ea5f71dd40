"""State files: what they may hold, and one clear line for whatever is wrong in them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui.cli.state_file import parse_coordinates

pytestmark = pytest.mark.optimised


@pytest.fixture
def solved(command, state_file):
    def solve(content, robot="puma560", problem="inverse", *options):
        text = content if isinstance(content, str) else json.dumps(content)
        return command("solve", robot, "--problem", problem, "--state", state_file(text), "--json", *options).json

    return solve


def test_what_is_missing_is_neutral_or_zero(solved):
    state = solved("{}", "a1", "forward", "--base", "floating")
    np.testing.assert_array_equal(state["q"], sg.load("a1", base="floating").neutral())
    assert set(state["qd"] + state["given"]) == {0.0}


def test_lists_are_in_the_order_of_the_coordinates(solved):
    q = [0.1, -0.2, 0.3, 0, 1, 2]
    assert solved({"q": q})["q"] == q


def test_mappings_name_joints(solved):
    state = solved({"qd": {"joint5": 2, "joint2": -1.5}, "qdd": {"joint6": 1e-3}})
    assert state["qd"] == [0, -1.5, 0, 0, 2, 0]
    assert state["given"] == [0, 0, 0, 0, 0, 1e-3]


def test_joints_of_several_coordinates_take_lists(solved):
    pose = [1, 2, 3, 0.5, 0.5, 0.5, 0.5]
    state = solved(
        {"q": {"floating_base": pose}, "qd": {"floating_base": [1, 2, 3, 4, 5, 6]}},
        "a1",
        "inverse",
        "--base",
        "floating",
    )
    assert state["q"][:7] == pose
    assert state["qd"][:7] == [1, 2, 3, 4, 5, 6, 0]


def test_one_state_broadcasts_over_many(solved):
    state = solved({"q": [[0] * 6, [1] * 6], "qd": [2] * 6, "qdd": {"joint1": [3, 4]}})
    assert state["qd"] == [[2] * 6] * 2
    assert [row[0] for row in state["given"]] == [3, 4]
    assert np.shape(state["result"]) == (2, 6)


def test_batches_of_states_equal_single_ones(solved):
    q = np.random.default_rng(3).normal(size=(4, 6)).tolist()
    together = solved({"q": q})["result"]
    np.testing.assert_allclose(together, [solved({"q": one})["result"] for one in q], rtol=1e-13)


def test_wrenches_join_those_of_the_command_line(solved):
    state = solved(
        {"external_wrenches": {"tool": [[1] * 6, [2] * 6]}}, "puma560", "inverse", "--external-wrenches", "link3"
    )
    assert state["external_wrenches"] == {"link3": [[0] * 6] * 2, "tool": [[1] * 6, [2] * 6]}


def test_a_byte_order_mark_is_no_harm(command, state_file):
    path = state_file(b'\xef\xbb\xbf{"q": [1, 2]}')
    assert command("solve", "rr", "--problem", "inverse", "--state", path).status == 0


WRONG = {
    '{"q": [1, 2,\n,3]}': ":2: this is not JSON",
    '{"q": [1, 2}': ":1: this is not JSON",
    "": "not JSON",
    "[1, 2]": "JSON object",
    '"q"': "JSON object",
    '{"Q": [1]}': "'Q'",
    '{"velocity": [1]}': "'velocity'",
    '{"tau": [1, 2]}': "give 'qdd' instead",
    '{"given": [1, 2]}': "give 'qdd' instead",
    '{"q": [1, 2, 3]}': "q has 3 numbers, the robot has 2",
    '{"q": []}': "q has 0 numbers",
    '{"q": 1}': "q has the shape ()",
    '{"qd": [[[1, 2, 3]]]}': "qd has the shape (1, 1, 3)",
    '{"q": "home"}': 'q is "home": it must be a number',
    '{"q": null}': "q is null",
    '{"q": [1, true]}': "q[1] is true",
    '{"q": [NaN, 0]}': "q[0] is not a number",
    '{"q": {"joint2": -Infinity}}': "q of 'joint2' is infinite, or beyond 1e308",
    '{"qd": [[1, 2], [1e400, 3]]}': "qd[1][0] is infinite, or beyond 1e308",
    '{"external_wrenches": {"link1": [0, 0, 0, 0, NaN, 0]}}': "wrench 'link1'[4] is not a number",
    '{"q": [[1, 2], [3, "x"]]}': 'q[1][1] is "x"',
    '{"q": [1, {"joint1": 2}]}': "q[1] is",
    '{"q": [[1, 2], [3]]}': "differ in length",
    '{"q": [1, [2]]}': "differ in length",
    '{"q": {"jiont1": 1}}': "did you mean joint1",
    '{"q": {"joint1": "x"}}': "q of 'joint1' is",
    '{"q": {"joint1": [1, 2], "joint2": [1, 2, 3]}}': "different numbers of states",
    '{"q": [[1, 2], [3, 4]], "qd": [[1, 2], [3, 4], [5, 6]]}': "different numbers of states",
    '{"q": [1, 2], "q": [3, 4]}': "'q' is given twice",
    '{"external_wrenches": [1, 2, 3, 4, 5, 6]}': "'external_wrenches' is not a mapping",
    '{"external_wrenches": {"nolink": [1, 2, 3, 4, 5, 6]}}': "'nolink'",
    '{"external_wrenches": {"link1": [1, 2, 3]}}': "6 numbers",
    '{"external_wrenches": {"link1": 5}}': "6 numbers",
    '{"external_wrenches": {"link1": [1, 2, 3, 4, 5, "x"]}}': '"x"',
    '{"q": ' + "[" * 100_000: "nested too deeply",
    '{"q": ' + "[" * 90 + "]" * 90 + "}": "nested too deeply",
}


@pytest.mark.parametrize(("text", "expected"), WRONG.items(), ids=range(len(WRONG)))
def test_a_wrong_file_is_one_line_with_its_name(refused, state_file, text, expected):
    path = state_file(text)
    error = refused(1, "solve", "rr", "--problem", "inverse", "--state", path).err
    assert error.startswith(str(path))
    assert expected in error


@pytest.mark.parametrize("number", ["1e999", "9" * 5000, "-" + "9" * 5000])
def test_a_number_too_large_is_refused(refused, state_file, number):
    path = state_file(f'{{"q": [{number}, 0]}}')
    error = refused(1, "solve", "rr", "--problem", "inverse", "--state", path).err
    assert error.startswith(f"{path}: q[0] is infinite, or beyond 1e308")


@pytest.mark.parametrize("quaternion", [[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 2]])
def test_a_quaternion_must_have_length_one(refused, state_file, quaternion):
    path = state_file(json.dumps({"q": {"floating_base": [0, 0, 0, *quaternion]}}))
    error = refused(1, "solve", "a1", "--base", "floating", "--problem", "inverse", "--state", path).err
    assert "'floating_base'" in error
    assert "length 1" in error


def test_a_quaternion_with_few_digits_is_accepted(solved):
    pose = [0, 0, 0, 0, 0, 0.7071, 0.7071]
    assert solved({"q": {"floating_base": pose}}, "a1", "inverse", "--base", "floating")["q"][:7] == pose


def test_a_file_that_is_no_text_is_one_line(refused, state_file):
    assert "UTF-8" in refused(1, "solve", "rr", "--problem", "inverse", "--state", state_file(b"\xff\xfe")).err


def test_a_missing_file_or_a_directory_is_one_line(refused, tmp_path):
    for path in (tmp_path / "no.json", tmp_path):
        assert str(path) in refused(1, "solve", "rr", "--problem", "inverse", "--state", path).err


def test_positions_have_nq_numbers_and_velocities_nv():
    robot = sg.load("a1", base="floating")
    for name, size in (("q", robot.nq), ("qd", robot.nv), ("qdd", robot.nv)):
        assert parse_coordinates(name, [0.5] * size, robot).shape == (size,)
        with pytest.raises(sg.InputError, match=f"{name} has {size + 1} numbers, the robot has {size}"):
            parse_coordinates(name, [0.5] * (size + 1), robot)
