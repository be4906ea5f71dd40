"""Dynamics in independent coordinates, against projection: Pinocchio's tree and the null space of the constraints."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from typing import NamedTuple

import casadi
import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import Robot, constraint_jacobian, independent_coordinates, without_loops
from tests.agreement import assert_agree, interpreted
from tests.closed_oracle import Motion, motion
from tests.oracle import oracle
from tests.robots import closed_chains, robot_file
from tests.suites import in_suites

ZOO = ("five_bar", "four_bar_linkage", "belt_leg", "differential", "stewart_gough")
FILES = [path.name for path in closed_chains()]
LARGE = ("jvrc1_humanoid.urdf", "mit_humanoid.urdf")


class Case(NamedTuple):
    """A robot, motions of it, and where its independent coordinates stand."""

    robot: Robot
    motion: Motion
    at: list[int]

    def rates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return velocities, efforts and accelerations of the independent joints."""
        _, qd, tau, qdd = self.motion
        return qd[:, self.at], tau[:, self.at], qdd[:, self.at]


@cache
def case(name: str) -> Case:
    """Return a closed robot of the zoo or of a file, driven at its independent joints."""
    robot = sg.load(name if name in ZOO else robot_file(name))
    return Case(robot, motion(robot, 2 if name in LARGE else 3), independent_coordinates(robot))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", [*ZOO, *(in_suites(name) if name in LARGE else name for name in FILES)])
def test_forward_dynamics_take_and_give_independent_rates(name):
    robot, states, _ = case(name)
    qd, tau, qdd = case(name).rates()
    f = sg.forward_dynamics(robot, coordinates="independent", ordering="embedding")
    assert_agree(interpreted(f, states.q, qd, tau), qdd)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", [*ZOO, *(name for name in FILES if name not in LARGE)])
def test_inverse_dynamics_and_bias_forces_take_and_give_independent_rates(name):
    robot, states, _ = case(name)
    qd, tau, qdd = case(name).rates()
    f = sg.inverse_dynamics(robot, coordinates="independent", ordering="embedding")
    assert_agree(interpreted(f, states.q, qd, qdd), tau)
    h = sg.bias_forces(robot, coordinates="independent", ordering="embedding")
    assert_agree(interpreted(h, states.q, qd), interpreted(f, states.q, qd, np.zeros_like(qdd)))


@pytest.mark.parametrize("name", [*ZOO, *(name for name in FILES if name not in LARGE)])
@pytest.mark.sampled(4)
def test_the_mass_matrix_is_that_of_the_tree_between_independent_rates(name):
    robot, states, at = case(name)
    found = interpreted(sg.mass_matrix(robot, coordinates="independent"), states.q)
    tree, projected = oracle(without_loops(robot)), []
    for q in states.q:
        K, rest = constraint_jacobian(robot, q), np.setdiff1d(np.arange(robot.nv), at)
        G = np.eye(robot.nv)[:, at]
        G[rest] = -np.linalg.lstsq(K[:, rest], K[:, at], rcond=1e-10)[0]
        projected.append(G.T @ tree.mass_matrix(q) @ G)
    assert_agree(found, np.array(projected))


@pytest.mark.parametrize("name", ["five_bar", "belt_leg", "differential"])
def test_hybrid_dynamics_mix_what_is_given_of_independent_joints(name):
    robot, states, at = case(name)
    qd, tau, qdd = case(name).rates()
    first = np.arange(len(at)) == 0
    f = sg.hybrid_dynamics(robot, robot.independent_joints[:1], coordinates="independent", ordering="embedding")
    given, other = np.where(first, qdd, tau), np.where(first, tau, qdd)
    assert_agree(interpreted(f, states.q, qd, given), other)


@pytest.mark.parametrize("ordering", ["auto", "kkt", "ancestor", "cluster_lambda", "aba", "min_degree"])
def test_every_order_gives_the_same_accelerations(ordering):
    robot, states, _ = case("five_bar")
    qd, tau, qdd = case("five_bar").rates()
    f = sg.forward_dynamics(robot, coordinates="independent", ordering=ordering)
    assert_agree(interpreted(f, states.q, qd, tau), qdd)


