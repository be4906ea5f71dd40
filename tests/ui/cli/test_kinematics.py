"""`screwgraph kinematics`: tables, JSON, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.spatial import from_xyz_rpy
from screwgraph.ui.cli import run


def test_tables_of_a_frame(capsys, tmp_path):
    (tmp_path / "state.json").write_text('{"q": {"joint2": 0.3}}')
    assert run(["kinematics", "puma560", "--frames", "tool", "--state", str(tmp_path / "state.json")]) == 0
    out = capsys.readouterr().out
    assert "tool" in out
    assert "roll (rad)" in out
    q = sg.load("puma560").neutral()
    q[1] = 0.3
    assert f"{sg.forward_kinematics(sg.load('puma560'), 'tool')(q)[0, 3]:.5g}" in out


def test_json_has_jacobians_in_the_reference(capsys):
    options = ["--frames", "link3,tool", "--reference", "world", "--json"]
    assert run(["kinematics", "puma560", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert np.shape(found["poses"]) == (2, 4, 4)
    J = np.array(found["jacobians"])
    np.testing.assert_allclose(J @ np.array(found["qd"]), found["velocities"], atol=1e-12)


@pytest.mark.parametrize("at", [[], ["--random", "3", "--seed", "4"], ["--state"]], ids=["random", "batch", "file"])
def test_bodies_and_points_of_mechanisms(at, capsys, tmp_path):
    if at == ["--state"]:
        (tmp_path / "state.json").write_text('{"q": {"theta": 0.4}, "qd": {"theta": 2.0}}')
        at = ["--state", str(tmp_path / "state.json")]
    assert run(["kinematics", "slider_crank", "--frames", "rod,piston", *at, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mechanism"] == "slider_crank"
    J, qd = np.array(found["jacobians"]), np.array(found["qd"])
    np.testing.assert_allclose((J @ qd[..., None, :, None])[..., 0], found["velocities"], atol=1e-12)
    place = sg.load("slider_crank").position(np.array(found["q"]), "piston")
    np.testing.assert_allclose(np.array(found["poses"])[..., 1, :2, 3], place, atol=1e-12)
    assert run(["kinematics", "slider_crank", *at]) == 0  # the last body
    assert "body:rod" in capsys.readouterr().out


def test_where_joints_stand_with_a_frame_at_a_pose(capsys):
    options = ["panda", "--frames", "panda_hand_tcp", "--reach", "0.4,0.1,0.5,3.14,0,0.2"]
    assert run(["kinematics", *options]) == 0
    assert "panda_joint7" in capsys.readouterr().out
    assert run(["kinematics", *options, "--json"]) == 0
    q = np.array(json.loads(capsys.readouterr().out)["q"])
    T = sg.forward_kinematics(sg.load("panda"), "panda_hand_tcp")(q)
    np.testing.assert_allclose(T, from_xyz_rpy([0.4, 0.1, 0.5], [3.14, 0.0, 0.2]), atol=1e-7)


def test_where_a_mechanism_stands_with_a_point_at_a_place(capsys, tmp_path):
    (tmp_path / "state.json").write_text('{"q": {"x:P1": 0.7}}')
    options = ["four_bar", "--frames", "P1", "--reach", "0.6,0.8"]
    assert run(["kinematics", *options, "--state", str(tmp_path / "state.json")]) == 0
    assert "x:P2" in capsys.readouterr().out
    assert run(["kinematics", *options, "--json"]) == 0
    found, model = json.loads(capsys.readouterr().out), sg.load("four_bar")
    q = np.array(found["q"])
    np.testing.assert_allclose(model.position(q, "P1"), [0.6, 0.8], atol=1e-7)
    np.testing.assert_allclose([c(q) for c in model.constraints], 0.0, atol=1e-7)


@pytest.mark.parametrize(
    ("options", "status", "line"),
    [
        (["puma560", "--frames", "hand"], 1, "no frame is called 'hand'"),
        (["four_bar", "--frames", "P9"], 1, "no body or point is called 'P9'"),
        (["puma560", "--state", "x.json", "--seed", "1"], 2, "--state cannot be used with"),
        (["puma560", "--reference", "tip"], 2, "tip"),
        (["puma560", "--reach", "3,0,0"], 1, "is not reached: the nearest position found"),
        (["puma560", "--reach", "3,0"], 2, "is no point and no pose"),
        (["panda", "--reach", "0,0,1", "--frames", "panda_hand,panda_hand_tcp"], 1, "--reach takes one frame"),
        (["puma560", "--reach", "0,0,1", "--random", "2"], 2, "--reach cannot be used with --random"),
        (["four_bar", "--reach", "0,0,1"], 2, "--reach '0,0,1' is no point"),
        (["four_bar", "--reach", "9,9"], 1, "is not reached"),
    ],
)
def test_refusals(options, status, line, capsys):
    assert run(["kinematics", *options]) == status
    err = capsys.readouterr().err
    assert line in err
    assert err.count("\n") == 1
