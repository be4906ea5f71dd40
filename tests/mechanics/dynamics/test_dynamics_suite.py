"""Every robot at thousands of states: right to 1e-9 times the condition number, or no number; see docs/suites."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.model.robot import Robot
from tests.dynamics_suite import (
    PRECISION,
    Report,
    adversary,
    as_called,
    by_code,
    closed_equations,
    coordinates,
    equations,
    every_other,
    tree_states,
)
from tests.mujoco_oracle import MujocoOracle
from tests.oracle import oracle
from tests.robots import closed_chains, robot_file, robot_files, urdfs
from tests.suites import record

STATES, BY_MUJOCO = 10_000, 2_000
SHORT = frozenset({"puma560", "double_pendulum", "finger_edu", "five_bar", "crank_rocker"})
FLOATING = (
    *("a1.urdf", "anymal.urdf", "solo12.urdf", "go2.urdf", "g1_29dof_rev_1_0.urdf", "talos_reduced.urdf"),
    *("simple_humanoid.urdf", "icub_reduced.urdf", "hextilt_flying_arm_5.urdf"),
)
"""Robots on a base that moves freely."""
ADVERSARY = ("puma560", "panda", "ur5_robot.urdf", "kinova.urdf", "xarm7.urdf", "z1.urdf", "a1.urdf", "iiwa14")
ADVERSARY_MORE = ("allegro_left_hand.urdf", "double_pendulum.urdf")
NAMED = (
    *("puma560", "panda", "iiwa14", "ur5_robot.urdf", "kinova.urdf", "xarm7.urdf", "z1.urdf", "so101.urdf"),
    *("a1.urdf", "solo12.urdf", "finger_edu.urdf", "simple_humanoid.urdf"),
    *("five_bar", "four_bar_linkage", "belt_leg", "differential", "crank_rocker.urdf", "geared_leg.urdf"),
    *("six_bar.urdf", "planar_leg_linkage.urdf", "mit_humanoid_leg.urdf"),
)
"""Robots in all orders."""


def robots() -> list:
    """Return test parameters: every file that is here, and the built-in robots."""
    files = [Path(p.values[0]) for p in urdfs()] + robot_files(".sdf") + robot_files(".xml") + closed_chains()
    named = {f"{path.parent.parent.name}-{path.stem}": path for path in files} | {n: n for n in sg.zoo_names()}
    marks = {key: () if Path(path).stem in SHORT else (pytest.mark.suite,) for key, path in named.items()}
    return [pytest.param(path, id=key, marks=marks[key]) for key, path in named.items()]


def many(request: pytest.FixtureRequest) -> bool:
    """Whether the long form runs."""
    return "suite" in str(request.config.getoption("markexpr")).replace("not suite", "", 1)


def loaded(name: str | Path) -> Robot:
    return sg.load(name if isinstance(name, Path) or "." not in name else robot_file(name))


def asked(query: Callable[[Robot], Function], robot: Robot) -> Function:
    """Return a function of a robot; skip the test where the file gives what a joint moves no inertia, only there."""
    try:
        return query(robot)
    except sg.EliminationError as error:
        if not re.match(r"the acceleration of joint .* is not determined: what it moves has no inertia", str(error)):
            raise
        pytest.skip(f"refused: {error}")


def judged(robot: Robot, what: str, found: Report, name: str) -> None:
    cells = {"error": found.error, "share": found.share, "condition": found.condition, "no number": found.missing}
    record("dynamics", robot=f"{name} ({robot.nv})", what=what, states=found.states, **cells)
    assert found.share <= PRECISION, f"{what}: share {found.share:.1e}"


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")


@pytest.mark.parametrize("path", robots())
@pytest.mark.sampled(3)
def test_automatic_orders_are_right_on_all_robots(path, request):
    robot = loaded(path)
    f = asked(sg.forward_dynamics, robot)
    if not robot.nv:  # a file of one rigid body
        assert np.shape(f(*np.zeros((3, 5, 0)))) == (5, 0)
    elif robot.is_closed:
        found = closed_equations(robot, STATES if many(request) else 200).forward().report(as_called(f))
        judged(robot, "forward", found, Path(path).stem)
        assert found.missing == 0
    else:
        every_query_of_a_tree(robot, Path(path).stem, STATES if many(request) else 200)


@pytest.mark.suite
@pytest.mark.parametrize("name", FLOATING)
def test_automatic_orders_are_right_on_floating_robots(name):
    robot = sg.load(robot_file(name), base="floating")
    every_query_of_a_tree(robot, f"{Path(name).stem}, floating", STATES)


def every_query_of_a_tree(robot: Robot, name: str, count: int) -> None:
    """Forward, inverse and hybrid dynamics beside Pinocchio, forward dynamics beside MuJoCo, too."""
    known, given = equations(oracle(robot), tree_states(robot, count)), every_other(robot)
    forward = by_code(sg.forward_dynamics(robot))
    found = {
        "forward": known.forward().report(forward),
        "inverse": known.inverse().report(by_code(sg.inverse_dynamics(robot))),
        "hybrid": known.hybrid(coordinates(robot, given)).report(by_code(sg.hybrid_dynamics(robot, given))),
    }
    try:
        other = MujocoOracle(robot)
    except (TypeError, ValueError):  # a joint type, or a massless body, that MuJoCo does not have
        pass
    else:
        states = tree_states(robot, min(count, BY_MUJOCO))
        found["forward, by MuJoCo"] = equations(other, states).forward().report(forward)
    for what, one in found.items():
        judged(robot, what, one, name)
        assert one.missing == 0


@pytest.mark.suite
@pytest.mark.parametrize("path", closed_chains(), ids=lambda path: path.stem)
def test_independent_joints_drive_closed_chains(path):
    robot = loaded(path)
    known = closed_equations(robot, STATES).inverse()
    judged(robot, "inverse", known.report(as_called(sg.inverse_dynamics(robot))), path.stem)


@pytest.mark.suite
@pytest.mark.parametrize("name", NAMED)
def test_named_orders_are_right_or_refuse(name):
    robot = loaded(name)
    if robot.is_closed:
        known = closed_equations(robot, STATES).forward()
    else:
        known = equations(oracle(robot), tree_states(robot, STATES)).forward()
    wrong = []
    for ordering in ORDERINGS:
        try:
            f = sg.forward_dynamics(robot, ordering=ordering)
        except sg.EliminationError:
            continue
        with np.errstate(all="ignore"):
            found = known.report(by_code(f))
        try:
            judged(robot, f"forward, {ordering}", found, Path(name).stem)
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong


@pytest.mark.parametrize(
    "name", [ADVERSARY[0], *(pytest.param(n, marks=pytest.mark.suite) for n in (*ADVERSARY[1:], *ADVERSARY_MORE))]
)
def test_an_adversary_finds_nothing_worse(name):
    robot = loaded(name)
    found = adversary(by_code(sg.forward_dynamics(robot)), oracle(robot), robot)
    judged(robot, "forward, adversary", found, Path(name).stem)
    assert found.missing == 0