def test_other_joints_may_be_chosen_as_independent():
    robot, states, _ = case("five_bar")
    other = robot.with_independent_joints(["joint1", "joint3"])
    at = independent_coordinates(other)
    assert other.independent_joints == ("joint1", "joint3")
    tau = np.zeros((3, robot.nv))
    tau[:, at] = np.random.default_rng(0).normal(size=(3, 2))
    expected = interpreted(sg.forward_dynamics(robot, ordering="embedding"), states.q, states.qd, tau)
    f = sg.forward_dynamics(other, coordinates="independent", ordering="embedding")
    assert_agree(interpreted(f, states.q, states.qd[:, at], tau[:, at]), expected[:, at])


def test_in_a_tree_all_joints_are_independent():
    rng, arm = np.random.default_rng(1), sg.load("puma560")
    x = rng.normal(size=(3, 5, 6))
    for make in (sg.inverse_dynamics, sg.forward_dynamics):
        spanning, independent = (make(arm, coordinates=c, ordering="aba") for c in ("spanning", "independent"))
        np.testing.assert_array_equal(interpreted(independent, *x), interpreted(spanning, *x))


@pytest.fixture(scope="module", name="forward")
def forward_of_five_bar() -> sg.Function:
    return sg.forward_dynamics(case("five_bar").robot, coordinates="independent", ordering="embedding")


def test_batches_broadcast_in_both_memory_layouts(forward):
    q, (qd, tau, qdd) = case("five_bar").motion.q, case("five_bar").rates()
    assert_agree(forward(q, qd, tau), qdd)
    by_columns = forward(*(np.asfortranarray(array) for array in (q, qd, tau)))
    np.testing.assert_allclose(by_columns, qdd, rtol=1e-9)
    grid = forward(q[:, None], qd[:, None], tau[None])
    assert grid.shape == (3, 3, 2)
    np.testing.assert_array_equal(grid[[0, 1, 2], [0, 1, 2]], forward(q, qd, tau))
    with pytest.raises(sg.InputError, match=r"qd has the shape \(3, 4\), expected \(\.\.\., 2\)"):
        forward(q, case("five_bar").motion.qd, tau)


def test_casadi_and_float32_agree(forward):
    q, (qd, tau, qdd) = case("five_bar").motion.q, case("five_bar").rates()
    by_casadi = forward.casadi(*(casadi.DM(array.T) for array in (q, qd, tau)))
    np.testing.assert_allclose(np.array(by_casadi).T, forward(q, qd, tau), rtol=1e-12)
    narrow = forward.astype("float32")(q, qd, tau)
    assert narrow.dtype == np.float32
    assert_agree(narrow, qdd, tolerance=1e-3)


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc here")
def test_c_code_agrees_with_machine_code(forward, tmp_path):
    source, library = tmp_path / "code.c", tmp_path / "code.so"
    source.write_text(forward.c_source())
    subprocess.run(["gcc", "-std=c99", "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    by_c = getattr(ctypes.CDLL(str(library)), forward.name)
    state = [np.ascontiguousarray(array[0]) for array in (case("five_bar").motion.q, *case("five_bar").rates()[:2])]
    found = np.empty(2)
    by_c(*(array.ctypes.data_as(ctypes.c_void_p) for array in (*state, found)))
    np.testing.assert_allclose(found, forward(*state), rtol=1e-12)


def test_what_follows_from_other_joints_cannot_be_given():
    with pytest.raises(sg.InputError, match="'joint3'"):
        sg.hybrid_dynamics(case("five_bar").robot, ["joint3"], coordinates="independent")
    with pytest.raises(sg.InputError, match="no joint is called 'elbow'"):
        sg.hybrid_dynamics(case("five_bar").robot, ["elbow"], coordinates="independent")


@pytest.mark.parametrize("make", [sg.inverse_dynamics, sg.forward_dynamics, sg.bias_forces, sg.mass_matrix])
def test_coordinates_have_two_names(make):
    with pytest.raises(sg.InputError, match="there are no coordinates 'minimal' "):
        make(case("five_bar").robot, coordinates="minimal")
