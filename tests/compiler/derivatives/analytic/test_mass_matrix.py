"""Mass matrices whose columns meet in axes that joints share: Pinocchio's answers, and operations of long chains."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import schur_complement
from tests.oracle import oracle
from tests.random_trees import random_tree


def relative_error(f, robot, q):
    """The error of the accelerations that a random torque causes, relative to the condition number."""
    expected = oracle(robot).mass_matrix(q)
    return np.linalg.norm(np.linalg.solve(expected, f(q) - expected)) / np.linalg.cond(expected)


@pytest.mark.parametrize("parent", [lambda i: i - 1, lambda i: (i - 1) // 2, lambda i: max(0, i - 3)])
def test_matrices_in_shared_axes_are_pinocchios(parent, monkeypatch):
    monkeypatch.setattr(schur_complement, "SHORT", 0.0)
    monkeypatch.setattr(schur_complement, "LONG", 0.0)
    robot = sg.load(random_tree(7, parent))
    f = sg.mass_matrix(robot)
    for seed in range(3):
        assert relative_error(f, robot, np.random.default_rng(seed).uniform(-3, 3, robot.nq)) < 1e-14


def test_a_floating_base_and_armatures_count_in_shared_axes(monkeypatch):
    monkeypatch.setattr(schur_complement, "SHORT", 0.0)
    monkeypatch.setattr(schur_complement, "LONG", 0.0)
    robot = sg.load(random_tree(7, lambda i: max(0, i - 2)), base="floating")
    f, q = sg.mass_matrix(robot), robot.random(np.random.default_rng(1))
    assert relative_error(f, robot, q) < 1e-14


def test_live_masses_enter_matrices_in_shared_axes(monkeypatch):
    monkeypatch.setattr(schur_complement, "SHORT", 0.0)
    monkeypatch.setattr(schur_complement, "LONG", 0.0)
    robot = sg.load(random_tree(4))
    live = sg.mass_matrix(robot, parameters=["link3"])
    q, values = np.linspace(-2.0, 2.0, robot.nq), np.array(live.arguments[-1].nominal)
    assert np.abs(live(q, values) - sg.mass_matrix(robot)(q)).max() < 1e-12
    assert np.abs(live(q, 1.5 * values) - live(q, values)).max() > 1e-3


def test_pairs_of_joints_far_apart_cost_eleven_operations():
    """Six products and five sums for each entry, mirrored ones too, beside what grows with the joints."""
    counts = {n: sg.mass_matrix(sg.load(random_tree(n))).operations.total for n in (24, 36)}
    assert counts[36] - counts[24] <= 11 * (36**2 - 24**2) + 165 * 12


@pytest.mark.parametrize(
    ("joints", "last"), [(5, "common factors"), (12, "columns in shared axes"), (24, "loops over pairs")]
)
def test_reports_end_with_what_was_compiled(joints, last):
    f = sg.mass_matrix(sg.load(random_tree(joints)))
    line = f.report().splitlines()[-1]
    assert line.startswith(last)
    assert int(line[28:35]) == f.operations.total


@pytest.mark.suite
@pytest.mark.parametrize("joints", [50, 100])
def test_operations_of_long_chains(joints):
    robot = sg.load(random_tree(joints))
    f = sg.mass_matrix(robot)
    assert f.operations.total <= 11 * joints**2 + 165 * joints
    assert relative_error(f, robot, np.random.default_rng(0).uniform(-3, 3, joints)) < 1e-14
