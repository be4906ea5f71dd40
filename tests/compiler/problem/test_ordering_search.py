"""Orders that are searched for: cheaper than named ones, with the same answers, and kept."""

from __future__ import annotations

import time

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import compile as compiling
from screwgraph.compiler.problem.ordering_search import SECONDS, default_seconds, search_ordering
from tests.agreement import assert_agree, random_states


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def puma():
    return sg.load("puma560")


@pytest.fixture(scope="module")
def puma_cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("puma560"))


@pytest.fixture(scope="module")
def searched_puma(puma, puma_cache):
    """The PUMA 560's forward dynamics after a round of search, which a cache of its own keeps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCREWGRAPH_CACHE_DIR", puma_cache)
        return sg.forward_dynamics(puma, ordering=sg.Search(rounds=1))


def check_a_searched_order(robot, f):
    states = random_states(robot, 20)
    named = [sg.forward_dynamics(robot, ordering=order) for order in ("aba", "articulated", "composite")]
    assert f.operations.total <= min(g.operations.total for g in named)
    assert_agree(f(*states), named[0](*states))


def test_a_searched_order_is_cheaper_and_gives_the_same_answers(puma, searched_puma):
    check_a_searched_order(puma, searched_puma)


def test_a_searched_order_of_a_driven_elbow_is_cheaper_and_gives_the_same_answers(fresh_cache):
    robot = sg.load("acrobot")
    check_a_searched_order(robot, sg.forward_dynamics(robot, ordering=sg.Search(rounds=1)))


def test_auto_finds_what_a_search_has_kept(puma, searched_puma, puma_cache, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", puma_cache)
    monkeypatch.setenv(SECONDS, "0.05")
    again = sg.forward_dynamics(puma)
    assert again.ordering == searched_puma.ordering == "search"
    assert again.operations.total == searched_puma.operations.total


def test_a_search_of_no_time_still_finds_what_a_search_has_kept(puma, searched_puma, puma_cache, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", puma_cache)
    monkeypatch.setenv(SECONDS, "0")
    assert sg.forward_dynamics(puma).program == searched_puma.program


def test_what_a_short_search_found_is_improved_once(fresh_cache, monkeypatch):
    """A search that is as long as the one before it is not made again; one that is longer never costs more."""
    robot, searches = sg.load("rrr"), []
    monkeypatch.setattr(
        compiling, "search_ordering", lambda *given: searches.append(given[1].seconds) or search_ordering(*given)
    )
    counts = []
    for seconds in ("0.01", "0.3", "0.3", "0.01", "0"):
        monkeypatch.setenv(SECONDS, seconds)
        counts.append(sg.forward_dynamics(robot).operations.total)
    assert searches == [0.01, 0.3]
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts[1:])) == 1


def test_a_busy_machine_searches_as_long(fresh_cache, monkeypatch):
    """Time counts that the processor spends on the search, not that in which others have it."""
    monkeypatch.setenv(SECONDS, "0.2")
    clocks = []
    monkeypatch.setattr(compiling, "search_ordering", lambda *given: clocks.append(given[3]) or search_ordering(*given))
    sg.forward_dynamics(sg.load("rr"))
    sg.forward_dynamics(sg.load("rr"), ordering=sg.Search(rounds=1))
    assert clocks == [time.thread_time, time.monotonic]


def test_searched_code_can_be_asked_for_its_graph(puma, searched_puma):
    """The elimination DAG is that of the robot as it is, in the order in which the search lets its variables go."""
    unknowns = sg.dynamics_graph(puma).given("q", "qd", "tau").unknowns
    assert sorted(searched_puma.dag.order) == sorted(v.key for v in unknowns)
    assert searched_puma.report().splitlines()[-1].startswith("common factors")


def test_hybrid_problems_are_searched_too(fresh_cache):
    robot = sg.load("rrr")
    joint = robot.joint_names[0]
    states = random_states(robot, 20)
    found = sg.hybrid_dynamics(robot, joint, ordering=sg.Search(rounds=1))
    plain = sg.hybrid_dynamics(robot, joint, ordering="aba")
    assert found.operations.total <= plain.operations.total
    assert_agree(found(*states), plain(*states))


@pytest.mark.parametrize("text", ["soon", "-1", "nan", "inf"])
def test_a_senseless_time_is_refused(text, monkeypatch):
    monkeypatch.setenv(SECONDS, text)
    with pytest.raises(sg.InputError, match="a time in seconds"):
        default_seconds()


def test_progress_tells_of_costs_that_only_fall(fresh_cache):
    costs = []
    sg.forward_dynamics(sg.load("rr"), ordering=sg.Search(rounds=1, progress=lambda found: costs.append(found.cost)))
    assert len(costs) > 16
    assert np.all(np.diff(costs) <= 0)
