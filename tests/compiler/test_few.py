"""Functions of few states: no machine code until it would have paid, the same answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler.function.tiered_evaluation import CHUNK, MAKING, estimate_seconds
from tests.agreement import assert_agree, random_states


def is_compiled(f: sg.Function) -> bool:
    return "compiled" in vars(f._evaluation)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (CHUNK + 5,)])
def test_few_states_have_the_answers_of_a_call(shape):
    robot = sg.load("panda")
    f = sg.forward_dynamics(robot)
    q, qd, tau = (np.resize(x, (*shape, robot.nv)) for x in random_states(robot, 7))
    found = f.few(q, qd, tau)
    assert not is_compiled(f)
    assert_agree(np.atleast_2d(found), np.atleast_2d(f(q, qd, tau)))


def test_leading_axes_broadcast_and_there_may_be_several_results():
    robot = sg.load("rr")
    f = sg.forward_dynamics(robot).jacobian("q", "tau")
    q, qd, tau = random_states(robot, 5)
    for found, expected in zip(f.few(q[:, None], qd, tau[0]), f(q[:, None], qd, tau[0]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_machine_code_is_made_once_it_would_have_paid():
    robot = sg.load("rr")
    f = sg.inverse_dynamics(robot)
    states = random_states(robot, 1000)
    calls = int(MAKING * len(f.program.instructions) / estimate_seconds(f.program, 1000))
    for _ in range(calls - 1):
        f.few(*states)
    assert not is_compiled(f)
    for _ in range(2):
        f.few(*states)
    assert is_compiled(f)


def test_a_vanished_pivot_is_answered_as_in_a_call():
    robot = sg.load("puma560")
    f = sg.forward_dynamics(robot, ordering="nested_dissection")
    q, qd, tau = np.zeros(6), np.zeros(6), np.arange(1.0, 7.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        np.testing.assert_allclose(f.few(q, qd, tau), f(q, qd, tau), rtol=1e-9)


@pytest.mark.parametrize("wrong", ["too few", "shape", "quaternion", "text"])
def test_what_a_call_refuses_is_refused_in_the_same_words(wrong):
    robot = sg.load("a1", base="floating")
    f = sg.bias_forces(robot)
    q, qd = robot.neutral(), np.zeros(robot.nv)
    given = {"too few": (q,), "shape": (q[1:], qd), "quaternion": (q * 1.1 + 0.1, qd), "text": ("q", qd)}[wrong]
    messages = []
    for call in (f.few, f):
        with pytest.raises(sg.InputError) as caught:
            call(*given)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_code_without_guards_is_what_it_is_where_it_is_no_number():
    robot = sg.load("rr")
    f = sg.mass_matrix(robot)
    assert not f.program.guarded
    assert np.isnan(f.few(np.array([np.nan, np.nan]))).any()
