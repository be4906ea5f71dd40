"""Peers answer as we do, in our conventions, so that what is timed is the same; what they cannot is one line."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Joint, Link, lock, tree
from screwgraph.model.robot.joints import Spherical
from screwgraph.ui.bench import (
    PYTHON_PEERS,
    QUESTIONS,
    Budget,
    Case,
    NotMeasuredError,
    PeerComparison,
    measure_query,
    random_states,
)
from screwgraph.ui.bench import make_depth_first_tree as peer_tree
from tests.agreement import random_inertia

TINY = Budget(seconds=0.002, rounds=3, states=8, batch=16)
NAMED = {question.name: question for question in QUESTIONS}


def quadruped(armature: float = 0.05) -> sg.Robot:
    """A floating base with stumps of four legs, and rotors."""
    whole = sg.load("a1", base="floating")
    robot = lock(whole, [name for name in whole.joint_names[1:] if "hip" not in name])
    moved = [replace(j, armature=armature) if j.type.nv == 1 else j for j in robot.joints]
    return replace(robot, joints=tuple(moved))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_pinocchio_answers_alike(question):
    pytest.importorskip("pinocchio")
    found = measure_query(quadruped(), question, PYTHON_PEERS[:1], TINY).peers["pin"]
    assert isinstance(found, PeerComparison)
    assert found.difference < 1e-9
    assert found.nanoseconds > 0


@pytest.mark.parametrize("name", ["inverse", "forward"])
@pytest.mark.parametrize("robot", ["panda", "a1"])
@pytest.mark.sampled(3)
def test_mujoco_answers_alike(robot, name):
    pytest.importorskip("mujoco")
    asked = quadruped() if robot == "a1" else sg.load(robot, gravity=(1.0, 2.0, -9.0))
    found = measure_query(asked, NAMED[name], PYTHON_PEERS[1:], TINY).peers["MuJoCo"]
    assert isinstance(found, PeerComparison)
    assert found.difference < 1e-9


def test_what_a_peer_cannot_answer_is_a_line():
    pytest.importorskip("mujoco")
    found = measure_query(sg.load("rr"), NAMED["mass_matrix"], PYTHON_PEERS[1:], TINY).peers["MuJoCo"]
    assert found == "it has no function of its own for this"


def test_a_robot_that_mujoco_refuses_is_a_line():
    pytest.importorskip("mujoco")
    found = measure_query(sg.load("rr"), NAMED["inverse"], PYTHON_PEERS[1:], TINY).peers["MuJoCo"]
    assert isinstance(found, str)
    assert "refuses the robot" in found


def test_a_peer_that_is_not_installed_is_a_line(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pinocchio", None)
    found = measure_query(sg.load("rr"), NAMED["inverse"], PYTHON_PEERS[:1], TINY).peers["pin"]
    assert found == "pin is not installed (pip install pin)"


def test_damping_is_not_hidden_from_the_comparison():
    pytest.importorskip("pinocchio")
    robot = sg.load("rr")
    damped = replace(robot, joints=tuple(replace(j, damping=0.1) for j in robot.joints))
    case = Case(damped, NAMED["inverse"], random_states(damped, 2))
    with pytest.raises(NotMeasuredError, match="damping"):
        PYTHON_PEERS[0].measure(case, TINY)


def test_joints_that_no_peer_is_told_about_are_named():
    body = Link("body", random_inertia(np.random.default_rng(0)))
    with pytest.raises(NotMeasuredError, match="spherical"):
        peer_tree(tree("ball", [Link("base"), body], [Joint("ball", Spherical(), "base", "body")]))


def test_loops_are_told_to_no_peer():
    with pytest.raises(NotMeasuredError, match="loops"):
        peer_tree(sg.load("five_bar"))


def test_answers_come_back_in_our_order():
    robot = quadruped()
    found = peer_tree(robot)
    ours = np.random.default_rng(1).normal(size=(4, robot.nv, 2 * robot.nv))
    theirs = ours[:, found.v_places][:, :, [*found.v_places, *(found.v_places + robot.nv)]]
    np.testing.assert_array_equal(found.back(theirs), ours)
    np.testing.assert_array_equal(found.back(ours[:, found.v_places, 0]), ours[:, :, 0])
    assert list(found.v_places[:6]) == [3, 4, 5, 0, 1, 2]


def test_mujoco_gets_one_floating_base():
    pytest.importorskip("mujoco")
    from screwgraph.ui.bench.peers.mujoco import _Frames

    pose = SimpleNamespace(origin=np.eye(4))
    bodies: Any = SimpleNamespace(bodies=[SimpleNamespace(kind="floating", joint=pose)] * 2)
    states: Any = None
    with pytest.raises(NotMeasuredError, match="only one floating base"):
        _Frames(bodies, states)
