"""Poses in graphs: derived from positions, through passes, and no part of a graph that nobody asks for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import frame_pose

KNOWN = ("q", "qd", "tau")


def test_poses_and_accelerations_of_one_graph():
    robot = sg.load("puma560")
    rng = np.random.default_rng(0)
    q, (qd, tau) = robot.random(rng), rng.standard_normal((2, robot.nv))
    tip, link = "tool", "link3"
    graph = sg.dynamics_graph(robot, poses=[tip, link]).given(*KNOWN)
    f = sg.compile(graph, ["qdd", f"pose:{tip}", f"pose:{link}"], ordering="aba")
    qdd, *poses = f(q, qd, tau)
    bare = sg.forward_dynamics(robot, ordering="aba")
    np.testing.assert_allclose(qdd, bare(q, qd, tau), rtol=1e-12)
    for T, name in zip(poses, (tip, link), strict=True):
        np.testing.assert_allclose(T, frame_pose(robot, robot.frame(name), q), atol=1e-14)
    alone = sg.forward_kinematics(robot, tip).operations.total
    assert f.operations.total < bare.operations.total + alone + 30  # of them share sines and cosines


def test_poses_that_nobody_asks_for_cost_nothing():
    robot = sg.load("puma560")
    with_poses = sg.dynamics_graph(robot, poses=["link6"]).given("q", "qd", "qdd")
    bare = sg.dynamics_graph(robot).given("q", "qd", "qdd")
    counts = [sg.compile(graph, "tau", ordering="rnea").operations.total for graph in (with_poses, bare)]
    assert counts[0] == counts[1]
    assert not any(key.kind == "pose" for key in bare.variables)


def test_closed_chains_have_poses():
    robot = sg.load("five_bar")
    q = robot.close_loops(np.full(robot.nq, 0.3))
    graph = sg.dynamics_graph(robot, poses=["end_effector"]).given(*KNOWN)
    T = sg.compile(graph, "pose:end_effector", ordering="embedding")(q, np.zeros(robot.nv), np.zeros(robot.nv))
    np.testing.assert_allclose(T, frame_pose(robot, robot.frame("end_effector"), q), atol=1e-14)


def test_graphs_of_motion_alone():
    robot = sg.load("puma560")
    rng = np.random.default_rng(1)
    q, (qd, qdd) = robot.random(rng), rng.standard_normal((2, robot.nv))
    tip = "tool"
    graph = sg.kinematics_graph(robot, [tip], derivatives=2).given("q", "qd", "qdd")
    T, V, Vdot = sg.compile(graph, [f"{kind}:{tip}" for kind in ("pose", "twist", "acceleration")])(q, qd, qdd)
    np.testing.assert_allclose(T, sg.forward_kinematics(robot, tip)(q), atol=1e-14)
    np.testing.assert_allclose(V, sg.frame_velocity(robot, tip)(q, qd), atol=1e-13)
    np.testing.assert_allclose(Vdot, sg.frame_acceleration(robot, tip)(q, qd, qdd), atol=1e-12)


def test_several_poses_are_a_stack():
    robot = sg.load("puma560")
    f = sg.compile(sg.kinematics_graph(robot, ["link2", "link6"]).given("q"), "pose")
    assert f.result_shape == (6, 4, 4)


def test_what_is_refused():
    robot = sg.load("puma560")
    with pytest.raises(sg.InputError, match="3 derivatives"):
        sg.kinematics_graph(robot, ["link6"], derivatives=3)
    with pytest.raises(sg.InputError, match="no frame is called 'tool9'"):
        sg.dynamics_graph(robot, poses=["tool9"])
    with pytest.raises(sg.InputError, match="a mechanism's graph has no poses"):
        sg.dynamics_graph(sg.load_mechanism("four_bar"), poses=["tip"])
    with pytest.raises(sg.EliminationError, match="not linear"):
        sg.dynamics_graph(robot, poses=["link6"]).given("qd", "qdd")


def test_frames_may_have_names_of_joints():
    robot = sg.load("puma560")
    frame = replace(robot.frame("tool"), name="joint2")
    named = replace(robot, frames=(*robot.frames, frame))
    q = robot.random(np.random.default_rng(0))
    T = sg.forward_kinematics(named, "joint2")(q)
    np.testing.assert_allclose(T, sg.forward_kinematics(robot, "tool")(q), atol=1e-14)
