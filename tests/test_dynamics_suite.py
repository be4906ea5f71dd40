"""Every robot at thousands of states: right to 1e-9 times the condition number, or no number; see docs/suites."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.robot import Robot
from tests.dynamics_suite import (
    PRECISION,
    Report,
    adversary,
    as_called,
    by_code,
    closed_positions,
    closed_report,
    of_closed,
    of_tree,
    report,
    tree_states,
)
from tests.oracle import oracle
from tests.robots import closed_chains, robot_file, robot_files, urdfs
from tests.suites import record

STATES, CLOSED = 10_000, 300
SHORT = frozenset({"puma560", "double_pendulum", "finger_edu", "five_bar", "crank_rocker"})
ADVERSARY = ("puma560", "panda", "ur5_robot.urdf", "kinova.urdf", "xarm7.urdf", "z1.urdf", "a1.urdf", "iiwa14")
ADVERSARY_MORE = ("allegro_left_hand.urdf", "double_pendulum.urdf")
NAMED = ("puma560", "ur5_robot.urdf", "kinova.urdf", "a1.urdf", "five_bar", "four_bar_linkage", "belt_leg")
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


def judged(robot: Robot, ordering: str, found: Report, name: str) -> None:
    cells = {"error": found.error, "share": found.share, "condition": found.condition, "no number": found.missing}
    record("dynamics", robot=f"{name} ({robot.nv})", order=ordering, states=found.states, **cells)
    assert found.share <= PRECISION


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")


@pytest.mark.parametrize("path", robots())
def test_automatic_orders_are_right_on_all_robots(path, request):
    robot = loaded(path)
    try:
        f = sg.forward_dynamics(robot)
    except sg.ScrewgraphError:
        pytest.skip("refused, with a reason")
    if robot.is_closed:
        found = closed_report(as_called(f), of_closed(robot, closed_positions(robot, CLOSED if many(request) else 40)))
    else:
        states = tree_states(robot, STATES if many(request) else 200)
        found = report(of_tree(by_code(f), oracle(robot), states))
    judged(robot, "auto", found, Path(path).stem)
    assert found.missing == 0


@pytest.mark.suite
@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("name", NAMED)
def test_named_orders_are_right_or_refuse(name, ordering, request):
    robot = loaded(name)
    try:
        f = sg.forward_dynamics(robot, ordering=ordering)
    except sg.EliminationError:
        pytest.skip("refused")
    with np.errstate(all="ignore"):
        if robot.is_closed:
            found = closed_report(by_code(f), of_closed(robot, closed_positions(robot, CLOSED)))
        else:
            found = report(of_tree(by_code(f), oracle(robot), tree_states(robot, STATES)))
    judged(robot, ordering, found, Path(name).stem)


@pytest.mark.parametrize(
    "name", [ADVERSARY[0], *(pytest.param(n, marks=pytest.mark.suite) for n in (*ADVERSARY[1:], *ADVERSARY_MORE))]
)
def test_an_adversary_finds_nothing_worse(name):
    robot = loaded(name)
    found = adversary(by_code(sg.forward_dynamics(robot)), oracle(robot), robot)
    judged(robot, "auto, adversary", found, Path(name).stem)
    assert found.missing == 0
