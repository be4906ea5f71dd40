"""Calls and functions that were dropped leave nothing in memory."""

from __future__ import annotations

import sys
import time

import pytest

from tests.compiler.caches import printed, start
from tests.suites import record

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

MEASURED = """
import gc, os
import numpy as np
import screwgraph as sg

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def growth(work, warm, times):
    work(warm)
    before = resident()
    work(times)
    print(resident() - before)
"""
"""Measures how much the memory grows, in bytes, once pools of Python, NumPy and LLVM are filled."""

CALLS = """
os.environ["SCREWGRAPH_DRAFT_STATES"] = "0"  # so that the first calls make fast code
robot = sg.load("rr")
f, M = sg.forward_dynamics(robot), sg.forward_dynamics(robot).jacobian("q", "qd")
x = np.random.default_rng(0).normal(size=(3, robot.nv))
batch, lists, out = np.stack([x] * 9, 1), x.tolist(), np.empty(robot.nv)
wrong = np.zeros((3, robot.nv + 1))

def work(times):
    for _ in range(times // 6):
        f(*x), M(*x), f(*batch), f(*lists), f(*x, out=out)
        try:
            f(*wrong)
        except sg.InputError:
            pass

growth(work, 3000, {times})
"""
"""Plain calls, several results, batches, lists, `out`, and calls that are refused."""

FUNCTIONS = """
from dataclasses import replace
robot = sg.load("rr")
x = np.random.default_rng(0).normal(size=(3, robot.nv))
number = 0

def work(times):
    global number
    for _ in range(times):
        number += 1
        f = sg.forward_dynamics(replace(robot, gravity=(0.0, 0.01 * number, -9.81)))
        f(*x), f(*np.stack([x] * 9, 1))

growth(work, {warm}, {times})
"""
"""Functions of robots that differ, each dropped before the next is made."""

MEGABYTE = 1 << 20
BUILDER = 1488
"""Bytes that llvmlite (0.50) leaves of each builder of passes; one makes the machine code of a function."""


def grown(program: str, tmp_path, timeout: float = 120.0) -> int:
    """Return by how many bytes the memory of a program grows."""
    return int(printed(start(MEASURED + program, tmp_path / "cache"), timeout))


@pytest.mark.suite
def test_calls_leave_nothing_in_memory(tmp_path):
    assert grown(CALLS.format(times=20_000), tmp_path) < MEGABYTE


def test_functions_that_were_dropped_leave_nothing_in_memory(tmp_path):
    assert grown(FUNCTIONS.format(warm=10, times=20), tmp_path) < MEGABYTE


@pytest.mark.suite
@pytest.mark.parametrize(
    ("what", "program", "times", "limit"),
    [
        ("calls", CALLS.format(times=1_000_000), 1_000_000, MEGABYTE),
        ("compiled functions", FUNCTIONS.format(warm=100, times=1000), 1000, 3 * MEGABYTE + 1000 * BUILDER),
    ],
)
def test_many_leave_nothing_in_memory(what, program, times, limit, tmp_path):
    began, growth = time.monotonic(), grown(program, tmp_path, timeout=1800.0)
    record(
        "faults",
        fault=f"growth of memory by {what}",
        of=times,
        **{"growth (MB)": growth / MEGABYTE, "time (s)": time.monotonic() - began},
    )
    assert growth < limit, growth
