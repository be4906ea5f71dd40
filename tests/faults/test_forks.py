"""Functions in processes that were forked or spawned: compiled before, compiled there, and sent there and back."""

from __future__ import annotations

import sys
import time

import pytest

from tests.compiler.caches import entries, is_whole, printed, start
from tests.suites import record

METHODS = ("spawn",) if sys.platform == "win32" else ("fork", "spawn")

PROGRAM = """
import multiprocessing
import numpy as np
import screwgraph as sg

robot = sg.load({name!r})
rng = np.random.default_rng(0)
x = [[robot.manifold.normalise(rng.normal(size=robot.nq)), *rng.normal(size=(2, robot.nv))] for _ in range({states})]
before, later = sg.forward_dynamics(robot), sg.inverse_dynamics(robot)
here = [before(*state) for state in x]
with multiprocessing.get_context({method!r}).Pool({processes}) as pool:
    there = pool.starmap(before, x)
    of_later = pool.starmap(later, x)
    made = pool.map(sg.bias_forces, [robot] * {processes})
    both = pool.starmap(made[0], [state[:2] for state in x])
np.testing.assert_array_equal(there, here)
np.testing.assert_array_equal(of_later, [later(*state) for state in x])
np.testing.assert_array_equal(both, [made[-1](*state[:2]) for state in x])
np.testing.assert_array_equal([before(*state) for state in x], here)
print("done")
"""
"""Functions whose machine code was made before the processes, by them, and that were compiled there and came back."""


@pytest.mark.parametrize("method", METHODS)
def test_functions_answer_the_same_in_other_processes(method, tmp_path):
    program = PROGRAM.format(name="rr", method=method, processes=2, states=8)
    assert printed(start(program, tmp_path / "cache")) == "done\n"
    assert all(is_whole(entry) for entry in entries(tmp_path / "cache"))


@pytest.mark.suite
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["puma560", "panda", "a1", "five_bar", "stewart_gough"])
def test_functions_of_robots_answer_the_same_in_other_processes(name, method, tmp_path):
    began = time.monotonic()
    program = PROGRAM.format(name=name, method=method, processes=8, states=1000)
    assert printed(start(program, tmp_path / "cache")) == "done\n"
    assert all(is_whole(entry) for entry in entries(tmp_path / "cache"))
    record(
        "faults",
        fault=f"functions of {name} in 8 processes ({method})",
        of=3000,
        broken=0,
        **{"time (s)": time.monotonic() - began},
    )
