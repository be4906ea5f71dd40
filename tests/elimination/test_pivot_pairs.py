"""Symmetric elimination of accelerations with their multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination import Group, eliminate_rows, equations
from screwgraph.elimination.pivot_pairs import eliminate_pairs
from screwgraph.elimination.system import System
from screwgraph.graph import Key


def at_rest(name: str) -> tuple[sg.Robot, np.ndarray, list]:
    """Return a robot, a position, and the equations of its forward problem there, without velocities."""
    robot = sg.load(name, gravity=(0, 0, 0))
    graph = sg.dynamics_graph(robot).given("q", "qd", "tau")
    q = robot.random(np.random.default_rng(3))
    values = {v.key: np.zeros(v.dim) for v in graph.inputs}
    values |= {Key("q", joint): q[s] for joint, s in robot.q_slices.items()}
    return robot, q, list(equations(graph, values).rows)


def pairs_of(robot: sg.Robot) -> list[Group]:
    links = [joint.child for joint in reversed(robot.joints)]
    keys = ([Key("wrench", link), Key("acceleration", link)] for link in links)
    return [Group(tuple((key, i) for key in both for i in range(6)), pairs=True) for both in keys]


@pytest.mark.parametrize("name", ["puma560", "panda", "cart_pole"])
def test_what_is_left_is_the_mass_matrix(name):
    robot, q, rows = at_rest(name)
    left = eliminate_rows(rows, pairs_of(robot)).remaining
    qdd = [Key("qdd", joint) for joint in robot.joint_names]
    by_joint = {row.factor.arguments["tau"].name: row for row in left if row.terms}
    M = np.array([[by_joint[joint].terms.get((key, 0), 0.0) for key in qdd] for joint in robot.joint_names])
    np.testing.assert_allclose(M, sg.mass_matrix(robot)(q), rtol=1e-12, atol=1e-12)


def test_a_link_goes_in_six_pairs_of_steps():
    robot, _, rows = at_rest("puma560")
    system, steps = System(rows), []
    group = pairs_of(robot)[0]
    waiting = dict.fromkeys(group.columns, 0)
    eliminate_pairs(system, group, waiting, steps)
    assert not waiting
    kinds = [step.column[0].kind for step in steps]
    assert kinds == ["wrench", "acceleration"] * 6
    assert all(a.column[1] == b.column[1] for a, b in zip(steps[::2], steps[1::2], strict=True))


def test_symmetric_code_gives_the_same_answers():
    robot = sg.load("a1", base="floating")
    rng = np.random.default_rng(4)
    state = (robot.random(rng), *rng.standard_normal((2, robot.nv)))
    pairs, plain = (sg.forward_dynamics(robot, ordering=name)(*state) for name in ("symmetric", "aba"))
    np.testing.assert_allclose(pairs, plain, rtol=1e-10, atol=1e-10 * np.abs(plain).max())
