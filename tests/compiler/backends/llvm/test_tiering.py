"""Drafts: code that is quickly made answers first, fast code with the same digits takes its place."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.compiler.backends.llvm import compile_program, machine_code, tiering
from screwgraph.compiler.backends.llvm.gufunc import kept_alive
from screwgraph.compiler.derivatives.analytic import tree_problem as analytic


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    """Take drafts for ten states, from an empty cache."""
    monkeypatch.setenv(tiering.VARIABLE, "10")
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path))


@pytest.fixture
def levels(monkeypatch):
    """List the levels at which LLVM is asked for code."""
    found, make = [], machine_code._object

    def noted(assembly, processor, level=machine_code.FAST):
        found.append(level)
        return make(assembly, processor, level)

    monkeypatch.setattr(machine_code, "_object", noted)
    return found


def states(count=()):
    return np.random.default_rng(0).normal(size=(3, *count, 6))


def test_fast_code_takes_over_after_the_eleventh_call_with_the_same_digits(levels):
    f = sg.forward_dynamics(sg.load("puma560"))
    answers = [f(*states()) for _ in range(14)]
    tiering.wait_for_optimised()
    answers += [f(*states()) for _ in range(3)]
    assert levels == [machine_code.DRAFT, machine_code.FAST]
    assert all(np.array_equal(a, answers[0]) for a in answers)


def test_batches_count_as_many_states_as_they_have(levels):
    f = sg.forward_dynamics(sg.load("puma560"))
    x = states((50,))
    first = f(*x)
    tiering.wait_for_optimised()
    second = f(*x)
    assert levels == [machine_code.DRAFT, machine_code.FAST]
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first[7], f(*x[:, 7]))


def test_a_second_function_takes_the_draft_from_the_cache_and_fast_code_once_it_is_there(levels):
    for _ in range(2):
        sg.forward_dynamics(sg.load("rr"))(*np.ones((3, 2)))
    assert levels == [machine_code.DRAFT]
    f = sg.forward_dynamics(sg.load("rr"))
    for _ in range(12):
        f(*np.ones((3, 2)))
    tiering.wait_for_optimised()
    sg.forward_dynamics(sg.load("rr"))(*np.ones((3, 2)))
    assert levels == [machine_code.DRAFT, machine_code.FAST]


def test_code_with_loops_is_a_draft_first_with_the_same_digits(levels, monkeypatch):
    monkeypatch.setattr(analytic, "WIDE", 0)
    f = sg.forward_dynamics(sg.load("puma560")).jacobian("q", "tau")
    answers = [f(*states()) for _ in range(14)]
    tiering.wait_for_optimised()
    answers += [f(*states()) for _ in range(3)]
    assert levels == [machine_code.DRAFT, machine_code.FAST]
    assert all(np.array_equal(a, b) for answer in answers for a, b in zip(answer, answers[0], strict=True))


def test_drafts_of_kernels_take_states_one_by_one_with_the_same_digits(levels):
    program = sg.forward_dynamics(sg.load("puma560")).program
    arguments = [((18,), program.input_names)]
    f = compile_program("kernel", program, arguments, [(6,)], quickly=True).ufunc
    x = np.random.default_rng(0).normal(size=(50, 18))
    first = f(x)
    tiering.wait_for_optimised()
    assert levels == [machine_code.DRAFT, machine_code.QUICK]
    np.testing.assert_array_equal(first, f(x))


def test_without_drafts_fast_code_is_made_at_once(levels, monkeypatch):
    monkeypatch.setenv(tiering.VARIABLE, "0")
    sg.forward_dynamics(sg.load("rr"))(*np.ones((3, 2)))
    assert levels == [machine_code.FAST]


@pytest.mark.parametrize("text", ["many", "-1", "1.5"])
def test_a_number_of_states_that_is_none_is_refused(monkeypatch, text):
    monkeypatch.setenv(tiering.VARIABLE, text)
    with pytest.raises(InputError, match=tiering.VARIABLE):
        sg.forward_dynamics(sg.load("rr"))(*np.ones((3, 2)))


def test_threads_take_over_together(levels):
    f = sg.forward_dynamics(sg.load("puma560"))
    x = states((40,))
    expected = f(*x[:, :4])
    found = []

    def work():
        for _ in range(20):
            found.append(f(*x))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tiering.wait_for_optimised()
    found.append(f(*x))
    assert levels.count(machine_code.FAST) == 1
    assert len(found) == 81
    assert all(np.array_equal(a[:4], expected) and np.array_equal(a, found[0]) for a in found)


def test_calls_go_on_while_fast_code_is_made(monkeypatch):
    f, make, wait = sg.forward_dynamics(sg.load("puma560")), machine_code._object, threading.Event()
    x = states((50,))

    def slow(assembly, processor, level=machine_code.FAST):
        if level == machine_code.FAST:
            assert wait.wait(60.0)
        return make(assembly, processor, level)

    monkeypatch.setattr(machine_code, "_object", slow)
    first = [f(*x) for _ in range(3)]
    wait.set()
    tiering.wait_for_optimised()
    np.testing.assert_array_equal(f(*x), first[0])
    np.testing.assert_array_equal(first[2], first[0])


def test_functions_that_are_dropped_before_fast_code_is_there_leave_the_others_theirs(monkeypatch):
    """Fast code is redirected to who is still there; nothing is written to the memory of who is gone."""
    program = sg.forward_dynamics(sg.load("rr")).program
    arguments = [((6,), program.input_names)]
    make, wait, failed = machine_code._object, threading.Event(), []

    def slow(assembly, processor, level=machine_code.FAST):
        if level != machine_code.DRAFT:
            assert wait.wait(60.0)
        return make(assembly, processor, level)

    monkeypatch.setattr(machine_code, "_object", slow)
    monkeypatch.setattr(threading, "excepthook", failed.append)
    kernels = [compile_program("kernel", program, arguments, [(2,)], quickly=True) for _ in range(3)]
    x = np.random.default_rng(0).normal(size=(50, 6))
    before = [kernel.ufunc(x) for kernel in kernels]
    assert tiering.is_tiering_up()
    gone = weakref.ref(kernels[0])
    del kernels[0]
    gc.collect()
    assert gone() is None
    wait.set()
    tiering.wait_for_optimised()
    assert not failed
    for kernel in kernels:
        np.testing.assert_array_equal(kernel.ufunc(x), before[0])


def test_a_function_dropped_while_its_fast_code_is_made_goes(monkeypatch):
    make, started, wait, failed = machine_code._object, threading.Event(), threading.Event(), []

    def slow(assembly, processor, level=machine_code.FAST):
        if level == machine_code.FAST:
            started.set()
            assert wait.wait(60.0)
        return make(assembly, processor, level)

    monkeypatch.setattr(machine_code, "_object", slow)
    monkeypatch.setattr(threading, "excepthook", failed.append)
    f = sg.forward_dynamics(sg.load("rr"))
    first = f(*np.ones((3, 50, 2)))
    assert started.wait(60.0)
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None
    wait.set()
    tiering.wait_for_optimised()
    gc.collect()
    assert not failed
    np.testing.assert_array_equal(sg.forward_dynamics(sg.load("rr"))(*np.ones((3, 50, 2))), first)


def test_a_process_may_use_up_a_draft_while_it_ends():
    """No thread starts then, or nobody waits for it: the draft answers, and the process ends in peace."""
    code = """
