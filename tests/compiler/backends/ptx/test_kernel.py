"""Kernels for GPUs: their text, and what an interpreter of it computes, beside the processor's machine code."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.compiler.backends.ptx import compile_ptx
from screwgraph.tape import Routine
from tests.compiler.backends.ptx.interpreter import on_interpreter
from tests.random_trees import random_tree
from tests.robots import robot_file

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
"""Of the largest number: kernels round as vectors do, but for processors without fused products."""


def samples(f: Function, count: int) -> list[np.ndarray]:
    """Return states, parameters near those of the file."""
    rng = np.random.default_rng(4)
    found = []
    for a in f.arguments:
        own = rng.standard_normal((count, *a.shape))
        near = np.array(a.nominal) * (1.0 + 0.1 * own) if a.nominal else own
        at = 0
        for space in a.spaces:
            if space.shape[0] > space.dim:
                four = near[:, at + space.shape[0] - 4 : at + space.shape[0]]
                four /= np.linalg.norm(four, axis=1, keepdims=True)
            at += space.shape[0]
        found.append(near)
    return found


def check(f: Function, count: int = 6) -> None:
    """Hold a kernel on the interpreter against the processor."""
    values = [x.astype(f.dtype) for x in samples(f, count)]
    with np.errstate(invalid="ignore"):
        expected = f(*values)
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = on_interpreter(f.ptx_source(), values, [np.full_like(x, np.nan) for x in expected])
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=TOLERANCE[f.dtype] * np.abs(other).max())


def parametric() -> Function:
    return sg.inverse_dynamics(sg.load("panda"), parameters=["panda_joint3.friction"], payload="panda_hand_tcp")


def driven_mechanism() -> Function:
    return sg.inverse_dynamics(sg.load("slider_crank"))


CASES: dict[str, Callable[[], Function]] = {
    "ur5 inverse": lambda: sg.inverse_dynamics(sg.load(robot_file("ur5_robot.urdf"))),
    "ur5 forward": lambda: sg.forward_dynamics(sg.load(robot_file("ur5_robot.urdf"))),
    "ur5 Jacobian": lambda: sg.frame_jacobian(sg.load(robot_file("ur5_robot.urdf")), "tool0"),
    "panda forward": lambda: sg.forward_dynamics(sg.load("panda")),
    "panda derivatives": lambda: sg.inverse_dynamics(sg.load("panda")).jacobian("q", "qd"),
    "panda pose": lambda: sg.forward_kinematics(sg.load("panda"), "panda_hand_tcp"),
    "panda parameters": parametric,
    "a1 forward": lambda: sg.forward_dynamics(sg.load("a1", base="floating")),
    "a1 mass matrix": lambda: sg.mass_matrix(sg.load("a1", base="floating")),
    "five_bar inverse": lambda: sg.inverse_dynamics(sg.load("five_bar")),
    "belt_leg forward": lambda: sg.forward_dynamics(sg.load("belt_leg")),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.sampled(5)
def test_kernels_compute_what_the_processor_does(case, dtype):
    check(CASES[case]().astype(dtype))


@pytest.mark.parametrize("case", ["panda forward", "a1 mass matrix"])
def test_a_kernel_needs_nothing_beside_itself(case):
    f = CASES[case]()
    text = f.ptx_source()
    assert ".target sm_70" in text
    assert ".version 6.3" in text
    assert text.count(".visible .entry") == 1
    assert f".visible .entry {f.name}(" in text
    for absent in (".extern", ".func", "call", ".local", "__nv_"):
        assert absent not in text
    single = f.astype("float32").ptx_source()
    assert not re.search(r"\.f64\b", single)


def test_straight_code_branches_at_its_end_only():
    """Threads stay together: sines and angles choose, instead of branching."""
    assert CASES["ur5 forward"]().ptx_source().count("bra") == 1


BALL = """<robot name="ball"><link name="ball"><inertial><mass value="2"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def check_loops(f: Function) -> None:
    assert isinstance(f._plain.program, Routine)
    assert ".func" not in f.ptx_source()
    check(f, 2)


def test_long_chains_keep_their_loops():
    check_loops(sg.mass_matrix(sg.load(random_tree(24))))


@pytest.mark.suite
def test_derivatives_of_long_chains_keep_their_loops():
    check_loops(sg.forward_dynamics(sg.load(random_tree(24))).jacobian("q"))


def test_code_that_goes_round_until_it_has_settled():
    ball = sg.load(BALL, base="floating")
    contacts = [sg.Contact("ball", radius=0.1, friction=0.5), sg.Contact("ball", radius=0.1, friction=0.5)]
    f = sg.Simulator(ball, 1e-3, contacts=contacts).function
    rng = np.random.default_rng(2)
    q, qd, zero = np.tile(sg.neutral(ball), (3, 1)), rng.standard_normal((3, 6)), np.zeros
    q[:, 2], qd[0, 5] = (0.0999, 0.11, 0.1), -1.0
    given = [q, qd, zero((3, 6)), np.full((3, 1), 1e-3), np.tile([0.5, 0.3, 1e-6, 1e3], (3, 2)), zero((3, 2, 3))]
    expected = f(*given)
    found = on_interpreter(f.ptx_source(), given, [np.full_like(x, np.nan) for x in expected])
    for one, other, accuracy in zip(found, expected, (1e-12, 1e-12, 1e-9, 1e-12, 1e-12), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=accuracy * max(1.0, np.abs(other).max()))
    assert found[2][0, 0, 2] > 1.0, "the first ball touches"


def test_threads_beyond_the_last_sample_write_nothing():
    f = sg.mass_matrix(sg.load("rr"))
    q = np.random.default_rng(0).standard_normal((5, 2))
    room = np.zeros((8, 2, 2))
    text = f.ptx_source()
    (found,) = on_interpreter(text, [q], [room[:5]], block=32)
    np.testing.assert_allclose(found, f(q), rtol=1e-14)


def test_large_angles_are_reduced_before_they_are_added():
    f = sg.forward_kinematics(sg.load("rrr"), "link3")
    q = np.array([[1e9, -1e9 + 0.3, 0.2], [2.5e5, 7e7, -7e7]])
    (found,) = on_interpreter(f.ptx_source(), [q], [np.zeros((2, 4, 4))])
    np.testing.assert_allclose(found, f(q), rtol=0, atol=1e-12)


def test_loops_that_need_more_memory_than_a_thread_has_are_refused():
    code = Routine(("a",), range(1, 2), range(1), 70_002, ())
    with pytest.raises(InputError, match=r"no code for GPUs: .* 546 KiB of memory a sample, a thread has 512"):
        compile_ptx("large", code, [((1,), ("a",))], [(1,)], "float64")


def test_a_kernel_is_exported_as_other_code_is():
    f = sg.mass_matrix(sg.load("rr"))
    assert f.code("ptx") == {"mass_matrix.ptx": f.ptx_source()}
