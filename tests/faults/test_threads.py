"""Sixteen threads that make and call functions at once get the answers that one thread gets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import screwgraph as sg
from tests.compiler.caches import entries, is_whole
from tests.suites import record

THREADS = 16
QUERIES: dict[str, Callable[[Any], Any]] = {
    "inverse dynamics": sg.inverse_dynamics,
    "forward dynamics": sg.forward_dynamics,
    "mass matrix": sg.mass_matrix,
    "Jacobian": lambda robot: sg.inverse_dynamics(robot).jacobian("q", "qd"),
}


def state(robot: Any, function: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    values = [rng.normal(size=argument.shape) for argument in function.arguments]
    return [robot.manifold.normalise(values[0]), *values[1:]]


def numbers(found: Any) -> list[bytes]:
    """Return results, one array or a tuple of arrays, bit for bit."""
    return [part.tobytes() for part in (found if isinstance(found, tuple) else (found,))]


def at_once(job: Callable[[int], Any]) -> Sequence[Any]:
    """Do a job in all threads, which begin at the same time."""
    barrier = Barrier(THREADS)

    def begun(thread: int) -> Any:
        barrier.wait(60)
        return job(thread)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begun, range(THREADS)))


def compiled_by_threads(robots: Sequence[str], queries: Sequence[str]) -> None:
    """Make functions in all threads, each of the same or of another robot and query, on a cache that is empty."""
    cases = [(name, query) for name in robots for query in queries]

    def made(case: tuple[str, str]) -> list[bytes]:
        robot = sg.load(case[0])
        function = QUERIES[case[1]](robot)
        return numbers(function(*state(robot, function)))

    found = at_once(lambda thread: made(cases[thread % len(cases)]))
    alone = {case: made(case) for case in cases}  # from the cache that the threads filled
    assert found == [alone[cases[thread % len(cases)]] for thread in range(THREADS)]


def first_called_by_threads(name: str, query: str, calls: int) -> None:
    """Call one function, whose machine code the first call makes, from all threads."""
    robot = sg.load(name)
    function = QUERIES[query](robot)
    values = state(robot, function)
    batch = [np.stack([x] * 11) for x in values]

    def called(thread: int) -> set[bytes]:
        return {b"".join(numbers(function(*(values if k % 2 else batch)))) for k in range(calls)}

    answers = at_once(called)
    assert all(answer == answers[0] for answer in answers)
    assert len(answers[0]) == 2


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_functions_made_by_sixteen_threads_are_those_of_one(cold):
    compiled_by_threads(["rr"], ["inverse dynamics", "forward dynamics"])
    assert len(entries(cold)) == len(list(cold.iterdir())) == 4
    assert all(is_whole(entry) for entry in entries(cold))


def test_a_function_first_called_by_sixteen_threads_answers_all_the_same(cold):
    first_called_by_threads("rr", "inverse dynamics", 50)


@pytest.mark.suite
@pytest.mark.parametrize("name", ["puma560", "panda", "a1", "five_bar", "stewart_gough"])
def test_threads_make_and_call_every_function(name, cold):
    began = time.monotonic()
    queries = list(QUERIES)
    compiled_by_threads([name], queries)
    for query in queries:
        first_called_by_threads(name, query, 1000)
    assert all(is_whole(entry) for entry in entries(cold))
    record(
        "faults",
        fault=f"{THREADS} threads make and call functions of {name}",
        of=THREADS * (1 + 1000 * len(queries)),
        broken=0,
        **{"time (s)": time.monotonic() - began},
    )