import atexit
import numpy as np
import screwgraph as sg

f = sg.forward_dynamics(sg.load("rr"))
x = np.ones((3, 50, 2))
before = f(*x[:, :2])
atexit.register(lambda: print(np.array_equal(f(*x)[:2], before)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_a_process_that_ends_or_forks_waits_for_fast_code():
    code = """
import os
import numpy as np
import screwgraph as sg

f = sg.forward_dynamics(sg.load("puma560"))
x = np.ones((3, 50, 6))
before = f(*x)
child = os.fork()
same = np.array_equal(f(*x), before) and sg.inverse_dynamics(sg.load("rr"))(*np.ones((3, 2))).shape == (2,)
if child == 0:
    os._exit(0 if same else 1)
assert os.waitpid(child, 0)[1] == 0 and same
g = sg.inverse_dynamics(sg.load("puma560"))
g(*x)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_code_of_steps_is_a_draft_first(levels):
    robot = sg.load("puma560")
    q = np.full(6, 0.3)
    first = sg.simulate(robot, q, time=0.2).q
    tiering.wait_for_optimised()
    second = sg.simulate(robot, q, time=0.2).q
    assert machine_code.DRAFT in levels
    np.testing.assert_array_equal(first, second)


def test_a_draft_goes_with_its_function():
    f = sg.forward_dynamics(sg.load("rr"))
    f(*np.ones((3, 2)))
    code = weakref.ref(kept_alive(f.ufunc)[0].draft)
    assert code() is not None
    del f
    gc.collect()
    assert code() is None
