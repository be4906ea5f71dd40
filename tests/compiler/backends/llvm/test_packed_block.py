"""Calls of robots with equal limbs compute these side by side: the answers are Pinocchio's, and the interpreter's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.backends.llvm import tiering
from screwgraph.compiler.backends.llvm.machine_code import Processor, disassemble
from tests.oracle import oracle
from tests.robots import robot_file

ARM = Processor("generic", "+neon", "aarch64-linux-gnu")


@pytest.fixture(scope="module", params=["a1", "simple_humanoid"])
def robot(request):
    return sg.load(robot_file(f"{request.param}.urdf"), base="floating")


@pytest.fixture(scope="module")
def state(robot):
    rng = np.random.default_rng(1)
    return robot.random(rng), *rng.normal(size=(2, robot.nv))


def has_packs(f) -> bool:
    """Tell whether code for one state adds or multiplies several numbers of it at once."""
    block = f.llvm_source().partition("define internal void @block1x64")[2].partition("\n}")[0]
    return bool(re.search(r"fm?(?:ul|uladd)\b.*<[24] x double>", block))


def close(found, expected, digits: float = 1e-9):
    np.testing.assert_allclose(found, expected, rtol=0, atol=digits * np.abs(expected).max())


def test_inverse_dynamics(robot, state):
    f = sg.inverse_dynamics(robot)
    assert has_packs(f)
    close(f(*state), oracle(robot).inverse_dynamics(*state))


@pytest.mark.sampled(2)
def test_forward_dynamics(robot, state):
    f = sg.forward_dynamics(robot)
    assert has_packs(f)
    close(f(*state), oracle(robot).forward_dynamics(*state))


@pytest.mark.sampled(2)
def test_mass_matrix_and_its_inverse(robot, state):
    M = oracle(robot).mass_matrix(state[0])
    f = sg.mass_matrix(robot)
    assert has_packs(f)
    close(f(state[0]), M)
    close(sg.forward_dynamics(robot).jacobian("tau")(*state), np.linalg.inv(M))


@pytest.mark.sampled(2)
def test_derivatives_are_those_of_the_interpreter(robot, state):
    f = sg.inverse_dynamics(robot).jacobian("q", "qd", "qdd")
    wanted = f.program.evaluate([x for array in state for x in array])
    close(np.concatenate([np.ravel(part) for part in f(*state)]), np.array(wanted, float), 1e-13)


def test_large_angles_and_many_states(robot, state):
    f = sg.inverse_dynamics(robot)
    q = state[0].copy()
    q[7:] += 2e6 * np.pi
    close(f(q, *state[1:]), oracle(robot).inverse_dynamics(q, *state[1:]), 1e-8)
    states = [np.repeat(x[None], 19, axis=0) for x in state]
    close(f(*states), np.repeat(f(*state)[None], 19, axis=0), 1e-13)


@pytest.mark.sampled(2)
def test_drafts_have_the_same_digits(robot, state, monkeypatch, tmp_path):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))
    f = sg.forward_dynamics(robot)
    monkeypatch.setenv(tiering.VARIABLE, "1")
    first = [f(*state) for _ in range(3)]
    tiering.wait_for_optimised()
    assert all(np.array_equal(f(*state), answer) for answer in first)


def test_code_for_arm_has_pairs():
    found = disassemble(sg.inverse_dynamics(sg.load("a1", base="floating")).llvm_source(), ARM)
    block = found.partition("block1x64:")[2].partition(".Lfunc_end")[0]
    assert len(re.findall(r"fml[as]\s+v\d+\.2d", block)) > 100
