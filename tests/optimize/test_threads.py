"""Searches of one problem by threads at once are those of one thread, bit for bit; copies of it have their own code."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import numpy as np
import pytest

from screwgraph.motion.planning import Planner, read_task
from screwgraph.optimize import Problem, solve

OFTEN = 1e-6
"""How soon another thread may go on (s)."""


@pytest.fixture(scope="module", params=["cp2", "panda", "plan7"])
def problem(request) -> tuple[Problem, dict[str, np.ndarray]]:
    """Return a problem and where to start: of trees with inequalities, short and long rows, and of squares alone."""
    planner, rng = Planner(read_task(request.param)), np.random.default_rng(0)
    found, made = planner.solve().values, planner.transcription.problem
    return made, {v.name: found[v.name] + 0.01 * rng.normal(size=found[v.name].shape) for v in made.families}


@pytest.fixture
def often() -> Iterator[None]:
    """Let threads take turns often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(OFTEN)
    yield
    sys.setswitchinterval(before)


def search(problem: Problem, start: dict[str, np.ndarray]) -> bytes:
    return solve(problem, start, iterations=6).iterate.x.tobytes()


def test_threads_search_one_problem_as_one_does(problem, often):
    alone = search(*problem)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: search(*problem), range(24)))
    assert all(x == alone for x in found)


def test_what_is_found_stays_while_the_problem_is_solved_again(problem):
    made, start = problem
    first = solve(made, start, iterations=6)
    before = first.iterate.x.copy(), {name: np.copy(y) for name, y in first.values.items()}
    solve(made, {**start, made.families[0].name: start[made.families[0].name] + 0.01}, iterations=6)
    assert np.array_equal(before[0], first.iterate.x)
    assert all(np.array_equal(y, first.values[name]) for name, y in before[1].items())


def test_copies_search_as_their_original_did(problem):
    made, start = problem
    alone, own = search(made, start), deepcopy(made)
    assert search(own, start) == alone
    copy = deepcopy(own)  # of one that knows addresses of its arrays
    del own
    gc.collect()
    assert search(copy, start) == alone
