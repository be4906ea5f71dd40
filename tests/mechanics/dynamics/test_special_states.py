"""At special states, every order gives Pinocchio's answer to 1e-9 times the condition number, or no number at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import EliminationError
from screwgraph.elimination.orderings import ORDERINGS
from screwgraph.model.robot import Robot, constraint_jacobian, without_loops
from tests.agreement import FLOOR, answers, interpreted, inverse_by
from tests.closed_oracle import projected
from tests.oracle import oracle
from tests.robots import closed_chains, robot_file, urdfs
from tests.special_states import special_closed_positions, special_states

STATES = 40
PRECISION = 1e-9

NAMED = (
    ("puma560", "nested_dissection"),
    ("puma560", "greedy"),
    ("panda", "min_degree"),
    ("panda", "colamd"),
    ("ur5_robot.urdf", "nested_dissection"),
    ("kinova.urdf", "nested_dissection"),
    ("xarm7.urdf", "colamd"),
    ("a1.urdf", "articulated"),
    ("double_pendulum.urdf", "crba"),
)
"""Robots and orders, most of which had to divide by what vanishes at some of these states."""
TREES = ("puma560", "ur5_robot.urdf", "xarm7.urdf", "a1.urdf", "panda")


def loaded(name: str | Path) -> Robot:
    if isinstance(name, Path):
        return sg.load(name)
    return sg.load(robot_file(name)) if "." in name else sg.load(name)


def refused(robot: Robot, ordering: str) -> int:
    """Compare forward dynamics in an order at special states; return at how many there is no number."""
    try:
        f = sg.forward_dynamics(robot, ordering=ordering)
    except EliminationError:
        return STATES
    states = special_states(robot, STATES)
    expected = answers(oracle(robot), states)
    right = expected.forward(states.u)
    found = interpreted(f, *states)
    finite = np.isfinite(found).all(axis=1)
    error = np.abs(found - right).max(axis=1) / np.maximum(np.abs(right).max(axis=1), FLOOR)
    allowed = PRECISION * np.linalg.cond(expected.mass)
    assert (error[finite] <= allowed[finite]).all(), f"relative error {error[finite].max():.1e}"
    return int((~finite).sum())


@pytest.mark.parametrize(("name", "ordering"), NAMED)
@pytest.mark.sampled(3)
def test_no_order_is_silently_wrong(name, ordering):
    refused(loaded(name), ordering)


def test_what_was_wrong_at_zero_is_right():
    """Joint 1 of a PUMA at rest at zero, under torques of 1 to 6 N m."""
    robot = sg.load("puma560")
    state = np.zeros(6), np.zeros(6), np.arange(1.0, 7.0)
    found = sg.forward_dynamics(robot, ordering="nested_dissection")(*state)
    np.testing.assert_allclose(found, oracle(robot).forward_dynamics(*state), rtol=1e-9)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.sampled(6)
def test_automatic_orders_are_right_everywhere(name, monkeypatch):
    """Also inverse dynamics; nothing is refused where the mass matrix is positive definite."""
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0.5")
    robot = loaded(name)
    assert refused(robot, "auto") == 0
    states = special_states(robot, STATES)
    expected = inverse_by(oracle(robot), states)
    error = np.abs(interpreted(sg.inverse_dynamics(robot), *states) - expected).max(axis=1)
    assert (error <= PRECISION * np.maximum(np.abs(expected).max(axis=1), 1.0)).all()


@pytest.mark.suite
@pytest.mark.parametrize("path", urdfs())
def test_automatic_orders_are_right_or_refuse_on_all_robots(path):
    refused(sg.load(path), "auto")


@pytest.mark.suite
@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("name", ["puma560", "panda", "ur5_robot.urdf", "kinova.urdf", "xarm7.urdf", "a1.urdf"])
def test_every_named_order_is_right_or_refuses(name, ordering):
    refused(loaded(name), ordering)


def closed_refused(robot: Robot, ordering: str) -> tuple[int, int]:
    """Compare forward dynamics at closed special positions at rest; return how many are regular, and not answered."""
    f, forward = sg.forward_dynamics(robot, ordering=ordering), projected(robot)
    rng, tree = np.random.default_rng(0), oracle(without_loops(robot))
    regular = missing = 0
    for q in special_closed_positions(robot, 12):
        s = np.linalg.svd(constraint_jacobian(robot, q)[list(robot.mobility.kept)], compute_uv=False)
        if s.min() < 1e-3 * s.max():
            continue
        regular += 1
        tau = rng.standard_normal(robot.nv)
        expected = forward(q, np.zeros(robot.nv), tau)
        found = interpreted(f, q[None], np.zeros((1, robot.nv)), tau[None])[0]
        if not np.isfinite(found).all():
            missing += 1
            continue
        cond = (s.max() / s.min()) ** 2 * np.linalg.cond(tree.mass_matrix(q))
        assert np.abs(found - expected).max() <= max(PRECISION, 1e-14 * cond) * np.abs(expected).max()
    return regular, missing


@pytest.mark.parametrize("ordering", ["auto", "kkt", "embedding"])
@pytest.mark.parametrize(
    "name", ["five_bar", "four_bar_linkage", pytest.param("stewart_gough", marks=pytest.mark.suite)]
)
@pytest.mark.sampled(3)
def test_closed_chains_are_right_or_refuse(name, ordering, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_SEARCH_SECONDS", "0")
    regular, missing = closed_refused(sg.load(name), ordering)
    assert regular > 0
    assert missing == 0 or ordering != "kkt", "multipliers last are right wherever the mechanism is regular"


@pytest.mark.suite
@pytest.mark.parametrize("path", closed_chains(), ids=lambda path: path.stem)
def test_all_closed_chains_are_right_or_refuse(path):
    for ordering in ("auto", "mixed", "kkt", "embedding"):
        closed_refused(sg.load(path), ordering)
