"""`screwgraph search`, as a user runs it."""

from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", str(tmp_path / "cache"))


def test_it_says_what_it_found(command):
    found = command("search", "rrr", "--problem", "forward", "--rounds", "1", "--json").json
    assert found["evaluated"] > 16
    assert found["operations"] > 0
    assert not found["interrupted"]


def test_workers_find_the_same(command):
    alone, together = (
        command("search", "rr", "--problem", "forward", "--rounds", "1", "--json", *more).json
        for more in ((), ("--workers", "2"))
    )
    assert alone == together


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="the extra `distributed` is not installed")
@pytest.mark.filterwarnings("default")
@pytest.mark.suite
def test_a_dask_cluster_of_two_workers_finds_the_same(command):
    from distributed import LocalCluster

    alone = command("search", "rr", "--problem", "forward", "--rounds", "1", "--json").json
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True) as cluster:
        address = cluster.scheduler_address
        result = command("search", "rr", "--problem", "forward", "--rounds", "1", "--json", "--dask", address)
    assert result.json == alone


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="the extra `distributed` is not installed")
def test_a_cluster_that_is_not_there_is_one_line(refused):
    result = refused(1, "search", "rr", "--problem", "forward", "--dask", "tcp://127.0.0.1:9")
    assert "no Dask scheduler at 'tcp://127.0.0.1:9'" in result.err


def test_accelerations_belong_to_hybrid_dynamics(refused):
    result = refused(2, "search", "rr", "--problem", "forward", "--accelerations", "joint1")
    assert "--accelerations cannot be used with --problem forward" in result.err


def test_workers_do_not_go_with_a_cluster(refused):
    result = refused(2, "search", "rr", "--problem", "forward", "--workers", "2", "--dask", "tcp://127.0.0.1:9")
    assert "--workers cannot be used with --dask" in result.err
